"""minitape: TensorFlow's gradient tape on NumPy, small enough to read in an evening.

    import minitape as tf

What stands in this file is public; nothing else is.
"""

import warnings as _warnings
from typing import NoReturn as _NoReturn

from .missing import missing as _missing

# NumPy warns where a result is inf or nan; TensorFlow does not. This silences only what our own lines would raise.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minitape\.")

# isort: off
# Values
from .tensor import Tensor, TensorShape, constant
from .variable import Variable
from .dtypes import (
    DType, as_dtype, float16, half, float32, float64, double, int8, int16, int32, int64,
    uint8, uint16, uint32, uint64, complex64, complex128, string, bool_ as bool,
)  # fmt: skip

# Ops
from .ops.elementwise import (
    add, subtract, multiply, divide, maximum, minimum, negative, identity, abs, sign, square, sqrt, exp, sin, cos, tanh,
    sigmoid, floor, round, equal, not_equal, less, less_equal, greater, greater_equal, logical_and, logical_or,
    logical_not, stop_gradient, zeros_like, ones_like, power as pow,
)  # fmt: skip
from .ops.linear import (
    reduce_sum, reduce_mean, reshape, transpose, broadcast_to, cast, where, clip_by_value, shape, zeros, ones, fill,
)  # fmt: skip
from .ops.product import matmul
from .ops.index import gather, gather_nd
from .ops.composed import convert_to_tensor, is_tensor, expand_dims
from .printing import print
from . import math, nn, random

# The tape
from .tape import GradientTape, UnconnectedGradients
from .control import custom_gradient, grad_pass_through, recompute_grad
from .slices import IndexedSlices
from . import autodiff

# Explaining
from .observe import observe
from .trace import Trace
from .ledger import ledger

from . import errors, keras, primitive

# isort: on

newaxis = None
__version__ = "0.1.0"


def __getattr__(name: str) -> _NoReturn:
    raise _missing(__name__, name)


__all__ = [name for name in dir() if not name.startswith("_")]

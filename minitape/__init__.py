"""minitape: TensorFlow's gradient tape on NumPy, small enough to read in an evening.

    import minitape as tf

What stands in this file is public; nothing else is.
"""

import warnings as _warnings
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from .missing import missing as _missing

# NumPy warns where a result is inf or nan; TensorFlow does not. This silences only what our own lines would raise.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minitape\.")

# isort: off
# Values
from .tensor import Tensor, TensorShape, constant
from .variable import Variable
from .names import name_scope
from .dtypes import (
    DType, as_dtype, float16, half, float32, float64, double, int8, int16, int32, int64,
    uint8, uint16, uint32, uint64, complex64, complex128, string, bool_ as bool,
)  # fmt: skip

# Ops
from .ops.elementwise import (
    abs, acos, acosh, add, asin, asinh, atan, atanh, cos, cosh, divide, divide as truediv, equal, exp, floor, greater,
    greater_equal, less, less_equal, logical_and, logical_not, logical_or, maximum, minimum, multiply, negative,
    not_equal, power as pow, round, sigmoid, sign, sin, sinh, sqrt, square, subtract, tan, tanh,
)  # fmt: skip
from .ops.named import atan2, complex, identity, stop_gradient
from .ops.linear import broadcast_to, cast, reduce_mean, reduce_sum, reshape, transpose
from .ops.reduce import (
    argmax, argmin, norm, reduce_all, reduce_any, reduce_logsumexp, reduce_max, reduce_min, reduce_prod,
)  # fmt: skip
from .ops.product import einsum, matmul, tensordot
from .ops.create import (
    eye, fill, linspace, meshgrid, one_hot, ones, ones_like, range_ as range, rank, sequence_mask, shape, size, zeros,
    zeros_like,
)  # fmt: skip
from .ops.choose import clip_by_global_norm, clip_by_norm, clip_by_value, where
from .ops.join import add_n, concat, ensure_shape, expand_dims, pad, split, squeeze, stack, unstack
from .ops.rearrange import argsort, boolean_mask, repeat, reverse, roll, sort, tile
from .ops.slicing import block as slice, strided_slice
from .ops.index import gather, gather_nd
from .ops.composed import convert_to_tensor, is_tensor

# The tape
from .tape import GradientTape, UnconnectedGradients
from .control import custom_gradient, grad_pass_through, recompute_grad
from .slices import IndexedSlices

# Explaining
from .explain import explain
from .observe import observe
from .ledger import ledger

from . import errors, primitive

# isort: on

newaxis = None
__version__ = "0.1.0"

# What few programs need: the module is imported when the name is first used.
if _TYPE_CHECKING:
    from . import autodiff, debugging, keras, lessons, linalg, math, nn, random
    from .keras import initializers, losses, metrics, optimizers
    from .module import Module
    from .ops.flow import (
        case,
        cond,
        foldl,
        foldr,
        map_fn,
        numpy_function,
        py_function,
        scan,
        switch_case,
        while_loop,
    )  # fmt: skip
    from .ops.running import cumsum
    from .ops.scatter import (
        scatter_nd,
        tensor_scatter_nd_add,
        tensor_scatter_nd_max,
        tensor_scatter_nd_min,
        tensor_scatter_nd_sub,
        tensor_scatter_nd_update,
    )  # fmt: skip
    from .ops.search import searchsorted, unique, unique_with_counts
    from .printing import print
    from .trace import Trace

_LATER = {
    "Diagnosis": "diagnosis", "check_gradients": "check", "check_custom_gradient": "contract", "find_nan": "nan",
    "describe": "narrator", "audit": "recomputed",
    "Module": "module", "cumsum": "ops.running", "print": "printing",
    "Trace": "trace", "autodiff": "autodiff", "debugging": "debugging", "keras": "keras", "lessons": "lessons",
    "linalg": "linalg", "math": "math", "nn": "nn", "random": "random",
    "initializers": "keras.initializers", "losses": "keras.losses", "metrics": "keras.metrics",
    "optimizers": "keras.optimizers",
    "case": "ops.flow", "cond": "ops.flow", "foldl": "ops.flow", "foldr": "ops.flow", "map_fn": "ops.flow",
    "numpy_function": "ops.flow", "py_function": "ops.flow", "scan": "ops.flow", "switch_case": "ops.flow",
    "while_loop": "ops.flow",
    "scatter_nd": "ops.scatter", "tensor_scatter_nd_add": "ops.scatter", "tensor_scatter_nd_max": "ops.scatter",
    "tensor_scatter_nd_min": "ops.scatter", "tensor_scatter_nd_sub": "ops.scatter",
    "tensor_scatter_nd_update": "ops.scatter",
    "searchsorted": "ops.search", "unique": "ops.search", "unique_with_counts": "ops.search",
}  # fmt: skip


def __getattr__(name: str) -> _Any:
    if name not in _LATER:
        raise _missing(__name__, name)
    module = _import_module(f"{__name__}.{_LATER[name]}")
    globals()[name] = found = module if module.__name__.endswith(f".{name}") else getattr(module, name)
    return found


__all__ = [
    "DType", "Diagnosis", "GradientTape", "IndexedSlices", "Module", "Tensor", "TensorShape", "Trace",
    "UnconnectedGradients", "Variable", "abs", "acos", "acosh", "add", "add_n", "argmax", "argmin", "argsort",
    "as_dtype", "asin", "asinh", "atan", "atan2", "atanh", "audit", "autodiff", "bool", "boolean_mask",
    "broadcast_to", "case", "cast", "check_custom_gradient", "check_gradients", "clip_by_global_norm",
    "clip_by_norm", "clip_by_value", "complex", "complex128", "complex64", "concat", "cond", "constant",
    "convert_to_tensor", "cos", "cosh", "cumsum", "custom_gradient", "debugging", "describe", "divide",
    "double", "einsum", "ensure_shape", "equal", "errors", "exp", "expand_dims", "explain", "eye", "fill",
    "find_nan", "float16", "float32", "float64", "floor", "foldl", "foldr", "gather", "gather_nd",
    "grad_pass_through", "greater", "greater_equal", "half", "identity", "initializers", "int16", "int32",
    "int64", "int8", "is_tensor", "keras", "ledger", "less", "less_equal", "lessons", "linalg", "linspace",
    "logical_and", "logical_not", "logical_or", "losses", "map_fn", "math", "matmul", "maximum", "meshgrid",
    "metrics", "minimum", "multiply", "name_scope", "negative", "newaxis", "nn", "norm", "not_equal",
    "numpy_function", "observe", "one_hot", "ones", "ones_like", "optimizers", "pad", "pow", "primitive",
    "print", "py_function", "random", "range", "rank", "recompute_grad", "reduce_all", "reduce_any",
    "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "repeat",
    "reshape", "reverse", "roll", "round", "scan", "scatter_nd", "searchsorted", "sequence_mask", "shape",
    "sigmoid", "sign", "sin", "sinh", "size", "slice", "sort", "split", "sqrt", "square", "squeeze", "stack",
    "stop_gradient", "strided_slice", "string", "subtract", "switch_case", "tan", "tanh",
    "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min", "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update", "tensordot", "tile", "transpose", "truediv", "uint16", "uint32", "uint64",
    "uint8", "unique", "unique_with_counts", "unstack", "where", "while_loop", "zeros", "zeros_like",
]  # fmt: skip

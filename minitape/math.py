"""`tf.math`: TensorFlow's home of the functions on numbers."""

from .ops.elementwise import (
    abs,
    add,
    ceil,
    cos,
    divide,
    equal,
    exp,
    floor,
    floordiv,
    floormod,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    multiply_no_nan,
    negative,
    not_equal,
    round,
    sigmoid,
    sign,
    sin,
    sqrt,
    square,
    subtract,
    tanh,
)  # fmt: skip
from .ops.elementwise import (
    power as pow,
)
from .ops.linear import reduce_mean, reduce_sum

__all__ = [name for name in dir() if not name.startswith("_")]

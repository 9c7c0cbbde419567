"""`tf.math`: TensorFlow's home of the functions on numbers."""

# isort: off
from .ops.elementwise import (
    abs, acos, acosh, add, angle, asin, asinh, atan, atanh, ceil, conj, cos, cosh, digamma, divide, divide_no_nan,
    equal, erf, erfc, exp, expm1, floor, floordiv, floormod, greater, greater_equal, is_finite, is_inf, is_nan, less,
    less_equal, lgamma, log, log1p, logical_and, logical_not, logical_or, logical_xor, maximum, minimum, multiply,
    multiply_no_nan, negative, not_equal, power as pow, reciprocal, reciprocal_no_nan, rint, round, rsqrt, sigmoid,
    sign, sin, sinh, sqrt, square, squared_difference, subtract, tan, tanh, xdivy, xlog1py, xlogy, divide as truediv,
    floormod as mod,
)  # fmt: skip
from .ops.named import atan2, imag, nextafter, polygamma, real
from .ops.linear import reduce_mean, reduce_sum
from .ops.reduce import (
    argmax, argmin, count_nonzero, reduce_all, reduce_any, reduce_euclidean_norm, reduce_logsumexp, reduce_max,
    reduce_min, reduce_prod, reduce_std, reduce_variance,
)  # fmt: skip
from .ops.running import cumprod, cumsum, cumulative_logsumexp
from .ops.join import accumulate_n, add_n
from .ops.rearrange import top_k
from .ops.segment import (
    segment_max, segment_mean, segment_min, segment_prod, segment_sum, unsorted_segment_max, unsorted_segment_mean,
    unsorted_segment_min, unsorted_segment_prod, unsorted_segment_sqrt_n, unsorted_segment_sum,
)  # fmt: skip
from .ops.search import bincount, in_top_k
from .ops.softmax import log_softmax, softmax
from .ops.nn import l2_normalize, log_sigmoid, softplus, softsign, zero_fraction
from .missing import absent as _absent
# isort: on

__getattr__ = _absent(__name__)

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin", "asin", "asinh",
    "atan", "atan2", "atanh", "bincount", "ceil", "conj", "cos", "cosh", "count_nonzero", "cumprod", "cumsum",
    "cumulative_logsumexp", "digamma", "divide", "divide_no_nan", "equal", "erf", "erfc", "exp", "expm1",
    "floor", "floordiv", "floormod", "greater", "greater_equal", "imag", "in_top_k", "is_finite", "is_inf",
    "is_nan", "l2_normalize", "less", "less_equal", "lgamma", "log", "log1p", "log_sigmoid", "log_softmax",
    "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply",
    "multiply_no_nan", "negative", "nextafter", "not_equal", "polygamma", "pow", "real", "reciprocal",
    "reciprocal_no_nan", "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max",
    "reduce_mean", "reduce_min", "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "rint", "round",
    "rsqrt", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum", "sigmoid", "sign",
    "sin", "sinh", "softmax", "softplus", "softsign", "sqrt", "square", "squared_difference", "subtract", "tan",
    "tanh", "top_k", "truediv", "unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min",
    "unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy",
    "zero_fraction",
]  # fmt: skip

"""Ops that work number by number: the table of derivatives.

In a rule, `g` is the upstream gradient, `x` and `y` are the inputs, `z` is the output. Every rule returns a gradient of
the output's shape; where an input was broadcast, the way back adds it up, in one place (`f.fit`).
"""

from __future__ import annotations

from functools import partial
from math import pi
from math import sqrt as root
from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import elementwise, f
from ..refusal import called
from ..tensor import Operand, Tensor
from . import special

# --- what the tables need besides NumPy -------------------------------------------------------------------------------


def whole(ufunc: Any, name: str, kernel: str) -> Any:
    """A division that refuses an integer zero; floats give inf or nan."""

    def divide(x: Any, y: Any) -> Any:
        if y.dtype.kind in "iu" and not np.all(y):
            fix = f"tf.math.{name}(a, tf.where(b == 0, 1, b))"
            raise InvalidArgumentError(
                say(f"{name}: an integer is divided by 0", fix, f"Integer division by zero [Op:{kernel}] name: ")
            )
        return ufunc(x, y)

    return divide


def floor_of_quotient(x: Any, y: Any) -> Any:
    """TensorFlow's floor division: of floats it is the quotient rounded down (NumPy's differs in the last place)."""
    return np.floor(x / y) if x.dtype.kind == "f" else np.floor_divide(x, y)


def to_the(x: Any, y: Any) -> Any:
    """x to the power y; an integer has no negative integer power."""
    try:
        return np.power(x, y)
    except ValueError:
        if x.dtype.kind not in "iu" or not np.any(y < 0):
            raise
    raise InvalidArgumentError(
        say(
            "pow: an integer to a negative power is no integer",
            "tf.cast(x, tf.float32) ** y",
            "Integers to negative integer powers are not allowed [Op:Pow] name: ",
        )
    )


def safe(where_zero: Any, otherwise: Any) -> Any:
    """A function of x and y that is 0 where the first function says so, whatever inf or nan stands there."""
    return lambda x, y: np.where(where_zero(x, y), np.zeros((), x.dtype), otherwise(x, y))


def where_positive(x: Any, y: Any) -> Any:
    """x where y is above 0, else 0."""
    z = (y > 0).astype(x.dtype)  # (NumPy takes a third longer to multiply floats by bools)
    if z.shape != x.shape:
        return x * z
    z *= x
    return z


def ones_where_not_0(x: Any) -> Any:
    """1 where x is not 0, else 0."""
    return f.where(x != 0, f.ones_like(x), f.zeros_like(x))


def is_real(x: Any) -> bool:
    """Is this no complex number?"""
    return bool((x.array if isinstance(x, Operand) else x).dtype.kind != "c")


def as_complex(x: Any) -> Any:
    """A real number as a complex one."""
    return f.complex(x, f.zeros_like(x))


SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772

# fmt: off

# --- two inputs, broadcasting -----------------------------------------------------------------------------------------
add      = elementwise("add",      np.add,           x=lambda g: g,         y=lambda g: g,                       kernel="AddV2",  takes="iufcO")
subtract = elementwise("subtract", np.subtract,      x=lambda g: g,         y=lambda g: -g,                      kernel="Sub")
multiply = elementwise("multiply", np.multiply,      x=lambda g, y: g * y,  y=lambda g, x: g * x,                kernel="Mul",    takes="biufc")
real_div = elementwise("divide",   np.true_divide,   x=lambda g, y: g / y,  y=lambda g, x, y: g * (-x / y / y),  kernel="RealDiv",  takes="fc")
power    = elementwise("pow",      to_the,           x=lambda g, x, y: g * y * x ** (y - 1),
                                                     y=lambda g, x, z: g * z * f.log(f.where(x > 0, x, f.ones_like(x))),  takes="ifc")
maximum  = elementwise("maximum",  np.maximum,       x=lambda g, x, y: f.where(x >= y, g, f.zeros_like(g)),
                                                     y=lambda g, x, y: f.where(x >= y, f.zeros_like(g), g),  takes="iuf")
minimum  = elementwise("minimum",  np.minimum,       x=lambda g, x, y: f.where(x <= y, g, f.zeros_like(g)),
                                                     y=lambda g, x, y: f.where(x <= y, f.zeros_like(g), g),  takes="iuf")
floormod = elementwise("floormod", whole(np.mod, "floormod", "FloorMod"),
                                                     x=lambda g: g,         y=lambda g, x, y: -g * f.floordiv(x, y), kernel="FloorMod",  takes="iuf")
atan2    = elementwise("atan2",    np.arctan2,       x=lambda g, x, y: g / (x * x + y * y) * y,
                                                     y=lambda g, x, y: g / (x * x + y * y) * -x,                 takes="f")
squared_difference = elementwise("squared_difference", lambda x, y: np.square(x - y),
                                                     x=lambda g, x, y: g * (2 * (x - y)),  y=lambda g, x, y: -(g * (2 * (x - y))),  takes="ifc")
nextafter = elementwise("nextafter", np.nextafter,   x=lambda g: g,         y=lambda g: f.zeros_like(g),         takes="f", kernel="NextAfter")
complex   = elementwise("complex", lambda x, y: x + 1j * y,  x=lambda g: f.real(g),  y=lambda g: f.imag(g),  takes="f")

# Where the first input is 0 (for the no_nan kind: the second), the answer is 0, and so is the gradient.
multiply_no_nan = elementwise("multiply_no_nan", safe(lambda x, y: y == 0, np.multiply),
                              x=lambda g, y: f.multiply_no_nan(g, y),    y=lambda g, x: f.multiply_no_nan(x, g),  takes="fc", kernel="MulNoNan")
safe_div        = elementwise("divide_no_nan",   safe(lambda x, y: y == 0, np.true_divide),
                              x=lambda g, y: f.divide_no_nan(g, y),      y=lambda g, x, y: g * f.divide_no_nan(f.divide_no_nan(-x, y), y),  takes="fc", kernel="DivNoNan")
xlogy           = elementwise("xlogy",           safe(lambda x, y: x == 0, lambda x, y: x * np.log(y)),
                              x=lambda g, x, y: g * f.xlogy(ones_where_not_0(x), y),    y=lambda g, x, y: g * f.xdivy(x, y),      takes="fc")
xlog1py         = elementwise("xlog1py",         safe(lambda x, y: x == 0, lambda x, y: x * np.log1p(y)),
                              x=lambda g, x, y: g * f.xlog1py(ones_where_not_0(x), y),  y=lambda g, x, y: g * f.xdivy(x, 1 + y),  takes="fc")
xdivy           = elementwise("xdivy",           safe(lambda x, y: x == 0, np.true_divide),
                              x=lambda g, x, y: g * f.xdivy(ones_where_not_0(x), y),    y=lambda g, x, y: g * f.xdivy(-x, y * y),  takes="fc")

# --- one input --------------------------------------------------------------------------------------------------------
negative   = elementwise("negative",   np.negative,   x=lambda g: -g,                          kernel="Neg",  takes="ifc")
identity   = elementwise("identity",   lambda x: x,   x=lambda g: g,  takes="biufcO")  # arrays never change, so two tensors may share one
abs        = elementwise("abs",        np.abs,        x=lambda g, x: g * f.sign(x) if is_real(x) else as_complex(g) * f.direction(x),  conjugated=False,  says="g * sign(x)",  takes="ifc")
direction  = elementwise("direction",  np.sign,       x=lambda g, x, z: (g - z * as_complex(f.real(f.conj(z) * g))) / as_complex(f.abs(x)),  conjugated=False)
conj       = elementwise("conj",       np.conj,       x=lambda g: f.conj(g))
real       = elementwise("real",       np.real,       x=lambda g: f.complex(g, f.zeros_like(g)))
imag       = elementwise("imag",       np.imag,       x=lambda g: f.complex(f.zeros_like(g), g),  takes="biufc")
sign       = elementwise("sign",       np.sign,       x=lambda g: f.zeros_like(g),  takes="ifc")
square     = elementwise("square",     np.square,     x=lambda g, x: g * (2 * x))
sqrt       = elementwise("sqrt",       np.sqrt,       x=lambda g, z: f.multiply_no_nan(0.5 / z, g),             takes="fc")
rsqrt      = elementwise("rsqrt",      lambda x: 1 / np.sqrt(x),  x=lambda g, z: f.multiply_no_nan(-0.5 * z * z * z, g),  takes="fc")
reciprocal = elementwise("reciprocal", lambda x: 1 / x,  x=lambda g, z: f.multiply_no_nan(-z * z, g),           takes="fc")
reciprocal_no_nan = elementwise("reciprocal_no_nan", lambda x: np.where(x == 0, np.zeros((), x.dtype), 1 / x),  x=lambda g, z: g * (-z * z),  takes="fc")
exp        = elementwise("exp",        np.exp,        x=lambda g, z: g * z,                    takes="fc")
expm1      = elementwise("expm1",      np.expm1,      x=lambda g, x: g * f.exp(x),             takes="fc")
log        = elementwise("log",        np.log,        x=lambda g, x: g / x,                    takes="fc")
log1p      = elementwise("log1p",      np.log1p,      x=lambda g, x: g / (1 + x),              takes="fc")
sin        = elementwise("sin",        np.sin,        x=lambda g, x: g * f.cos(x),             takes="fc")
cos        = elementwise("cos",        np.cos,        x=lambda g, x: -g * f.sin(x),            takes="fc")
tan        = elementwise("tan",        np.tan,        x=lambda g, z: g * (1 + z * z),          takes="fc")
asin       = elementwise("asin",       np.arcsin,     x=lambda g, x: g / f.sqrt(1 - x * x),    takes="fc")
acos       = elementwise("acos",       np.arccos,     x=lambda g, x: -g / f.sqrt(1 - x * x),   takes="fc")
atan       = elementwise("atan",       np.arctan,     x=lambda g, x: g / (1 + x * x),          takes="fc")
sinh       = elementwise("sinh",       np.sinh,       x=lambda g, x: g * f.cosh(x),            takes="fc")
cosh       = elementwise("cosh",       np.cosh,       x=lambda g, x: g * f.sinh(x),            takes="fc")
tanh       = elementwise("tanh",       np.tanh,       x=lambda g, z: g * (1 - z * z),          takes="fc")
asinh      = elementwise("asinh",      np.arcsinh,    x=lambda g, z: g / f.cosh(z),            takes="fc")
acosh      = elementwise("acosh",      np.arccosh,    x=lambda g, z: g / f.sinh(z),            takes="fc")
atanh      = elementwise("atanh",      np.arctanh,    x=lambda g, x: g / (1 - x * x),          takes="fc")
erf        = elementwise("erf",        special.erf,   x=lambda g, x: g * (2 / root(pi) * f.exp(-x * x)),   takes="f")
erfc       = elementwise("erfc",       special.erfc,  x=lambda g, x: g * (-2 / root(pi) * f.exp(-x * x)),  takes="f")
lgamma     = elementwise("lgamma",     special.lgamma,   x=lambda g, x: g * f.digamma(x),      takes="f")
digamma    = elementwise("digamma",    special.digamma,  x=lambda g, x: g * f.polygamma(f.ones_like(x), x),  takes="f")
polygamma  = elementwise("polygamma",  special.polygamma,  inputs="x y",  y=lambda g, x, y: g * f.polygamma(x + 1, y),  takes="f")

# --- activations ------------------------------------------------------------------------------------------------------
# `steady(g, x)` is g itself, with slope 0 in x: so the second derivative of relu is 0, and not None, as in TensorFlow.
sigmoid    = elementwise("sigmoid",    lambda x: 1 / (1 + np.exp(-x)),                     x=lambda g, z: g * (z * (1 - z)),                      takes="fc")
softplus   = elementwise("softplus",   lambda x: np.logaddexp(np.zeros((), x.dtype), x),   x=lambda g, x: g * f.sigmoid(x),                       takes="f")
relu       = elementwise("relu",       partial(np.maximum, 0),                            x=lambda g, z: f.relu_grad(g, z),  takes="iuf")
relu_grad  = elementwise("relu_grad",  where_positive,                                     x=lambda g, y: f.relu_grad(g, y),  y=lambda g: f.zeros_like(g),  takes="iuf")
relu6      = elementwise("relu6",      lambda x: np.clip(x, 0, 6),                         x=lambda g, z: f.relu_grad(f.relu_grad(g, z), 6 - z),  takes="iuf")
leaky_relu = elementwise("leaky_relu", lambda x, y: np.where(x > 0, x, y * x),             x=lambda g, x, y: f.steady(f.where(x > 0, g, y * g), x),  y=lambda g, x: f.where(x > 0, f.zeros_like(g), g * x),  takes="f")
elu        = elementwise("elu",        lambda x: np.where(x > 0, x, np.expm1(x)),          x=lambda g, z: f.where(z < 0, g * (z + 1), g),         takes="f")
selu       = elementwise("selu",       lambda x: SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(x)),
                                                                                           x=lambda g, z: f.where(z < 0, g * (z + SELU_SCALE * SELU_ALPHA), g * SELU_SCALE),  takes="f")
steady     = elementwise("steady",     lambda x, y: x,                                     x=lambda g: g,  y=lambda g: f.zeros_like(g))

# --- no derivative: shown and explained, never silently lost -----------------------------------------------------------
# Of bools a logical op is the bitwise one, and that has NumPy refuse floats.
floor         = elementwise("floor",         np.floor,                        takes="f")
ceil          = elementwise("ceil",          np.ceil,                         takes="f")
rint          = elementwise("rint",          np.rint,                         takes="f")
round         = elementwise("round",         np.round,                        takes="iuf")
is_nan        = elementwise("is_nan",        np.isnan,                        takes="f")
is_inf        = elementwise("is_inf",        np.isinf,                        takes="f")
is_finite     = elementwise("is_finite",     np.isfinite,                     takes="f")
floordiv      = elementwise("floordiv",      whole(floor_of_quotient, "floordiv", "FloorDiv"), inputs="x y",  takes="iuf",  kernel="FloorDiv")
equal         = elementwise("equal",         np.equal,         inputs="x y",  takes="biufcO")
not_equal     = elementwise("not_equal",     np.not_equal,     inputs="x y",  takes="biufcO")
less          = elementwise("less",          np.less,          inputs="x y",  takes="iuf")
less_equal    = elementwise("less_equal",    np.less_equal,    inputs="x y",  takes="iuf")
greater       = elementwise("greater",       np.greater,       inputs="x y",  takes="iuf")
greater_equal = elementwise("greater_equal", np.greater_equal, inputs="x y",  takes="iuf")
logical_and   = elementwise("logical_and",   np.bitwise_and,   inputs="x y",  takes="b")
logical_or    = elementwise("logical_or",    np.bitwise_or,    inputs="x y",  takes="b")
logical_xor   = elementwise("logical_xor",   np.bitwise_xor,   inputs="x y",  takes="b")
logical_not   = elementwise("logical_not",   np.invert,                       takes="b")
bitwise_and   = elementwise("bitwise_and",   np.bitwise_and,   inputs="x y",  takes="iu")
bitwise_or    = elementwise("bitwise_or",    np.bitwise_or,    inputs="x y",  takes="iu")
bitwise_xor   = elementwise("bitwise_xor",   np.bitwise_xor,   inputs="x y",  takes="iu")
invert        = elementwise("invert",        np.invert,                       takes="iu")
stop_gradient = elementwise("stop_gradient", lambda x: x,                     takes="biufcO")
zeros_like    = elementwise("zeros_like",    np.zeros_like,                   takes="biufcO")
ones_like     = elementwise("ones_like",     np.ones_like,                    takes="biufcO")
# fmt: on


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, number by number, with broadcasting (`tf.divide`); integers are divided as float64, as in TensorFlow.

    Raises TypeError where they are integers of two dtypes, InvalidArgumentError where the shapes do not broadcast.

    >>> import minitape as tf
    >>> print(tf.divide(tf.constant([1, 3]), 2))
    tf.Tensor([0.5 1.5], shape=(2,), dtype=float64)
    """
    like = x if isinstance(x, Operand) else y
    if isinstance(like, Operand) and like.array.dtype.kind not in "iu":
        return real_div(x, y)
    return real_div(*as_floats(x, y, "divide"))


def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, number by number, and 0 where y is 0 (`tf.math.divide_no_nan`); otherwise as `tf.divide`.

    >>> import minitape as tf
    >>> print(tf.math.divide_no_nan([1.0, 6.0], [0.0, 3.0]))
    tf.Tensor([0. 2.], shape=(2,), dtype=float32)
    """
    return safe_div(*as_floats(x, y, "divide_no_nan"))


def as_floats(x: Any, y: Any, name: str) -> tuple[Operand, Operand]:
    """Two numbers to divide: integers as float64, small ones as float32."""
    from .linear import cast

    x, y = (operand(x, y if isinstance(y, Operand) else None), operand(y, x if isinstance(x, Operand) else None))
    if x.array.dtype.kind not in "iu":
        return x, y
    if x.array.dtype != y.array.dtype:
        raise TypeError(
            say(
                f"{name}: {called(x, 'the first input')} is {x.dtype.name}, and {called(y, 'the second')} is {y.dtype.name}",
                f"tf.cast({called(y, 'y')}, tf.{x.dtype.name})",
                f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.",
            )
        )
    wide = "float32" if x.array.dtype.itemsize < 4 else "float64"
    return cast(x, wide), cast(y, wide)


def angle(input: Any, name: str | None = None) -> Tensor:
    """The angle of a complex number, in radians from -pi to pi; of a real one 0 or pi (`tf.math.angle`).

    >>> import minitape as tf
    >>> print(f"{tf.math.angle(1j):.4f}")
    1.5708
    """
    x = operand(input)
    return imag(log(x)) if x.dtype.is_complex else atan2(zeros_like(x), stop_gradient(x))

"""Ops that work number by number: the table of derivatives.

In a rule, `g` is the upstream gradient, `x` and `y` are the inputs, `z` is the output. Every rule returns a gradient of
the output's shape; where an input was broadcast, the way back adds it up, in one place (`f.fit`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitive import elementwise, f

# fmt: off

# --- two inputs, broadcasting -----------------------------------------------------------------------------------------
add      = elementwise("add",      np.add,           x=lambda g: g,         y=lambda g: g,                       kernel="AddV2")
subtract = elementwise("subtract", np.subtract,      x=lambda g: g,         y=lambda g: -g,                      kernel="Sub")
multiply = elementwise("multiply", np.multiply,      x=lambda g, y: g * y,  y=lambda g, x: g * x,                kernel="Mul")
real_div = elementwise("divide",   np.true_divide,   x=lambda g, y: g / y,  y=lambda g, x, y: g * (-x / y / y),  kernel="RealDiv")
power    = elementwise("pow",      np.power,         x=lambda g, x, y: g * y * x ** (y - 1),
                                                     y=lambda g, x, z: g * z * f.log(f.where(x > 0, x, f.ones_like(x))))
maximum  = elementwise("maximum",  np.maximum,       x=lambda g, x, y: f.where(x >= y, g, f.zeros_like(g)),
                                                     y=lambda g, x, y: f.where(x >= y, f.zeros_like(g), g))
minimum  = elementwise("minimum",  np.minimum,       x=lambda g, x, y: f.where(x <= y, g, f.zeros_like(g)),
                                                     y=lambda g, x, y: f.where(x <= y, f.zeros_like(g), g))
floormod = elementwise("floormod", np.mod,           x=lambda g: g,         y=lambda g, x, y: -g * f.floordiv(x, y), kernel="FloorMod")
multiply_no_nan = elementwise("multiply_no_nan", lambda x, y: np.where(y == 0, y, x * y),
                                                     x=lambda g, y: f.multiply_no_nan(g, y), y=lambda g, x: f.multiply_no_nan(x, g), kernel="MulNoNan")

# --- one input --------------------------------------------------------------------------------------------------------
negative   = elementwise("negative",   np.negative,   x=lambda g: -g,                          kernel="Neg")
identity   = elementwise("identity",   lambda x: x,   x=lambda g: g)  # arrays never change, so two tensors may share one
abs        = elementwise("abs",        np.abs,        x=lambda g, x: g * f.sign(x),  conjugated=False)
conj       = elementwise("conj",       np.conj,       x=lambda g: f.conj(g))
sign       = elementwise("sign",       np.sign,       x=lambda g: f.zeros_like(g))
square     = elementwise("square",     np.square,     x=lambda g, x: g * (2 * x))
sqrt       = elementwise("sqrt",       np.sqrt,       x=lambda g, z: f.multiply_no_nan(0.5 / z, g),   floats=True)
exp        = elementwise("exp",        np.exp,        x=lambda g, z: g * z,                    floats=True)
log        = elementwise("log",        np.log,        x=lambda g, x: g / x,                    floats=True)
sin        = elementwise("sin",        np.sin,        x=lambda g, x: g * f.cos(x),             floats=True)
cos        = elementwise("cos",        np.cos,        x=lambda g, x: -g * f.sin(x),            floats=True)
tanh       = elementwise("tanh",       np.tanh,       x=lambda g, z: g * (1 - z * z),          floats=True)
sigmoid    = elementwise("sigmoid",    lambda x: 1 / (1 + np.exp(-x)), x=lambda g, z: g * (z * (1 - z)), floats=True)
relu       = elementwise("relu",       lambda x: np.maximum(x, np.zeros((), x.dtype)), x=lambda g, z: f.relu_grad(g, z))
relu_grad  = elementwise("relu_grad",  lambda x, y: np.where(y > 0, x, np.zeros_like(x)),
                                       x=lambda g, y: f.relu_grad(g, y),  y=lambda g: f.zeros_like(g))

# --- no derivative: shown and explained, never silently lost -----------------------------------------------------------
floor         = elementwise("floor",         np.floor,         floats=True)
ceil          = elementwise("ceil",          np.ceil,          floats=True)
round         = elementwise("round",         np.round)
floordiv      = elementwise("floordiv",      np.floor_divide,  inputs="x y", kernel="FloorDiv")
equal         = elementwise("equal",         np.equal,         inputs="x y")
not_equal     = elementwise("not_equal",     np.not_equal,     inputs="x y")
less          = elementwise("less",          np.less,          inputs="x y")
less_equal    = elementwise("less_equal",    np.less_equal,    inputs="x y")
greater       = elementwise("greater",       np.greater,       inputs="x y")
greater_equal = elementwise("greater_equal", np.greater_equal, inputs="x y")
logical_and   = elementwise("logical_and",   np.logical_and,   inputs="x y")
logical_or    = elementwise("logical_or",    np.logical_or,    inputs="x y")
logical_not   = elementwise("logical_not",   np.logical_not)
stop_gradient = elementwise("stop_gradient", lambda x: x)
zeros_like    = elementwise("zeros_like",    np.zeros_like)
ones_like     = elementwise("ones_like",     np.ones_like)
# fmt: on


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, number by number, with broadcasting (`tf.divide`); integers are divided as float64, as in TensorFlow.

    >>> import minitape as tf
    >>> print(tf.divide(tf.constant([1, 3]), 2))
    tf.Tensor([0.5 1.5], shape=(2,), dtype=float64)
    """
    from ..record import operand
    from ..tensor import Operand
    from .linear import cast

    x, y = (operand(x, y if isinstance(y, Operand) else None), operand(y, x if isinstance(x, Operand) else None))
    if x.array.dtype.kind in "iu" and y.array.dtype.kind in "iu":
        wide = "float32" if x.array.dtype.itemsize < 4 else "float64"
        x, y = cast(x, wide), cast(y, wide)
    return real_div(x, y)

"""Ops that run along an axis and carry something with them: cumulative sums, products and logsumexps."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..operands import operand
from ..primitive import f, linear, primitive, shape_of
from ..tensor import Tensor
from .arguments import from_end


def running(ufunc: Any, start: float) -> Any:
    """A ufunc's results along an axis, up to and with each number, or (exclusive) up to the one before."""

    def run(x: np.ndarray, axis: int, exclusive: bool, reverse: bool) -> np.ndarray:
        x = np.flip(x, axis) if reverse else x
        z = ufunc.accumulate(x, axis=axis, dtype=x.dtype)
        if exclusive and z.shape[axis]:
            z = np.concatenate([np.full_like(np.take(z, [0], axis), start), np.delete(z, -1, axis)], axis)
        return np.flip(z, axis) if reverse else z

    return run


def carry(x: np.ndarray, y: np.ndarray, axis: int, reverse: bool) -> np.ndarray:
    """h[i] = x[i] + y[i] * h[i - 1], along an axis; from the end backwards for reverse."""
    x, y = np.broadcast_arrays(x, y)
    z = np.array(x)
    along, steps = np.moveaxis(z, axis, 0), np.moveaxis(y, axis, 0)
    places = range(len(along))[::-1] if reverse else range(len(along))
    for before, now in itertools.pairwise(places):
        along[now] += steps[now] * along[before]
    return z


def step(x: Any, axis: int, back: bool) -> Any:
    """Everything one place on along an axis, or one place back; a 0 comes in."""
    if not shape_of(x)[axis]:
        return x
    rest = -axis - 1
    part = f.slice(
        x, key=(..., slice(1, None) if back else slice(None, -1), *(slice(None),) * rest), rank=len(shape_of(x))
    )
    return f.pad(part, paddings=((0, 1) if back else (1, 0), *((0, 0),) * rest))


def products(g: Any, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    """The gradient of cumprod, right where numbers are 0, too: the product before x[i], times all that comes after.

    With g[i] + x[i+1] * (g[i+1] + x[i+2] * (...)) the numbers after x[i] are multiplied up once, from the end.
    """
    before = f.cumprod(x, axis=axis, exclusive=True, reverse=reverse)
    if exclusive:
        return before * step(f.carry(g, x, axis=axis, reverse=not reverse), axis, not reverse)
    return before * f.carry(g, step(x, axis, not reverse), axis=axis, reverse=not reverse)


def weights(g: Any, x: Any, z: Any, axis: int, reverse: bool) -> Any:
    """The gradient of a running logsumexp: exp(x[i] - z[k]) for every k from i on, which never overflows."""
    fall = f.exp(f.minimum(z - step(z, axis, not reverse), f.zeros_like(z)))
    return f.exp(x - z) * f.carry(g, fall, axis=axis, reverse=not reverse)


# fmt: off
cumsum_  = linear("cumsum",      running(np.add, 0.0),         transpose=lambda g, axis, exclusive, reverse: f.cumsum(g, axis=axis, exclusive=exclusive, reverse=not reverse),  takes="iufc",  says="g summed from the other end")
cumprod_ = primitive("cumprod",  running(np.multiply, 1.0),    x=lambda g, x, axis, exclusive, reverse: products(g, x, axis, exclusive, reverse),  takes="iufc",  says="g times the products of the others")
cumlog_  = primitive("cumulative_logsumexp", lambda x, axis, reverse: running(np.logaddexp, -np.inf)(x, axis, False, reverse),
                                                               x=lambda g, x, z, axis, reverse: weights(g, x, z, axis, reverse),  says="g times exp(x - z), from each z on")
carry_   = primitive("carry",    carry,  inputs="x y",         x=lambda g, y, axis, reverse: f.carry(g, step(y, axis, not reverse), axis=axis, reverse=not reverse),
                                                               y=lambda g, y, z, axis, reverse: f.carry(g, step(y, axis, not reverse), axis=axis, reverse=not reverse) * step(z, axis, reverse),  broadcasts=True,  says="g carried back")
# fmt: on


OUTSIDE = "ScanOp: Expected scan axis in the range [{low}, {rank}), but got {place}"


def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The sum so far, number by number along an axis (`tf.cumsum`).

    exclusive: without the number itself; reverse: from the end.

    >>> import minitape as tf
    >>> print(tf.cumsum([1.0, 2.0, 3.0]))
    tf.Tensor([1. 3. 6.], shape=(3,), dtype=float32)
    """
    x = operand(x)
    return cumsum_(x, axis=from_end(axis, x.ndim, x, OUTSIDE), exclusive=exclusive, reverse=reverse)


def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The product so far, number by number along an axis (`tf.math.cumprod`).

    exclusive: without the number itself; reverse: from the end. The gradient is right where numbers are 0, too.

    >>> import minitape as tf
    >>> print(tf.math.cumprod([1.0, 2.0, 3.0]))
    tf.Tensor([1. 2. 6.], shape=(3,), dtype=float32)
    """
    x = operand(x)
    return cumprod_(x, axis=from_end(axis, x.ndim, x, OUTSIDE), exclusive=exclusive, reverse=reverse)


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) so far, number by number along an axis (`tf.math.cumulative_logsumexp`).

    exclusive: without the number itself, so the first is the lowest number there is; reverse: from the end.

    >>> import minitape as tf
    >>> print(tf.math.cumulative_logsumexp([0.0, 0.0]))
    tf.Tensor([0.        0.6931472], shape=(2,), dtype=float32)
    """
    x = operand(x)
    along = from_end(axis, x.ndim, x)
    out = cumlog_(x, axis=along, reverse=reverse)
    if not exclusive or not x._shape[along]:
        return out
    first = np.zeros(x._shape, out.array.dtype)
    np.moveaxis(first, along, 0)[-1 if reverse else 0] = np.finfo(first.dtype).min
    moved: Tensor = step(out, along, reverse)
    return moved + first

"""Ops that choose between numbers: where, clipping by value and by norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import bool_
from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, primitive
from ..refusal import called
from ..slices import IndexedSlices
from ..tensor import Operand, Tensor
from .elementwise import divide, maximum, minimum, multiply, ones_like, sqrt
from .linear import reduce_sum


def clip(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Every number moved into the bounds; where these cross, the lower one wins, as in TensorFlow."""
    return np.asarray(np.maximum(np.minimum(x, high), low))


# fmt: off
where_     = primitive("where",         np.where,  inputs="c x y",       x=lambda g, c: f.where(c, g, f.zeros_like(g)),
                                                                         y=lambda g, c: f.where(c, f.zeros_like(g), g),  kind="elementwise",  one_dtype=False,  kernel="SelectV2",  says="g where it was chosen, else 0")
clip_      = primitive("clip_by_value", clip,      inputs="x low high",  x=lambda g, x, low, high: f.where(f.logical_and(x >= low, x <= high), g, f.zeros_like(g)),
                                                                         low=lambda g, x, low: f.where(x < low, g, f.zeros_like(g)),
                                                                         high=lambda g, x, high: f.where(x > high, g, f.zeros_like(g)),  kind="elementwise",  takes="iuf",  kernel="ClipByValue",  says="g inside the bounds, else 0")
where_true = primitive("where_true",    lambda x: np.argwhere(x),  kernel="Where")
# fmt: on


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """x where the condition is true, y elsewhere, number by number, with broadcasting (`tf.where`).

    With the condition alone: the places where it is true, one a row, as int64.
    Beware: an inf or nan in the branch not taken makes the gradient nan, unless its own rule knows better.

    >>> import minitape as tf
    >>> print(tf.where([True, False], [1.0, 2.0], 0.0))
    tf.Tensor([1. 0.], shape=(2,), dtype=float32)
    >>> print(tf.where([False, True]))
    tf.Tensor([[1]], shape=(1, 1), dtype=int64)
    """
    if x is None and y is None:
        return where_true(operand(condition))
    if x is None or y is None:
        raise ValueError(
            say(
                "where takes both branches, or none of them",
                "tf.where(condition, x, y)",
                "x and y must both be non-None or both be None.",
            )
        )
    like = next((z for z in (x, y) if isinstance(z, Operand)), None)
    x = operand(x, like)
    chosen, y = operand(condition), operand(y, x if like is None else like)
    for number, (part, wanted) in enumerate(((chosen, bool_), (x, x.dtype), (y, x.dtype))):
        if part.dtype is not wanted:
            raise InvalidArgumentError(
                say(
                    f"where: {called(part, ('the condition', 'x', 'y')[number])} is {part.dtype.name}, not {wanted.name}",
                    "tf.where(condition > 0, x, y)" if number == 0 else f"tf.cast(y, tf.{wanted.name})",
                    f"cannot compute SelectV2 as input #{number}(zero-based) was expected to be a {wanted.word} tensor "
                    f"but is a {part.dtype.word} tensor [Op:SelectV2] name: ",
                )
            )
    try:
        if len({chosen._shape, x._shape, y._shape, ()}) > 2:
            np.broadcast_shapes(chosen._shape, x._shape, y._shape)
    except ValueError:
        dims = ["[" + ",".join(map(str, part._shape)) + "]" for part in (chosen, x, y)]
        raise InvalidArgumentError(
            say(
                f"where: the condition has shape {chosen._shape}, x {x._shape} and y {y._shape}: they do not go together",
                "give all three the same shape",
                f"condition {dims[0]}, then {dims[1]}, and else {dims[2]} must be broadcastable [Op:SelectV2] name: ",
            )
        ) from None
    return where_(chosen, x, y)


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """Every number moved into [min, max] (`tf.clip_by_value`); the gradient is 1 inside and at the bounds, 0 outside.

    >>> import minitape as tf
    >>> print(tf.clip_by_value([-2.0, 0.5, 3.0], -1.0, 1.0))
    tf.Tensor([-1.   0.5  1. ], shape=(3,), dtype=float32)
    """
    t = operand(t)
    return clip_(t, operand(clip_value_min, t), operand(clip_value_max, t))


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """A tensor made shorter where its norm (over these axes, or all) is larger than clip_norm (`tf.clip_by_norm`).

    >>> import minitape as tf
    >>> print(tf.clip_by_norm([3.0, 4.0], 1.0))
    tf.Tensor([0.6 0.8], shape=(2,), dtype=float32)
    """
    x = operand(t)
    total = reduce_sum(multiply(x, x), axes, keepdims=True)
    some = total > 0
    # Where all is 0 the square root is left out: its slope there is inf.
    norm = where(some, sqrt(where(some, total, ones_like(total))), total)
    return divide(multiply(x, clip_norm), maximum(norm, clip_norm))


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The norm of several tensors taken as one long vector (`tf.linalg.global_norm`); a None among them is left out.

    >>> import minitape as tf
    >>> print(tf.linalg.global_norm([[3.0], [4.0]]))
    tf.Tensor(5.0, shape=(), dtype=float32)
    """
    parts = [operand(t.values if isinstance(t, IndexedSlices) else t) for t in t_list if t is not None]
    halves = [reduce_sum(multiply(x, x)) for x in parts]
    total = halves[0]
    for half in halves[1:]:
        total = total + half
    return sqrt(total)


def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None) -> Any:
    """Several tensors made shorter by one factor, so that their common norm is at most clip_norm (`tf.clip_by_global_norm`).

    Returns the list, and the norm there was. The usual cure for exploding gradients.

    >>> import minitape as tf
    >>> clipped, norm = tf.clip_by_global_norm([[3.0], [4.0]], 1.0)
    >>> print(clipped[0], norm)
    tf.Tensor([0.6], shape=(1,), dtype=float32) tf.Tensor(5.0, shape=(), dtype=float32)
    """
    norm = operand(use_norm) if use_norm is not None else global_norm(t_list)
    factor = multiply(minimum(divide(1.0, norm), divide(1.0, operand(clip_norm, norm))), clip_norm)
    factor = factor + (norm - norm)  # 0; nan where the norm is inf or nan, so that it is not hidden
    clipped: list[Any] = []
    for t in t_list:
        if isinstance(t, IndexedSlices):
            clipped.append(IndexedSlices(multiply(t.values, factor), t.indices, t.dense_shape))
        else:
            clipped.append(None if t is None else multiply(operand(t), factor))
    return clipped, norm

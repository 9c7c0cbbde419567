"""Ops that are linear in their input: sums, means, and changes of shape. Only the transpose is written.

In a transpose, `g` is the upstream gradient and `shape` the input's shape; other names are the op's parameters. An axis
is counted from the end (-1 is the last), so that a gradient with more axes in front goes through the same rule.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ..dtypes import as_dtype
from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, front, linear, shape_of
from ..refusal import called
from ..tensor import Tensor
from .arguments import axes, numbers, sizes
from .elementwise import conj
from .sums import total


def spread(g: Any, shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> Any:
    """Give every number that was added up the gradient of its sum: a view, where NumPy can make one."""
    have = shape_of(g)
    if not have:
        return f.broadcast_to(g, shape=shape)
    lead = have[: len(have) - len(shape) + (0 if keepdims else len(axis))]
    ones = tuple([1 if place - len(shape) in axis else size for place, size in enumerate(shape)])
    return f.broadcast_to(f.reshape(g, shape=lead + ones), shape=lead + shape)


@lru_cache(maxsize=1000)
def count(shape: tuple[int, ...], axis: tuple[int, ...]) -> int:
    """How many numbers are added up into one."""
    return math.prod([shape[place] for place in axis])


def put(g: np.ndarray, key: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Zeros of a shape, with `g` where `key` points."""
    rank = np.broadcast_to(0, shape)[key].ndim
    z = np.zeros(front(g, rank) + shape, g.dtype)
    z[(slice(None),) * (g.ndim - rank) + (key if isinstance(key, tuple) else (key,))] = g
    return z


def permute(x: np.ndarray, perm: tuple[int, ...]) -> np.ndarray:
    """The last axes in another order; `perm` counts from the end."""
    return np.transpose(x, (*range(x.ndim - len(perm)), *perm))


def inverse(perm: tuple[int, ...]) -> tuple[int, ...]:
    """The order that undoes another, both counted from the end."""
    return tuple(int(place) - len(perm) for place in np.argsort(perm))


def take(x: np.ndarray, key: Any, rank: int) -> np.ndarray:
    """`x[key]`, where `key` speaks of the last `rank` axes."""
    return np.asarray(x[(slice(None),) * (x.ndim - rank) + key], x.dtype)


def pad(x: np.ndarray, paddings: tuple[tuple[int, int], ...]) -> np.ndarray:
    """Zeros put around the last axes, so many before and after each."""
    return np.pad(x, ((0, 0),) * (x.ndim - len(paddings)) + paddings)


def inside(shape: tuple[int, ...], paddings: tuple[tuple[int, int], ...]) -> tuple[Any, ...]:
    """The key of what lies inside the margins."""
    sizes = shape[len(shape) - len(paddings) :]
    return (..., *(slice(before, size - after) for size, (before, after) in zip(sizes, paddings, strict=True)))


def stretch(x: Any, shape: tuple[int, ...]) -> Any:
    """The numbers repeated to fill a shape: a view."""
    one = x[()] if not x.shape else None
    if isinstance(one, np.generic):  # as the gradient of a mean: NumPy's own way there takes three times as long
        return np.ndarray(shape, one.dtype, one, strides=(0,) * len(shape))
    return np.broadcast_to(x, shape)


def mean(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The mean in the dtype of its numbers; that of integers is cut toward zero, as in TensorFlow."""
    z = total(x, axis, keepdims, wide=True) / count(x.shape, axis)
    return z if z.dtype is x.dtype else z.astype(x.dtype)


def to_dtype(x: Any, dtype: Any) -> Any:
    """The numbers in another dtype; of a complex number the real part goes into a real dtype."""
    return (x.real if x.dtype.kind == "c" and dtype.kind != "c" else x).astype(dtype, copy=False)


# fmt: off
sum_       = linear("reduce_sum",   total,                     transpose=lambda g, x_shape, axis, keepdims: spread(g, x_shape, axis, keepdims),  kernel="Sum",  takes="iufc",  says="g for every number")
mean_      = linear("reduce_mean",  mean,                      transpose=lambda g, x_shape, axis, keepdims: spread(g / count(x_shape, axis), x_shape, axis, keepdims),  kernel="Mean",  takes="iufc",  says="g / n for every number")
reshape_   = linear("reshape",      lambda x, shape: x.reshape(shape),  transpose=lambda g, x_shape, shape: f.reshape(g, shape=front(g, len(shape)) + x_shape),  says="g in the old shape")
transpose_ = linear("transpose",    permute,                   transpose=lambda g, perm: f.transpose(g, perm=inverse(perm)),  says="g with the axes put back")
broadcast_ = linear("broadcast_to", stretch,                   transpose=lambda g, x_shape, shape: f.fit(g, x_shape, len(shape)),  says="g added up")
cast_      = linear("cast",         to_dtype,                  transpose=lambda g, x_dtype: f.cast(g, dtype=x_dtype),  says="g in the old dtype")
slice_     = linear("slice",        take,                      transpose=lambda g, key, x_shape: f.put(g, key=key, shape=x_shape),  kernel="StridedSlice",  says="g where it was taken, else 0")
put_       = linear("put",          put,                       transpose=lambda g, key, shape: f.slice(g, key=key, rank=len(shape)),  says="g at the index")
pad_       = linear("pad",          pad,                       transpose=lambda g, paddings: f.slice(g, key=inside(shape_of(g), paddings), rank=len(shape_of(g))),  says="g without the margin")
# fmt: on


def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Add up a tensor's numbers: all of them, or along an axis (`tf.reduce_sum`).

    axis: a number, a list of them, or None for all; keepdims leaves axes of length 1 in their place. The dtype stays.
    Raises InvalidArgumentError for an axis that is not there, and for bools.

    >>> import minitape as tf
    >>> print(tf.reduce_sum([[1.0, 2.0], [3.0, 4.0]], axis=0))
    tf.Tensor([4. 6.], shape=(2,), dtype=float32)
    """
    x = operand(input_tensor)
    return sum_(x, axis=axes(axis, x), keepdims=keepdims)


def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The mean of a tensor's numbers: of all of them, or along an axis (`tf.reduce_mean`).

    Integers give an integer, cut toward zero. The mean of nothing is nan. Otherwise as `reduce_sum`.

    >>> import minitape as tf
    >>> print(tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]]))
    tf.Tensor(2.5, shape=(), dtype=float32)
    """
    x = operand(input_tensor)
    return mean_(x, axis=axes(axis, x), keepdims=keepdims)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same numbers in another shape; one -1 stands for what is left (`tf.reshape`).

    Raises InvalidArgumentError where the new shape does not hold as many numbers.

    >>> import minitape as tf
    >>> tf.reshape([1.0, 2.0, 3.0, 4.0], [2, -1]).shape
    TensorShape([2, 2])
    """
    x, wanted = operand(tensor), tuple(numbers(shape))
    known = math.prod(size for size in wanted if size != -1)
    free = wanted.count(-1)
    if (
        free > 1
        or min(wanted, default=0) < -1
        or (not free and known != x.array.size)
        or (free and (not known or x.array.size % known))
    ):
        needs = f"requires a multiple of {known}" if free else f"has {known}"
        raise InvalidArgumentError(
            say(
                f"reshape: {called(x, 'a tensor')} of shape {x._shape} holds {x.array.size} numbers, "
                f"and shape {wanted} does not",
                f"tf.reshape({called(x, 't')}, [-1])",
                "Only one input size may be -1, not both "
                f"{' and '.join(str(at) for at, size in enumerate(wanted) if size == -1)} [Op:Reshape] name: "
                if free > 1
                else f"Size {wanted.index(min(wanted))} must be non-negative, not {min(wanted)} [Op:Reshape] name: "
                if min(wanted, default=0) < -1
                else f"Input to reshape is a tensor with {x.array.size} values, but the requested shape {needs} "
                "[Op:Reshape] name: ",
            )
        )
    return reshape_(x, shape=tuple(x.array.size // known if size == -1 else size for size in wanted))


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str | None = None) -> Tensor:
    """The axes in another order; reversed by default (`tf.transpose`).

    perm: for each new axis, which old one it is. Raises InvalidArgumentError where it does not name each axis once.

    >>> import minitape as tf
    >>> tf.transpose(tf.zeros([2, 3])).shape
    TensorShape([3, 2])
    """
    x = operand(a)
    order = tuple(range(x.ndim)[::-1] if perm is None else numbers(perm))
    if sorted(place % x.ndim if -x.ndim <= place < x.ndim else -1 for place in order) != list(range(x.ndim)):
        raise InvalidArgumentError(
            say(
                f"transpose: {called(x, 'the tensor')} has shape {x._shape}, and perm {list(order)} "
                "does not name each of its axes once",
                f"tf.transpose({called(x, 't')}, perm={list(range(x.ndim)[::-1])})",
                f"transpose expects a vector of size {x.ndim}. But input(1) is a vector of size {len(order)}"
                if len(order) != x.ndim
                else f"{min(set(range(x.ndim)) - set(order), default=0)} is missing from "
                f"{{{','.join(map(str, order))}}}. [Op:Transpose]",
            )
        )
    out = transpose_(x, perm=tuple(place % x.ndim - x.ndim for place in order))
    return conj(out) if conjugate and out.dtype.is_complex else out


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Repeat a tensor along new or length-1 axes to fill a shape (`tf.broadcast_to`).

    Its gradient adds the copies up. Raises InvalidArgumentError where the shapes do not go together.

    >>> import minitape as tf
    >>> print(tf.broadcast_to([1.0, 2.0], [2, 2]))
    tf.Tensor(
    [[1. 2.]
     [1. 2.]], shape=(2, 2), dtype=float32)
    """
    x, wanted = operand(input), sizes(shape)
    ahead = len(wanted) - x.ndim
    if ahead < 0 or any(have not in (1, want) for have, want in zip(x._shape, wanted[ahead:], strict=True)):
        dims = str(list(x._shape)).replace(" ", "")
        raise InvalidArgumentError(
            say(
                f"broadcast_to: {called(x, 'a tensor')} of shape {x._shape} cannot be stretched to {wanted}",
                "axes of length 1 can be stretched: tf.reshape(t, [-1, 1])",
                f"Incompatible shapes: {dims} vs. {str(list(wanted)).replace(' ', '')} [Op:BroadcastTo] name: ",
            )
        )
    return broadcast_(x, shape=wanted)


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The same numbers in another dtype; floats are cut toward zero on the way to integers (`tf.cast`).

    A gradient passes between float dtypes; through an integer it does not. To the same dtype: the same tensor.

    >>> import minitape as tf
    >>> print(tf.cast([1.8, -1.8], tf.int32))
    tf.Tensor([ 1 -1], shape=(2,), dtype=int32)
    """
    x, to = operand(x), as_dtype(dtype).numpy_dtype
    return x if isinstance(x, Tensor) and x.array.dtype == to else cast_(x, dtype=to)

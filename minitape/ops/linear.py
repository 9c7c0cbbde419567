"""Ops that are linear in their input: sums, means, and changes of shape. Only the transpose is written.

In a transpose, `g` is the upstream gradient and `shape` the input's shape; other names are the op's parameters. An axis
is counted from the end (-1 is the last), so that a gradient with more axes in front goes through the same rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import as_dtype
from ..errors import InvalidArgumentError, say
from ..primitive import f, front, linear, primitive
from ..record import operand
from ..tensor import Operand, Tensor, constant


def spread(g: Any, shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> Any:
    """Give every number that was added up the gradient of its sum: a view, where NumPy can make one."""
    ones = tuple(1 if place - len(shape) in axis else size for place, size in enumerate(shape))
    lead = front(g, len(shape) if keepdims else len(shape) - len(axis))
    return f.broadcast_to(f.reshape(g, shape=lead + ones), shape=lead + shape)


def count(shape: tuple[int, ...], axis: tuple[int, ...]) -> int:
    """How many numbers are added up into one."""
    return int(np.prod([shape[place] for place in axis], dtype=np.int64))


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
    return x[(slice(None),) * (x.ndim - rank) + key]


# fmt: off
sum_       = linear("reduce_sum",   np.sum,                    transpose=lambda g, x_shape, axis, keepdims: spread(g, x_shape, axis, keepdims),  kernel="Sum",  says="g for every number")
mean_      = linear("reduce_mean",  np.mean,                   transpose=lambda g, x_shape, axis, keepdims: spread(g, x_shape, axis, keepdims) / count(x_shape, axis),  kernel="Mean",  says="g / n for every number")
reshape_   = linear("reshape",      np.reshape,                transpose=lambda g, x_shape, shape: f.reshape(g, shape=front(g, len(shape)) + x_shape),  says="g in the old shape")
transpose_ = linear("transpose",    permute,  transpose=lambda g, perm: f.transpose(g, perm=inverse(perm)),  says="g with the axes put back")
broadcast_ = linear("broadcast_to", np.broadcast_to,           transpose=lambda g, x_shape, shape: f.fit(g, x_shape, len(shape)),  says="g added up")
cast_      = linear("cast",         lambda x, dtype: x.astype(dtype),  transpose=lambda g, x_dtype: f.cast(g, dtype=x_dtype),  says="g in the old dtype")
slice_     = linear("slice",        take,                      transpose=lambda g, key, x_shape: f.put(g, key=key, shape=x_shape),  kernel="StridedSlice",  says="g where it was taken, else 0")
put_       = linear("put",          put,                       transpose=lambda g, key, shape: f.slice(g, key=key, rank=len(shape)),  says="g at the index")
where_     = primitive("where",     np.where, inputs="c x y",  x=lambda g, c: f.where(c, g, f.zeros_like(g)),  y=lambda g, c: f.where(c, f.zeros_like(g), g),  kind="elementwise",  one_dtype=False,  kernel="SelectV2",  says="g where it was chosen, else 0")
clip_      = primitive("clip_by_value", np.clip, inputs="x low high",
                                                               x=lambda g, x, low, high: f.where(f.logical_and(x >= low, x <= high), g, f.zeros_like(g)),
                                                               low=lambda g, x, low: f.where(x < low, g, f.zeros_like(g)),
                                                               high=lambda g, x, high: f.where(x > high, g, f.zeros_like(g)),  kind="elementwise",  kernel="ClipByValue",  says="g inside the bounds, else 0")
# fmt: on


def axes(axis: Any, x: Operand) -> tuple[int, ...]:
    """The axes to reduce, counted from the end; all of them for None."""
    rank = x.ndim
    wanted = range(rank) if axis is None else axis if isinstance(axis, Sequence) else (int(axis),)
    for place in wanted:
        if not -rank <= place < rank:
            raise InvalidArgumentError(
                say(
                    f"axis {place} is not there: the tensor has shape {x._shape}",
                    "axis=-1",
                    f"Invalid reduction dimension ({place} for input with {rank} dimension(s)",
                )
            )
    return tuple(sorted({int(place) % rank - rank for place in wanted}))


def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Add up a tensor's numbers: all of them, or along an axis (`tf.reduce_sum`).

    >>> import minitape as tf
    >>> print(tf.reduce_sum([[1.0, 2.0], [3.0, 4.0]], axis=0))
    tf.Tensor([4. 6.], shape=(2,), dtype=float32)
    """
    x = operand(input_tensor)
    if x.array.dtype.kind == "b":
        raise _no_bool("reduce_sum", "Sum")
    return _same(sum_(x, axis=axes(axis, x), keepdims=keepdims), x)


def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The mean of a tensor's numbers: of all of them, or along an axis (`tf.reduce_mean`).

    Integers give an integer, rounded toward zero, as in TensorFlow.

    >>> import minitape as tf
    >>> print(tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]]))
    tf.Tensor(2.5, shape=(), dtype=float32)
    """
    x = operand(input_tensor)
    if x.array.dtype.kind == "b":
        raise _no_bool("reduce_mean", "Mean")
    return _same(mean_(x, axis=axes(axis, x), keepdims=keepdims), x)


def _same(out: Tensor, x: Operand) -> Tensor:
    """NumPy sums small integers in int64 and means them in float64; TensorFlow keeps the dtype."""
    out.array = out.array.astype(x.array.dtype, copy=False)
    return out


def _no_bool(name: str, kernel: str) -> Exception:
    return InvalidArgumentError(
        say(
            f"{name} adds numbers, and this tensor holds True and False",
            f"tf.{name}(tf.cast(t, tf.float32))",
            f"Value for attr 'T' of bool is not in the list of allowed values [Op:{kernel}]",
        )
    )


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same numbers in another shape; one -1 stands for what is left (`tf.reshape`).

    >>> import minitape as tf
    >>> tf.reshape([1.0, 2.0, 3.0, 4.0], [2, -1]).shape
    TensorShape([2, 2])
    """
    x = operand(tensor)
    wanted = tuple(int(size) for size in (shape if np.ndim(shape) else (shape,)))
    known = int(np.prod([size for size in wanted if size != -1], dtype=np.int64))
    if known != x.array.size if -1 not in wanted else (not known or x.array.size % known):
        raise InvalidArgumentError(
            say(
                f"reshape: a tensor of shape {x._shape} holds {x.array.size} numbers, and shape {wanted} does not",
                "tf.reshape(t, [-1])",
                f"Input to reshape is a tensor with {x.array.size} values, but the requested shape has {known}",
            )
        )
    return reshape_(x, shape=tuple(x.array.size // known if size == -1 else size for size in wanted))


def transpose(a: Any, perm: Any = None, name: str | None = None) -> Tensor:
    """The axes in another order; reversed by default (`tf.transpose`).

    >>> import minitape as tf
    >>> tf.transpose(tf.zeros([2, 3])).shape
    TensorShape([3, 2])
    """
    x = operand(a)
    order = range(x.ndim)[::-1] if perm is None else [int(axis) % x.ndim for axis in perm]
    return transpose_(x, perm=tuple(axis - x.ndim for axis in order))


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Repeat a tensor along new or length-1 axes to fill a shape (`tf.broadcast_to`)."""
    return broadcast_(operand(input), shape=tuple(int(size) for size in shape))


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The same numbers in another dtype; floats are cut toward zero on the way to integers (`tf.cast`).

    A gradient passes between float dtypes; through an integer it does not.

    >>> import minitape as tf
    >>> print(tf.cast([1.8, -1.8], tf.int32))
    tf.Tensor([ 1 -1], shape=(2,), dtype=int32)
    """
    x, to = operand(x), as_dtype(dtype).numpy_dtype
    return x if isinstance(x, Tensor) and x.array.dtype == to else cast_(x, dtype=to)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """x where the condition is true, y elsewhere, number by number (`tf.where`)."""
    if x is None and y is None:
        return Tensor(np.argwhere(operand(condition).array))
    like = next((z for z in (x, y) if isinstance(z, Operand)), None)
    return where_(operand(condition), operand(x, like), operand(y, like))


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """Every number moved into [min, max] (`tf.clip_by_value`); the gradient is 1 inside and at the bounds, 0 outside.

    >>> import minitape as tf
    >>> print(tf.clip_by_value([-2.0, 0.5, 3.0], -1.0, 1.0))
    tf.Tensor([-1.   0.5  1. ], shape=(3,), dtype=float32)
    """
    t = operand(t)
    return clip_(t, operand(clip_value_min, t), operand(clip_value_max, t))


def get_item(x: Operand, key: Any) -> Tensor:
    """`x[key]`: numbers, slices, `...`, `tf.newaxis` and masks; the gradient is zero where nothing was taken."""
    keys = key if isinstance(key, tuple) else (key,)
    plain = tuple(
        int(k) if isinstance(k, Operand) and not k.ndim else np.asarray(k) if isinstance(k, Operand) else k
        for k in keys
    )
    try:
        return slice_(operand(x), key=plain, rank=x.ndim)
    except (IndexError, InvalidArgumentError):
        raise InvalidArgumentError(
            say(
                f"this index does not fit: the tensor has shape {x._shape}",
                "t[0]" if x.ndim else "t",
                f"slice index {key} of dimension 0 out of bounds."
                if len(plain) <= x.ndim
                else f"Index out of range using input dim {x.ndim}; input has only {x.ndim} dims",
            )
        ) from None


def iterate(x: Operand) -> Any:
    """The slices along the first axis, each differentiable."""
    if not x.ndim:
        raise TypeError(
            say("a scalar tensor has nothing to iterate over", "t.numpy()", "Cannot iterate over a scalar tensor.")
        )
    return (get_item(x, place) for place in range(x._shape[0]))


def shape(input: Any, name: str | None = None) -> Tensor:
    """A tensor's shape, itself as an int32 tensor (`tf.shape`)."""
    return Tensor(np.array(operand(input)._shape, np.int32))


def zeros(shape: Any, dtype: Any = "float32", name: str | None = None) -> Tensor:
    """A tensor of zeros (`tf.zeros`)."""
    return constant(np.zeros(sizes(shape), as_dtype(dtype).numpy_dtype))


def ones(shape: Any, dtype: Any = "float32", name: str | None = None) -> Tensor:
    """A tensor of ones (`tf.ones`)."""
    return constant(np.ones(sizes(shape), as_dtype(dtype).numpy_dtype))


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of one number, repeated (`tf.fill`)."""
    return constant(np.full(sizes(dims), operand(value).array))


def sizes(shape: Any) -> list[int]:
    """A shape given as a number, a list, a tuple, a TensorShape or a tensor."""
    return [int(size) for size in np.atleast_1d(np.asarray(list(shape) if isinstance(shape, list | tuple) else shape))]

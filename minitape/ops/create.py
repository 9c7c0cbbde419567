"""Tensors from nothing: zeros, ranges, the identity matrix; and the ops that only look at a shape."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from .. import place
from ..dtypes import as_dtype, string
from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import primitive
from ..record import made
from ..tensor import Operand, Tensor, to_array, wrap
from . import elementwise
from .arguments import from_end, numbers, sizes
from .linear import broadcast_to, cast, reshape

# fmt: off
shape_    = primitive("shape", lambda x, dtype: np.array(x.shape, dtype))
size_     = primitive("size",  lambda x, dtype: np.array(x.size, dtype))
rank_     = primitive("rank",  lambda x: np.array(x.ndim, np.int32))
one_hot_  = primitive("one_hot", lambda x, y, z, depth, axis: hot(x, y, z, depth, axis), inputs="indices on off", one_dtype=False)
# fmt: on


def hot(indices: np.ndarray, on: np.ndarray, off: np.ndarray, depth: int, axis: int) -> np.ndarray:
    """`on` at each index along a new axis, `off` elsewhere."""
    return np.where(np.expand_dims(indices, axis) == _along(np.arange(depth), indices.ndim + 1, axis), on, off)


def _along(x: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """A vector laid along one axis of `rank`."""
    return x.reshape([-1 if place == axis % rank else 1 for place in range(rank)])


def _new(array: Any, how: str) -> Tensor:
    """A constant that the learner asked for by name."""
    tensor = wrap(array, place.here(how))
    made(tensor, how)
    return tensor


def zeros(shape: Any, dtype: Any = "float32", name: str | None = None) -> Tensor:
    """A tensor of zeros (`tf.zeros`). shape: a list of lengths, () for a single number; dtype: float32 by default.

    >>> import minitape as tf
    >>> print(tf.zeros([2]))
    tf.Tensor([0. 0.], shape=(2,), dtype=float32)
    """
    to = as_dtype(dtype)
    return _new(np.full(sizes(shape), b"" if to is string else 0, to.numpy_dtype), "zeros")


def ones(shape: Any, dtype: Any = "float32", name: str | None = None) -> Tensor:
    """A tensor of ones (`tf.ones`). shape: a list of lengths, () for a single number; dtype: float32 by default.

    >>> import minitape as tf
    >>> print(tf.ones([2], tf.int32))
    tf.Tensor([1 1], shape=(2,), dtype=int32)
    """
    return _new(np.ones(sizes(shape), as_dtype(dtype).numpy_dtype), "ones")


def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros in the shape and dtype of a tensor, or in another dtype (`tf.zeros_like`). No gradient passes.

    >>> import minitape as tf
    >>> print(tf.zeros_like([1.0, 2.0]))
    tf.Tensor([0. 0.], shape=(2,), dtype=float32)
    """
    x = elementwise.zeros_like(input)
    if x.dtype is string:
        return zeros(x._shape, string)
    return x if dtype is None else cast(x, dtype)


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Ones in the shape and dtype of a tensor, or in another dtype (`tf.ones_like`). No gradient passes.

    >>> import minitape as tf
    >>> print(tf.ones_like([3, 4], dtype=tf.float32))
    tf.Tensor([1. 1.], shape=(2,), dtype=float32)
    """
    x = elementwise.ones_like(input)
    return x if dtype is None else cast(x, dtype)


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of one number, repeated (`tf.fill`); the number's gradient is the sum over all its copies.

    >>> import minitape as tf
    >>> print(tf.fill([2], 3))
    tf.Tensor([3 3], shape=(2,), dtype=int32)
    """
    x = operand(value)
    if x.array.size != 1:
        raise InvalidArgumentError(
            say(
                f"fill repeats one number, and this value has shape {x._shape}",
                "tf.broadcast_to(value, dims)",
                f"value must be a scalar. Got shape {list(x._shape)}",
            )
        )
    return broadcast_to(reshape(x, []) if x.ndim else x, sizes(dims))


def range_(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Tensor:
    """Numbers from start up to, not with, limit, in steps of delta (`tf.range`); from 0 where only one is given.

    dtype: int32 for Python ints, float32 for floats. No gradient passes. Raises InvalidArgumentError for delta 0.

    >>> import minitape as tf
    >>> print(tf.range(3), tf.range(0.0, 1.0, 0.5))
    tf.Tensor([0 1 2], shape=(3,), dtype=int32) tf.Tensor([0.  0.5], shape=(2,), dtype=float32)
    """
    if limit is None:
        start, limit = 0, start
    parts = [x._read() if isinstance(x, Operand) else to_array(x) for x in (start, limit, delta)]
    to = np.result_type(*parts) if dtype is None else as_dtype(dtype).numpy_dtype
    if any(part.dtype.kind == "f" for part in parts) and dtype is None:
        to = max((part.dtype for part in parts if part.dtype.kind == "f"), key=lambda one: one.itemsize)
    for part, what in zip(parts, ("start", "limit", "delta"), strict=True):
        if part.ndim:
            refuse_range(
                "takes single numbers", f"{what} must be a scalar, not shape [{','.join(map(str, part.shape))}]"
            )
    first, last, step = (part.item() for part in parts)
    if step == 0:
        refuse_range("cannot count in steps of 0", f"Requires delta != 0: {step}")
    if (last - first) * step < 0:
        sign = "<= limit when delta > 0" if step > 0 else ">= limit when delta < 0"
        refuse_range(
            f"does not come from {first} to {last} in steps of {step}", f"Requires start {sign}: {first}/{last}"
        )
    return _new(np.arange(first, last, step).astype(to), "range")


def refuse_range(what: str, tensorflow: str) -> NoReturn:
    """The error of a range that cannot be."""
    raise InvalidArgumentError(say(f"tf.range {what}", "tf.range(0, 10, 2)", f"{tensorflow} [Op:Range] name: "))


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` numbers from start to stop, both included, evenly spaced (`tf.linspace`); differentiable in both ends.

    dtype: that of start; a new axis in place `axis`. Raises InvalidArgumentError for num < 0.

    >>> import minitape as tf
    >>> print(tf.linspace(0.0, 1.0, 3))
    tf.Tensor([0.  0.5 1. ], shape=(3,), dtype=float32)
    """
    like = next((x for x in (start, stop) if isinstance(x, Operand)), None)
    x, y, count = operand(start, like), operand(stop, like), int(num)
    if count < 0:
        raise InvalidArgumentError(
            say(
                f"linspace makes a number of numbers, and num is {count}",
                "tf.linspace(0.0, 1.0, 3)",
                f"Requires num >= 0, got {count}",
            )
        )
    if x.array.dtype.kind in "iu":
        x, y = cast(x, "float64"), cast(y, "float64")
    at = from_end(axis, x.ndim + 1, x)
    share = _along(np.linspace(0, 1, count).astype(x.array.dtype), x.ndim + 1, at)
    place = x.ndim + 1 + at
    ends = (reshape(end, (*x._shape[:place], 1, *x._shape[place:])) for end in (x, y))
    first, last = ends
    return first * (1 - share) + last * share


def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = "float32", name: str | None = None
) -> Tensor:
    """The identity matrix: ones on the diagonal, zeros elsewhere (`tf.eye`); a stack of them for a batch_shape.

    >>> import minitape as tf
    >>> print(tf.eye(2))
    tf.Tensor(
    [[1. 0.]
     [0. 1.]], shape=(2, 2), dtype=float32)
    """
    one = np.eye(
        int(num_rows), int(num_rows if num_columns is None else num_columns), dtype=as_dtype(dtype).numpy_dtype
    )
    return _new(np.tile(one, (*numbers([] if batch_shape is None else batch_shape), 1, 1)), "eye")


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Each index as a row that is 1 at that place and 0 elsewhere (`tf.one_hot`); no gradient passes.

    indices: integers; one outside 0 to depth - 1 gives a row of zeros. The new axis is the last, or `axis`.

    >>> import minitape as tf
    >>> print(tf.one_hot([2, 0], 3))
    tf.Tensor(
    [[0. 0. 1.]
     [1. 0. 0.]], shape=(2, 3), dtype=float32)
    """
    x = operand(indices)
    if x.array.dtype.kind not in "iu":
        raise InvalidArgumentError(
            say(
                f"one_hot takes integers, and these indices are {x.dtype.name}",
                "tf.one_hot(tf.cast(indices, tf.int32), depth)",
                f"Value for attr 'TI' of {x.dtype.word} is not in the list of allowed values: uint8, int8, int32, int64",
            )
        )
    given = next((v for v in (on_value, off_value) if isinstance(v, Operand)), None)
    kinds = [operand(v).dtype for v in (on_value, off_value) if v is not None]
    if len(set(kinds)) > 1:
        raise TypeError(
            say(
                f"one_hot: on_value is {kinds[0].name}, and off_value {kinds[1].name}",
                "tf.one_hot(indices, depth, on_value=1.0, off_value=0.0)",
                f"dtype {kinds[0]} of on_value does not match dtype {kinds[1]} of off_value",
            )
        )
    to = as_dtype(dtype) if dtype is not None else operand(given if given is not None else 1.0).dtype
    if dtype is None and given is None and (on_value is not None or off_value is not None):
        to = operand(on_value if on_value is not None else off_value).dtype
    on, off = (
        v if isinstance(v, Operand) else wrap(to_array(otherwise if v is None else v).astype(to.numpy_dtype))
        for v, otherwise in ((on_value, 1), (off_value, 0))
    )
    at = from_end(-1 if axis is None else axis, x.ndim + 1, x)
    return one_hot_(x, on, off, depth=int(depth), axis=at)


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = "bool", name: str | None = None) -> Tensor:
    """For each length a row that is True in the first so many places (`tf.sequence_mask`).

    >>> import minitape as tf
    >>> print(tf.sequence_mask([1, 2], 3, tf.int32))
    tf.Tensor(
    [[1 0 0]
     [1 1 0]], shape=(2, 3), dtype=int32)
    """
    x = operand(lengths)
    count = int(maxlen if maxlen is not None else x.array.max() if x.array.size else 0)
    return cast(_new(np.arange(count) < x.array[..., None], "sequence_mask"), dtype)


def shape(input: Any, out_type: Any = "int32", name: str | None = None) -> Tensor:
    """A tensor's shape, itself as an integer tensor (`tf.shape`); `t.shape` is the same as a Python value.

    >>> import minitape as tf
    >>> print(tf.shape([[1.0, 2.0]]))
    tf.Tensor([1 2], shape=(2,), dtype=int32)
    """
    return shape_(operand(input), dtype=as_dtype(out_type).numpy_dtype)


def size(input: Any, out_type: Any = "int32", name: str | None = None) -> Tensor:
    """How many numbers a tensor holds, as an integer tensor (`tf.size`).

    >>> import minitape as tf
    >>> print(tf.size([[1.0, 2.0]]))
    tf.Tensor(2, shape=(), dtype=int32)
    """
    return size_(operand(input), dtype=as_dtype(out_type).numpy_dtype)


def rank(input: Any, name: str | None = None) -> Tensor:
    """How many axes a tensor has, as an integer tensor (`tf.rank`).

    >>> import minitape as tf
    >>> print(tf.rank([[1.0, 2.0]]))
    tf.Tensor(2, shape=(), dtype=int32)
    """
    return rank_(operand(input))


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """Every pair of coordinates, as one grid an axis (`tf.meshgrid`). indexing: "xy" or "ij".

    >>> import minitape as tf
    >>> across, down = tf.meshgrid([1, 2, 3], [4, 5])
    >>> across.shape, down.shape
    (TensorShape([2, 3]), TensorShape([2, 3]))
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(
            say(
                f"indexing is {indexing!r}",
                "indexing='xy' or indexing='ij'",
                f"Argument `indexing` parameter must be either 'xy' or 'ij', got {indexing!r}",
            )
        )
    parts = [operand(x) for x in args]
    order = list(range(len(parts)))
    if indexing == "xy" and len(parts) > 1:
        order[:2] = 1, 0
    grid = tuple(parts[place].array.size for place in order)
    return [
        broadcast_to(reshape(x, [-1 if at == order.index(slot) else 1 for at in range(len(grid))]), grid)
        for slot, x in enumerate(parts)
    ]

"""What a learner may write for a shape, an axis or a number, made plain."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..marks import mark, marks
from ..operands import operand
from ..refusal import called
from ..tensor import Operand


def plain(x: Any) -> np.ndarray:
    """What an op takes as plain numbers (indices, a mask, labels): a tensor's array, with a mark that it went there."""
    tensor = operand(x)
    if tensor is x:
        marks.append(mark("index", tensor.id))
    return np.asarray(tensor.array)


def numbers(values: Any) -> list[int]:
    """Whole numbers given as one, as a list (of numbers or tensors), an array, a TensorShape or a tensor."""
    plain = [value._read() if isinstance(value, Operand) else value for value in _each(values)]
    return [whole(value) for value in plain]


def whole(value: Any) -> int:
    """One whole number; InvalidArgumentError for a float, which would be cut."""
    if isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        raise InvalidArgumentError(
            say(
                f"a shape or an axis is made of whole numbers, and {value} is a float",
                f"int({value})",
                "Value for attr 'Tshape' of float is not in the list of allowed values: int32, int64",
            )
        )
    return int(value)


def _each(values: Any) -> Any:
    if isinstance(values, list | tuple):
        return values
    if isinstance(values, int):
        return (values,)
    return np.atleast_1d(values._read() if isinstance(values, Operand) else values)


def sizes(shape: Any) -> tuple[int, ...]:
    """A shape; InvalidArgumentError where a length is negative."""
    found = tuple(numbers(shape))
    if any(size < 0 for size in found):
        raise InvalidArgumentError(
            say(
                f"a shape has no negative length, and {list(found)} has one",
                "tf.zeros([2, 3])",
                f"Dimension {min(found)} must be >= 0",
            )
        )
    return found


#: How TensorFlow words it, where an axis is not there.
OUTSIDE = "Expected dimension in the range [{low}, {rank}), but got {place}"


def from_end(
    axis: Any, rank: int, x: Operand, tensorflow: str = OUTSIDE, error: type[Exception] = InvalidArgumentError
) -> int:
    """One axis counted from the end, -1 the last; `rank` is how many there are to choose from."""
    place = whole(axis._read() if isinstance(axis, Operand) else axis)
    if not -rank <= place < rank:
        raise error(
            say(
                f"axis {place} is not there: {called(x, 'the tensor')} has shape {x._shape}",
                "axis=-1" if rank else "tf.reshape(t, [-1])",
                tensorflow.format(place=place, rank=rank, low=-rank, last=rank - 1, ndim=x.ndim),
            )
        )
    return place % rank - rank


def axes(axis: Any, x: Operand) -> tuple[int, ...]:
    """The axes to reduce, counted from the end; all of them for None."""
    rank = len(x.spec.shape)
    if axis is None:
        return tuple(range(-rank, 0))
    wanted = numbers(axis)
    for place in wanted:
        if not -rank <= place < rank:
            raise InvalidArgumentError(
                say(
                    f"axis {place} is not there: {called(x, 'the tensor')} has shape {x._shape}",
                    "axis=-1" if rank else "leave the axis out",
                    f"Invalid reduction dimension ({place} for input with {rank} dimension(s)",
                )
            )
    found = [place % rank - rank for place in wanted]
    if len(set(found)) < len(found):
        twice = next(place for place in found if found.count(place) > 1) + rank
        raise InvalidArgumentError(
            say(
                f"axis {twice} is named twice in {axis}",
                f"axis={sorted({place + rank for place in found})}",
                f"Invalid reduction arguments: Axes contains duplicate dimension: {twice}",
            )
        )
    return tuple(sorted(found))

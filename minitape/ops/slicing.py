"""`t[...]`, slices and iteration: parts of a tensor by place. The gradient is zero where nothing was taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..refusal import called
from ..tensor import Operand, Tensor
from .arguments import numbers, plain
from .linear import slice_
from .rearrange import boolean_mask

END = "[Op:StridedSlice] name: strided_slice/"


def get_item(x: Operand, key: Any) -> Tensor:
    """`x[key]`: whole numbers, slices, `...`, `tf.newaxis`, scalar integer tensors, or one mask of bools."""
    if _is_mask(key):
        return boolean_mask(x, key)
    return slice_(operand(x), key=plain_key(x, key), rank=x.ndim)


def plain_key(x: Operand, key: Any) -> tuple[Any, ...]:
    """A key as NumPy has it, checked against the tensor's shape."""
    if _is_mask(key):
        return (plain(key),)
    keys = tuple(_plain(part) for part in (key if isinstance(key, tuple) else (key,)))
    _check(x, keys)
    return keys


def _is_mask(key: Any) -> bool:
    return isinstance(key, Operand | np.ndarray) and key.dtype == np.bool_


def _plain(part: Any) -> Any:
    """One part of a key as Python has it: an int, a slice of ints, `...` or None."""
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        return slice(*(None if end is None else _whole(end) for end in (part.start, part.stop, part.step)))
    return _whole(part)


def _whole(part: Any) -> int:
    if not _is_whole(part):
        if isinstance(part, bool):
            raise ValueError(
                say(f"{part} is no index, and a mask is as long as the axis", "t[t > 0]", "mask cannot be scalar.")
            )
        is_list = isinstance(part, list | np.ndarray) or (isinstance(part, Operand) and part.ndim)
        bools = isinstance(part, list) and all(isinstance(one, bool) for one in part)
        raise TypeError(
            say(
                f"{part!r} is no index: one index is a whole number",
                "tf.boolean_mask(t, [...])" if bools else "tf.gather(t, [0, 2])" if is_list else "t[int(i)]",
                "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
                f"are valid indices, got {part!r}",
            )
        )
    return int(part)


def _is_whole(part: Any) -> bool:
    if isinstance(part, Operand):
        return not part.ndim and part.dtype.is_integer
    if isinstance(part, np.ndarray):
        return not part.ndim and part.dtype.kind in "iu"
    return isinstance(part, int | np.integer) and not isinstance(part, bool)


def _check(x: Operand, keys: tuple[Any, ...]) -> None:
    """Every number inside its axis, and no more of them than axes."""
    taken = [part for part in keys if part is not None and part is not Ellipsis]
    if keys.count(Ellipsis) > 1:
        _refuse("an index has one `...` at most", "t[..., 0]", "Multiple ellipses in slice spec not allowed")
    for part in taken:
        if isinstance(part, slice) and part.step == 0:
            _refuse("a slice cannot go on in steps of 0", "t[::2]", "strides[0] must be non-zero")
    if taken and not x.ndim:
        _refuse(
            f"{called(x, 'the tensor')} is a scalar: it has no parts",
            called(x, "t"),
            "Attempting to slice scalar input.",
        )
    if len(taken) > x.ndim:
        raise InvalidArgumentError(
            say(
                f"{len(taken)} indices are too many: {called(x, 'the tensor')} has shape {x._shape}",
                f"{called(x, 't')}[{', '.join('0' * x.ndim)}]",
                f"Index out of range using input dim {x.ndim}; input has only {x.ndim} dims {END}",
            )
        )
    after = keys[keys.index(Ellipsis) + 1 :] if Ellipsis in keys else ()
    axis = 0
    for number, part in enumerate(keys):
        if part is Ellipsis:
            axis = x.ndim - sum(one is not None for one in after)
            continue
        if part is None:
            continue
        size = x._shape[axis]
        if isinstance(part, int) and not -size <= part < size:
            raise InvalidArgumentError(
                say(
                    f"index {part} is outside: axis {axis} of {called(x, 'the tensor')} has length {size}",
                    f"{called(x, 't')}[{', '.join([':'] * number + [str(max(size - 1, 0))])}]",
                    f"slice index {part + size if part < 0 else part} of dimension {axis} out of bounds. {END}",
                )
            )
        axis += 1


def _refuse(what: str, fix: str, tensorflow: str) -> NoReturn:
    raise InvalidArgumentError(say(what, fix, f"{tensorflow} {END}"))


def iterate(x: Operand) -> Iterator[Tensor]:
    """The slices along the first axis, each differentiable."""
    if not x.ndim:
        raise TypeError(
            say("a scalar tensor has nothing to iterate over", "t.numpy()", "Cannot iterate over a scalar tensor.")
        )
    return (get_item(x, place) for place in range(x._shape[0]))


def block(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """A block of a tensor: where it begins on each axis, and how long it is there, -1 for all the rest (`tf.slice`).

    Raises InvalidArgumentError where the block does not lie inside.

    >>> import minitape as tf
    >>> print(tf.slice([1.0, 2.0, 3.0], [1], [-1]))
    tf.Tensor([2. 3.], shape=(2,), dtype=float32)
    """
    x, starts, lengths = operand(input_), numbers(begin), numbers(size)
    if not len(starts) == len(lengths) == x.ndim:
        raise InvalidArgumentError(
            say(
                f"slice: {called(x, 'the tensor')} has shape {x._shape}, so begin and size hold {x.ndim} numbers each",
                f"tf.slice(t, {[0] * x.ndim}, {[-1] * x.ndim})",
                f"Expected begin and size arguments to be 1-D tensors of size {x.ndim} [Op:Slice] name: ",
            )
        )
    key = []
    for axis, (start, length, whole) in enumerate(zip(starts, lengths, x._shape, strict=True)):
        length = whole - start if length == -1 else length
        if start < 0 or length < 0 or start + length > whole:
            raise InvalidArgumentError(
                say(
                    f"slice: {length} numbers from {start} on do not lie inside axis {axis}, which has length {whole}",
                    f"tf.slice(t, {[0] * x.ndim}, {[-1] * x.ndim})",
                    f"Expected begin[{axis}] in [0, {whole}], but got {start} [Op:Slice] name: "
                    if not 0 <= start <= whole
                    else f"Expected size[{axis}] in [0, {whole - start}], but got {length} [Op:Slice] name: ",
                )
            )
        key.append(slice(start, start + length))
    return slice_(x, key=tuple(key), rank=x.ndim)


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """What `t[begin:end:stride, ...]` is made of, with numbers for every axis (`tf.strided_slice`).

    A bit of a mask is set for an axis where begin or end is left out, that is `...`, a new axis, or a single index.

    >>> import minitape as tf
    >>> print(tf.strided_slice([1.0, 2.0, 3.0, 4.0], [0], [4], [2]))
    tf.Tensor([1. 3.], shape=(2,), dtype=float32)
    """
    starts, ends = numbers(begin), numbers(end)
    steps = [1] * len(starts) if strides is None else numbers(strides)
    key: list[Any] = []
    for bit, (start, stop, step) in enumerate(zip(starts, ends, steps, strict=True)):
        if ellipsis_mask >> bit & 1:
            key.append(Ellipsis)
        elif new_axis_mask >> bit & 1:
            key.append(None)
        elif shrink_axis_mask >> bit & 1:
            key.append(start)
        else:
            key.append(slice(None if begin_mask >> bit & 1 else start, None if end_mask >> bit & 1 else stop, step))
    return get_item(operand(input_), tuple(key))

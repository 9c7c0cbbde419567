"""Ops that put tensors together and take them apart: concat, stack, split, unstack, pad; and squeeze and its like."""

from __future__ import annotations

import itertools
from contextlib import suppress
from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, primitive, shape_of
from ..refusal import called
from ..tensor import Operand, Tensor, constant
from .arguments import from_end, numbers
from .choose import where
from .elementwise import identity
from .linear import pad_, reshape
from .rearrange import mirror_pad


def pieces(g: Any, axis: int, sizes: tuple[int, ...]) -> list[Any]:
    """A gradient cut along an axis into pieces of these lengths."""
    ends = list(itertools.accumulate(sizes, initial=0))
    rest = (slice(None),) * (-axis - 1)
    rank = len(shape_of(g))
    return [f.slice(g, key=(..., slice(*span), *rest), rank=rank) for span in itertools.pairwise(ends)]


def entries(g: Any, axis: int, count: int) -> list[Any]:
    """A gradient taken apart along an axis, which is gone then."""
    rest = (slice(None),) * (-axis - 1)
    return [f.slice(g, key=(..., place, *rest), rank=len(shape_of(g))) for place in range(count)]


def cut(x: np.ndarray, axis: int, sizes: tuple[int, ...]) -> list[np.ndarray]:
    """An array cut along an axis into pieces of these lengths."""
    return np.split(x, list(itertools.accumulate(sizes))[:-1], axis=axis)


# fmt: off
add_n_   = primitive("add_n",   lambda *x, count: sum(x[1:], start=x[0]),            vjp=lambda g, count: [g] * count,  kernel="AddN",  takes="iufc")
concat_  = primitive("concat",  lambda *x, axis, sizes: np.concatenate(x, axis),     vjp=lambda g, axis, sizes: pieces(g, axis, sizes),  kernel="ConcatV2",  says="g's own piece")
stack_   = primitive("stack",   lambda *x, axis, count: np.stack(x, axis),           vjp=lambda g, axis, count: entries(g, axis, count),  kernel="Pack",  says="g's own entry")
split_   = primitive("split",   cut,                                                 vjp=lambda g, axis, sizes: [f.concat(*g, axis=axis, sizes=sizes)],  many=True,  says="the pieces' g put together")
unstack_ = primitive("unstack", lambda x, axis: [*np.moveaxis(x, axis, 0)],          vjp=lambda g, axis: [f.stack(*g, axis=axis, count=len(g))],  many=True,  kernel="Unpack",  says="the entries' g put together")
# fmt: on


RANKS = "Ranks of all input tensors should match"
NOT_IN_RANGE = "Argument `axis` = {place} not in range [{low}, {rank})"


def together(values: Any) -> list[Operand]:
    """Several tensors; Python's numbers among them take the dtype of the first tensor."""
    if isinstance(values, Operand | np.ndarray):
        values = [*values]
    like = next((x for part in values for x in _operands(part)), None)
    return [stacked(x, like) if isinstance(x, list | tuple) else operand(x, like) for x in values]


def _operands(value: Any) -> Any:
    """The tensors in a value, however deep in its lists."""
    if isinstance(value, Operand):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _operands(part)


def stacked(values: Any, like: Operand | None = None) -> Operand:
    """A list that holds tensors, as one tensor: stacked, so that gradients reach them."""
    tensors = list(_operands(values))
    if not tensors:
        return operand(values, like)
    like = tensors[0] if like is None else like
    if not isinstance(values, list | tuple):
        return operand(values, like)
    return stack([stacked(value, like) for value in values])


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of several tensors of one shape and dtype (`tf.add_n`).

    Raises ValueError for an empty list, InvalidArgumentError where shapes differ.

    >>> import minitape as tf
    >>> print(tf.add_n([[1.0, 2.0], [3.0, 4.0]]))
    tf.Tensor([4. 6.], shape=(2,), dtype=float32)
    """
    parts = together(inputs)
    if not parts:
        raise ValueError(
            say(
                "add_n adds up at least one tensor, and the list is empty",
                "tf.add_n([a, b])",
                "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape.",
            )
        )
    for x in parts[1:]:
        if x._shape != parts[0]._shape:
            raise InvalidArgumentError(
                say(
                    f"add_n: {called(parts[0], 'the first')} has shape {parts[0]._shape} and {called(x, 'another')} {x._shape}",
                    "a + b broadcasts",
                    f"Inputs to operation AddN of type AddN must have the same size and shape. Input 0: {_dims(parts[0])} "
                    f"!= input 1: {_dims(x)} [Op:AddN] name: ",
                )
            )
    return add_n_(*parts, count=len(parts))


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    """The sum of several tensors, as `tf.add_n` (`tf.math.accumulate_n`).

    >>> import minitape as tf
    >>> print(tf.math.accumulate_n([1.0, 2.0]))
    tf.Tensor(3.0, shape=(), dtype=float32)
    """
    return add_n(inputs)


def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Tensors put one after another along an axis that they have (`tf.concat`).

    Raises InvalidArgumentError where another axis differs in length, or the dtypes differ.

    >>> import minitape as tf
    >>> print(tf.concat([[1.0, 2.0], [3.0]], axis=0))
    tf.Tensor([1. 2. 3.], shape=(3,), dtype=float32)
    """
    parts = together(values if isinstance(values, list | tuple) else [values])
    first = parts[0]
    if not first.ndim:
        raise InvalidArgumentError(
            say(
                "concat joins along an axis, and a scalar tensor has none",
                "tf.stack([a, b])",
                "ConcatOp : Can't concatenate scalars (use tf.stack instead) [Op:ConcatV2] name: concat",
            )
        )
    outside = "ConcatOp : Expected concatenating dimensions in the range [{low}, {rank}), but got {place} [Op:ConcatV2]"
    along = from_end(axis, first.ndim, first, outside)
    place = along + first.ndim
    for number, x in enumerate(parts):
        pairs = enumerate(zip(x._shape, first._shape, strict=False))
        differs = [at for at, (a, b) in pairs if a != b and at != place]
        if x.ndim != first.ndim or differs:
            said = f"Dimension {differs[0]} in both shapes must be equal" if x.ndim == first.ndim else RANKS
            raise InvalidArgumentError(
                say(
                    f"concat: {called(first, 'the first tensor')} has shape {first._shape} and "
                    f"{called(x, 'another')} {x._shape}: they may differ along axis {place} alone",
                    f"tf.reshape({called(x, 'b')}, ...)",
                    f"ConcatOp : {said}: shape[0] = {_dims(first)} vs. shape[{number}] = {_dims(x)} [Op:ConcatV2] name: concat",
                )
            )
    return concat_(*parts, axis=along, sizes=tuple(x._shape[place] for x in parts))


def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape put side by side along a new axis (`tf.stack`).

    Raises InvalidArgumentError where shapes or dtypes differ, IndexError where there are none.

    >>> import minitape as tf
    >>> print(tf.stack([1.0, 2.0]))
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    if axis == 0 and next(_operands(values), None) is None:
        with suppress(TypeError, ValueError):
            return constant(values)  # as in TensorFlow: arrays of int64 become int32
    parts = together(values)
    if not parts:
        what = f"stack puts one tensor or more side by side along axis {axis}, and there is none"
        raise IndexError(say(what, f"tf.stack([a, b], axis={axis})", "list index out of range"))
    for number, x in enumerate(parts):
        if x._shape != parts[0]._shape:
            raise InvalidArgumentError(
                say(
                    f"stack: {called(parts[0], 'the first tensor')} has shape {parts[0]._shape} and {called(x, 'another')} {x._shape}",
                    "tf.concat([a, b], axis=0)",
                    f"Shapes of all inputs must match: values[0].shape = {_dims(parts[0])} != values[{number}].shape = "
                    f"{_dims(x)} [Op:Pack] name: stack",
                )
            )
    along = from_end(axis, parts[0].ndim + 1, parts[0], NOT_IN_RANGE, ValueError)
    return stack_(*parts, axis=along, count=len(parts))


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The entries along an axis, as a list of tensors (`tf.unstack`).

    >>> import minitape as tf
    >>> [t.numpy().tolist() for t in tf.unstack([[1.0, 2.0], [3.0, 4.0]])]
    [[1.0, 2.0], [3.0, 4.0]]
    """
    x = operand(value)
    along = from_end(axis, x.ndim, x, NOT_IN_RANGE, ValueError)
    if num is not None and num != x._shape[along]:
        raise InvalidArgumentError(
            say(
                f"unstack: axis {axis} of {called(x, 'the tensor')} has length {x._shape[along]}, and num is {num}",
                "tf.unstack(t)",
                f"Input shape axis {along + x.ndim} must equal {num}, got shape {_dims(x)} [Op:Unpack] name: unstack",
            )
        )
    return list(unstack_(x, axis=along)) if x._shape[along] else []


def split(
    value: Any, num_or_size_splits: Any, axis: int = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """A tensor cut along an axis into so many equal pieces, or into pieces of these lengths (`tf.split`).

    One length may be -1: what is left. Raises InvalidArgumentError where it does not come out even.

    >>> import minitape as tf
    >>> [t.numpy().tolist() for t in tf.split([1.0, 2.0, 3.0], [1, -1])]
    [[1.0], [2.0, 3.0]]
    """
    x = operand(value)
    along = from_end(axis, x.ndim, x)
    whole, wanted = x._shape[along], numbers(num_or_size_splits)
    if np.ndim(num_or_size_splits) == 0:
        (count,) = wanted
        sizes = [whole // count] * count if count > 0 and whole % count == 0 else []
    else:
        left = whole - sum(size for size in wanted if size != -1)
        sizes = [left if size == -1 else size for size in wanted]
    if not sizes or sum(sizes) != whole or min(sizes) < 0:
        raise InvalidArgumentError(
            say(
                f"split: axis {axis} has length {whole}, which does not come out even as {num_or_size_splits}",
                "tf.split(t, [2, -1])",
                f"Number of ways to split should evenly divide the split dimension, but got split_dim "
                f"{along + x.ndim} (size = {whole}) and num_split {num_or_size_splits} [Op:Split] name: split"
                if np.ndim(num_or_size_splits) == 0
                else "Determined shape must either match input shape along split_dim exactly if fully specified, or be "
                f"less than the size of the input along split_dim if not fully specified.  Got: {sum(sizes)}",
            )
        )
    return list(split_(x, axis=along, sizes=tuple(sizes)))


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """A margin put around a tensor, so wide before and after on each axis (`tf.pad`).

    mode: "CONSTANT" (filled with constant_values), "REFLECT" (mirrored at the edge) or "SYMMETRIC" (edge included).

    >>> import minitape as tf
    >>> print(tf.pad([1.0, 2.0], [[1, 2]]))
    tf.Tensor([0. 1. 2. 0. 0.], shape=(5,), dtype=float32)
    """
    x = operand(tensor)
    margins = np.asarray(paddings, np.int64)
    if margins.shape != (x.ndim, 2) or (margins < 0).any():
        raise InvalidArgumentError(
            say(
                f"pad: {called(x, 'the tensor')} has {x.ndim} axes, so paddings is {x.ndim} pairs of numbers from 0 up",
                f"tf.pad(t, {[[1, 1]] * x.ndim})",
                "Paddings must be non-negative: " + " ".join(map(str, margins.ravel()))
                if margins.shape == (x.ndim, 2)
                else f"paddings must be a matrix with 2 columns: {str(list(margins.shape)).replace(' ', '')}"
                if margins.shape[1:] != (2,)
                else f"The first dimension of paddings must be the rank of inputs{list(margins.shape)} {_dims(x)}",
            )
        )
    pairs = [(int(before), int(after)) for before, after in margins]
    if mode.upper() in ("REFLECT", "SYMMETRIC"):
        return mirror_pad(x, pairs, mode.upper())
    if mode.upper() != "CONSTANT":
        raise ValueError(
            say(
                f"mode is {mode!r}",
                'mode="CONSTANT", "REFLECT" or "SYMMETRIC"',
                'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
                f"Received `mode` = {mode}",
            )
        )
    out = pad_(x, paddings=tuple(pairs))
    filling = operand(constant_values, x)
    if not filling.array:
        return out
    return where(np.pad(np.zeros(x._shape, bool), pairs, constant_values=True), filling, out)


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The same numbers without axes of length 1: without all of them, or these (`tf.squeeze`).

    Raises InvalidArgumentError for an axis of another length.

    >>> import minitape as tf
    >>> print(tf.squeeze([[1.0, 2.0]]))
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    x = operand(input)
    chosen = numbers([] if axis is None else axis)
    gone = {from_end(one, x.ndim, x) + x.ndim for one in chosen} or {
        at for at, size in enumerate(x._shape) if size == 1 and not chosen
    }
    for at in gone:
        if x._shape[at] != 1:
            raise InvalidArgumentError(
                say(
                    f"squeeze: axis {at} of {called(x, 'the tensor')} has length {x._shape[at]}, not 1",
                    "tf.squeeze(t)",
                    f"Can not squeeze dim[{at}], expected a dimension of 1, got {x._shape[at]} [Op:Squeeze] name: ",
                )
            )
    return reshape(x, [size for at, size in enumerate(x._shape) if at not in gone])


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """The same numbers with one more axis, of length 1 (`tf.expand_dims`).

    >>> import minitape as tf
    >>> tf.expand_dims([1.0, 2.0], axis=-1).shape
    TensorShape([2, 1])
    """
    x = operand(input)
    outside = "Tried to expand dim index {place} for tensor with {ndim} dimensions. [Op:ExpandDims] name: "
    place = from_end(axis, x.ndim + 1, x, outside) + x.ndim + 1
    return reshape(x, (*x._shape[:place], 1, *x._shape[place:]))


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """The tensor itself, once its shape has been checked (`tf.ensure_shape`); None stands for any length.

    >>> import minitape as tf
    >>> print(tf.ensure_shape([1.0, 2.0], [None]))
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    x = operand(x)
    if len(shape) != x.ndim or any(want not in (None, size) for want, size in zip(shape, x._shape, strict=True)):
        raise InvalidArgumentError(
            say(
                f"{called(x, 'the tensor')} has shape {x._shape}, and {tuple(shape)} was asked for",
                f"tf.ensure_shape(x, {list(x._shape)})",
                f"Shape of tensor input [{','.join(map(str, x._shape))}] is not compatible with expected shape "
                f"[{','.join('?' if size is None else str(size) for size in shape)}]. [Op:EnsureShape] name: ",
            )
        )
    return identity(x)


def _dims(x: Operand) -> str:
    return "[" + ",".join(map(str, x._shape)) + "]"

"""Ops that only move numbers: tile, repeat, roll, sort and the like.

NumPy is asked to move the numbers' places, 0, 1, 2, ...; what comes out says where each number is to be picked. So all
of them are one op, with one transpose: drop each gradient back where its number was picked, and add up.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..dtypes import as_dtype
from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, front, linear, primitive
from ..refusal import called
from ..tensor import Operand, Tensor, wrap
from .arguments import from_end, numbers, plain


def pick(x: np.ndarray, at: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers at these places; `at` counts through the last axes, which have this shape."""
    return np.reshape(x, (*front(x, len(shape)), math.prod(shape)))[..., at]


def drop(g: np.ndarray, at: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Zeros of a shape, each number added at its place."""
    lead, size = front(g, at.ndim), math.prod(shape)
    rows = math.prod(lead)
    z = np.zeros(rows * size, g.dtype)
    np.add.at(z, (np.arange(rows)[:, None] * size + at.ravel()).ravel(), np.ravel(g))
    return z.reshape(lead + shape)


# fmt: off
back = lambda g, at, shape: f.drop(g, at=at, shape=shape)  # noqa: E731 (one rule for all)
drop_         = linear("drop",          drop,  transpose=lambda g, at, shape: f.pick(g, at=at, shape=shape),  says="g at those places")
pick_         = linear("pick",          pick,  transpose=back,  says="g where it was picked, added up")
tile_         = linear("tile",          pick,  transpose=back,  says="g added up over the copies")
repeat_       = linear("repeat",        pick,  transpose=back,  says="g added up over the copies")
roll_         = linear("roll",          pick,  transpose=back,  says="g rolled back")
reverse_      = linear("reverse",       pick,  transpose=back,  says="g turned round")
mirror_pad_   = linear("mirror_pad",    pick,  transpose=back,  says="g, its margin added where it was mirrored")
boolean_mask_ = linear("boolean_mask",  pick,  transpose=back,  says="g where the mask is true, else 0")
sort_         = linear("sort",          pick,  transpose=back,  says="g in the old order",  takes="iuf")
top_k_        = linear("top_k",         pick,  transpose=back,  says="g where the number was, else 0",  takes="iuf")
space_to_depth_ = linear("space_to_depth", pick,  transpose=back,  says="g moved back")
depth_to_space_ = linear("depth_to_space", pick,  transpose=back,  says="g moved back")
argsort_      = primitive("argsort",    lambda x, axis, down: order(x, axis, down).astype(np.int32),  takes="iuf")
# fmt: on


def places(x: Operand) -> np.ndarray:
    """Every number's place, in the tensor's shape."""
    return np.arange(x.array.size).reshape(x._shape)


def order(x: np.ndarray, axis: int, down: bool) -> np.ndarray:
    """Which number comes first, second, ... along an axis; of equal numbers the first stays first."""
    if not down:
        return np.argsort(x, axis=axis, kind="stable")
    turned = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.asarray(x.shape[axis] - 1 - np.flip(turned, axis))


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """The tensor again and again, so many times along each axis (`tf.tile`).

    Raises InvalidArgumentError where `multiples` does not hold one number for each axis.

    >>> import minitape as tf
    >>> print(tf.tile([1.0, 2.0], [2]))
    tf.Tensor([1. 2. 1. 2.], shape=(4,), dtype=float32)
    """
    x, times = operand(input), numbers(multiples)
    if len(times) != x.ndim or np.ndim(plain(multiples)) != 1:
        raise InvalidArgumentError(
            say(
                f"tile: {called(x, 'the tensor')} has shape {x._shape}, and there are {len(times)} multiples",
                f"tf.tile({called(x, 't')}, {[2] * x.ndim})",
                "Expected multiples to be 1-D, but got shape []"
                if np.ndim(plain(multiples)) == 0
                else f"Expected multiples argument to be a vector of length {x.ndim} but got length {len(times)}",
            )
        )
    return tile_(x, at=np.tile(places(x), times), shape=x._shape)


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each number (or each entry along an axis) so many times in a row (`tf.repeat`); axis None flattens first.

    >>> import minitape as tf
    >>> print(tf.repeat([1.0, 2.0], 2))
    tf.Tensor([1. 1. 2. 2.], shape=(4,), dtype=float32)
    """
    x, times = operand(input), numbers(repeats)
    along = None if axis is None else from_end(axis, x.ndim, x)
    size = x.array.size if along is None else x._shape[along]
    if len(times) not in (1, size):
        raise ValueError(
            say(
                f"repeat: there are {size} entries, and {len(times)} numbers that say how often",
                "tf.repeat(t, 2)",
                f"Dimensions {size} and {len(times)} are not compatible",
            )
        )
    return repeat_(x, at=np.repeat(places(x), times, axis=along), shape=x._shape)


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Everything moved along by `shift` places; what falls off one end comes in at the other (`tf.roll`).

    >>> import minitape as tf
    >>> print(tf.roll([1.0, 2.0, 3.0], shift=1, axis=0))
    tf.Tensor([3. 1. 2.], shape=(3,), dtype=float32)
    """
    x = operand(input)
    along = tuple(from_end(one, x.ndim, x, "axis {place} is out of range") for one in numbers(axis))
    return roll_(x, at=np.roll(places(x), tuple(numbers(shift)), axis=along), shape=x._shape)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The other way round along each of these axes (`tf.reverse`).

    >>> import minitape as tf
    >>> print(tf.reverse([1.0, 2.0, 3.0], axis=[0]))
    tf.Tensor([3. 2. 1.], shape=(3,), dtype=float32)
    """
    x = operand(tensor)
    outside = "'axis'[0] = {place} is out of valid range [0, {last}"
    along = [from_end(one, x.ndim, x, outside) for one in numbers(axis)]
    if len(set(along)) < len(along):
        raise InvalidArgumentError(
            say(
                f"reverse: an axis is named twice in {axis}",
                "tf.reverse(t, [0])",
                f"axis {numbers(axis)[0]} specified more than once. [Op:ReverseV2] name: ",
            )
        )
    return reverse_(x, at=np.flip(places(x), tuple(along)), shape=x._shape)


def mirror_pad(x: Operand, paddings: list[tuple[int, int]], mode: str) -> Tensor:
    """A margin that mirrors what lies inside: REFLECT without the edge itself, SYMMETRIC with it."""
    for axis, (pair, size) in enumerate(zip(paddings, x._shape, strict=True)):
        limit = size - (mode == "REFLECT")
        if max(pair) > limit:
            raise InvalidArgumentError(
                say(
                    f"pad: a mirror shows at most {limit} numbers on axis {axis}, and {max(pair)} are asked for",
                    'tf.pad(t, paddings, mode="CONSTANT")',
                    f"paddings must be less than{'' if mode == 'REFLECT' else ' or equal to'} the dimension size: "
                    f"{pair[0]}, {pair[1]} not less than {size} [Op:MirrorPad] name: ",
                )
            )
    return mirror_pad_(x, at=np.pad(places(x), paddings, mode.lower()), shape=x._shape)  # type: ignore[call-overload]


def boolean_mask(tensor: Any, mask: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """The entries where a mask is true, in a row (`tf.boolean_mask`, `t[mask]`). The gradient is dense.

    mask: bools in the shape of the tensor's first axes (or of those from `axis` on); ValueError where it is not.

    >>> import minitape as tf
    >>> print(tf.boolean_mask([1.0, 2.0, 3.0], [True, False, True]))
    tf.Tensor([1. 3.], shape=(2,), dtype=float32)
    """
    x, chosen = operand(tensor), plain(mask)
    first = 0 if axis is None else from_end(axis, x.ndim, x) + x.ndim
    chosen = chosen if chosen.dtype.kind == "b" else chosen != 0
    if not chosen.ndim or chosen.shape != x._shape[first : first + chosen.ndim]:
        raise ValueError(
            say(
                f"boolean_mask: {called(x, 'the tensor')} has shape {x._shape}, "
                f"and a mask of shape {chosen.shape} does not fit it",
                "tf.boolean_mask(t, t > 0)",
                f"Shapes {x._shape[first : first + chosen.ndim]} and {chosen.shape} are incompatible"
                if chosen.ndim
                else "mask cannot be scalar.",
            )
        )
    return boolean_mask_(x, at=places(x)[(slice(None),) * first + (chosen,)], shape=x._shape)


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The numbers along an axis in order (`tf.sort`); each gradient goes back to where its number came from.

    direction: "ASCENDING" or "DESCENDING".

    >>> import minitape as tf
    >>> print(tf.sort([3.0, 1.0, 2.0]))
    tf.Tensor([1. 2. 3.], shape=(3,), dtype=float32)
    """
    x = operand(values)
    along = from_end(axis, x.ndim, x)
    at = np.take_along_axis(places(x), order(x.array, along, _down(direction)), along)
    return sort_(x, at=at, shape=x._shape)


def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The places of the numbers along an axis in the order of their size, as int32 (`tf.argsort`); no gradient passes.

    >>> import minitape as tf
    >>> print(tf.argsort([3.0, 1.0, 2.0]))
    tf.Tensor([1 2 0], shape=(3,), dtype=int32)
    """
    x = operand(values)
    return argsort_(x, axis=from_end(axis, x.ndim, x), down=_down(direction))


def _down(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            say(
                f"direction is {direction!r}",
                'direction="ASCENDING" or direction="DESCENDING"',
                f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}",
            )
        )
    return direction == "DESCENDING"


class TopK(NamedTuple):
    """The largest numbers, and their places."""

    values: Tensor
    indices: Tensor


TopK.__name__ = "TopKV2"  # what TensorFlow prints


def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = "int32", name: str | None = None) -> TopK:
    """The k largest numbers along the last axis, largest first, and their places (`tf.math.top_k`).

    Of equal numbers the first comes first. The values are differentiable, the places are not.
    Raises InvalidArgumentError where the axis holds fewer than k.

    >>> import minitape as tf
    >>> values, indices = tf.math.top_k([3.0, 1.0, 2.0], k=2)
    >>> print(values, indices)
    tf.Tensor([3. 2.], shape=(2,), dtype=float32) tf.Tensor([0 2], shape=(2,), dtype=int32)
    """
    x, count = operand(input), int(k)
    if not x.ndim or count > x._shape[-1]:
        raise InvalidArgumentError(
            say(
                f"top_k: {called(x, 'the tensor')} has shape {x._shape}, so its last axis does not hold {count} numbers",
                f"tf.math.top_k(t, k={x._shape[-1] if x.ndim else 1})",
                f"input must have at least k columns. Had {x._shape[-1]}, needed {count} [Op:TopKV2] name: "
                if x.ndim
                else "input must be >= 1-D, got shape [] [Op:TopKV2] name: ",
            )
        )
    ranked = argsort_(x, axis=-1, down=True)
    first = ranked.array[..., :count]
    indices = wrap(first.astype(as_dtype(index_type).numpy_dtype), ranked.origin)
    return TopK(top_k_(x, at=np.take_along_axis(places(x), first.astype(np.int64), -1), shape=x._shape), indices)


def space_to_depth(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Blocks of an image laid behind one another, as more channels (`tf.nn.space_to_depth`).

    input: (batch, height, width, channels); height and width must be multiples of block_size.

    >>> import minitape as tf
    >>> tf.nn.space_to_depth(tf.zeros([1, 4, 4, 1]), 2).shape
    TensorShape([1, 2, 2, 4])
    """
    x, b = _image(input, "space_to_depth"), block_size
    n, height, width, c = x._shape
    if height % b or width % b:
        raise InvalidArgumentError(
            say(
                f"space_to_depth: an image of {height} x {width} is not made of blocks of {b} x {b}",
                "tf.pad(image, ...)",
                f"Image width {width} and height {height} should be divisible by block_size: {b}",
            )
        )
    at = places(x).reshape(n, height // b, b, width // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    return space_to_depth_(x, at=at.reshape(n, height // b, width // b, b * b * c), shape=x._shape)


def depth_to_space(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Channels laid out as blocks of a larger image: what `space_to_depth` does, undone (`tf.nn.depth_to_space`).

    >>> import minitape as tf
    >>> tf.nn.depth_to_space(tf.zeros([1, 2, 2, 4]), 2).shape
    TensorShape([1, 4, 4, 1])
    """
    x, b = _image(input, "depth_to_space"), block_size
    n, height, width, c = x._shape
    if c % (b * b):
        raise InvalidArgumentError(
            say(
                f"depth_to_space: {c} channels do not fill blocks of {b} x {b}",
                f"an image with {b * b} channels",
                f"Input depth dimension {c} should be divisible by: {b * b}",
            )
        )
    at = places(x).reshape(n, height, width, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    return depth_to_space_(x, at=at.reshape(n, height * b, width * b, c // (b * b)), shape=x._shape)


def _image(value: Any, name: str) -> Operand:
    x = operand(value)
    if x.ndim != 4:
        raise InvalidArgumentError(
            say(
                f"{name} takes images of shape (batch, height, width, channels), and {called(x, 'this')} has {x._shape}",
                "tf.reshape(image, [1, height, width, channels])",
                f"Input rank should be: 4 instead of: {x.ndim}",
            )
        )
    return x

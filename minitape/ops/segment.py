"""Sums, means, products and extremes over segments: entries with one number belong together."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, linear, primitive
from ..refusal import called
from ..tensor import Operand, Tensor
from .arguments import plain
from .choose import where
from .elementwise import divide
from .linear import cast, reshape

# Every op here has the entries along the first axis of a tensor of `rank` axes, and their segments' numbers in `ids`.


def collect(ufunc: Any, start: Any) -> Any:
    """Combine the entries of each segment, from a start; -1 belongs nowhere."""

    def combine(x: np.ndarray, ids: np.ndarray, count: int, rank: int) -> np.ndarray:
        rows = np.moveaxis(x, x.ndim - rank, 0)
        z = np.full((count, *rows.shape[1:]), start(x.dtype) if callable(start) else start, x.dtype)
        ufunc.at(z, ids[ids >= 0], rows[ids >= 0])
        return np.moveaxis(z, 0, x.ndim - rank)

    return combine


def hand_out(x: np.ndarray, ids: np.ndarray, count: int, rank: int) -> np.ndarray:
    """Give each entry its segment's row; 0 to those of -1."""
    rows = np.moveaxis(x, x.ndim - rank, 0)
    out = np.zeros((len(ids), *rows.shape[1:]), x.dtype)
    out[ids >= 0] = rows[ids[ids >= 0]]
    return np.moveaxis(out, 0, x.ndim - rank)


def least(dtype: np.dtype[Any]) -> Any:
    """The lowest number of a dtype."""
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def most(dtype: np.dtype[Any]) -> Any:
    """The highest number of a dtype."""
    return np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max


def shared(g: Any, x: Any, z: Any, ids: np.ndarray, count: int, rank: int) -> Any:
    """The gradient of a segment's extreme: it goes to that entry; where several tie, each gets its share."""
    tied = f.where(x == f.hand_out(z, ids=ids, count=count, rank=rank), f.ones_like(x), f.zeros_like(x))
    ties = f.segment_sum(tied, ids=ids, count=count, rank=rank)
    return f.hand_out(g / f.maximum(ties, f.ones_like(ties)), ids=ids, count=count, rank=rank) * tied


def others(x: Any, ids: np.ndarray, count: int, rank: int) -> Any:
    """For each entry the product of the others in its segment: exact, with zeros too."""
    zero = f.where(x == 0, f.ones_like(x), f.zeros_like(x))
    rest = f.where(x == 0, f.ones_like(x), x)  # the product without the zeros, and how many of these there are
    whole = f.hand_out(f.segment_prod(rest, ids=ids, count=count, rank=rank), ids=ids, count=count, rank=rank) / rest
    zeros_left = (
        f.hand_out(f.segment_sum(zero, ids=ids, count=count, rank=rank), ids=ids, count=count, rank=rank) - zero
    )
    return f.where(zeros_left == 0, whole, f.zeros_like(x))


# fmt: off
sum_       = linear("segment_sum",     collect(np.add, 0),         transpose=lambda g, ids, count, rank: f.hand_out(g, ids=ids, count=count, rank=rank),     says="each entry its segment's g",  takes="iufc")
hand_out_  = linear("hand_out",        hand_out,                   transpose=lambda g, ids, count, rank: f.segment_sum(g, ids=ids, count=count, rank=rank),  says="g added up over the segment")
prod_      = primitive("segment_prod", collect(np.multiply, 1),    x=lambda g, x, ids, count, rank: f.hand_out(g, ids=ids, count=count, rank=rank) * others(x, ids, count, rank),  says="its segment's g times the product of the others",  takes="iufc")
max_       = primitive("segment_max",  collect(np.maximum, least), x=lambda g, x, z, ids, count, rank: shared(g, x, z, ids, count, rank),  says="its segment's g, shared by the largest",  takes="iuf")
min_       = primitive("segment_min",  collect(np.minimum, most),  x=lambda g, x, z, ids, count, rank: shared(g, x, z, ids, count, rank),  says="its segment's g, shared by the smallest",  takes="iuf")
# fmt: on


def _segments(data: Any, segment_ids: Any, num_segments: Any = None) -> tuple[Operand, dict[str, Any]]:
    """The entries in a row, and their segments' numbers; sorted and counted here where num_segments is None."""
    x, ids = operand(data), plain(segment_ids)
    if ids.dtype.kind not in "iu" or ids.shape != x._shape[: ids.ndim] or not ids.ndim:
        raise InvalidArgumentError(
            say(
                f"segment_ids gives a whole number to each entry, and {called(x, 'the tensor')} has shape {x._shape}, "
                f"segment_ids {ids.shape}",
                f"segment_ids={[0] * (x._shape[0] if x.ndim else 1)}",
                "segment_ids should be the same size as dimension 0 of input."
                if num_segments is None
                else f"data.shape = {list(x._shape)} does not start with segment_ids.shape = {list(ids.shape)}",
            )
        )
    if num_segments is None:
        if (np.diff(ids) < 0).any() or (ids < 0).any():
            raise InvalidArgumentError(
                say(
                    f"the segment numbers {ids.tolist()} do not go up",
                    "tf.math.unsorted_segment_sum(data, segment_ids, num_segments)",
                    "segment ids are not increasing",
                )
            )
        count = int(ids[-1]) + 1 if ids.size else 0
    else:
        count = int(num_segments)
        if (ids >= count).any():
            raise InvalidArgumentError(
                say(
                    f"the segment number {ids.max()} is too large: there are {count} segments",
                    f"num_segments={ids.max() + 1}",
                    f"segment_ids{np.argwhere(ids >= count)[0].tolist()} = {ids.max()} is out of range [0, {count})",
                )
            )
    flat = reshape(x, (ids.size, *x._shape[ids.ndim :])) if ids.ndim > 1 else x
    return flat, {"ids": np.maximum(ids.ravel(), -1), "count": count, "rank": flat.ndim}


def _sizes(x: Operand, how: dict[str, Any]) -> np.ndarray:
    """How many entries each segment holds (at least 1), shaped to divide the segments' rows."""
    ids = how["ids"]
    counts = np.bincount(ids[ids >= 0], minlength=how["count"])
    return np.maximum(counts, 1).astype(x.array.dtype).reshape(-1, *[1] * (x.ndim - 1))


def _mean(x: Operand, how: dict[str, Any]) -> Tensor:
    """The sum over the number of entries; of integers it is cut toward zero."""
    return cast(divide(sum_(x, **how), _sizes(x, how)), x.dtype)


def _empty(x: Operand, out: Tensor, how: dict[str, Any]) -> Tensor:
    """Zeros in the place of segments that hold nothing."""
    there = np.bincount(how["ids"], minlength=how["count"]) > 0
    return out if there.all() else where(there.reshape(-1, *[1] * (x.ndim - 1)), out, 0)


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The sum of each segment's entries; the segments' numbers go up (`tf.math.segment_sum`).

    data: any numbers; segment_ids: one whole number for each entry of the first axis, in order.
    Raises InvalidArgumentError where they do not go up.

    >>> import minitape as tf
    >>> print(tf.math.segment_sum([1.0, 2.0, 3.0], [0, 0, 1]))
    tf.Tensor([3. 3.], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids)
    return sum_(x, **how)


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The mean of each segment's entries, 0 where there are none (`tf.math.segment_mean`); as `segment_sum`.

    >>> import minitape as tf
    >>> print(tf.math.segment_mean([1.0, 2.0, 3.0], [0, 0, 1]))
    tf.Tensor([1.5 3. ], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids)
    return _mean(x, how)


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The product of each segment's entries, 1 where there are none (`tf.math.segment_prod`); as `segment_sum`.

    >>> import minitape as tf
    >>> print(tf.math.segment_prod([1.0, 2.0, 3.0], [0, 0, 1]))
    tf.Tensor([2. 3.], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids)
    return prod_(x, **how)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The largest of each segment's entries, 0 where there are none (`tf.math.segment_max`); as `segment_sum`.

    >>> import minitape as tf
    >>> print(tf.math.segment_max([1.0, 2.0, 3.0], [0, 0, 1]))
    tf.Tensor([2. 3.], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids)
    return _empty(x, max_(x, **how), how)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The smallest of each segment's entries, 0 where there are none (`tf.math.segment_min`); as `segment_sum`.

    >>> import minitape as tf
    >>> print(tf.math.segment_min([1.0, 2.0, 3.0], [0, 0, 1]))
    tf.Tensor([1. 3.], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids)
    return _empty(x, min_(x, **how), how)


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of each segment's entries, in any order (`tf.math.unsorted_segment_sum`).

    segment_ids: one whole number below num_segments for each entry; entries with a negative one are left out.
    Raises InvalidArgumentError for a number that is too large.

    >>> import minitape as tf
    >>> print(tf.math.unsorted_segment_sum([1.0, 2.0, 3.0], [1, 0, 1], 2))
    tf.Tensor([2. 4.], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids, num_segments)
    return sum_(x, **how)


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The mean of each segment's entries, 0 where there are none (`tf.math.unsorted_segment_mean`).

    >>> import minitape as tf
    >>> print(tf.math.unsorted_segment_mean([1.0, 2.0, 3.0], [1, 0, 1], 2))
    tf.Tensor([2. 2.], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids, num_segments)
    return _mean(x, how)


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of each segment's entries over the root of their number (`tf.math.unsorted_segment_sqrt_n`).

    >>> import minitape as tf
    >>> print(tf.math.unsorted_segment_sqrt_n([1.0, 2.0, 3.0], [0, 0, 1], 2))
    tf.Tensor([2.1213205 3.       ], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids, num_segments)
    return divide(sum_(x, **how), np.sqrt(_sizes(x, how)))


def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The product of each segment's entries, 1 where there are none (`tf.math.unsorted_segment_prod`).

    >>> import minitape as tf
    >>> print(tf.math.unsorted_segment_prod([1.0, 2.0, 3.0], [1, 0, 1], 2))
    tf.Tensor([2. 3.], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids, num_segments)
    return prod_(x, **how)


def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The largest of each segment's entries, the lowest float where there are none (`tf.math.unsorted_segment_max`).

    >>> import minitape as tf
    >>> print(tf.math.unsorted_segment_max([1.0, 2.0, 3.0], [1, 0, 1], 2))
    tf.Tensor([2. 3.], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids, num_segments)
    return max_(x, **how)


def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The smallest of each segment's entries, the highest float where there are none (`tf.math.unsorted_segment_min`).

    >>> import minitape as tf
    >>> print(tf.math.unsorted_segment_min([1.0, 2.0, 3.0], [1, 0, 1], 2))
    tf.Tensor([2. 1.], shape=(2,), dtype=float32)
    """
    x, how = _segments(data, segment_ids, num_segments)
    return min_(x, **how)

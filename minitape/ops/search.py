"""Ops that look for numbers: where they would stand, how often they come, which are different. None has a gradient."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..dtypes import as_dtype
from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import primitive
from ..refusal import called
from ..tensor import Operand, Tensor, wrap
from .segment import unsorted_segment_sum


def positions(x: np.ndarray, y: np.ndarray, side: str, dtype: Any) -> np.ndarray:
    """Where each of y's numbers would stand in x, which is sorted; row by row."""
    rows = x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1])
    found = [np.searchsorted(row, wanted, side) for row, wanted in zip(*rows, strict=True)]  # type: ignore[call-overload]
    return np.array(found, dtype).reshape(y.shape)


def different(x: np.ndarray, dtype: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different numbers in the order in which they come, where each number stands among them, and how often."""
    values, first, back, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    return values[order], np.argsort(order)[back.ravel()].astype(dtype), counts[order].astype(dtype)


# fmt: off
searchsorted_ = primitive("searchsorted", positions,  inputs="x y",  takes="iuf")
unique_       = primitive("unique",       different,  many=True,  takes="biufO")
bincount_     = primitive("bincount",     lambda x, count, dtype: np.bincount(x, minlength=count)[:count].astype(dtype))
in_top_k_     = primitive("in_top_k",     lambda x, y, k: (np.take_along_axis(y, x[:, None], 1) < y).sum(1) < k,  inputs="x y",  one_dtype=False)
# fmt: on


class Unique(NamedTuple):
    """The different numbers, and where each number stands among them."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The different numbers, where each number stands among them, and how often each comes."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = "int32", name: str | None = None
) -> Tensor:
    """Where numbers would have to stand to keep a sorted sequence sorted (`tf.searchsorted`).

    side: "left" of equal numbers, or "right". Leading axes are rows, each searched on its own.

    >>> import minitape as tf
    >>> print(tf.searchsorted([1.0, 2.0, 4.0], [3.0, 0.0]))
    tf.Tensor([2 0], shape=(2,), dtype=int32)
    """
    x = operand(sorted_sequence, values if isinstance(values, Operand) else None)
    y = operand(values, x)
    if side not in ("left", "right"):
        raise ValueError(
            say(f"side is {side!r}", 'side="left" or side="right"', "side must be either 'right' or 'left'.")
        )
    if x.ndim != y.ndim or x._shape[:-1] != y._shape[:-1] or not x.ndim:
        raise InvalidArgumentError(
            say(
                f"searchsorted: {called(x, 'the sequence')} has shape {x._shape} and {called(y, 'values')} {y._shape}: "
                "all but the last axis must be the same",
                "tf.searchsorted(sequence, tf.reshape(values, [-1]))",
                "Leading dim_size of both tensors must match.",
            )
        )
    return searchsorted_(x, y, side=side, dtype=as_dtype(out_type).numpy_dtype)


def unique(x: Any, out_idx: Any = "int32", name: str | None = None) -> Unique:
    """The different numbers of a vector, in the order in which they first come (`tf.unique`).

    >>> import minitape as tf
    >>> y, idx = tf.unique([3, 1, 3])
    >>> print(y, idx)
    tf.Tensor([3 1], shape=(2,), dtype=int32) tf.Tensor([0 1 0], shape=(3,), dtype=int32)
    """
    return Unique(*unique_(_vector(x), dtype=as_dtype(out_idx).numpy_dtype)[:2])


def unique_with_counts(x: Any, out_idx: Any = "int32", name: str | None = None) -> UniqueWithCounts:
    """The different numbers of a vector, and how often each comes (`tf.unique_with_counts`).

    >>> import minitape as tf
    >>> print(tf.unique_with_counts([3, 1, 3]).count)
    tf.Tensor([2 1], shape=(2,), dtype=int32)
    """
    return UniqueWithCounts(*unique_(_vector(x), dtype=as_dtype(out_idx).numpy_dtype))


def _vector(value: Any) -> Operand:
    x = operand(value)
    if x.ndim != 1:
        raise InvalidArgumentError(
            say(
                f"unique takes a vector, and {called(x, 'this')} has shape {x._shape}",
                "tf.unique(tf.reshape(t, [-1]))",
                "unique expects a 1D vector. [Op:Unique] name: ",
            )
        )
    return x


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = "int32",
    name: str | None = None,
) -> Tensor:
    """How often each whole number from 0 up comes (`tf.math.bincount`).

    weights: what to add up for each number, instead of 1. Raises InvalidArgumentError for floats and negative numbers.

    >>> import minitape as tf
    >>> print(tf.math.bincount([1, 1, 3]))
    tf.Tensor([0 2 0 1], shape=(4,), dtype=int32)
    """
    x = operand(arr)
    if x.array.dtype.kind not in "iu" or (x.array < 0).any():
        raise InvalidArgumentError(
            say(
                f"bincount counts whole numbers from 0 up, and {called(x, 'this')} holds others",
                "tf.math.bincount(tf.cast(t, tf.int32))",
                "Input arr must be non-negative! [Op:DenseBincount] name: ",
            )
        )
    count = max(int(x.array.max(initial=-1)) + 1, int(minlength or 0))
    count = count if maxlength is None else min(count, int(maxlength))
    if weights is not None:
        within = np.where(x.array < count, x.array, -1)
        return unsorted_segment_sum(weights, within, count)
    flat = wrap(x.array.ravel(), x.origin) if x.ndim != 1 else x
    return bincount_(flat, count=count, dtype=as_dtype(dtype).numpy_dtype)


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Is the right answer among the k largest of its row? (`tf.math.in_top_k`)

    targets: whole numbers, one for each row of predictions (batch, classes).

    >>> import minitape as tf
    >>> print(tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1))
    tf.Tensor([ True False], shape=(2,), dtype=bool)
    """
    x, y = operand(targets), operand(predictions)
    if y.ndim != 2 or x._shape != y._shape[:1] or x.array.dtype.kind not in "iu":
        raise InvalidArgumentError(
            say(
                f"in_top_k: targets of shape {x._shape} and predictions of shape {y._shape} do not go together",
                "targets: one whole number for each row of predictions",
                f"First dimension of predictions {y._shape[0] if y.ndim else 0} must match length of targets {x._shape}",
            )
        )
    return in_top_k_(x, y, k=int(k))

"""Ops that take entries by index: gather and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, front, linear, primitive
from ..slices import Rows
from ..tensor import Tensor
from .arguments import plain


def scatter_rows(values: np.ndarray, indices: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Zeros of a shape, each row of `values` added at its index along the first axis."""
    z = np.zeros(shape, values.dtype)
    np.add.at(z, indices, values)
    return z


def gather_along(x: np.ndarray, indices: np.ndarray, axis: int, batch: int) -> np.ndarray:
    """Entries along an axis (counted from the end); the first `batch` axes of x and indices go together."""
    axis += x.ndim
    if not batch:
        return np.take(x, indices, axis=axis)
    rows = [gather_along(row, at, axis - x.ndim, batch - 1) for row, at in zip(x, indices, strict=True)]
    return np.stack(rows) if rows else np.zeros((0, *x.shape[1:]), x.dtype)


def add_along(g: np.ndarray, indices: np.ndarray, axis: int, batch: int, shape: tuple[int, ...]) -> np.ndarray:
    """The transpose of `gather_along`: each gradient added where its entry was taken."""
    lead = front(g, len(shape) - 1 - batch + indices.ndim)
    z = np.zeros(lead + shape, g.dtype)
    if lead:
        for place in np.ndindex(lead):
            z[place] = add_along(g[place], indices, axis, batch, shape)
    elif batch:
        for row in range(shape[0]):
            z[row] = add_along(g[row], indices[row], axis, batch - 1, shape[1:])
    else:
        at = len(shape) + axis
        np.add.at(np.moveaxis(z, at, 0), indices, np.moveaxis(g, range(at, at + indices.ndim), range(indices.ndim)))
    return z


def rows_or_dense(g: Any, indices: np.ndarray, axis: int, batch: int, shape: tuple[int, ...]) -> Any:
    """What a gather gives back: some rows where it took rows, else the whole gradient."""
    if axis == -len(shape) and not batch and not front(g, len(shape) - 1 + indices.ndim):
        flat = f.reshape(g, shape=(indices.size, *shape[1:]))
        return Rows(flat, indices.ravel(), shape)
    return f.add_along(g, indices=indices, axis=axis, batch=batch, shape=shape)


def scatter_at(g: np.ndarray, indices: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Zeros of a shape, each gradient added at its index tuple."""
    rank = indices.ndim - 1 + len(shape) - indices.shape[-1]
    lead = front(g, rank)
    z = np.zeros(lead + shape, g.dtype)
    np.add.at(z, (..., *np.moveaxis(indices, -1, 0), *(slice(None),) * (len(shape) - indices.shape[-1])), g)
    return z


def take_at(x: np.ndarray, indices: np.ndarray, rank: int) -> np.ndarray:
    """Entries by index tuple into the last `rank` axes."""
    return x[(..., *np.moveaxis(indices, -1, 0), *(slice(None),) * (rank - indices.shape[-1]))]


# fmt: off
gather_      = linear("gather",       gather_along,  transpose=lambda g, indices, axis, batch, x_shape: rows_or_dense(g, indices, axis, batch, x_shape),  kernel="GatherV2",  says="g at the rows that were taken")
add_along_   = linear("add_along",    add_along,     transpose=lambda g, indices, axis, batch: f.gather(g, indices=indices, axis=axis, batch=batch),  says="g where it was added")
gather_at_   = linear("gather_nd",    take_at,       transpose=lambda g, indices, x_shape: f.scatter_at(g, indices=indices, shape=x_shape),  kernel="GatherNd",  says="g at the entries that were taken")
scatter_at_  = linear("scatter_at",   scatter_at,    transpose=lambda g, indices, shape: f.gather_nd(g, indices=indices, rank=len(shape)),  says="g where it was added")
scatter_rows_ = linear("scatter_rows", scatter_rows, transpose=lambda g, indices, shape: f.gather(g, indices=indices, axis=-len(shape), batch=0),  says="g at the rows")
join_rows_   = primitive("join_rows", lambda x, y: np.concatenate([x, y]), inputs="x y",  x=lambda g, x: g[: len(x)],  y=lambda g, x: g[len(x) :],  says="g's own rows")
# fmt: on


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: int | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Entries of a tensor by index along an axis (`tf.gather`); the gradient of rows is an `IndexedSlices`.

    Raises InvalidArgumentError for an index outside the tensor.

    >>> import minitape as tf
    >>> print(tf.gather([10.0, 20.0, 30.0], [2, 0]))
    tf.Tensor([30. 10.], shape=(2,), dtype=float32)
    """
    x, at = operand(params), _whole(indices)
    batch = batch_dims % x.ndim if batch_dims < 0 else batch_dims
    along = batch if axis is None else axis % x.ndim
    size = x._shape[along]
    for place in np.argwhere((at < 0) | (at >= size))[:1]:
        where = "[" + ",".join(map(str, place)) + "]" if at.ndim else ""
        raise InvalidArgumentError(
            say(
                f"index {at[tuple(place)]} is outside: the axis has {size} entries, 0 to {size - 1}",
                f"tf.gather(x, tf.clip_by_value(indices, 0, {size - 1}))",
                f"indices{where} = {at[tuple(place)]} is not in [0, {size})",
            )
        )
    return gather_(x, indices=at, axis=along - x.ndim, batch=batch)


def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Any:
    """Entries of a tensor by index tuples, one tuple in the last axis of `indices` (`tf.gather_nd`).

    >>> import minitape as tf
    >>> print(tf.gather_nd([[1.0, 2.0], [3.0, 4.0]], [[0, 1], [1, 0]]))
    tf.Tensor([2. 3.], shape=(2,), dtype=float32)
    """
    x, at = operand(params), _whole(indices)
    if batch_dims:
        grid = np.indices(at.shape[:batch_dims] + at.shape[batch_dims:-1])[:batch_dims]
        at = np.concatenate([np.moveaxis(grid, 0, -1), at], axis=-1)
    sizes = np.array(x._shape[: at.shape[-1]])
    if ((at < 0) | (at >= sizes)).any():
        bad = at[((at < 0) | (at >= sizes)).any(axis=-1)][0].tolist()
        raise InvalidArgumentError(
            say(
                f"index {bad} is outside a tensor of shape {x._shape}",
                "tf.gather_nd(x, indices), every index from 0 to the axis's length - 1",
                f"indices = {bad} does not index into param shape {list(x._shape)}",
            )
        )
    if at.shape[-1] == 1 and not batch_dims:  # rows: the same as gather
        return gather_(x, indices=at[..., 0], axis=-x.ndim, batch=0)
    return gather_at_(x, indices=at, rank=x.ndim)


def embedding_lookup(params: Any, ids: Any, max_norm: None = None, name: str | None = None) -> Tensor:
    """Rows of a table by number (`tf.nn.embedding_lookup`); its gradient is an `IndexedSlices`.

    >>> import minitape as tf
    >>> print(tf.nn.embedding_lookup([[1.0], [2.0]], [1, 1]))
    tf.Tensor(
    [[2.]
     [2.]], shape=(2, 1), dtype=float32)
    """
    return gather(params, ids)


def _whole(indices: Any) -> np.ndarray:
    at = plain(indices)
    if at.dtype.kind not in "iu":
        raise InvalidArgumentError(
            say(
                "indices must be integers",
                "tf.cast(indices, tf.int32)",
                "Value for attr 'Tindices' of float is not in the list of allowed values: int32, int64",
            )
        )
    return at

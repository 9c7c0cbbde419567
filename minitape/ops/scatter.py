"""Ops that put updates into places of a tensor: scatter_nd and the tensor_scatter family."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, primitive, shape_of
from ..refusal import called
from ..tensor import Operand, Tensor, wrap
from .arguments import plain, sizes
from .index import scatter_at_

Key = tuple[Any, ...]


def key_of(indices: np.ndarray, rank: int) -> Key:
    """Index tuples, one in the last axis of `indices`, as a NumPy key into the last `rank` axes."""
    return (..., *np.moveaxis(indices, -1, 0), *(slice(None),) * (rank - indices.shape[-1]))


def put_in(x: np.ndarray, y: np.ndarray, indices: np.ndarray, rank: int) -> np.ndarray:
    """x with the updates y in its places; of several for one place the last."""
    lead = np.broadcast_shapes(
        x.shape[: x.ndim - rank], y.shape[: y.ndim - (indices.ndim - 1 + rank - indices.shape[-1])]
    )
    z = np.array(np.broadcast_to(x, lead + x.shape[x.ndim - rank :]))
    z[key_of(indices, rank)] = y
    return z


def at_places(ufunc: Any) -> Any:
    """x with the updates y combined into its places."""

    def combine(x: np.ndarray, y: np.ndarray, indices: np.ndarray, rank: int) -> np.ndarray:
        z = np.array(x)
        ufunc.at(z, key_of(indices, rank), y)
        return z

    return combine


def left(g: Any, indices: np.ndarray, rank: int) -> Any:
    """The gradient where no update came, else 0."""
    hit = np.ones(shape_of(g)[len(shape_of(g)) - rank :], bool)
    hit[key_of(indices, rank)] = False
    return f.where(wrap(hit) if isinstance(g, Operand) else hit, g, f.zeros_like(g))


def winners(g: Any, x: Any, y: Any, z: Any, indices: np.ndarray, rank: int) -> tuple[Any, Any]:
    """The gradient of the larger (or smaller) goes to it, whether it stood there or came; those that tie share it."""
    shape = shape_of(x)
    stood = f.where(x == z, f.ones_like(x), f.zeros_like(x))
    came = f.where(y == f.gather_nd(z, indices=indices, rank=rank), f.ones_like(y), f.zeros_like(y))
    share = g / (stood + f.scatter_at(came, indices=indices, shape=shape))
    return share * stood, f.gather_nd(share, indices=indices, rank=rank) * came


# fmt: off
update_  = primitive("tensor_scatter_nd_update", put_in,             inputs="x y",  x=lambda g, indices, rank: left(g, indices, rank),
                                                                                    y=lambda g, indices, rank: f.gather_nd(g, indices=indices, rank=rank),  says="g where it stands in the result")
min_     = primitive("tensor_scatter_nd_min", at_places(np.minimum), inputs="x y",  x=lambda g, x, y, z, indices, rank: winners(g, x, y, z, indices, rank)[0],
                                                                                    y=lambda g, x, y, z, indices, rank: winners(g, x, y, z, indices, rank)[1],  says="g where it is the smallest")
max_     = primitive("tensor_scatter_nd_max", at_places(np.maximum), inputs="x y",  x=lambda g, x, y, z, indices, rank: winners(g, x, y, z, indices, rank)[0],
                                                                                    y=lambda g, x, y, z, indices, rank: winners(g, x, y, z, indices, rank)[1],  says="g where it is the largest")
# fmt: on


def _places(indices: Any, shape: tuple[int, ...], updates: Operand) -> np.ndarray:
    """The index tuples, each inside the shape, and as many as the updates fill."""
    at = plain(indices)
    depth = at.shape[-1] if at.ndim else 0
    if at.dtype.kind not in "iu" or not 0 < depth <= len(shape) or updates._shape != at.shape[:-1] + shape[depth:]:
        raise InvalidArgumentError(
            say(
                f"scatter: indices of shape {at.shape} and {called(updates, 'updates')} of shape {updates._shape} "
                f"do not go together in a tensor of shape {shape}",
                "indices=[[0], [2]], updates=[1.0, 2.0]: one index tuple for each update",
                "Outer dimensions of indices and update must match. Indices shape: "
                f"{str(list(at.shape)).replace(' ', '')}, updates shape:{str(list(updates._shape)).replace(' ', '')}"
                if updates._shape[: at.ndim - 1] != at.shape[:-1]
                else f"Dimensions [{depth},{len(shape)}) of input[shape={list(shape)}] must match dimensions "
                f"[{at.ndim - 1},{updates.ndim}) of updates[shape={list(updates._shape)}]",
            )
        )
    outside = ((at < 0) | (at >= np.array(shape[:depth]))).any(axis=-1)
    if outside.any():
        bad = at[outside][0].tolist()
        raise InvalidArgumentError(
            say(
                f"scatter: the index {bad} is outside a tensor of shape {shape}",
                "indices from 0 to the axis's length - 1",
                f"indices{np.argwhere(outside)[0].tolist()} = {bad} does not index into shape {list(shape)}",
            )
        )
    return at


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Zeros of a shape with updates added in their places (`tf.scatter_nd`); several for one place add up.

    indices: one index tuple for each update, in the last axis. Raises InvalidArgumentError for one outside the shape.

    >>> import minitape as tf
    >>> print(tf.scatter_nd([[1], [1]], [9.0, 10.0], [3]))
    tf.Tensor([ 0. 19.  0.], shape=(3,), dtype=float32)
    """
    y, whole = operand(updates), sizes(shape)
    return scatter_at_(y, indices=_places(indices, whole, y), shape=whole)


def _parts(tensor: Any, indices: Any, updates: Any) -> tuple[Operand, np.ndarray, Operand]:
    x = operand(tensor, updates if isinstance(updates, Operand) else None)
    y = operand(updates, x)
    return x, _places(indices, x._shape, y), y


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A tensor with updates in the place of what stood there (`tf.tensor_scatter_nd_update`); no gradient goes to that.

    >>> import minitape as tf
    >>> print(tf.tensor_scatter_nd_update([1.0, 2.0, 3.0], [[0], [2]], [9.0, 8.0]))
    tf.Tensor([9. 2. 8.], shape=(3,), dtype=float32)
    """
    x, at, y = _parts(tensor, indices, updates)
    return update_(x, y, indices=at, rank=x.ndim)


def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A tensor with updates added in their places (`tf.tensor_scatter_nd_add`).

    >>> import minitape as tf
    >>> print(tf.tensor_scatter_nd_add([1.0, 2.0], [[0], [0]], [10.0, 20.0]))
    tf.Tensor([31.  2.], shape=(2,), dtype=float32)
    """
    x, at, y = _parts(tensor, indices, updates)
    return x + scatter_at_(y, indices=at, shape=x._shape)


def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A tensor with updates subtracted in their places (`tf.tensor_scatter_nd_sub`).

    >>> import minitape as tf
    >>> print(tf.tensor_scatter_nd_sub([1.0, 2.0], [[0]], [10.0]))
    tf.Tensor([-9.  2.], shape=(2,), dtype=float32)
    """
    x, at, y = _parts(tensor, indices, updates)
    return x - scatter_at_(y, indices=at, shape=x._shape)


def tensor_scatter_nd_min(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """The smaller of a tensor's numbers and the updates in their places (`tf.tensor_scatter_nd_min`).

    >>> import minitape as tf
    >>> print(tf.tensor_scatter_nd_min([1.0, 5.0], [[1]], [3.0]))
    tf.Tensor([1. 3.], shape=(2,), dtype=float32)
    """
    x, at, y = _parts(tensor, indices, updates)
    return min_(x, y, indices=at, rank=x.ndim)


def tensor_scatter_nd_max(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """The larger of a tensor's numbers and the updates in their places (`tf.tensor_scatter_nd_max`).

    >>> import minitape as tf
    >>> print(tf.tensor_scatter_nd_max([1.0, 5.0], [[0]], [3.0]))
    tf.Tensor([3. 5.], shape=(2,), dtype=float32)
    """
    x, at, y = _parts(tensor, indices, updates)
    return max_(x, y, indices=at, rank=x.ndim)

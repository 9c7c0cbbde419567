"""Gradients of a few rows: what `gather` gives back for the tensor it was taken from (`tf.IndexedSlices`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import say
from .tensor import Operand, Tensor, wrap


class Rows:
    """On the way back: gradients for some rows of a large array, kept apart until something else is added to them."""

    __array_ufunc__ = None  # `array + rows` is ours

    def __init__(self, values: Any, indices: np.ndarray, shape: tuple[int, ...]) -> None:
        self.values = values  # an array or a Tensor: one row an index
        self.indices = indices
        self.shape = shape

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Rows):
            return Rows(joined(self.values, other.values), np.concatenate([self.indices, other.indices]), self.shape)
        return self.dense() + other

    def __radd__(self, other: Any) -> Any:
        return other + self.dense()

    def dense(self) -> Any:
        """The whole gradient: zeros, with each row added in its place."""
        from .primitive import f

        return f.scatter_rows(self.values, indices=self.indices, shape=self.shape)


def joined(values: Any, more: Any) -> Any:
    """Two stacks of rows as one."""
    if isinstance(values, Operand):
        from .primitive import CALLS

        return CALLS["join_rows"](values, more)
    return np.concatenate([values, more])


class IndexedSlices:
    """The gradient of the rows that were used, and which rows they are (`tf.IndexedSlices`).

    A row that was used twice stands here twice; `tf.convert_to_tensor` adds them up into the whole gradient.

    >>> import minitape as tf
    >>> table = tf.Variable([[1.0], [2.0], [3.0]])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.reduce_sum(tf.gather(table, [0, 2, 2]))
    >>> grad = tape.gradient(y, table)
    >>> grad.indices.numpy().tolist()
    [0, 2, 2]
    >>> tf.convert_to_tensor(grad).numpy().ravel().tolist()
    [1.0, 0.0, 2.0]
    """

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None) -> None:
        self.values = values
        self.indices = indices
        self.dense_shape = dense_shape

    @property
    def shape(self) -> Any:
        """The shape of the whole gradient."""
        from .tensor import TensorShape

        return TensorShape(self.dense_shape.numpy().tolist() if self.dense_shape is not None else self.values.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self.values.dtype

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(
                say(
                    f"this gradient is a few rows of a table (IndexedSlices), and has no .{name}",
                    f"tf.convert_to_tensor(g).{name}",
                    f"'IndexedSlices' object has no attribute {name!r}",
                )
            )

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __repr__(self) -> str:
        return f"IndexedSlices(indices={self.indices!r}, values={self.values!r}, dense_shape={self.dense_shape!r})"

    def to_tensor(self) -> Tensor:
        """The whole gradient as a tensor; ValueError where no `dense_shape` says how large it is."""
        if self.dense_shape is None:
            raise ValueError(
                say(
                    "these slices do not say how many rows the whole has",
                    "tf.IndexedSlices(values, indices, dense_shape=[rows, ...])",
                    f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {self}",
                )
            )
        dense: Tensor = Rows(self.values, self.indices.array, tuple(self.shape)).dense()
        return dense

    @classmethod
    def of(cls, rows: Rows) -> IndexedSlices:
        """What the way back gathered, for the learner."""
        values = rows.values if isinstance(rows.values, Tensor) else wrap(rows.values)
        return cls(values, wrap(rows.indices), wrap(np.array(rows.shape, np.int32)))


def _no_arithmetic(sign: str, reflected: bool) -> Any:
    def refuse(self: IndexedSlices, other: Any) -> Any:
        if isinstance(other, Operand):
            return NotImplemented  # a tensor beside it makes the whole of it
        left, right = (other, self) if reflected else (self, other)
        raise TypeError(
            say(
                f"this gradient is a few rows of a table (IndexedSlices), and {sign} works on whole tensors",
                f"tf.convert_to_tensor(g) {sign} ...",
                f"unsupported operand type(s) for {sign}: {type(left).__name__!r} and {type(right).__name__!r}",
            )
        )

    return refuse


for _name, _sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@"}.items():
    setattr(IndexedSlices, f"__{_name}__", _no_arithmetic(_sign, reflected=False))
    setattr(IndexedSlices, f"__r{_name}__", _no_arithmetic(_sign, reflected=True))


def dense(grad: Any) -> Any:
    """A gradient as a whole, where it may be a few rows."""
    return grad.dense() if type(grad) is Rows else grad

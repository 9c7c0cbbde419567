"""Shapes: the lengths of a tensor's axes."""

from __future__ import annotations

from typing import Any

import numpy as np


class TensorShape(tuple[int, ...]):
    """A shape: the length of each axis (`tf.TensorShape`); equal to a tuple or a list of the same numbers.

    >>> shape = TensorShape([2, 3])
    >>> shape, shape == [2, 3], shape.rank, shape.num_elements()
    (TensorShape([2, 3]), True, 2, 6)
    """

    __slots__ = ()

    def __new__(cls, dims: Any = ()) -> TensorShape:
        """A shape of these lengths; a single number is the length of one axis."""
        return super().__new__(cls, (dims,) if isinstance(dims, int) else dims)

    def is_compatible_with(self, other: Any) -> bool:
        """May the two be the same shape? None in the other stands for any length."""
        return len(self) == len(other) and all(b in (None, a) for a, b in zip(self, other, strict=True))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self)

    @property
    def ndims(self) -> int:
        """The number of axes (TensorFlow's other name for it)."""
        return len(self)

    def as_list(self) -> list[int]:
        """The shape as a plain list."""
        return list(self)

    def num_elements(self) -> int:
        """How many numbers a tensor of this shape holds."""
        return int(np.prod(self, dtype=np.int64))

    def is_fully_defined(self) -> bool:
        """Is every length known? Always: minitape runs every op at once."""
        return True

    def concatenate(self, other: Any) -> TensorShape:
        """The axes of both, one behind the other."""
        return TensorShape((*self, *other))

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape((*other, *self))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, list | tuple) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return TensorShape(part) if isinstance(key, slice) else part

    def __str__(self) -> str:
        return tuple.__repr__(self)

    def __repr__(self) -> str:
        return f"TensorShape({list(self)})"

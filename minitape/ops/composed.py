"""Ops made of other ops: plain Python, no rule of their own."""

from __future__ import annotations

from typing import Any

from ..slices import IndexedSlices
from ..tensor import Operand, Tensor, constant
from .linear import reshape


def convert_to_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor from anything that can be one; a tensor comes back as it is, a Variable is read (`tf.convert_to_tensor`)."""
    return constant(value.to_tensor() if isinstance(value, IndexedSlices) else value, dtype)


def is_tensor(x: Any) -> bool:
    """Is this a tensor or a Variable? (`tf.is_tensor`)"""
    return isinstance(x, Operand)


def expand_dims(input: Any, axis: int, name: str | None = None) -> Tensor:
    """The same numbers with one more axis, of length 1 (`tf.expand_dims`)."""
    x = convert_to_tensor(input)
    place = axis if axis >= 0 else axis + x.ndim + 1
    return reshape(x, (*x._shape[:place], 1, *x._shape[place:]))

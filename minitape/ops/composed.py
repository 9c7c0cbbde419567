"""Anything as a tensor: the conversion that every function of tensors begins with."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..dtypes import as_dtype
from ..errors import say
from ..nest import flatten
from ..slices import IndexedSlices
from ..tensor import Operand, Tensor, constant
from .join import stacked


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """A tensor from anything that can be one (`tf.convert_to_tensor`).

    A tensor comes back as it is, a Variable is read, a list that holds tensors is stacked (and stays differentiable).
    dtype_hint: a dtype to take where the value can be had in it. Raises ValueError where a tensor has another dtype
    than the one asked for.

    >>> import minitape as tf
    >>> x = tf.constant(2.0)
    >>> print(tf.convert_to_tensor([x, 3.0]))
    tf.Tensor([2. 3.], shape=(2,), dtype=float32)
    """
    if isinstance(value, IndexedSlices):
        value = value.to_tensor()
    elif isinstance(value, list | tuple) and any(isinstance(leaf, Operand) for leaf in flatten(value)):
        value = stacked(value)
    if isinstance(value, Operand) and dtype is not None and as_dtype(dtype) is not value.dtype:
        wanted = as_dtype(dtype)
        raise ValueError(
            say(
                f"the tensor is {value.dtype.name}, and {wanted.name} was asked for",
                f"tf.cast(t, tf.{wanted.name})",
                f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype {value.dtype.name}: {value!r}",
            )
        )
    if dtype is None and dtype_hint is not None:
        with suppress(TypeError, ValueError):
            return constant(value, dtype_hint)
    return constant(value, dtype)


def is_tensor(x: Any) -> bool:
    """Is this a tensor or a Variable? (`tf.is_tensor`)

    >>> import minitape as tf
    >>> tf.is_tensor(tf.Variable(1.0)), tf.is_tensor(1.0)
    (True, False)
    """
    return isinstance(x, Operand)

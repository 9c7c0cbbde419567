"""Ops that multiply matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..primitive import f, linear, primitive
from ..record import called, operand
from ..tensor import Operand, Tensor


def swap(x: np.ndarray) -> np.ndarray:
    """The last two axes exchanged."""
    return np.swapaxes(x, -1, -2)


def times(x: np.ndarray, y: np.ndarray) -> Any:
    """Matrix product; one column times one row is broadcasting, which is faster for a stack of them."""
    return x * y if x.shape[-1] == 1 == y.shape[-2] else np.matmul(x, y)


# fmt: off
matmul_      = primitive("matmul", times, inputs="x y",  x=lambda g, y: f.matmul(g, f.adjoint(y)),  y=lambda g, x: f.matmul(f.adjoint(x), g),  kernel="MatMul",  broadcasts=True)
swap_        = linear("adjoint",   swap,                     transpose=lambda g: f.adjoint(g))
# fmt: on


def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: str | None = None) -> Tensor:
    """Matrix product; leading axes are a batch and broadcast (`tf.matmul`, `a @ b`).

    Raises InvalidArgumentError where an operand is not a matrix or the inner sizes differ.

    >>> import minitape as tf
    >>> print(tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]))
    tf.Tensor([[11.]], shape=(1, 1), dtype=float32)
    """
    like = next((x for x in (a, b) if isinstance(x, Operand)), None)
    a, b = operand(a, like), operand(b, like)
    for x, which in ((a, "the first operand"), (b, "the second operand")):
        if x.ndim < 2:
            other = "vs.".join(f" {list(t._shape)} ".replace(" ", "", 0) for t in (a, b)).strip()
            raise InvalidArgumentError(
                say(
                    f"matmul takes matrices, and {called(x, which)} has shape {x._shape}",
                    f"tf.reshape({called(x, 'v')}, [-1, 1])",
                    f"In[0] and In[1] has different ndims: {other.replace(', ', ',')} [Op:MatMul]",
                )
            )
    a, b = swap_(a) if transpose_a else a, swap_(b) if transpose_b else b
    if a._shape[-1] != b._shape[-2]:
        dims = [str(list(x._shape)).replace(" ", "") for x in (a, b)]
        raise InvalidArgumentError(
            say(
                f"matmul: {called(a, 'the first')} has shape {a._shape} and {called(b, 'the second')} {b._shape}: "
                f"{a._shape[-1]} columns meet {b._shape[-2]} rows",
                f"tf.matmul({called(a, 'a')}, {called(b, 'b')}, transpose_b=True)",
                f"Matrix size-incompatible: In[0]: {dims[0]}, In[1]: {dims[1]} [Op:MatMul]",
            )
        )
    return matmul_(a, b)

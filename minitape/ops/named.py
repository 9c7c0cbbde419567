"""Functions of the elementwise table whose arguments TensorFlow does not call x and y."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from . import elementwise


def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angle of the point whose height is y and whose width is x, number by number (`tf.atan2`).

    y, x: floats of one dtype; shapes broadcast. Raises InvalidArgumentError where dtypes or shapes do not fit.

    >>> import minitape as tf
    >>> print(tf.atan2(y=[0.0], x=[1.0]))
    tf.Tensor([0.], shape=(1,), dtype=float32)
    """
    return elementwise.atan2(y, x)


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """A complex number of its real and its imaginary part, number by number (`tf.complex`).

    real, imag: floats of one dtype; shapes broadcast. Raises InvalidArgumentError where dtypes or shapes do not fit.

    >>> import minitape as tf
    >>> print(tf.complex(real=[1.0], imag=[2.0]))
    tf.Tensor([1.+2.j], shape=(1,), dtype=complex64)
    """
    return elementwise.complex(real, imag)


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The next float after x1 on the way to x2, number by number (`tf.math.nextafter`).

    x1, x2: floats of one dtype; shapes broadcast. Raises InvalidArgumentError where dtypes or shapes do not fit.

    >>> import minitape as tf
    >>> print(tf.math.nextafter(x1=[1.0], x2=[1.0]))
    tf.Tensor([1.], shape=(1,), dtype=float32)
    """
    return elementwise.nextafter(x1, x2)


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The a-th slope of digamma at x, number by number; the gradient reaches x (`tf.math.polygamma`).

    a, x: floats of one dtype; shapes broadcast. Raises InvalidArgumentError where dtypes or shapes do not fit.

    >>> import minitape as tf
    >>> print(f"{tf.math.polygamma(a=1.0, x=2.0):.4f}")
    0.6449
    """
    return elementwise.polygamma(a, x)


def real(input: Any, name: str | None = None) -> Tensor:
    """The real part of a complex number; a real one is itself (`tf.math.real`).

    >>> import minitape as tf
    >>> print(tf.math.real(input=[1 + 2j]))
    tf.Tensor([1.], shape=(1,), dtype=float64)
    """
    return elementwise.real(input)


def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part of a complex number (`tf.math.imag`).

    >>> import minitape as tf
    >>> print(tf.math.imag(input=[1 + 2j]))
    tf.Tensor([2.], shape=(1,), dtype=float64)
    """
    return elementwise.imag(input)


def identity(input: Any, name: str | None = None) -> Tensor:
    """The same numbers as a new tensor (`tf.identity`).

    >>> import minitape as tf
    >>> print(tf.identity(input=[1.0, 2.0]))
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    return elementwise.identity(input)


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The same numbers as a constant to every tape: no gradient passes (`tf.stop_gradient`).

    >>> import minitape as tf
    >>> print(tf.stop_gradient(input=[1.0, 2.0]))
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    return elementwise.stop_gradient(input)

"""Random tensors, the same by seed on every platform (the streams are NumPy's, not TensorFlow's)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import as_dtype
from .tensor import Tensor, constant

_generator = np.random.default_rng()


def set_seed(seed: int) -> None:
    """Start the stream of random numbers anew, at a place given by the seed (`tf.random.set_seed`)."""
    global _generator
    _generator = np.random.default_rng(seed)


def normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = "float32", seed: int | None = None
) -> Tensor:
    """Numbers from a normal distribution (`tf.random.normal`).

    >>> import minitape as tf
    >>> tf.random.set_seed(0)
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return _tensor(_stream(seed).normal(mean, stddev, _size(shape)), dtype)


def uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = "float32", seed: int | None = None
) -> Tensor:
    """Numbers spread evenly over [minval, maxval) (`tf.random.uniform`)."""
    return _tensor(_stream(seed).uniform(minval, maxval, _size(shape)), dtype)


def _stream(seed: int | None) -> np.random.Generator:
    return _generator if seed is None else np.random.default_rng(seed)


def _size(shape: Any) -> tuple[int, ...]:
    return tuple(int(size) for size in np.atleast_1d(np.asarray(shape, dtype=int)))


def _tensor(array: Any, dtype: Any) -> Tensor:
    return constant(np.asarray(array, as_dtype(dtype).numpy_dtype))

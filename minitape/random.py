"""Random tensors, the same by seed on every platform (the streams are NumPy's oldest, which never change, and not
TensorFlow's)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import as_dtype
from .errors import InvalidArgumentError, say
from .missing import absent
from .operands import operand
from .ops.arguments import numbers, sizes
from .ops.elementwise import add, multiply
from .primitive import primitive
from .tensor import Operand, Tensor, constant

Stream = np.random.RandomState


def stream(*seeds: int) -> Stream:
    """A stream of random numbers that depends on these whole numbers alone."""
    words = [word for seed in seeds for word in (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF)]
    return Stream(np.random.MT19937(np.random.SeedSequence(words)))


class Global:
    """The stream that all functions share, and one more for each seed that an op was given."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self.shared = Stream()
        self.of_ops: dict[int, Stream] = {}

    def start(self, seed: int) -> None:
        """Begin anew, at a place that the seed gives."""
        self.seed, self.shared, self.of_ops = seed, stream(seed), {}

    def pick(self, seed: int | None) -> Stream:
        """The stream to draw from; an op with a seed has a stream of its own, which goes on from call to call."""
        if seed is None:
            return self.shared
        if seed not in self.of_ops:
            self.of_ops[seed] = stream(seed) if self.seed is None else stream(self.seed, seed)
        return self.of_ops[seed]


_global = Global()


def set_seed(seed: int) -> None:
    """Start the stream of random numbers anew, at a place given by the seed (`tf.random.set_seed`).

    >>> import minitape as tf
    >>> tf.random.set_seed(7)
    >>> a = tf.random.normal([2])
    >>> tf.random.set_seed(7)
    >>> print(tf.reduce_all(a == tf.random.normal([2])))
    tf.Tensor(True, shape=(), dtype=bool)
    """
    _global.start(int(seed))


# --- drawing ----------------------------------------------------------------------------------------------------------


def _normal(source: Stream, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    return _moved(source.standard_normal(sizes(shape)), mean, stddev, dtype)


def _truncated(source: Stream, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    """Normal numbers, those beyond two standard deviations drawn again."""
    array = np.asarray(source.standard_normal(sizes(shape)))
    while (far := np.abs(array) > 2).any():
        array[far] = source.standard_normal(int(far.sum()))
    return _moved(array, mean, stddev, dtype)


def _moved(array: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    """array * stddev + mean: by NumPy for plain numbers; recorded, and so differentiable, for tensors."""
    if not as_dtype(dtype).is_floating:
        raise TypeError(
            say(
                f"normal numbers are floats, and dtype is {as_dtype(dtype).name}",
                "tf.cast(tf.random.normal([3]), tf.int32)",
                f"Cannot convert {mean} to EagerTensor of dtype {as_dtype(dtype).word}",
            )
        )
    if isinstance(mean, Operand) or isinstance(stddev, Operand):
        return add(multiply(_tensor(array, dtype), stddev), mean)
    return _tensor(np.asarray(array) * np.asarray(stddev) + np.asarray(mean), dtype)


def _uniform(source: Stream, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Tensor:
    to = as_dtype(dtype)
    if to.is_integer:
        if maxval is None:
            raise ValueError(
                say(
                    "whole numbers are drawn below maxval, and it is not given",
                    "tf.random.uniform([3], maxval=10, dtype=tf.int32)",
                    f"Must specify maxval for integer dtype {to!r}",
                )
            )
        if int(minval) >= int(maxval):
            raise InvalidArgumentError(
                say(
                    f"there is no whole number from {int(minval)} up to, not with, {int(maxval)}",
                    "tf.random.uniform([3], minval=0, maxval=10, dtype=tf.int32)",
                    f"Need minval < maxval, got {int(minval)} >= {int(maxval)} [Op:RandomUniformInt] name: ",
                )
            )
        return constant(source.randint(int(minval), int(maxval), sizes(shape), np.int64).astype(to.numpy_dtype))
    array, high = np.asarray(source.random_sample(sizes(shape))), 1.0 if maxval is None else maxval
    array = np.minimum(array, np.nextafter(to.as_numpy_dtype(1), to.as_numpy_dtype(0)))  # not to be rounded up to 1
    if isinstance(minval, Operand) or isinstance(high, Operand):
        share = _tensor(array, to)
        low = operand(minval, share)
        return add(multiply(share, operand(high, share) - low), low)
    return _tensor(array * (np.asarray(high) - np.asarray(minval)) + np.asarray(minval), to)


def _tensor(array: Any, dtype: Any) -> Tensor:
    return constant(np.asarray(array).astype(as_dtype(dtype).numpy_dtype))


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution (`tf.random.normal`); differentiable in mean and stddev.

    >>> import minitape as tf
    >>> tf.random.set_seed(0)
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return _normal(_global.pick(seed), shape, mean, stddev, dtype)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers, none further than two standard deviations from the mean (`tf.random.truncated_normal`).

    >>> import minitape as tf
    >>> print(tf.reduce_max(tf.abs(tf.random.truncated_normal([1000]))) <= 2.0)
    tf.Tensor(True, shape=(), dtype=bool)
    """
    return _truncated(_global.pick(seed), shape, mean, stddev, dtype)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers spread evenly over [minval, maxval), [0, 1) by default (`tf.random.uniform`).

    For an integer dtype whole numbers, and maxval must be given: ValueError where it is not.

    >>> import minitape as tf
    >>> print(tf.reduce_all(tf.random.uniform([1000], maxval=6, dtype=tf.int32) < 6))
    tf.Tensor(True, shape=(), dtype=bool)
    """
    return _uniform(_global.pick(seed), shape, minval, maxval, dtype)


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The entries along the first axis in an order drawn by lot (`tf.random.shuffle`); no gradient passes.

    >>> import minitape as tf
    >>> print(tf.sort(tf.random.shuffle([1, 2, 3])))
    tf.Tensor([1 2 3], shape=(3,), dtype=int32)
    """
    x = operand(value)
    order = _global.pick(seed).permutation(x._shape[0]) if x.ndim else ()
    return shuffle_(x, order=order)


def categorical(
    logits: Any, num_samples: int, dtype: Any = "int64", seed: int | None = None, name: str | None = None
) -> Tensor:
    """For each row, classes drawn by lot with the probabilities softmax(logits) (`tf.random.categorical`).

    logits: (batch, classes); the result is (batch, num_samples); no gradient passes.

    >>> import minitape as tf
    >>> print(tf.random.categorical([[0.0, -1000.0]], 3))
    tf.Tensor([[0 0 0]], shape=(1, 3), dtype=int64)
    """
    return _categorical(_global.pick(seed), logits, num_samples, dtype)


def _categorical(source: Stream, logits: Any, count: int, dtype: Any) -> Tensor:
    """The largest of logits + noise, where the noise is Gumbel's, comes as often as softmax says."""
    x = operand(logits)
    noise = -np.log(-np.log(1 - source.random_sample((x._shape[0], int(count), x._shape[1]))))
    return drawn_(x, noise=noise, dtype=as_dtype(dtype).numpy_dtype)


drawn_ = primitive("random_categorical", lambda x, noise, dtype: np.argmax(x[:, None] + noise, -1).astype(dtype))
shuffle_ = primitive("random_shuffle", lambda x, order: x[order])


# --- by seed alone ----------------------------------------------------------------------------------------------------


def _of(seed: Any) -> Stream:
    pair = numbers(seed)
    if len(pair) != 2:
        raise InvalidArgumentError(
            say(
                f"seed is a pair of whole numbers, and {seed!r} is none",
                "seed=[1, 2]",
                "seed must have shape [2], not []",
            )
        )
    return stream(*pair)


def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
) -> Tensor:
    """Normal numbers that depend on the seed, a pair of whole numbers, alone (`tf.random.stateless_normal`).

    >>> import minitape as tf
    >>> a, b = (tf.random.stateless_normal([2], seed=[1, 2]) for _ in range(2))
    >>> print(tf.reduce_all(a == b))
    tf.Tensor(True, shape=(), dtype=bool)
    """
    return _normal(_of(seed), shape, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
) -> Tensor:
    """Truncated normal numbers that depend on the seed alone (`tf.random.stateless_truncated_normal`).

    >>> import minitape as tf
    >>> tf.random.stateless_truncated_normal([2], seed=[1, 2]).shape
    TensorShape([2])
    """
    return _truncated(_of(seed), shape, mean, stddev, dtype)


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", name: str | None = None
) -> Tensor:
    """Numbers spread evenly over [minval, maxval) that depend on the seed alone (`tf.random.stateless_uniform`).

    >>> import minitape as tf
    >>> tf.random.stateless_uniform([2], seed=[1, 2]).shape
    TensorShape([2])
    """
    return _uniform(_of(seed), shape, minval, maxval, dtype)


def stateless_categorical(
    logits: Any, num_samples: int, seed: Any, dtype: Any = "int64", name: str | None = None
) -> Tensor:
    """`categorical` that depends on the seed, a pair of whole numbers, alone (`tf.random.stateless_categorical`).

    >>> import minitape as tf
    >>> print(tf.random.stateless_categorical([[0.0, -1000.0]], 3, seed=[1, 2]))
    tf.Tensor([[0 0 0]], shape=(1, 3), dtype=int64)
    """
    return _categorical(_of(seed), logits, num_samples, dtype)


def split(seed: Any, num: int = 2, alg: Any = None) -> Tensor:
    """So many further seeds made of one (`tf.random.split`): int32 of shape (num, 2).

    >>> import minitape as tf
    >>> tf.random.split([1, 2], num=3).shape
    TensorShape([3, 2])
    """
    return constant(_of(seed).randint(-(2**31), 2**31, (int(num), 2), np.int64).astype(np.int32))


def fold_in(seed: Any, data: Any, alg: Any = None) -> Tensor:
    """Another seed made of a seed and a whole number (`tf.random.fold_in`): int32 of shape (2,).

    >>> import minitape as tf
    >>> tf.random.fold_in([1, 2], 7).shape
    TensorShape([2])
    """
    return constant(stream(*numbers(seed), *numbers(data)).randint(-(2**31), 2**31, 2, np.int64).astype(np.int32))


class Generator:
    """A stream of random numbers of its own, which goes on from call to call (`tf.random.Generator`).

    >>> import minitape as tf
    >>> g = tf.random.Generator.from_seed(1)
    >>> g.normal([2]).shape, g.uniform([3], maxval=10, dtype=tf.int32).shape
    (TensorShape([2]), TensorShape([3]))
    """

    def __init__(self, source: Stream) -> None:
        self._source = source

    @classmethod
    def from_seed(cls, seed: int, alg: Any = None) -> Generator:
        """A stream that depends on the seed alone."""
        return cls(stream(int(seed)))

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A stream that is another one every time."""
        return cls(Stream())

    def reset_from_seed(self, seed: int) -> None:
        """Begin anew, at a place that the seed gives."""
        self._source = stream(int(seed))

    def split(self, count: int = 1) -> list[Generator]:
        """So many further streams, which depend on where this one stands."""
        return [
            Generator(stream(*(int(word) for word in self._source.randint(0, 2**32, 2, np.int64))))
            for _ in range(count)
        ]

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
    ) -> Tensor:
        """Numbers from a normal distribution."""
        return _normal(self._source, shape, mean, stddev, dtype)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
    ) -> Tensor:
        """Normal numbers, none further than two standard deviations from the mean."""
        return _truncated(self._source, shape, mean, stddev, dtype)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", name: str | None = None
    ) -> Tensor:
        """Numbers spread evenly over [minval, maxval)."""
        return _uniform(self._source, shape, minval, maxval, dtype)


__getattr__ = absent(__name__)

__all__ = [
    "Generator", "categorical", "fold_in", "normal", "set_seed", "shuffle", "split", "stateless_categorical",
    "stateless_normal", "stateless_truncated_normal", "stateless_uniform",
    "truncated_normal", "uniform",
]  # fmt: skip

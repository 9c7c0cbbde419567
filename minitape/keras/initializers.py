"""Initializers: the numbers that a variable starts with (`tf.keras.initializers`). Call one with a shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import random
from ..errors import say
from ..missing import absent
from ..ops.create import ones, zeros
from ..ops.linear import cast
from ..tensor import Tensor, constant
from .naming import snake_case


class Initializer:
    """What makes a variable's first numbers: `__call__(shape, dtype)` returns a tensor."""

    def __call__(self, shape: Any, dtype: Any = "float32") -> Tensor:
        """A tensor of this shape."""
        raise TypeError(say("this initializer does not say how", "def __call__(self, shape, dtype=None): ..."))


class Zeros(Initializer):
    """Zeros."""

    def __call__(self, shape: Any, dtype: Any = "float32") -> Tensor:
        return zeros(shape, dtype or "float32")


class Ones(Initializer):
    """Ones."""

    def __call__(self, shape: Any, dtype: Any = "float32") -> Tensor:
        return ones(shape, dtype or "float32")


class Constant(Initializer):
    """One number everywhere; or an array's own numbers.

    >>> import minitape as tf
    >>> print(tf.keras.initializers.Constant(3.0)([2]))
    tf.Tensor([3. 3.], shape=(2,), dtype=float32)
    """

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = "float32") -> Tensor:
        return constant(np.broadcast_to(self.value, tuple(shape)), dtype or "float32")


class RandomNormal(Initializer):
    """Numbers from a normal distribution. The same seed gives the same numbers each time."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = "float32") -> Tensor:
        if self.seed is None:
            return random.normal(shape, self.mean, self.stddev, dtype or "float32")
        return random.stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype or "float32")


class TruncatedNormal(RandomNormal):
    """Normal numbers, none further than two standard deviations from the mean."""

    def __call__(self, shape: Any, dtype: Any = "float32") -> Tensor:
        if self.seed is None:
            return random.truncated_normal(shape, self.mean, self.stddev, dtype or "float32")
        return random.stateless_truncated_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype or "float32")


class RandomUniform(Initializer):
    """Numbers spread evenly between two."""

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = "float32") -> Tensor:
        if self.seed is None:
            return random.uniform(shape, self.minval, self.maxval, dtype or "float32")
        return random.stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, dtype or "float32")


class VarianceScaling(Initializer):
    """Random numbers whose variance is scale / n, so that signals neither grow nor fade from layer to layer.

    mode: n is the number of inputs of a unit ("fan_in"), of outputs ("fan_out"), or their mean ("fan_avg").
    distribution: "truncated_normal", "untruncated_normal" or "uniform".
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def __call__(self, shape: Any, dtype: Any = "float32") -> Tensor:
        fan_in, fan_out = fans(tuple(shape))
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        deviation = math.sqrt(self.scale / max(1.0, n))
        if self.distribution == "uniform":
            limit = math.sqrt(3.0) * deviation
            return RandomUniform(-limit, limit, self.seed)(shape, dtype)
        if self.distribution == "untruncated_normal":
            return RandomNormal(0.0, deviation, self.seed)(shape, dtype)
        lost = 0.87962566103423978  # the standard deviation of a normal distribution cut at two of its own
        return TruncatedNormal(0.0, deviation / lost, self.seed)(shape, dtype)


def fans(shape: tuple[int, ...]) -> tuple[float, float]:
    """How many inputs and outputs a unit has, from its kernel's shape: (..., inputs, outputs)."""
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    field = math.prod(shape[:-2])
    return field * shape[-2], field * shape[-1]


class GlorotUniform(VarianceScaling):
    """Uniform within sqrt(6 / (inputs + outputs)): what Dense and Conv2D start with."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed)


class GlorotNormal(VarianceScaling):
    """Truncated normal, with variance 2 / (inputs + outputs)."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)


class HeUniform(VarianceScaling):
    """Uniform, with variance 2 / inputs: for layers that end in relu."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(2.0, "fan_in", "uniform", seed)


class HeNormal(VarianceScaling):
    """Truncated normal, with variance 2 / inputs: for layers that end in relu."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(2.0, "fan_in", "truncated_normal", seed)


class LecunNormal(VarianceScaling):
    """Truncated normal, with variance 1 / inputs."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_in", "truncated_normal", seed)


class Orthogonal(Initializer):
    """A random rotation: columns (or rows) of length 1, at right angles to each other."""

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        self.gain, self.seed = gain, seed

    def __call__(self, shape: Any, dtype: Any = "float32") -> Tensor:
        rows, columns = math.prod(tuple(shape)[:-1]), tuple(shape)[-1]
        flat = RandomNormal(0.0, 1.0, self.seed)([max(rows, columns), min(rows, columns)], "float64").array
        q, r = np.linalg.qr(flat)
        q = q * np.sign(np.diag(r))
        return cast(constant(self.gain * (q if rows >= columns else q.T).reshape(tuple(shape))), dtype or "float32")


KINDS = (
    Constant, GlorotNormal, GlorotUniform, HeNormal, HeUniform, LecunNormal, Ones, Orthogonal, RandomNormal,
    RandomUniform, TruncatedNormal, VarianceScaling, Zeros,
)  # fmt: skip
BY_NAME: dict[str, type[Initializer]] = {snake_case(kind.__name__): kind for kind in KINDS}
BY_NAME |= {"normal": RandomNormal, "uniform": RandomUniform, "one": Ones, "zero": Zeros}


def get(identifier: Any) -> Any:
    """The initializer with a name; a function of a shape and a dtype is itself; a number is `Constant`.

    >>> import minitape as tf
    >>> print(tf.keras.initializers.get("ones")([2]))
    tf.Tensor([1. 1.], shape=(2,), dtype=float32)
    """
    if isinstance(identifier, str):
        identifier = BY_NAME.get(identifier) or BY_NAME.get(snake_case(identifier)) or identifier
    if isinstance(identifier, int | float):
        return Constant(identifier)
    if not callable(identifier):
        raise ValueError(
            say(
                f"no initializer is called {identifier!r}",
                f"one of {', '.join(map(repr, BY_NAME))}",
                f"Could not interpret initializer identifier: {identifier}",
            )
        )
    return identifier() if isinstance(identifier, type) else identifier


__getattr__ = absent(__name__)

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Initializer", "LecunNormal", "Ones",
    "Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling", "Zeros", "get",
]  # fmt: skip

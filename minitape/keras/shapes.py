"""Layers without variables: another shape, a function, an activation, numbers dropped by chance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..errors import say
from ..ops.linear import reshape
from ..ops.nn import dropout
from ..tensor import Tensor
from . import activations
from .layer import Layer, floats


def with_a_batch(layer: Layer, inputs: Tensor) -> None:
    """Refuse a scalar: the first axis is the batch's."""
    if not inputs.ndim:
        raise layer.refuse(
            "(batch, ...)",
            inputs,
            "x = tf.reshape(x, [1, -1])",
            "expected min_ndim=1, found ndim=0. Full shape received: ()",
        )


class Flatten(Layer):
    """All axes but the batch's as one (`tf.keras.layers.Flatten`).

    >>> import minitape as tf
    >>> tf.keras.layers.Flatten()(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """

    def _check(self, inputs: Tensor) -> None:
        with_a_batch(self, inputs)

    def call(self, inputs: Tensor) -> Tensor:
        return reshape(inputs, [inputs.shape[0], math.prod(inputs.shape[1:])])


class Reshape(Layer):
    """Another shape for each example; the batch's axis stays (`tf.keras.layers.Reshape`). One length may be -1.

    >>> import minitape as tf
    >>> tf.keras.layers.Reshape([2, -1])(tf.ones([5, 6])).shape
    TensorShape([5, 2, 3])
    """

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def _check(self, inputs: Tensor) -> None:
        with_a_batch(self, inputs)
        size, known = math.prod(inputs.shape[1:]), math.prod(length for length in self.target_shape if length != -1)
        fits = size % known == 0 if -1 in self.target_shape and known else size == known
        if not fits:
            raise self.refuse(
                f"(batch, ...) that fill {self.target_shape}",
                inputs,
                f"tf.keras.layers.Reshape([{size}])",
                "The total size of the tensor must be unchanged. Received: "
                f"input_shape={tuple(inputs.shape[1:])}, target_shape={self.target_shape}",
            )

    def call(self, inputs: Tensor) -> Tensor:
        return reshape(inputs, [inputs.shape[0], *self.target_shape])


class Lambda(Layer):
    """Any function of one tensor, as a layer (`tf.keras.layers.Lambda`)."""

    def __init__(self, function: Callable[[Any], Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = function

    def call(self, inputs: Any) -> Any:
        return self.function(inputs)


class Activation(Layer):
    """An activation, as a layer (`tf.keras.layers.Activation`).

    >>> import minitape as tf
    >>> print(tf.keras.layers.Activation("relu")([-1.0, 2.0]))
    tf.Tensor([0. 2.], shape=(2,), dtype=float32)
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(floats(self, inputs))


class Dropout(Layer):
    """While a model learns, numbers set to 0 by chance and the others enlarged (`tf.keras.layers.Dropout`).

    rate: the share that becomes 0. Without `training=True` the inputs pass as they are.

    >>> import minitape as tf
    >>> print(tf.keras.layers.Dropout(0.5)([1.0, 2.0]))
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    """

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= rate <= 1:
            raise ValueError(
                say(
                    f"rate is the share of numbers that become 0, and {rate} is no share",
                    "tf.keras.layers.Dropout(0.5)",
                    f"Invalid value received for argument `rate`. Expected a float value between 0 and 1. "
                    f"Received: rate={rate}",
                )
            )
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Tensor, training: bool = False) -> Tensor:
        if not training or not self.rate:
            return inputs
        x = floats(self, inputs)
        return x * 0.0 if self.rate == 1 else dropout(x, self.rate, self.noise_shape, self.seed)

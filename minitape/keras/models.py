"""Models: layers put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import say
from ..variable import Variable
from .layers import Layer, is_layer


class Sequential(Layer):
    """Layers one after another (`tf.keras.Sequential`).

    >>> import minitape as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
    >>> model([[1.0, 2.0]]).shape, len(model.trainable_variables)
    (TensorShape([1, 1]), 4)
    """

    def __init__(self, layers: Sequence[Any] = (), name: str | None = None) -> None:
        super().__init__(name)
        self.layers: list[Any] = []
        for layer in layers:
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Put one more layer at the end."""
        if not is_layer(layer):
            raise TypeError(say(f"{layer!r} is not a layer", "model.add(tf.keras.layers.Dense(1))"))
        self.layers.append(layer)

    def call(self, inputs: Any) -> Any:
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    @property
    def variables(self) -> list[Variable]:
        """All layers' variables, in order."""
        return [variable for layer in self.layers for variable in getattr(layer, "variables", [])]

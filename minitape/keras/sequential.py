"""Sequential: layers one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import say
from ..tensor import Operand
from .inputs import Input
from .layer import Layer
from .model import Model


class Sequential(Model):
    """Layers one after another (`tf.keras.Sequential`). Plain functions of one tensor may stand among them.

    A layer that was given no name is called dense, the next of its kind dense_1, and so on.

    >>> import minitape as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
    >>> model([[1.0, 2.0]]).shape, [layer.name for layer in model.layers]
    (TensorShape([1, 1]), ['dense', 'dense_1'])
    """

    def __init__(self, layers: Sequence[Any] = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._input: Input | None = None
        self._layers: list[Any] = []
        for layer in layers or ():
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Put one more layer at the end."""
        if isinstance(layer, Input):
            self._input = layer
            return
        if not callable(layer) or isinstance(layer, Operand | type):
            made = f"{layer.__name__}(...)" if isinstance(layer, type) else "tf.keras.layers.Dense(1)"
            raise ValueError(
                say(
                    f"{layer!r} is not a layer",
                    f"model.add({made})",
                    "Only instances of `keras.Layer` can be added to a Sequential model.",
                )
            )
        if isinstance(layer, Layer):
            if not layer._named:
                self._number(layer)
            if layer._input is not None and not self._layers:
                self._input = self._input or layer._input
        self._layers.append(layer)
        if self._input is not None:
            self.built = False
            self.build(self._input.shape)

    def _number(self, layer: Layer) -> None:
        """Its kind's name, and a number behind it where the model has that name already."""
        taken = {getattr(other, "name", None) for other in self._layers}
        kind, count = layer.name, 0
        while layer.name in taken:
            count += 1
            layer._name = f"{kind}_{count}"

    @property
    def layers(self) -> list[Any]:
        """The layers, in order."""
        return list(self._layers)

    def call(self, inputs: Any) -> Any:
        for layer in self._layers:
            inputs = layer(inputs)
        return inputs

"""Embedding: a table of vectors, one for each whole number."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidArgumentError, say
from ..ops.index import gather
from ..ops.linear import cast
from ..tensor import Tensor
from .layer import Layer, positive


class Embedding(Layer):
    """The table's row for each whole number of the input (`tf.keras.layers.Embedding`).

    The gradient of the table is an IndexedSlices: only rows that were used have one.

    >>> import minitape as tf
    >>> tf.keras.layers.Embedding(input_dim=10, output_dim=4)(tf.constant([[1, 2, 1]])).shape
    TensorShape([1, 3, 4])
    """

    def __init__(self, input_dim: int, output_dim: int, embeddings_initializer: Any = "uniform", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.input_dim = positive(self, "input_dim", input_dim)
        self.output_dim = positive(self, "output_dim", output_dim)
        self.embeddings_initializer = embeddings_initializer

    def build(self, input_shape: Any) -> None:
        shape = (self.input_dim, self.output_dim)
        self.embeddings = self.add_weight(shape, self.embeddings_initializer, name="embeddings")

    def call(self, inputs: Tensor) -> Tensor:
        ids = inputs if inputs.dtype.is_integer else cast(inputs, "int32")
        wrong = ids.array[(ids.array < 0) | (ids.array >= self.input_dim)]
        if wrong.size:
            raise InvalidArgumentError(
                say(
                    f"the layer {self.name} has rows 0 to {self.input_dim - 1}, and was asked for row {wrong[0]}",
                    f"tf.keras.layers.Embedding({max(int(wrong.max()) + 1, self.input_dim)}, {self.output_dim})",
                    f"indices = {wrong[0]} is not in [0, {self.input_dim})",
                )
            )
        return gather(self.embeddings, ids)

"""Input: what a model is told of its inputs before it has seen one."""

from __future__ import annotations

from typing import Any


class Input:
    """The shape of one example, at the head of a Sequential: its layers make their variables at once.

    >>> import minitape as tf
    >>> model = tf.keras.Sequential([tf.keras.Input(shape=(3,)), tf.keras.layers.Dense(2)])
    >>> [v.shape for v in model.variables]
    [TensorShape([3, 2]), TensorShape([2])]
    """

    def __init__(self, shape: Any, batch_size: int | None = None, name: str | None = None) -> None:
        self.shape = (batch_size, *shape)

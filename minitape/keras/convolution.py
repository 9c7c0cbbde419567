"""Layers for pictures: inputs of shape (batch, height, width, channels)."""

from __future__ import annotations

from typing import Any

from ..errors import say
from ..ops.conv import conv2d, max_pool2d
from ..tensor import Tensor
from . import activations
from .layer import Layer, floats, positive


def pair(value: Any) -> tuple[int, int]:
    """One number for both height and width, or two."""
    return (value, value) if isinstance(value, int) else (value[0], value[1])


def edges(padding: Any) -> str:
    """ "valid" or "same", as the ops write it; ValueError for anything else."""
    name = str(padding).upper()
    if name not in ("VALID", "SAME"):
        raise ValueError(
            say(
                f'padding is "valid" or "same", and not {padding!r}',
                'padding="same"',
                f"The `padding` argument must be a list/tuple or one of {{'valid', 'same'}}. Received: {padding}",
            )
        )
    return name


def large_enough(layer: Layer, inputs: Tensor, window: tuple[int, int]) -> None:
    """Refuse pictures that are smaller than a window that stays inside them."""
    _, height, width, channels = inputs.shape
    if height < window[0] or width < window[1]:
        raise layer.refuse(
            f"(batch, {window[0]} or more, {window[1]} or more, {channels})",
            inputs,
            f'tf.keras.layers.{type(layer).__name__}(..., padding="same")',
        )


class Conv2D(Layer):
    """Small kernels that slide over a picture (`tf.keras.layers.Conv2D`).

    filters: how many, and so how many channels come out. padding: "valid" or "same".

    >>> import minitape as tf
    >>> layer = tf.keras.layers.Conv2D(filters=8, kernel_size=3, activation="relu")
    >>> layer(tf.ones([1, 28, 28, 1])).shape, layer.kernel.shape
    (TensorShape([1, 26, 26, 8]), TensorShape([3, 3, 1, 8]))
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.filters = positive(self, "filters", filters)
        self.kernel_size, self.strides, self.padding = pair(kernel_size), pair(strides), edges(padding)
        self.activation, self.use_bias = activations.get(activation), use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer

    def build(self, input_shape: Any) -> None:
        shape = (*self.kernel_size, input_shape[-1], self.filters)
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        self.bias = self.add_weight((self.filters,), self.bias_initializer, name="bias") if self.use_bias else None

    def _check(self, inputs: Tensor) -> None:
        channels = self.kernel.shape[2] if self.built else "channels"
        if inputs.ndim != 4 or (self.built and inputs.shape[-1] != channels):
            raise self.refuse(
                f"(batch, height, width, {channels})",
                inputs,
                "x = x[..., tf.newaxis]  # a channel axis" if inputs.ndim == 3 else "x = tf.reshape(x, [...])",
                f"expected min_ndim=4, found ndim={inputs.ndim}. Full shape received: {tuple(inputs.shape)}"
                if inputs.ndim != 4
                else f"expected axis -1 of input shape to have value {channels}, but received input with shape "
                f"{tuple(inputs.shape)}",
            )
        if self.padding == "VALID":
            large_enough(self, inputs, self.kernel_size)

    def call(self, inputs: Tensor) -> Tensor:
        out = conv2d(floats(self, inputs), self.kernel, list(self.strides), self.padding)
        activated: Tensor = self.activation(out if self.bias is None else out + self.bias)
        return activated


class MaxPooling2D(Layer):
    """The largest number of each small window (`tf.keras.layers.MaxPooling2D`, `MaxPool2D`).

    >>> import minitape as tf
    >>> tf.keras.layers.MaxPooling2D()(tf.ones([1, 8, 8, 3])).shape
    TensorShape([1, 4, 4, 3])
    """

    def __init__(self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.pool_size, self.padding = pair(pool_size), edges(padding)
        self.strides = self.pool_size if strides is None else pair(strides)

    def _check(self, inputs: Tensor) -> None:
        if inputs.ndim != 4:
            raise self.refuse(
                "(batch, height, width, channels)",
                inputs,
                "x = tf.reshape(x, [...])",
                f"expected ndim=4, found ndim={inputs.ndim}. Full shape received: {tuple(inputs.shape)}",
            )
        if self.padding == "VALID":
            large_enough(self, inputs, self.pool_size)

    def call(self, inputs: Tensor) -> Tensor:
        return max_pool2d(floats(self, inputs), list(self.pool_size), list(self.strides), self.padding)

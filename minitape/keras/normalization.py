"""Normalisation: numbers brought to mean 0 and variance 1, then scaled and moved by what is learned."""

from __future__ import annotations

from typing import Any

from ..ops.linear import reshape
from ..ops.nn import batch_normalization, moments
from ..tensor import Tensor
from .layer import Layer, floats


def enough_axes(layer: Layer, inputs: Tensor, axes: list[int]) -> None:
    """Refuse inputs that lack one of the axes."""
    needed = max(axis + 1 if axis >= 0 else -axis for axis in axes)
    if inputs.ndim < needed:
        raise layer.refuse(f"({'_, ' * needed}...)", inputs, "x = x[tf.newaxis]")


class BatchNormalization(Layer):
    """Each feature by its mean and variance over the batch (`tf.keras.layers.BatchNormalization`).

    With `training=True` by this batch's, which also move the averages kept; without, by those averages.

    >>> import minitape as tf
    >>> layer = tf.keras.layers.BatchNormalization(epsilon=0.0)
    >>> print(layer([[1.0], [3.0]], training=True)[:, 0], layer.moving_mean)  # doctest: +ELLIPSIS
    tf.Tensor([-1.  1.], shape=(2,), dtype=float32) <tf.Variable 'moving_mean' ... numpy=array([0.02], dtype=float32)>
    """

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.axis, self.momentum, self.epsilon, self.center, self.scale = axis, momentum, epsilon, center, scale

    def build(self, input_shape: Any) -> None:
        size = (input_shape[self.axis],)
        self.gamma = self.add_weight(size, "ones", name="gamma") if self.scale else None
        self.beta = self.add_weight(size, "zeros", name="beta") if self.center else None
        self.moving_mean = self.add_weight(size, "zeros", name="moving_mean", trainable=False)
        self.moving_variance = self.add_weight(size, "ones", name="moving_variance", trainable=False)

    def _check(self, inputs: Tensor) -> None:
        enough_axes(self, inputs, [self.axis])

    def call(self, inputs: Tensor, training: bool = False) -> Tensor:
        x = floats(self, inputs)
        at, size = self.axis % x.ndim, self.moving_mean.shape[0]
        if x.shape[at] != size:
            raise self.refuse(
                f"(..., {size})",
                x,
                f"tf.keras.layers.BatchNormalization() anew, for {x.shape[at]} features",
                f"expected axis {self.axis} of input shape to have value {size}, but received input with shape "
                f"{tuple(x.shape)}",
            )
        if training and self.trainable:
            mean, variance = moments(x, [axis for axis in range(x.ndim) if axis != at])
            keep = self.momentum
            self.moving_mean.assign(self.moving_mean * keep + mean * (1.0 - keep))
            self.moving_variance.assign(self.moving_variance * keep + variance * (1.0 - keep))
        else:
            mean, variance = self.moving_mean.value(), self.moving_variance.value()
        parts: list[Any] = [mean, variance, self.beta, self.gamma]
        if at != x.ndim - 1:
            along = [size if axis == at else 1 for axis in range(x.ndim)]
            parts = [part if part is None else reshape(part, along) for part in parts]
        return batch_normalization(x, parts[0], parts[1], parts[2], parts[3], self.epsilon)


class LayerNormalization(Layer):
    """Each example by the mean and variance of its own features (`tf.keras.layers.LayerNormalization`).

    >>> import minitape as tf
    >>> print(tf.keras.layers.LayerNormalization(epsilon=0.0)([[1.0, 3.0]]))
    tf.Tensor([[-1.  1.]], shape=(1, 2), dtype=float32)
    """

    def __init__(
        self, axis: Any = -1, epsilon: float = 1e-3, center: bool = True, scale: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.axis = [axis] if isinstance(axis, int) else list(axis)
        self.epsilon, self.center, self.scale = epsilon, center, scale

    def build(self, input_shape: Any) -> None:
        size = tuple(input_shape[axis] for axis in self.axis)
        self.gamma = self.add_weight(size, "ones", name="gamma") if self.scale else None
        self.beta = self.add_weight(size, "zeros", name="beta") if self.center else None

    def _check(self, inputs: Tensor) -> None:
        enough_axes(self, inputs, self.axis)

    def call(self, inputs: Tensor) -> Tensor:
        x = floats(self, inputs)
        along = [1] * x.ndim
        for axis in self.axis:
            along[axis] = x.shape[axis]
        size = tuple(x.shape[axis] for axis in self.axis)
        learned = [part for part in (self.beta, self.gamma) if part is not None]
        if any(part.shape != size for part in learned):
            raise self.refuse(
                f"(..., {', '.join(map(str, learned[0].shape))})",
                x,
                "tf.keras.layers.LayerNormalization() anew",
                f"expected axes {self.axis} of input shape to have values {tuple(learned[0].shape)}",
            )
        mean, variance = moments(x, self.axis, keepdims=True)
        beta, gamma = (part if part is None else reshape(part, along) for part in (self.beta, self.gamma))
        return batch_normalization(x, mean, variance, beta, gamma, self.epsilon)

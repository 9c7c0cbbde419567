"""Dense: every output is a weighted sum of every input."""

from __future__ import annotations

from typing import Any

from ..ops.product import matmul
from ..tensor import Tensor
from . import activations
from .layer import Layer, floats, positive


class Dense(Layer):
    """inputs @ kernel + bias, then an activation (`tf.keras.layers.Dense`).

    The kernel of shape (features, units) starts uniform in Glorot's range, the bias at zero.

    >>> import minitape as tf
    >>> layer = tf.keras.layers.Dense(2)
    >>> layer([[1.0, 2.0, 3.0]]).shape, [v.shape for v in layer.variables]
    (TensorShape([1, 2]), [TensorShape([3, 2]), TensorShape([2])])
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = positive(self, "units", units)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer

    def build(self, input_shape: Any) -> None:
        self.kernel = self.add_weight((input_shape[-1], self.units), self.kernel_initializer, name="kernel")
        self.bias = self.add_weight((self.units,), self.bias_initializer, name="bias") if self.use_bias else None

    def _check(self, inputs: Tensor) -> None:
        features = self.kernel.shape[0] if self.built else "features"
        if inputs.ndim < 2 or (self.built and inputs.shape[-1] != features):
            said = (
                f"expected axis -1 of input shape to have value {features}, but received input with shape"
                if inputs.ndim > 1
                else f"expected min_ndim=2, found ndim={inputs.ndim}. Full shape received:"
            )
            fix = f"x = tf.reshape(x, [-1, {features if self.built else 1}])"
            raise self.refuse(f"(batch, {features})", inputs, fix, f"{said} {tuple(inputs.shape)}")

    def call(self, inputs: Tensor) -> Tensor:
        out = matmul(floats(self, inputs), self.kernel)
        activated: Tensor = self.activation(out if self.bias is None else out + self.bias)
        return activated

"""SimpleRNN: one step after another, each fed with the outputs of the one before."""

from __future__ import annotations

from typing import Any

from ..ops.create import zeros
from ..ops.join import stack
from ..ops.product import matmul
from ..tensor import Tensor
from . import activations
from .layer import Layer, floats, positive


class SimpleRNN(Layer):
    """For each step: activation(x @ kernel + before @ recurrent_kernel + bias) (`tf.keras.layers.SimpleRNN`).

    inputs: (batch, steps, features). Returns the last step's outputs, (batch, units); with return_sequences=True
    those of all steps, (batch, steps, units).

    >>> import minitape as tf
    >>> tf.keras.layers.SimpleRNN(4)(tf.ones([2, 10, 3])).shape
    TensorShape([2, 4])
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        return_sequences: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = positive(self, "units", units)
        self.activation, self.use_bias = activations.get(activation), use_bias
        self.kernel_initializer, self.recurrent_initializer = kernel_initializer, recurrent_initializer
        self.bias_initializer, self.return_sequences = bias_initializer, return_sequences

    def build(self, input_shape: Any) -> None:
        units = self.units
        self.kernel = self.add_weight((input_shape[-1], units), self.kernel_initializer, name="kernel")
        self.recurrent_kernel = self.add_weight((units, units), self.recurrent_initializer, name="recurrent_kernel")
        self.bias = self.add_weight((units,), self.bias_initializer, name="bias") if self.use_bias else None

    def _check(self, inputs: Tensor) -> None:
        features = self.kernel.shape[0] if self.built else "features"
        if inputs.ndim != 3 or (self.built and inputs.shape[-1] != features):
            raise self.refuse(
                f"(batch, steps, {features})",
                inputs,
                f"x = tf.reshape(x, [batch, steps, {features}])",
                f"expected shape=(None, None, {features}), found shape={tuple(inputs.shape)}",
            )

    def call(self, inputs: Tensor, initial_state: Any = None) -> Tensor:
        x = floats(self, inputs)
        state = zeros([x.shape[0], self.units], self.dtype) if initial_state is None else initial_state
        states = []
        for step in range(x.shape[1]):
            given = matmul(x[:, step], self.kernel)
            given = given if self.bias is None else given + self.bias
            state = self.activation(given + matmul(state, self.recurrent_kernel))
            states.append(state)
        out: Tensor = stack(states, axis=1) if self.return_sequences else state
        return out

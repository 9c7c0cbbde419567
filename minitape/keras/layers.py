"""Layers: functions that own variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import random
from ..errors import InvalidArgumentError, say
from ..ops.composed import convert_to_tensor
from ..ops.elementwise import relu, sigmoid, tanh
from ..ops.linear import cast
from ..ops.product import matmul
from ..tensor import Operand, Tensor
from ..variable import Variable

ACTIVATIONS: dict[str, Callable[[Any], Any]] = {"linear": lambda x: x, "relu": relu, "sigmoid": sigmoid, "tanh": tanh}


class Layer:
    """A function with variables of its own: `build` makes them at the first call (`tf.keras.Layer`)."""

    def __init__(self, name: str | None = None, trainable: bool = True) -> None:
        self.name = name or type(self).__name__.lower()
        self.trainable = trainable
        self.built = False
        self._own: list[Variable] = []

    def build(self, input_shape: Any) -> None:
        """Make the variables; called once, with the first input's shape."""

    def call(self, inputs: Any) -> Any:
        """Compute the output."""
        raise TypeError(say(f"the layer {self.name} has no call method", "def call(self, inputs): return ..."))

    def add_weight(self, name: str, shape: Any, initial: np.ndarray | None = None, trainable: bool = True) -> Variable:
        """A variable that belongs to this layer; zeros unless an initial value is given."""
        value = np.zeros(tuple(shape), np.float32) if initial is None else initial
        variable = Variable(value, name=name, trainable=trainable and self.trainable)
        self._own.append(variable)
        return variable

    def __call__(self, inputs: Any) -> Any:
        if inputs is None:
            raise ValueError(
                say(
                    f"the layer {self.name} was given None: the function before it returns nothing",
                    "return x",
                    "Inputs to a layer should be tensors. Got 'None'",
                )
            )
        x = convert_to_tensor(inputs)
        if x.array.dtype.kind in "iu":
            x = cast(x, "float32")
        if not self.built:
            self.build(x.shape)
            self.built = True
        return self.call(x)

    @property
    def variables(self) -> list[Variable]:
        """All variables, in the order in which they were made."""
        return list(self._own)

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that training changes."""
        return [variable for variable in self.variables if variable.trainable]

    weights = variables
    trainable_weights = trainable_variables


class Dense(Layer):
    """inputs @ kernel + bias, then an activation (`tf.keras.layers.Dense`).

    The kernel of shape (features, units) starts uniform in Glorot's range, the bias at zero.

    >>> import minitape as tf
    >>> layer = tf.keras.layers.Dense(2)
    >>> layer([[1.0, 2.0, 3.0]]).shape, [v.shape for v in layer.variables]
    (TensorShape([1, 2]), [TensorShape([3, 2]), TensorShape([2])])
    """

    def __init__(self, units: int, activation: Any = None, use_bias: bool = True, name: str | None = None) -> None:
        super().__init__(name)
        if isinstance(activation, str) and activation not in ACTIVATIONS:
            raise ValueError(say(f"no activation is called {activation!r}", f"one of {list(ACTIVATIONS)}"))
        self.units = units
        self.activation = ACTIVATIONS.get(activation or "linear", activation)
        self.use_bias = use_bias

    def build(self, input_shape: Any) -> None:
        if not len(input_shape):
            raise ValueError(
                say(f"{self.name} needs an input with a feature axis, and got a scalar", "x = tf.reshape(x, [-1, 1])")
            )
        features = input_shape[-1]
        limit = np.sqrt(6 / (features + self.units))
        self.kernel = self.add_weight(
            "kernel", (features, self.units), random.uniform([features, self.units], -limit, limit).array
        )
        self.bias = self.add_weight("bias", (self.units,)) if self.use_bias else None

    def call(self, inputs: Tensor) -> Tensor:
        if inputs.ndim < 2 or inputs.shape[-1] != self.kernel.shape[0]:
            raise InvalidArgumentError(
                say(
                    f"the layer {self.name} was built for inputs of shape (batch, {self.kernel.shape[0]}), "
                    f"and got {inputs.shape}",
                    f"x = tf.reshape(x, [-1, {self.kernel.shape[0]}])",
                )
            )
        out = matmul(inputs, self.kernel)
        activated: Tensor = self.activation(out + self.bias if self.bias is not None else out)
        return activated


class Lambda(Layer):
    """Any function of one tensor, as a layer (`tf.keras.layers.Lambda`)."""

    def __init__(self, function: Callable[[Any], Any], name: str | None = None) -> None:
        super().__init__(name)
        self.function = function

    def call(self, inputs: Tensor) -> Any:
        return self.function(inputs)


def is_layer(thing: object) -> bool:
    """Can it stand in a Sequential?"""
    return callable(thing) and not isinstance(thing, Operand)

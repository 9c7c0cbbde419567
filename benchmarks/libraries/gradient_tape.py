"""minitape and TensorFlow are used by the very same code: that is what minitape is for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .library import Back, Library


class TapeLibrary(Library):
    """A library with TensorFlow's names."""

    def __init__(self, name: str, tf: Any) -> None:
        self.name = name
        self.version = tf.__version__
        self.tf = tf
        self.tanh = tf.tanh
        self.relu = tf.nn.relu
        self.mean = tf.reduce_mean

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        return self.tf.reduce_mean(self.tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    def convolve(self, x: Any, kernel: Any) -> Any:
        return self.tf.nn.conv2d(x, kernel, strides=1, padding="SAME")

    def halve(self, x: Any) -> Any:
        return self.tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")

    def over_pixels(self, x: Any) -> Any:
        return self.tf.reduce_mean(x, axis=[1, 2])

    def constant(self, array: np.ndarray) -> Any:
        return self.tf.constant(array)

    def inputs(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return [self.tf.constant(array) for array in arrays]

    def forward(self, f: Callable[..., Any], inputs: list[Any]) -> Any:
        return f(*inputs)

    def record(self, f: Callable[..., Any], inputs: list[Any]) -> tuple[Any, Back]:
        with self.tf.GradientTape() as tape:
            tape.watch(inputs)
            y = f(*inputs)
        return y, lambda: tape.gradient(y, inputs)

    def variables(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return [self.tf.Variable(array) for array in arrays]

    def train(self, f: Callable[..., Any], variables: list[Any], rate: float) -> Any:
        with self.tf.GradientTape() as tape:
            loss = f(*variables)
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(rate * gradient)
        return loss

    def jacobian(self, f: Callable[..., Any], x: Any) -> Any:
        with self.tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x)

    def hessian(self, f: Callable[..., Any], x: Any) -> Any:
        with self.tf.GradientTape() as outer:
            outer.watch(x)
            with self.tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            slope = inner.gradient(y, x)
        return outer.jacobian(slope, x)

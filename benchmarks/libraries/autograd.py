"""HIPS autograd: NumPy's functions wrapped, and a graph of closures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np
from autograd.scipy.special import logsumexp

from .library import Back, Library


def library() -> Library:
    """HIPS autograd."""
    return Autograd()


class Autograd(Library):
    """HIPS autograd."""

    name = "HIPS autograd"
    version = version("autograd")
    lacks = {"images": "no max pooling"}  # noqa: RUF012

    tanh = staticmethod(anp.tanh)
    mean = staticmethod(anp.mean)

    @staticmethod
    def relu(x: Any) -> Any:
        return anp.maximum(x, 0)

    @staticmethod
    def cross_entropy(logits: Any, labels: Any) -> Any:
        right = logits[anp.arange(len(labels)), labels]
        return anp.mean(logsumexp(logits, axis=1) - right)

    def constant(self, array: np.ndarray) -> Any:
        return array

    def inputs(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return list(arrays)

    def forward(self, f: Callable[..., Any], inputs: list[Any]) -> Any:
        return f(*inputs)

    def record(self, f: Callable[..., Any], inputs: list[Any]) -> tuple[Any, Back]:
        pull, y = autograd.make_vjp(f, tuple(range(len(inputs))))(*inputs)
        return y, lambda: pull(anp.ones_like(y))

    def variables(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return [array.copy() for array in arrays]

    def train(self, f: Callable[..., Any], variables: list[Any], rate: float) -> Any:
        loss, back = self.record(f, variables)
        for variable, gradient in zip(variables, back(), strict=True):
            variable -= rate * gradient
        return loss

    def jacobian(self, f: Callable[..., Any], x: Any) -> Any:
        return autograd.jacobian(f)(x)

    def hessian(self, f: Callable[..., Any], x: Any) -> Any:
        return np.float32(autograd.hessian(f)(x))  # its second derivatives come in float64

"""JAX on the CPU, op by op: a function that `jax.jit` has compiled is another thing than a tape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .library import Back, Library

NHWC = ("NHWC", "HWIO", "NHWC")


def library() -> Library:
    """JAX without jit."""
    return Jax()


class Jax(Library):
    """JAX; every answer is waited for, since JAX works ahead."""

    name = "JAX"
    version = jax.__version__

    tanh = staticmethod(jnp.tanh)
    mean = staticmethod(jnp.mean)

    @staticmethod
    def relu(x: Any) -> Any:
        return jnp.maximum(x, 0)

    @staticmethod
    def cross_entropy(logits: Any, labels: Any) -> Any:
        right = logits[jnp.arange(len(labels)), labels]
        return jnp.mean(jax.nn.logsumexp(logits, axis=1) - right)

    @staticmethod
    def convolve(x: Any, kernel: Any) -> Any:
        return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=NHWC)

    @staticmethod
    def halve(x: Any) -> Any:
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    @staticmethod
    def over_pixels(x: Any) -> Any:
        return jnp.mean(x, axis=(1, 2))

    def constant(self, array: np.ndarray) -> Any:
        return jnp.asarray(array)

    def inputs(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return [jnp.asarray(array) for array in arrays]

    def forward(self, f: Callable[..., Any], inputs: list[Any]) -> Any:
        return jax.block_until_ready(f(*inputs))

    def record(self, f: Callable[..., Any], inputs: list[Any]) -> tuple[Any, Back]:
        y, pull = jax.vjp(f, *inputs)
        return jax.block_until_ready(y), lambda: jax.block_until_ready(pull(jnp.ones_like(y)))

    def variables(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return self.inputs(arrays)

    def train(self, f: Callable[..., Any], variables: list[Any], rate: float) -> Any:
        loss, back = self.record(f, variables)
        variables[:] = [v - rate * gradient for v, gradient in zip(variables, back(), strict=True)]
        jax.block_until_ready(variables)
        return loss

    def jacobian(self, f: Callable[..., Any], x: Any) -> Any:
        return jax.block_until_ready(jax.jacrev(f)(x))

    def hessian(self, f: Callable[..., Any], x: Any) -> Any:
        return jax.block_until_ready(jax.hessian(f)(x))

"""Activations: functions of one tensor that a layer ends with (`tf.keras.activations`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import say
from ..ops.elementwise import exp as exponential
from ..ops.elementwise import sigmoid, tanh
from ..ops.nn import (
    elu,
    gelu,
    leaky_relu,
    relu,
    relu6,
    selu,
    silu,
    softplus,
    softsign,
)
from ..ops.softmax import log_softmax, softmax


def linear(x: Any) -> Any:
    """x as it is."""
    return x


swish = silu

BY_NAME: dict[str, Callable[[Any], Any]] = {
    "elu": elu,
    "exponential": exponential,
    "gelu": gelu,
    "leaky_relu": leaky_relu,
    "linear": linear,
    "log_softmax": log_softmax,
    "relu": relu,
    "relu6": relu6,
    "selu": selu,
    "sigmoid": sigmoid,
    "silu": silu,
    "softmax": softmax,
    "softplus": softplus,
    "softsign": softsign,
    "swish": swish,
    "tanh": tanh,
}


def get(identifier: Any) -> Callable[[Any], Any]:
    """The activation with a name; a function is itself, and None is `linear`.

    >>> import minitape as tf
    >>> print(tf.keras.activations.get("relu")([-1.0, 2.0]))
    tf.Tensor([0. 2.], shape=(2,), dtype=float32)
    """
    found = BY_NAME.get(identifier or "linear") if isinstance(identifier, str | None) else identifier
    if not callable(found):
        raise ValueError(
            say(
                f"no activation is called {identifier!r}",
                f"one of {', '.join(map(repr, BY_NAME))}",
                f"Could not interpret activation function identifier: {identifier}",
            )
        )
    return found


__all__ = [
    "elu", "exponential", "gelu", "get", "leaky_relu", "linear", "log_softmax", "relu", "relu6", "selu", "sigmoid",
    "silu", "softmax", "softplus", "softsign", "swish", "tanh",
]  # fmt: skip

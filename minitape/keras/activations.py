"""Activations: functions of one tensor that a layer ends with (`tf.keras.activations`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import say
from ..missing import absent
from ..ops import nn
from ..ops.choose import where
from ..ops.composed import convert_to_tensor
from ..ops.elementwise import exp as exponential
from ..ops.elementwise import minimum, sigmoid, tanh
from ..ops.nn import (
    gelu,
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


def relu(x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """x above the threshold, at most max_value; below it negative_slope * (x - threshold).

    >>> import minitape as tf
    >>> print(tf.keras.activations.relu([-2.0, 1.0, 9.0], negative_slope=0.5, max_value=6.0))
    tf.Tensor([-1.  1.  6.], shape=(3,), dtype=float32)
    """
    if not negative_slope and max_value is None and not threshold:
        return nn.relu(x)
    x = convert_to_tensor(x)
    out = where(x > threshold, x, negative_slope * (x - threshold))
    return out if max_value is None else minimum(out, max_value)


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """x above 0, negative_slope * x below."""
    return nn.leaky_relu(x, negative_slope)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """x above 0, alpha * (exp(x) - 1) below."""
    out = nn.elu(x)
    return out if alpha == 1.0 else where(out > 0, out, alpha * out)


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


__getattr__ = absent(__name__)

__all__ = [
    "elu", "exponential", "gelu", "get", "leaky_relu", "linear", "log_softmax", "relu", "relu6", "selu", "sigmoid",
    "silu", "softmax", "softplus", "softsign", "swish", "tanh",
]  # fmt: skip

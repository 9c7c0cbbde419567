"""`tf.nn`: activations."""

from .ops.elementwise import relu, sigmoid, tanh

__all__ = ["relu", "sigmoid", "tanh"]

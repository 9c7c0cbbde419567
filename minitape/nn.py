"""`tf.nn`: activations."""

from .ops.elementwise import relu, sigmoid, tanh
from .ops.index import embedding_lookup

__all__ = ["embedding_lookup", "relu", "sigmoid", "tanh"]

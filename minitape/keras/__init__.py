"""The small part of `tf.keras` that TensorFlow's guides to automatic differentiation use."""

from . import activations, callbacks, initializers, layers, losses, metrics, optimizers
from .layer import Layer
from .model import Model
from .sequential import Input, Sequential

__all__ = [
    "Input", "Layer", "Model", "Sequential", "activations", "callbacks", "initializers", "layers", "losses", "metrics",
    "optimizers",
]  # fmt: skip

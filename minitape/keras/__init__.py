"""The small part of `tf.keras` that TensorFlow's guides to automatic differentiation use."""

from . import activations, callbacks, initializers, layers, losses, metrics, optimizers
from .inputs import Input
from .layer import Layer
from .model import Model
from .sequential import Sequential

__all__ = [
    "Input", "Layer", "Model", "Sequential", "activations", "callbacks", "initializers", "layers", "losses", "metrics",
    "optimizers",
]  # fmt: skip

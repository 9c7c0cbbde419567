"""The small part of `tf.keras` that TensorFlow's guides to automatic differentiation use."""

from types import SimpleNamespace as _Namespace

from ..missing import absent as _absent
from . import activations, callbacks, initializers, layers, losses, metrics, optimizers
from .inputs import Input
from .layer import Layer
from .model import Model
from .sequential import Sequential

models = _Namespace(Model=Model, Sequential=Sequential)
__getattr__ = _absent(__name__)

__all__ = [
    "Input", "Layer", "Model", "Sequential", "activations", "callbacks", "initializers", "layers", "losses", "metrics",
    "models", "optimizers",
]  # fmt: skip

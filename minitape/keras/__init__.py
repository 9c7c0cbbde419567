"""The small part of `tf.keras` that the lessons use."""

from . import layers
from .models import Sequential

__all__ = ["Sequential", "layers"]

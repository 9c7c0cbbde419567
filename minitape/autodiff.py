"""`tf.autodiff`: forward mode."""

from .forward import ForwardAccumulator

__all__ = ["ForwardAccumulator"]

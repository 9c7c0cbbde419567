"""The ops, in tables by family."""

from . import composed, elementwise, linear, operators, product

__all__ = ["composed", "elementwise", "linear", "operators", "product"]

"""The ops, in tables by family; conv, flow, linalg, nn, scatter, search, segment and softmax come with their first use."""

from . import (  # isort: skip
    choose, composed, create, elementwise, index, join, linear, operators, product, rearrange, reduce, running, slicing,
    words,
)  # fmt: skip

__all__ = [
    "choose", "composed", "create", "elementwise", "index", "join", "linear", "operators", "product", "rearrange",
    "reduce", "running", "slicing", "words",
]  # fmt: skip

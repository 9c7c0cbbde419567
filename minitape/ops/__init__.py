"""The ops, in tables by family."""

from . import (  # isort: skip
    choose, composed, conv, create, elementwise, flow, index, join, linalg, linear, nn, operators, product, rearrange,
    reduce, running, scatter, search, segment, slicing, words,
)  # fmt: skip

__all__ = [
    "choose", "composed", "conv", "create", "elementwise", "flow", "index", "join", "linalg", "linear", "nn", "operators",
    "product", "rearrange", "reduce", "running", "scatter", "search", "segment", "slicing", "words",
]  # fmt: skip

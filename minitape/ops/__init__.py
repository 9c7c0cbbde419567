"""The ops, in tables by family; those of conv, linalg, nn and softmax come when `tf.nn` and the like are named."""

from . import (  # isort: skip
    choose, composed, create, elementwise, flow, index, join, linear, operators, product, rearrange,
    reduce, running, scatter, search, segment, slicing, words,
)  # fmt: skip

__all__ = [
    "choose", "composed", "create", "elementwise", "flow", "index", "join", "linear", "operators", "product",
    "rearrange", "reduce", "running", "scatter", "search", "segment", "slicing", "words",
]  # fmt: skip

"""What a learner may pass where an op takes a tensor: variables, numbers, arrays, lists, gradients of a few rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from .convert import adapt, to_array
from .nest import flatten
from .silence import LOUD
from .slices import IndexedSlices, Rows
from .tensor import Operand, Tensor, wrap


def operands(inputs: tuple[Any, ...]) -> tuple[Operand, ...]:
    """An op's arguments as tensors or variables; numbers take the dtype of the first that is one."""
    like = next((x for x in inputs if isinstance(x, Operand)), None)
    return tuple([operand(x, like) for x in inputs])


def operand(x: Any, like: Any = None) -> Operand:
    """An op's argument as a tensor or variable; Python's and NumPy's numbers take the dtype of the other operand."""
    if type(x) is Tensor:
        return x
    if type(x) is float or type(x) is int:
        if not isinstance(like, Operand):
            return wrap(to_array(x))
        try:
            # By far the most frequent: x * 2.0
            return wrap(np.asarray(x, like.spec.dtype) if like.spec.floating else adapt(x, like.spec.dtype))
        except (OverflowError, *LOUD):
            return wrap(adapt(x, like.spec.dtype))  # it says what is wrong, or makes it inf
    if isinstance(x, Operand):
        x._read()
        return x
    if isinstance(x, IndexedSlices):
        return x.to_tensor()
    if isinstance(x, Rows):
        whole: Operand = x.dense()  # on the way back, a few rows meet a whole gradient
        return whole
    if isinstance(x, list | tuple) and any(isinstance(leaf, Operand) for leaf in flatten(x)):
        from .ops.join import stacked

        return stacked(x, like)  # a list of tensors and numbers
    if isinstance(like, Operand):
        return wrap(adapt(x, like.array.dtype))
    return wrap(to_array(x))

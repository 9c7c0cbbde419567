"""Specs: a shape and a dtype as one object, so that one look tells whether two tensors are alike."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .dtypes import OF_NUMPY


class Spec:
    """A tensor's shape and NumPy dtype."""

    __slots__ = ("dtype", "floating", "real", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = OF_NUMPY[dtype].numpy_dtype if dtype in OF_NUMPY else dtype  # equal dtypes are one object
        self.floating = dtype.kind in "fc"  # has it a derivative?
        self.real = dtype.kind == "f"  # a real float, which nearly every op takes

    def __repr__(self) -> str:
        return f"<spec {self.shape} {self.dtype}>"


#: The one spec of a shape and a dtype. (After very many others it is made anew: that costs time, and no more.)
spec_for = lru_cache(maxsize=10_000)(Spec)

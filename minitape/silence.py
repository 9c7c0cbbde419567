"""TensorFlow is silent about inf and nan, so NumPy's warnings of them are not shown (see `__init__`), and no errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: What a learner may have made of NumPy's warnings: by `warnings.simplefilter("error")`, by `np.seterr(all="raise")`.
LOUD = RuntimeWarning, FloatingPointError


def silently(function: Callable[..., Any], *inputs: Any, **params: Any) -> Any:
    """Call a function, and let nobody hear of inf and nan."""
    with np.errstate(all="ignore"):
        return function(*inputs, **params)

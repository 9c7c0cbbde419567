"""How values, gradients and rules are put into a few characters for a trace."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from .dtypes import OF_NUMPY
from .trace import Value


class Large(NamedTuple):
    """What is noted of an array of more than eight numbers."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    nbytes: int
    first: tuple[float, ...]  # eight of its numbers
    low: float | None
    high: float | None


SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

#: Where a value went that left a mark.
WHERE_TO = {"numpy": "NumPy", "assign": "the variable", "copy": "the variable"} | dict.fromkeys(
    ("float", "int", "bool", "complex"), "Python"
)

#: Why an op was not recorded, as one clause for a caption.
WHY = {
    "recompute_grad": "it can be run again on the way back",
    "unwatched": "none of its inputs is watched",
    "integer": "integers have no gradient",
    "not differentiable": "it has no derivative",
}


class Given(NamedTuple):
    """What is noted of a large gradient that was given to an input: itself, and the sum with what was given before."""

    gift: Any
    total: Any


def summary(id: int, name: str, array: Any) -> Value:
    """A value's summary: at most eight of its numbers, the smallest and the largest."""
    if isinstance(array, Large):
        dtype = OF_NUMPY[array.dtype].name
        return Value(id, name, short(array), array.shape, dtype, array.nbytes, array.first, array.low, array.high)
    array = np.asarray(array)
    numbers = array.ravel().tolist() if array.dtype.kind in "fiub" else []
    ordered = array.dtype.kind in "fiub" and array.size
    return Value(
        id,
        name,
        short(array),
        array.shape,
        OF_NUMPY[array.dtype].name,
        array.nbytes,
        tuple(map(float, numbers)),
        float(array.min()) if ordered else None,
        float(array.max()) if ordered else None,
    )


def short(array: Any) -> str:
    """A value in a few characters: its number, its numbers where they are few, else its shape."""
    if isinstance(array, Large):
        return f"{array.shape} {OF_NUMPY[array.dtype].name}"
    array = np.asarray(array)
    if array.ndim == 0:
        number = array[()]
        return (
            f"{number:.6g}" + ".0" * (f"{number:.6g}".lstrip("-").isdigit()) if array.dtype.kind == "f" else str(number)
        )
    few = array.ndim == 1 and array.size <= 8 and array.dtype.kind in "fiubc"
    if few and sum(len(f"{x:.3g}") for x in array.tolist()) <= 24:
        text = np.array2string(array, precision=4)
        if len(text) <= 24:
            return text
    return f"{array.shape} {OF_NUMPY[array.dtype].name}"


def plain(name: str) -> str:
    """A name as it may stand in a formula: an expression gets brackets."""
    return name if name.replace(".", "").isalnum() or name.isidentifier() else f"({name})"


def filled(rule: str, names: dict[str, str]) -> str:
    """A rule's text with its letters replaced: "g * y" becomes "g * x" or "3.0 * 9.0"."""
    return re.sub(r"[A-Za-z_]\w*", lambda word: names.get(word[0], word[0]), re.sub(r"\bf\.", "", rule))

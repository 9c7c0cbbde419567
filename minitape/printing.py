"""`tf.print`: tensors as TensorFlow prints them."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np

from .dtypes import string
from .errors import say
from .nest import map_structure
from .tensor import Operand


def print(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
    **unknown: Any,
) -> None:
    """Print tensors and Python values (`tf.print`); to stderr by default, as in TensorFlow.

    Long axes show `summarize` numbers at each end; -1 shows all. True and False are shown as 1 and 0.

    >>> import sys
    >>> import minitape as tf
    >>> tf.print("x is", tf.constant([1.0, 2.5]), output_stream=sys.stdout)
    x is [1 2.5]
    """
    if unknown:
        raise ValueError(
            say(
                f"tf.print does not know {', '.join(unknown)}",
                "tf.print(x, output_stream=sys.stdout, summarize=3, sep=' ', end='\\n')",
                f"Unrecognized keyword arguments for tf.print: {unknown}",
            )
        )
    text = sep.join(_text(value, summarize, len(inputs) == 1) for value in inputs)
    (output_stream or sys.stderr).write(text + end)


def _text(value: Any, summarize: int, alone: bool) -> str:
    """A string as it is; anything else as Python shows it, with the tensors inside as TensorFlow shows them."""
    if isinstance(value, str):
        return value
    if alone and isinstance(value, Operand) and value.dtype is string and not value.ndim:
        return _string(np.asarray(value._read())[()])  # only here a string tensor has no quotes
    texts: list[str] = []

    def marked(leaf: Any) -> Any:
        if not isinstance(leaf, Operand):
            return leaf
        texts.append(_array(leaf._read(), summarize))
        return _Mark(len(texts) - 1)

    from pprint import pformat  # here, since few programs print structures

    return re.sub("\0([0-9]+)\0", lambda mark: texts[int(mark[1])], pformat(map_structure(marked, value)))


class _Mark:
    """Stands for a tensor while Python lays the structure out."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"\0{self.number}\0"


def _array(array: Any, summarize: int, indent: int = 1) -> str:
    if not np.ndim(array):
        return _number(np.asarray(array)[()])
    parts: list[str] = [_array(part, summarize, indent + 1) for part in _ends(array, summarize)]
    if 0 <= 2 * summarize < len(array):
        parts.insert(summarize, "...")
    return "[" + (" " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * indent).join(parts) + "]"


def _ends(array: np.ndarray, summarize: int) -> Any:
    if summarize < 0 or len(array) <= 2 * summarize:
        return array
    return [*array[:summarize], *array[len(array) - summarize :]]


#: How a string inside a tensor is written.
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def _number(number: Any) -> str:
    if isinstance(number, bool | np.bool_):
        return str(int(number))
    if isinstance(number, str | bytes):
        return '"' + _string(number).translate(_ESCAPES) + '"'
    if isinstance(number, float | np.floating):
        kind, few, many = (np.float64, 15, 17) if np.dtype(type(number)).itemsize == 8 else (np.float32, 6, 9)
        short = f"{float(number):.{few}g}"  # where few digits give the number back, they are enough
        return short if kind(short) == kind(number) or number != number else f"{float(number):.{many}g}"
    return str(number)


def _string(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)

"""`tf.print`: tensors as TensorFlow prints them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .errors import say
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
    (output_stream or sys.stderr).write(sep.join(_text(value, summarize, False) for value in inputs) + end)


def _text(value: Any, summarize: int, inside: bool) -> str:
    if isinstance(value, Operand):
        return _array(value._read(), summarize)
    if isinstance(value, np.ndarray):
        return _array(value, summarize)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_text(part, summarize, True)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        parts = ", ".join(_text(part, summarize, True) for part in value)
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' * (len(value) == 1)})"
    return repr(value) if inside else str(value)


def _array(array: np.ndarray, summarize: int, indent: int = 1) -> str:
    if not array.ndim:
        return _number(array[()])
    parts: list[str] = [_array(part, summarize, indent + 1) for part in _ends(array, summarize)]
    if 0 <= 2 * summarize < len(array):
        parts.insert(summarize, "...")
    return "[" + (" " if array.ndim == 1 else "\n" + " " * indent).join(parts) + "]"


def _ends(array: np.ndarray, summarize: int) -> Any:
    if summarize < 0 or len(array) <= 2 * summarize:
        return array
    return [*array[:summarize], *array[len(array) - summarize :]]


def _number(number: Any) -> str:
    if isinstance(number, bool | np.bool_):
        return str(int(number))
    if isinstance(number, str | bytes):
        return '"' + (number.decode() if isinstance(number, bytes) else number) + '"'
    if isinstance(number, float | np.floating):
        digits = {2: 5, 4: 9, 8: 17}[np.dtype(type(number)).itemsize]
        return f"{float(number):.{digits}g}"
    return str(number)

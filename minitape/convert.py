"""Python's numbers and lists as arrays with TensorFlow's dtypes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from .dtypes import OF_NUMPY, DType, complex128, float32, int32, int64, string
from .errors import say
from .nest import flatten
from .silence import silently

#: The dtype of Python's own numbers, by NumPy's letter for their kind.
OF_PYTHON = {"f": float32, "i": int32, "c": complex128}
to_bytes = np.frompyfunc(lambda text: text.encode() if isinstance(text, str) else text, 1, 1)


def to_array(value: Any, dtype: DType | None = None) -> np.ndarray:
    """Python's numbers, lists and NumPy's arrays as a new array with TensorFlow's dtypes.

    A Python float becomes float32, an int int32 (int64 where it must), text bytes; NumPy's arrays keep their dtype.
    """
    if value is None or isinstance(value, dict | set):
        _unsupported(value)
    is_array = isinstance(value, np.ndarray | np.generic)
    array = np.array(value) if is_array else _from_python(value, dtype)
    if array.dtype.kind in "US":
        array = np.array(to_bytes(array.astype(object)), dtype=object)
    if array.dtype not in OF_NUMPY or (array.dtype.kind == "O" and not all(type(part) is bytes for part in array.flat)):
        _unsupported(value)
    if dtype is None or array.dtype == dtype.numpy_dtype:
        return array
    if not _fits(array.dtype.kind, dtype, is_array):
        raise TypeError(
            say(
                f"{value!r} does not fit into {dtype.name}",
                f"tf.cast(tf.constant({value!r}), tf.{dtype.name})",
                f"Cannot convert {value!r} to EagerTensor of dtype {dtype.word}",
            )
        )
    return cast(array.real if array.dtype.kind == "c" and not dtype.is_complex else array, dtype.numpy_dtype)


def adapt(x: Any, dtype: np.dtype[Any]) -> Any:
    """A number or array beside a tensor, in that tensor's dtype; TypeError where it would lose its kind."""
    if type(x) in (float, int) and dtype.kind in "fc":
        try:
            return cast(np.array(x), dtype)
        except OverflowError:
            raise too_large([x]) from None
    given = isinstance(x, np.ndarray | np.generic)
    array: Any = x if given else None
    if not given:
        with suppress(ValueError):
            array = to_array(x)
    if array is None:
        return to_array(x, OF_NUMPY[dtype])  # too large by itself, but perhaps not for that dtype
    kinds = "biufc"
    loses = array.dtype.kind not in kinds or kinds.index(array.dtype.kind) > max(kinds.index(dtype.kind), 2)
    if dtype.kind in kinds and loses and not isinstance(x, np.ndarray):
        raise TypeError(
            say(
                f"{x!r} is {OF_NUMPY[array.dtype].name}, and the tensor beside it is {dtype.name}",
                f"tf.cast(t, tf.{OF_NUMPY[array.dtype].name})" if array.dtype.kind in kinds else "a number",
                f"Cannot convert {x!r} to EagerTensor of dtype {dtype.name}",
            )
        )
    if not given and array.dtype.kind == "f" and dtype.kind in "fc":
        return cast(np.array(x), dtype)  # from Python's own digits, not by way of float32
    return array if array.dtype is dtype else cast(array, dtype)


def cast(array: np.ndarray, dtype: Any) -> np.ndarray:
    """The numbers in another dtype: what is too large becomes inf, in silence as in TensorFlow."""
    found: np.ndarray = silently(array.astype, dtype)
    return found


def _unsupported(value: Any) -> NoReturn:
    what = "None is not a number: it" if value is None else f"a value of type {type(value).__name__!r}"
    raise ValueError(
        say(
            f"{what} cannot become a tensor",
            "tf.constant([1.0, 2.0])",
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor.",
        )
    )


def _fits(kind: str, dtype: DType, is_array: bool) -> bool:
    """May such numbers become that dtype? A Python float is no int, a number no bool; arrays are cast as told."""
    if kind == "O" or dtype is string:
        return False
    if is_array:
        return True
    return not (dtype.is_bool or (dtype.is_integer and kind in "fc") or (dtype.is_floating and kind == "c"))


def _from_python(value: Any, dtype: DType | None) -> np.ndarray:
    """A number, text or a list of them, in the dtype of Python's numbers, or of the first of NumPy's floats."""
    leaves = flatten(value)
    try:
        array = np.array(value)
    except ValueError:
        if len({isinstance(part, list | tuple) for part in value}) == 2:
            _refuse_mixed()
        raise ValueError(
            say(
                "the rows of this list differ in length, so it is not a tensor",
                "give every row the same length",
                "Can't convert non-rectangular Python sequence to Tensor.",
            )
        ) from None
    if not leaves:
        return array.astype(np.float32 if dtype is None else dtype.numpy_dtype)
    if any(leaf is None for leaf in leaves):
        _unsupported(None)
    if array.dtype.kind in "Ou" and (isinstance(leaves[0], float) if dtype is None else dtype.numpy_dtype.kind == "f"):
        array = _as_floats(array, leaves)
    if _mixed(array, leaves):
        _refuse_mixed()
    if array.dtype.kind == "u" and np.all(array < 2**63):
        array = array.astype(np.int64)
    unsigned = dtype is not None and dtype.numpy_dtype.kind == "u"
    if (array.dtype.kind == "O" and type(leaves[0]) is int) or (array.dtype.kind == "u" and not unsigned):
        raise too_large(leaves)
    if dtype is not None or array.dtype.kind not in OF_PYTHON:
        return array
    first = leaves[0]
    of_numpy = isinstance(first, np.ndarray | np.generic) and first.dtype.kind == "f" == array.dtype.kind
    narrow = cast(array, first.dtype if of_numpy else OF_PYTHON[array.dtype.kind].numpy_dtype)
    if array.dtype.kind == "i" and np.any(narrow != array):
        return array.astype(int64.numpy_dtype)
    if array.dtype.kind == "f" and (beyond := np.isinf(narrow) & np.isfinite(array)).any():
        wrong = array[beyond][0]
        raise ValueError(
            say(
                f"{wrong} does not fit into {narrow.dtype}",
                f"tf.constant({wrong}, tf.float64)",
                "Can't convert Python sequence with a value out of range for a double-precision float.",
            )
        )
    return narrow


def _as_floats(array: np.ndarray, leaves: list[Any]) -> np.ndarray:
    """Integers of more than 64 bits, where floats are wanted."""
    if array.dtype.kind == "O" and not all(isinstance(leaf, int | float) for leaf in leaves):
        return array
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise too_large(leaves) from None


def too_large(numbers: list[Any]) -> ValueError:
    """The error for an integer that no dtype holds."""
    return ValueError(
        say(
            f"{max(numbers, key=abs)} does not fit into 64 bits",
            "tf.constant(float(...))",
            "Can't convert Python sequence with out-of-range integer to Tensor.",
        )
    )


def _refuse_mixed() -> NoReturn:
    raise ValueError(
        say(
            "this list mixes numbers with something else",
            "tf.constant([1.0, 2.0])",
            "Can't convert Python sequence with mixed types to Tensor.",
        )
    )


def _mixed(array: np.ndarray, leaves: list[Any]) -> bool:
    """Text beside numbers, a complex number after a real one, or a number after True or False."""
    texts = sum(isinstance(leaf, str | bytes) for leaf in leaves)
    if 0 < texts < len(leaves) or (array.dtype.kind == "O" and len(leaves) > 1 and not isinstance(leaves[0], int)):
        return True
    if array.dtype.kind == "c":
        return isinstance(leaves[0], int | float | np.integer | np.floating)
    return isinstance(leaves[0], bool | np.bool_) and not all(isinstance(leaf, bool | np.bool_) for leaf in leaves)

"""Python's numbers and lists as arrays with TensorFlow's dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import OF_NUMPY, DType, complex128, float32, int32, int64, string
from .errors import say
from .nest import flatten

#: The dtype of Python's own numbers, by NumPy's letter for their kind.
OF_PYTHON = {"f": float32, "i": int32, "c": complex128}
to_bytes = np.frompyfunc(lambda text: text.encode() if isinstance(text, str) else text, 1, 1)


def to_array(value: Any, dtype: DType | None = None) -> np.ndarray:
    """Python's numbers, lists and NumPy's arrays as a new array with TensorFlow's dtypes.

    A Python float becomes float32, an int int32 (int64 where it must), text bytes; NumPy's arrays keep their dtype.
    """
    if value is None:
        raise ValueError(
            say(
                "None is not a number: it cannot become a tensor",
                "tf.constant(0.0)",
                "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.",
            )
        )
    is_array = isinstance(value, np.ndarray | np.generic)
    array = np.array(value) if is_array else _from_python(value, narrow=dtype is None)
    if array.dtype.kind in "US":
        array = np.array(to_bytes(array.astype(object)), dtype=object)
    if array.dtype not in OF_NUMPY or (array.dtype.kind == "O" and not all(type(part) is bytes for part in array.flat)):
        raise ValueError(
            say(
                f"a value of type {type(value).__name__!r} cannot become a tensor",
                "tf.constant([1.0, 2.0])",
                f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor.",
            )
        )
    return array if dtype is None else _as(array, dtype, value)


def _from_python(value: Any, narrow: bool) -> np.ndarray:
    """A number, text or a list of them; `narrow` for the dtypes of Python's numbers."""
    leaves = flatten(value)
    try:
        array = np.array(value)
    except ValueError:
        raise ValueError(
            say(
                "the rows of this list differ in length, so it is not a tensor",
                "give every row the same length",
                "Can't convert non-rectangular Python sequence to Tensor.",
            )
        ) from None
    if not leaves:
        return array.astype(np.float32)
    if any(leaf is None for leaf in leaves):
        return to_array(None)
    if array.dtype.kind == "u" or (array.dtype.kind == "O" and all(isinstance(leaf, int) for leaf in leaves)):
        raise ValueError(
            say(
                f"{max(leaves, key=abs)} does not fit into 64 bits",
                "tf.constant(float(...))",
                "Can't convert Python sequence with out-of-range integer to Tensor.",
            )
        )
    texts = sum(isinstance(leaf, str | bytes) for leaf in leaves)
    plain = not any(isinstance(leaf, np.generic | np.ndarray) for leaf in leaves)
    only_real = array.dtype.kind == "c" and not all(isinstance(leaf, complex) for leaf in leaves)
    if 0 < texts < len(leaves) or (array.dtype.kind == "O" and len(leaves) > 1) or (only_real and plain and narrow):
        raise ValueError(
            say(
                "this list mixes numbers with something else",
                "tf.constant([1.0, 2.0])",
                "Can't convert Python sequence with mixed types to Tensor.",
            )
        )
    if not (narrow and plain) or array.dtype.kind not in OF_PYTHON:
        return array
    to = OF_PYTHON[array.dtype.kind].numpy_dtype
    narrowed = array.astype(to)
    return array.astype(int64.numpy_dtype) if array.dtype.kind == "i" and np.any(narrowed != array) else narrowed


def _as(array: np.ndarray, dtype: DType, value: Any) -> np.ndarray:
    """The array in another dtype, where no number loses its kind: a float is not an int, a number not a bool."""
    from_kind, to_kind = array.dtype.kind, dtype.numpy_dtype.kind
    if dtype is string and from_kind == "O":
        return array
    if not array.size:
        return array.astype(dtype.numpy_dtype)  # nothing is lost where there is nothing
    order = "biufc"
    if (
        from_kind not in order
        or to_kind not in order
        or (from_kind == "b") != (to_kind == "b")
        or (to_kind in "iu" and from_kind in "fc")
        or (to_kind == "f" and from_kind == "c")
    ):
        raise TypeError(
            say(
                f"{value!r} does not fit into {dtype.name}",
                f"tf.cast(tf.constant({value!r}), tf.{dtype.name})",
                f"Cannot convert {value!r} to EagerTensor of dtype {dtype.word}",
            )
        )
    return array.astype(dtype.numpy_dtype)

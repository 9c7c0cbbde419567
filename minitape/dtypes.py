"""The dtypes, named and printed as TensorFlow does; each stands for one NumPy dtype."""

from __future__ import annotations

from typing import Any

import numpy as np


class DType:
    """The kind of number a tensor holds.

    Equal to its name and to its NumPy twin, as in TensorFlow:

    >>> float32 == "float32", float32 == np.float32, float32.is_floating, float32.size
    (True, True, True, 4)
    >>> float32
    tf.float32
    >>> print(float32)
    <dtype: 'float32'>
    """

    __slots__ = ("as_numpy_dtype", "name", "numpy_dtype", "word")

    def __init__(self, name: str, numpy_type: type, word: str | None = None) -> None:
        self.name = name
        self.as_numpy_dtype = numpy_type
        self.numpy_dtype = np.dtype(numpy_type)
        self.word = word or name  # TensorFlow's word for it in error messages

    @property
    def is_floating(self) -> bool:
        """True for the float dtypes."""
        return self.numpy_dtype.kind == "f"

    @property
    def is_integer(self) -> bool:
        """True for signed and unsigned integers (not for bool)."""
        return self.numpy_dtype.kind in "iu"

    @property
    def is_complex(self) -> bool:
        """True for the complex dtypes."""
        return self.numpy_dtype.kind == "c"

    @property
    def is_bool(self) -> bool:
        """True for bool."""
        return self.numpy_dtype.kind == "b"

    @property
    def size(self) -> int:
        """Bytes of one number."""
        return self.numpy_dtype.itemsize

    @property
    def is_unsigned(self) -> bool:
        """True for integers that are never negative."""
        return self.numpy_dtype.kind == "u"

    @property
    def max(self) -> Any:
        """The highest number of this dtype."""
        return np.finfo(self.numpy_dtype).max if self.is_floating else int(np.iinfo(self.name).max)

    @property
    def min(self) -> Any:
        """The lowest number of this dtype."""
        return np.finfo(self.numpy_dtype).min if self.is_floating else int(np.iinfo(self.name).min)

    @property
    def real_dtype(self) -> DType:
        """The dtype of a complex number's parts; of a real dtype itself."""
        return OF_NUMPY[np.empty(0, self.numpy_dtype).real.dtype]

    @property
    def base_dtype(self) -> DType:
        """The dtype itself."""
        return self

    def __eq__(self, other: object) -> bool:
        try:
            return self is as_dtype(other)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"


float16 = half = DType("float16", np.float16, "half")
float32 = DType("float32", np.float32, "float")
float64 = double = DType("float64", np.float64, "double")
int8 = DType("int8", np.int8)
int16 = DType("int16", np.int16)
int32 = DType("int32", np.int32)
int64 = DType("int64", np.int64)
uint8 = DType("uint8", np.uint8)
uint16 = DType("uint16", np.uint16)
uint32 = DType("uint32", np.uint32)
uint64 = DType("uint64", np.uint64)
bool_ = DType("bool", np.bool_)
complex64 = DType("complex64", np.complex64)
complex128 = DType("complex128", np.complex128)
string = DType("string", np.object_)

ALL = (
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    bool_,
    complex64,
    complex128,
)
OF_NUMPY = {dtype.numpy_dtype: dtype for dtype in (*ALL, string)}
OF_NAME = {dtype.name: dtype for dtype in (*ALL, string)} | {"half": float16, "float": float32, "double": float64}


def as_dtype(dtype: Any) -> DType:
    """The DType for a DType, a name, a NumPy dtype or a Python type (`tf.as_dtype`); TypeError where there is none.

    >>> import minitape as tf
    >>> tf.as_dtype("float64"), tf.as_dtype("int32"), tf.as_dtype(float)
    (tf.float64, tf.int32, tf.float32)
    """
    if isinstance(dtype, DType):
        return dtype
    if dtype is float:
        return float32
    if dtype is int:
        return int32
    if isinstance(dtype, str) and dtype in OF_NAME:
        return OF_NAME[dtype]
    try:
        return OF_NUMPY[np.dtype(dtype)]
    except (TypeError, KeyError):
        raise TypeError(
            f"Cannot convert the argument `type_value`: {dtype!r} to a TensorFlow DType.\n"
            f"fix: name one of {list(OF_NAME)}"
        ) from None

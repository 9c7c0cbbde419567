"""Tensors: an immutable array, a number that no other tensor ever has, and where it was made."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import attributes, place
from .convert import to_array as to_array
from .dtypes import OF_NUMPY, DType, as_dtype
from .errors import say
from .marks import leave, serial
from .nest import flatten
from .shape import TensorShape as TensorShape
from .spec import Spec, spec_for

#: What a tensor may hold: an array, or for rank 0 a scalar of NumPy's.
ARRAYS = np.ndarray, np.generic
#: The origin of what no op of the learner's made.
NOWHERE: tuple[str, CodeType | None, int] = ("", None, 0)

if TYPE_CHECKING:

    def _operator(self: Any, other: Any) -> Tensor: ...


class Operand:
    """What an op takes: a Tensor or a Variable. The operators are set in `ops/operators.py`, from the tables."""

    __slots__ = ("__weakref__", "array", "at", "code", "id", "op", "spec")
    __array_priority__ = 100  # so that `ndarray + tensor` is ours, and not NumPy's array of objects

    array: Any  # a NumPy array, or for rank 0 a NumPy scalar
    spec: Spec  # its shape and dtype
    id: int
    # What made it, and where: an op's name, and the learner's code object and instruction offset (see `origin`).
    op: str
    code: CodeType | None
    at: int

    @property
    def origin(self) -> place.Origin | None:
        """What made it, and where."""
        return place.Origin(self.op, self.code, self.at) if self.code is not None else None

    @origin.setter
    def origin(self, origin: place.Origin | None) -> None:
        self.op, self.code, self.at = origin or NOWHERE

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.spec.shape

    @property
    def shape(self) -> TensorShape:
        """The length of each axis."""
        return TensorShape(self._shape)

    @property
    def dtype(self) -> DType:
        """The kind of number held."""
        return OF_NUMPY[self.array.dtype]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.spec.shape)

    @property
    def device(self) -> str:
        """Where the numbers live: always this machine's CPU."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self.shape

    def numpy(self) -> Any:
        """The numbers as an array of NumPy's (a copy, yours to change), or as a NumPy scalar for rank 0."""
        leave("numpy", self.id)
        return self._read().copy() if self._shape else self._read()[()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        leave("numpy", self.id)
        return np.array(self._read(), dtype=dtype)

    def ref(self) -> Reference:
        """A hashable stand-in for this object: use it as a dictionary key, and `deref()` to come back."""
        return Reference(self)

    def _read(self) -> Any:
        return self.array

    if TYPE_CHECKING:  # set in ops/operators.py
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _operator
        __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _operator
        __and__ = __rand__ = __or__ = __ror__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = _operator

        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __iter__(self) -> Iterator[Tensor]: ...

    def __bool__(self) -> bool:
        if self.array.size > 1:
            raise ValueError(
                say(
                    f"a tensor of shape {self._shape} is neither True nor False: it holds {self.array.size} answers",
                    "tf.reduce_any(t) or tf.reduce_all(t)",
                    "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
                )
            )
        leave("bool", self.id)
        return bool(self._read().any())

    def __int__(self) -> int:
        return int(self._number("int"))

    def __float__(self) -> float:
        return float(self._number("float"))

    def __complex__(self) -> complex:
        return complex(self._number("complex"))

    def __index__(self) -> int:
        if self.array.dtype.kind not in "iu":
            raise TypeError(
                say(
                    f"an index is a whole number, and this tensor is {self.dtype.name}",
                    "tf.cast(t, tf.int32)",
                    "only integer scalar arrays can be converted to a scalar index",
                )
            )
        return int(self._number("int"))

    def _number(self, kind: str) -> Any:
        """The one number of a scalar tensor, on its way to Python."""
        if self._shape:
            raise TypeError(
                say(
                    f"{kind}(t) takes a scalar tensor, and this one has shape {self._shape}",
                    f"{kind}(t[{', '.join('0' * self.ndim)}])",
                    "only 0-dimensional arrays can be converted to Python scalars",
                )
            )
        leave(kind, self.id)
        return self._read()[()]


class Reference:
    """A hashable stand-in for a tensor or variable, which are not hashable since `==` is elementwise."""

    __slots__ = ("_thing",)

    def __init__(self, thing: Operand) -> None:
        self._thing = thing

    def deref(self) -> Any:
        """The tensor or variable itself."""
        return self._thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._thing is other._thing

    def __hash__(self) -> int:
        return hash(self._thing.id)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._thing!r}>"


class Tensor(Operand):
    """An immutable array that a tape can follow (`tf.Tensor`). Made by `constant` and by every op.

    >>> import minitape as tf
    >>> x = tf.constant([1.0, 2.5])
    >>> x
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1. , 2.5], dtype=float32)>
    >>> print(x * 2)
    tf.Tensor([2. 5.], shape=(2,), dtype=float32)
    """

    __slots__ = ()  # and no __init__, but `wrap`: so that `Tensor()` is the quickest way there is to make an object

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError(say("a scalar tensor has no length", "t.shape", "Scalar tensor has no `len()`"))
        return self._shape[0]

    def __hash__(self) -> int:
        raise TypeError(
            say(
                "a tensor cannot be a dictionary key: == compares its numbers",
                "d[t.ref()] = ...",
                "Tensor is unhashable. Instead, use tensor.ref() as the key.",
            )
        )

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            say(
                "a tensor never changes, so its items cannot be set",
                "v = tf.Variable(t); v.assign(...)",
                "'tensorflow.python.framework.ops.EagerTensor' object does not support item assignment",
            )
        )

    def __str__(self) -> str:
        text = str(self.array)
        return f"tf.Tensor({_own_line(text)}, shape={self._shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self._shape}, dtype={self.dtype.name}, numpy={_own_line(numbers(self.array))}>"

    def __format__(self, spec: str) -> str:
        return format(self.array[()] if not self._shape else self.array, spec)

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: Any) -> Tensor:
        return wrap(self.array.copy(), self.origin)

    def __reduce__(self) -> tuple[Any, ...]:
        return wrap, (np.array(self.array),)


# Each of these says what to write instead. (A `__getattr__` would make every attribute of every tensor slower.)
for _name in attributes.INSTEAD.keys() - set(Operand.__slots__):
    setattr(Tensor, _name, attributes.Absent(_name))
Tensor.__name__ = "EagerTensor"  # what TensorFlow calls a tensor that holds its numbers


def wrap(array: Any, origin: place.Origin | None = None, id: int | None = None) -> Tensor:
    """A tensor around an array."""
    tensor = Tensor()
    if type(array) is not np.ndarray and not isinstance(array, np.generic):
        array = np.asarray(array)
    tensor.array = array
    tensor.spec = spec_for(array.shape, array.dtype)
    tensor.op, tensor.code, tensor.at = origin or NOWHERE
    tensor.id = next(serial) if id is None else id
    return tensor


def _own_line(text: str) -> str:
    return "\n" + text if "\n" in text else text


def numbers(array: np.ndarray) -> str:
    """The numbers as TensorFlow's `repr` shows them: an array's repr, a scalar's plain digits."""
    return repr(array) if array.ndim else repr(array.tolist())


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """Make a tensor from a number, a list or an array (`tf.constant`).

    dtype: float32 for Python floats, int32 for Python ints, an array's own; shape: fills it from one number.
    Raises ValueError for a ragged or mixed list, TypeError where the value does not fit the dtype.

    >>> import minitape as tf
    >>> print(tf.constant([1, 2], dtype=tf.float64))
    tf.Tensor([1. 2.], shape=(2,), dtype=float64)
    >>> print(tf.constant(7.0, shape=[2]))
    tf.Tensor([7. 7.], shape=(2,), dtype=float32)
    """
    from . import record

    if isinstance(value, Operand):
        tensor: Tensor = value if isinstance(value, Tensor) else value.value()  # type: ignore[attr-defined]
        if dtype is not None and as_dtype(dtype) is not value.dtype:
            raise TypeError(
                say(
                    f"the tensor is {value.dtype.name}, and {as_dtype(dtype).name} was asked for",
                    f"tf.cast(t, tf.{as_dtype(dtype).name})",
                    f"Expected tensor {value.numpy()} with dtype {as_dtype(dtype)!r}, but got dtype {value.dtype!r}.",
                )
            )
        return tensor
    if any(isinstance(leaf, Operand) for leaf in flatten(value)):
        raise ValueError(
            say(
                "tf.constant takes numbers, and this list holds tensors",
                "tf.stack([a, b])",
                "Attempt to convert a value with an unsupported type (<class 'EagerTensor'>) to a Tensor.",
            )
        )
    array = to_array(value, None if dtype is None else as_dtype(dtype))
    if shape is not None:
        array = _shaped(array, tuple(shape))
    made = wrap(array, place.here("constant"))
    record.made(made, "constant")
    return made


def _shaped(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    wanted = int(np.prod(shape, dtype=np.int64))
    if array.size == wanted:
        return array.reshape(shape)
    if array.size == 1:
        return np.full(shape, array.reshape(()))
    raise TypeError(
        say(
            f"{array.size} numbers do not fill the shape {shape}, which holds {wanted}",
            f"tf.constant(..., shape={array.shape})",
            f"Eager execution of tf.constant with unsupported shape. Tensor has {array.size} elements, "
            f"but got `shape` {shape} with {wanted} elements).",
        )
    )

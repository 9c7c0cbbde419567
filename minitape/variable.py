"""Variables: the one thing that changes. `assign` puts a new array in place of the old and never writes into one that
anything else holds, so what a tape has saved stays true."""

from __future__ import annotations

from operator import attrgetter
from sys import getrefcount
from typing import Any

import numpy as np

from . import place, record
from .convert import adapt, to_array
from .dtypes import as_dtype
from .errors import InvalidArgumentError, say
from .listeners import here
from .marks import leave, mark, marks, serial
from .names import scoped
from .operands import operand
from .primitive import linear
from .silence import LOUD, silently
from .slices import IndexedSlices
from .spec import spec_for
from .tensor import Operand, Tensor, numbers

_one = Tensor()
_one.array = np.empty(1)
#: What Python counts where one slot alone holds an array.
ALONE = getrefcount(_one.array)


class Variable(Operand):
    """A tensor that can be assigned anew, and that a tape watches by itself (`tf.Variable`).

    initial_value: a number, list, array, tensor, or a function that makes one. trainable=False: not watched by itself.

    >>> import minitape as tf
    >>> v = tf.Variable([1.0, 2.0], name="w")
    >>> v.assign_add([1.0, 1.0]).numpy()
    array([2., 3.], dtype=float32)
    >>> v
    <tf.Variable 'w:0' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>
    """

    __slots__ = ("name", "trainable")

    def __init__(
        self, initial_value: Any = None, trainable: bool = True, dtype: Any = None, name: str | None = None
    ) -> None:
        if initial_value is None:
            raise ValueError(
                say(
                    "a Variable needs a value to start from",
                    "tf.Variable(0.0)",
                    "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a "
                    "`variable_def`. You provided neither.",
                )
            )
        given = initial_value() if callable(initial_value) else initial_value
        self.array = _first(given, dtype)
        self.spec = spec_for(self.array.shape, self.array.dtype)
        self.id = next(serial)
        if isinstance(given, Operand):
            leave("copy", given.id, self.id)
        self.name = f"{scoped(name or 'Variable')}:0"
        self.trainable = trainable
        self.origin = place.here("Variable")
        record.made(self, "Variable")

    def _read(self) -> Any:
        """Reading is what makes a tape watch a trainable variable."""
        if record.live and self.trainable:
            now = here.now
            tape = now.tape
            while tape is not None:
                if tape.paused is None and tape.watch_accessed_variables and self.id not in tape.variables:
                    tape.variables[self.id] = self
                    tape.follow(self)
                tape = tape.outer
            for reads in now.reads:
                reads.setdefault(self.id, self)
        return self.array

    def value(self) -> Tensor:
        """The value now, as a tensor that stays as it is (`read_value` is the same)."""
        return read_(self)

    read_value = value

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Put a new value of the same shape and dtype in; ValueError where they differ."""
        self._read()
        array = self._fitting(value)
        if array.shape != self._shape:
            raise ValueError(
                say(
                    f"the variable has shape {self._shape}, and the value assigned to it {array.shape}",
                    "v = tf.Variable(value)",
                    f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape {self._shape}, "
                    f"and the assigned value shape {array.shape} are incompatible.",
                )
            )
        self.array = array
        return unread(self)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Add to the value; the shape must be the same (no broadcasting, as in TensorFlow)."""
        return self._step(np.add, delta)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Subtract from the value; the shape must be the same (no broadcasting, as in TensorFlow)."""
        return self._step(np.subtract, delta)

    def _step(self, ufunc: Any, delta: Any) -> Variable:
        live = record.live
        if live:
            self._read()
        if type(delta) is Tensor and delta.spec is self.spec:
            marks.append(mark("assign", delta.id, self.id))
            array = delta.array
        else:
            array = self._fitting(delta)
            if array.shape != self._shape:
                dims = "[" + ",".join(map(str, array.shape)) + "]"
                kernel = "AssignAddVariableOp" if ufunc is np.add else "AssignSubVariableOp"
                raise InvalidArgumentError(
                    say(
                        f"the variable has shape {self._shape}, and the change {array.shape}: they must be the same",
                        "v.assign(v + delta)",
                        f"Cannot update variable with shape {str(list(self._shape)).replace(' ', '')} using a Tensor "
                        f"with shape {dims}, shapes must be equal. [Op:{kernel}] name: ",
                    )
                )
        # In place where nothing but this slot holds the array and nobody listens: half of an update's time.
        in_place = not live and getrefcount(self.array) == ALONE and self.array.base is None
        try:
            if in_place:
                ufunc(self.array, array, out=self.array)
            else:
                self.array = np.asarray(ufunc(self.array, array))
        except LOUD:
            if not in_place:  # there it was done before NumPy told of it
                self.array = np.asarray(silently(ufunc, self.array, array))
        return unread(self)

    def scatter_add(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Variable:
        """Add an IndexedSlices' rows to the rows that it names; a row named twice is added to twice."""
        return self._scatter(np.add, sparse_delta.indices, sparse_delta.values)

    def scatter_sub(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Variable:
        """Subtract an IndexedSlices' rows from the rows that it names: a step of gradient descent on a few rows."""
        return self._scatter(np.subtract, sparse_delta.indices, sparse_delta.values)

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Put an IndexedSlices' rows in the place of the rows that it names."""
        return self._scatter(None, sparse_delta.indices, sparse_delta.values)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Add updates in the places that index tuples name, one tuple in the last axis of `indices`."""
        return self._scatter(np.add, _tuples(indices), updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Subtract updates in the places that index tuples name."""
        return self._scatter(np.subtract, _tuples(indices), updates)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Put updates in the places that index tuples name."""
        return self._scatter(None, _tuples(indices), updates)

    def _scatter(self, ufunc: Any, places: Any, change: Any) -> Variable:
        array, key = np.array(self._read()), places._read() if isinstance(places, Operand) else places
        try:
            if ufunc is None:
                array[key] = self._fitting(change)
            else:
                silently(ufunc.at, array, key, self._fitting(change))
        except (IndexError, ValueError) as error:
            raise InvalidArgumentError(
                say(
                    f"the updates do not fit the variable of shape {self._shape}: {error}",
                    "v.scatter_nd_add([[0]], [1.0])",
                )
            ) from None
        self.array = array
        return unread(self)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Entries by index tuples (`tf.gather_nd`)."""
        from .ops.index import gather_nd

        found: Tensor = gather_nd(self, indices)
        return found

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Rows by number (`tf.gather`)."""
        from .ops.index import gather

        return gather(self, indices)

    def __getitem__(self, key: Any) -> Tensor:
        from .ops.slicing import get_item, plain_key

        return Part(get_item(self, key), self, plain_key(self, key))

    def _put(self, key: Any, value: Any, ufunc: Any) -> Variable:
        """Change a part: a new array takes the place of the old, as in `assign`."""
        array, change = np.array(self._read()), np.asarray(self._fitting(value))
        part = array[key].shape
        if (
            any(size not in (1, whole) for size, whole in zip(change.shape[::-1], part[::-1], strict=False))
            or len(part) < change.ndim
        ):
            raise InvalidArgumentError(
                say(
                    f"this part of the variable has shape {part}, and the value assigned to it {change.shape}",
                    "v[1:].assign(...) with as many numbers",
                    f"Cannot broadcast input shape {list(change.shape)} into final shape {list(part)} "
                    "[Op:ResourceStridedSliceAssign] name: strided_slice/_assign",
                )
            )
        array[key] = change if ufunc is None else silently(ufunc, array[key], change)
        self.array = array
        return unread(self)

    def _fitting(self, value: Any) -> Any:
        leave("assign", *([value.id] if isinstance(value, Operand) else []), self.id)
        if isinstance(value, list | tuple | IndexedSlices):
            value = operand(value, self)
        if isinstance(value, Operand):
            array = value._read()
            if array.dtype != self.array.dtype:
                raise ValueError(
                    say(
                        f"the variable is {self.dtype.name}, and the value {value.dtype.name}",
                        f"v.assign(tf.cast(value, tf.{self.dtype.name}))",
                        f"Tensor conversion requested dtype {self.dtype.name} for Tensor with dtype "
                        f"{value.dtype.name}: {value!r}",
                    )
                )
            return array
        return np.array(adapt(value, self.array.dtype))

    def __hash__(self) -> int:
        raise TypeError(
            say(
                "a variable cannot be a dictionary key: == compares its numbers",
                "d[v.ref()] = ...",
                f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})",
            )
        )

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            say(
                "a variable's items are not set one by one",
                "v.assign(...)",
                "'ResourceVariable' object does not support item assignment",
            )
        )

    def __repr__(self) -> str:
        text = numbers(self._read())
        text = "\n" + text if "\n" in text else text
        return f"<tf.Variable '{self.name}' shape={self._shape} dtype={self.dtype.name}, numpy={text}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        if spec:
            raise TypeError(
                say(
                    f"a variable has no format of its own, and {spec!r} is one for a number",
                    f'f"{{v.numpy():{spec}}}"',
                    "unsupported format string passed to ResourceVariable.__format__",
                )
            )
        return repr(self)

    def __deepcopy__(self, memo: Any) -> Variable:
        return Variable(self.array, self.trainable, name=self.name.removesuffix(":0"))


Variable.__name__ = "ResourceVariable"  # what TensorFlow calls it


class Assigned(Variable):
    """What `assign` gives back: the variable itself under another object; reading it reads the variable."""

    __slots__ = ("_of",)

    _of: Variable
    name = "UnreadVariable"
    __init__ = object.__init__  # made by `unread`

    def _read(self) -> Any:
        return self._of._read()

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """The variable's own `assign`."""
        return self._of.assign(value)

    def _step(self, ufunc: Any, delta: Any) -> Variable:
        return self._of._step(ufunc, delta)

    def _scatter(self, ufunc: Any, places: Any, change: Any) -> Variable:
        return self._of._scatter(ufunc, places, change)

    def _put(self, key: Any, value: Any, ufunc: Any) -> Variable:
        return self._of._put(key, value, ufunc)


def unread(variable: Variable) -> Assigned:
    """What `assign` gives back."""
    assigned: Assigned = Assigned()
    assigned._of = variable
    return assigned


for _name in ("array", "at", "code", "id", "op", "spec", "trainable"):
    setattr(Assigned, _name, property(attrgetter(f"_of.{_name}")))


class Part(Tensor):
    """A part of a variable, read: a tensor like any other, that can also be assigned (`v[1:].assign(...)`)."""

    __slots__ = ("_key", "_of")

    def __init__(self, part: Tensor, of: Variable, key: Any) -> None:
        self.array, self.spec, self.id, self.origin = part.array, part.spec, part.id, part.origin
        self._of, self._key = of, key

    def assign(self, value: Any, name: str | None = None) -> Variable:
        """Put other numbers in this part of the variable; ValueError or InvalidArgumentError where they do not fit."""
        return self._of._put(self._key, value, None)

    def assign_add(self, value: Any, name: str | None = None) -> Variable:
        """Add to this part of the variable."""
        return self._of._put(self._key, value, np.add)

    def assign_sub(self, value: Any, name: str | None = None) -> Variable:
        """Subtract from this part of the variable."""
        return self._of._put(self._key, value, np.subtract)


Part.__name__ = Tensor.__name__


def _tuples(indices: Any) -> tuple[np.ndarray, ...]:
    """Index tuples, one in the last axis, as a NumPy key."""
    return tuple(np.moveaxis(np.asarray(operand(indices).array), -1, 0))


def _first(value: Any, dtype: Any) -> np.ndarray:
    """The array that a variable starts with."""
    if isinstance(value, Operand | list | tuple):  # a tensor is read, and a list may hold tensors
        from .ops.composed import convert_to_tensor

        return np.asarray(convert_to_tensor(value, dtype).array)
    return to_array(value, None if dtype is None else as_dtype(dtype))


def _no_inplace(sign: str, method: str) -> Any:
    def inplace(self: Variable, value: Any) -> Any:
        raise RuntimeError(
            say(
                f"v {sign}= value would turn the variable into a plain tensor",
                f"v.{method}(value)",
                f"`variable {sign}= value` with `tf.Variable`s is not supported. Use `variable.{method}(value)` to "
                f"modify the variable, or `out = variable {sign} value` if you need to get a new output Tensor.",
            )
        )

    return inplace


Variable.__iadd__ = _no_inplace("+", "assign_add")  # type: ignore[attr-defined]
Variable.__isub__ = _no_inplace("-", "assign_sub")  # type: ignore[attr-defined]
Variable.__imul__ = _no_inplace("*", "assign")  # type: ignore[attr-defined]
Variable.__itruediv__ = _no_inplace("/", "assign")  # type: ignore[attr-defined]

read_ = linear("read_variable", np.asarray, transpose=lambda g: g)

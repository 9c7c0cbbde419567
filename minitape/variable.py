"""Variables: the one thing that changes. `assign` puts a new array in place of the old and never writes into it,
so what a tape has saved stays true."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import place, record
from .dtypes import as_dtype
from .errors import InvalidArgumentError, say
from .marks import leave, next_id
from .primitive import linear
from .record import here
from .tensor import Operand, Tensor, numbers, to_array


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
        value = initial_value() if callable(initial_value) else initial_value
        given = value
        value = value._read() if isinstance(value, Operand) else value
        self.array = to_array(value, None if dtype is None else as_dtype(dtype))
        self._shape = self.array.shape
        self.id = next_id()
        if isinstance(given, Operand):
            leave("copy", given.id, self.id)
        self.name = f"{name or 'Variable'}:0"
        self.trainable = trainable
        self.origin = place.here("Variable")
        record.made(self, "Variable")

    def _read(self) -> Any:
        """Reading is what makes a tape watch a trainable variable."""
        if record.live and self.trainable:
            for tape in here.now.tapes:
                if tape.paused is None and tape.watch_accessed_variables:
                    tape.watch_variable(self)
            for reads in here.now.reads:
                reads.setdefault(self.id, self)
        return self.array

    def value(self) -> Tensor:
        """The value now, as a tensor that stays as it is (`read_value` is the same)."""
        return read_(self)

    read_value = value

    def assign(self, value: Any, read_value: bool = True, name: str | None = None) -> Variable:
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
        return self

    def assign_add(self, delta: Any, read_value: bool = True, name: str | None = None) -> Variable:
        """Add to the value; the shape must be the same (no broadcasting, as in TensorFlow)."""
        return self._step(np.add, delta)

    def assign_sub(self, delta: Any, read_value: bool = True, name: str | None = None) -> Variable:
        """Subtract from the value; the shape must be the same (no broadcasting, as in TensorFlow)."""
        return self._step(np.subtract, delta)

    def _step(self, ufunc: Any, delta: Any) -> Variable:
        self._read()
        array = self._fitting(delta)
        if array.shape != self._shape:
            dims = "[" + ",".join(map(str, array.shape)) + "]"
            raise InvalidArgumentError(
                say(
                    f"the variable has shape {self._shape}, and the change {array.shape}: they must be the same",
                    "v.assign(v + delta)",
                    f"Cannot update variable with shape {str(list(self._shape)).replace(' ', '')} using a Tensor with "
                    f"shape {dims}, shapes must be equal.",
                )
            )
        self.array = np.asarray(ufunc(self.array, array))
        return self

    def _fitting(self, value: Any) -> Any:
        leave("assign", *([value.id] if isinstance(value, Operand) else []), self.id)
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
        return np.array(record.adapt(value, self.array.dtype))

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
        return format(repr(self), spec)

    def __deepcopy__(self, memo: Any) -> Variable:
        return Variable(self.array, self.trainable, name=self.name.removesuffix(":0"))


Variable.__name__ = "ResourceVariable"  # what TensorFlow calls it


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

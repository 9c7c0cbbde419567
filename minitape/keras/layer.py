"""What every layer is: a function that owns variables, and makes them when it first sees an input."""

from __future__ import annotations

import inspect
import operator
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from typing import Any

import numpy as np

from ..dtypes import as_dtype
from ..errors import say
from ..module import Module, each
from ..names import calling
from ..nest import flatten, map_structure
from ..ops.composed import convert_to_tensor
from ..ops.linear import cast
from ..tensor import Operand, Tensor, TensorShape
from ..variable import Variable
from . import initializers
from .inputs import Input
from .naming import snake_case


class _Phase(threading.local):
    training: bool | None = None  # what the outermost layer that is being called was told


_phase = _Phase()


class Layer(Module):
    """A function with variables of its own (`tf.keras.Layer`). Write `call`, and `build` where variables are made.

    `build(input_shape)` runs once, before the first call. `call(inputs)` may take `training=`: True while a model
    learns; layers inside are told without being asked. Floats are cast to the layer's dtype.

    >>> import minitape as tf
    >>> class Scale(tf.keras.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight(shape=input_shape[-1:], initializer="ones", name="factor")
    ...     def call(self, x):
    ...         return x * self.factor
    >>> layer = Scale()
    >>> print(layer([[1.0, 2.0]]), [v.name for v in layer.variables])
    tf.Tensor([[1. 2.]], shape=(1, 2), dtype=float32) ['factor']
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        trainable: bool = True,
        dtype: Any = None,
        input_shape: Any = None,
        **unknown: Any,
    ) -> None:
        super().__init__(snake_case(type(self).__name__))
        if unknown:
            raise ValueError(
                say(
                    f"{type(self).__name__} has no argument {next(iter(unknown))!r} here",
                    f"{type(self).__name__}(...)  # without {', '.join(unknown)}",
                    f"Unrecognized keyword arguments passed to {type(self).__name__}: {unknown}",
                )
            )
        self._own: list[Variable] = []  # what training changes
        self._fixed: list[Variable] = []  # what it leaves alone
        self._frozen: set[int] = set()  # the ids of variables that are trainable when the layer is
        self._input = None if input_shape is None else Input(input_shape)  # for the first layer of a Sequential
        self._named = name is not None
        self._name = name or self._name
        self._trainable = trainable
        self.dtype = as_dtype(dtype or "float32")
        self.built = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "build" in vars(cls):
            cls.build = _then_built(cls.build)  # type: ignore[method-assign]

    def build(self, input_shape: Any) -> None:
        """Make the variables; called once, with the first input's shape."""
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Compute the output."""
        raise NotImplementedError(
            say(
                f"the layer {self.name} has no call method",
                "def call(self, inputs): return ...",
                f"Layer {type(self).__name__} does not have a `call` method implemented.",
            )
        )

    def add_weight(
        self,
        shape: Any = (),
        initializer: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        name: str | None = None,
    ) -> Variable:
        """A new variable of this layer; by default random in Glorot's range, and zeros where it holds no floats."""
        sizes = tuple(shape) if isinstance(shape, Iterable) else (shape,)
        kind, name = as_dtype(dtype or self.dtype), name or "variable"
        make = initializers.get(initializer or ("glorot_uniform" if kind.is_floating else "zeros"))
        variable = Variable(make(sizes, kind), trainable=trainable and self.trainable, name=name)
        variable.name = name  # as Keras has it: without ":0"
        (self._own if trainable else self._fixed).append(variable)
        if trainable and not self.trainable:
            self._frozen.add(variable.id)
        return variable

    def __call__(self, inputs: Any, *args: Any, training: bool | None = None, **kwargs: Any) -> Any:
        if "_own" not in vars(self):
            raise RuntimeError(
                say(
                    f"the layer {type(self).__name__} was not set up",
                    "def __init__(self): super().__init__(); ...",
                    f"In layer '{type(self).__name__}', you forgot to call `super().__init__()` as the first statement "
                    "in the `__init__()` method. Go add it!",
                )
            )
        inputs = self._tensors(inputs)
        self._check(inputs)
        if not self.built:
            self.built, made = True, (self._own[:], self._fixed[:])
            try:
                self.build(_shape(inputs))
            except BaseException:
                self.built, (self._own, self._fixed) = False, made
                raise
        before, _phase.training = _phase.training, _phase.training if training is None else training
        try:
            if _phase.training is not None and _takes_training(type(self).call):
                kwargs["training"] = _phase.training
            with calling(self.name):
                return self.call(inputs, *args, **kwargs)
        finally:
            _phase.training = before

    def _tensors(self, inputs: Any) -> Any:
        """The inputs as tensors, floats in the layer's dtype."""
        if inputs is None:
            raise ValueError(
                say(
                    f"the layer {self.name} was given None: the function before it returns nothing",
                    "return x",
                    "Inputs to a layer should be tensors. Got 'None'",
                )
            )
        if not isinstance(inputs, Operand) and any(isinstance(x, Operand | np.ndarray) for x in flatten(inputs)):
            return map_structure(self._tensor, inputs)
        return self._tensor(inputs)

    def _tensor(self, value: Any) -> Tensor:
        if isinstance(value, Input):
            raise TypeError(
                say(
                    f"the layer {self.name} was called on an Input, and models are not made that way here",
                    f"tf.keras.Sequential([tf.keras.Input({value.shape[1:]}), layer])",
                )
            )
        x = convert_to_tensor(value)
        return cast(x, self.dtype) if x.dtype.is_floating and x.dtype != self.dtype else x

    def _check(self, inputs: Any) -> None:
        """Refuse inputs whose shape does not fit: before the variables are made, and in every call."""

    def refuse(self, needs: str, inputs: Any, fix: str, tensorflow: str | None = None) -> ValueError:
        """The error for an input whose shape does not fit, naming the layer, what it needs and what it got."""
        return ValueError(
            say(
                f"the layer {self.name} takes inputs of shape {needs}, and got {tuple(inputs.shape)}",
                fix,
                tensorflow and f"Input 0 of layer '{self.name}' is incompatible with the layer: {tensorflow}",
            )
        )

    @property
    def trainable(self) -> bool:
        """Does training change its variables? Set it to False to freeze the layer."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = value
        for part in each(self, Layer):
            part.trainable = value
        if not value:
            self._frozen |= {variable.id for variable in self.variables if variable.trainable}
        for variable in self.variables:
            variable.trainable = value and (variable.trainable or variable.id in self._frozen)
        if value:
            self._frozen.clear()

    @property
    def variables(self) -> list[Variable]:
        """All variables: its own, first those that training changes, then those of the layers inside."""
        return list(each(self, Variable))

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that training changes."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The variables that training leaves alone."""
        return [variable for variable in self.variables if not variable.trainable]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    def get_weights(self) -> list[np.ndarray]:
        """All variables' numbers, as arrays."""
        return [variable.numpy() for variable in self.variables]

    def set_weights(self, weights: list[Any]) -> None:
        """Assign arrays to all variables, in their order."""
        for variable, value in zip(self.variables, weights, strict=True):
            variable.assign(np.asarray(value, variable.dtype.numpy_dtype))

    def count_params(self) -> int:
        """How many numbers its variables hold."""
        return sum(variable.array.size for variable in self.variables)

    def _parts(self) -> Iterable[Any]:
        return list(vars(self).values())  # in the order in which they were set

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def floats(layer: Layer, x: Tensor) -> Tensor:
    """Whole numbers as floats of the layer's dtype; floats as they are."""
    return x if x.dtype.is_floating else cast(x, layer.dtype)


def positive(layer: Layer, what: str, value: Any) -> int:
    """A whole number above 0 that a layer needs; ValueError for anything else."""
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if number < 1:
        raise ValueError(
            say(
                f"{what} is a whole number above 0, and {layer.name} was given {value!r}",
                f"tf.keras.layers.{type(layer).__name__}({what}=1, ...)",
                f"Received an invalid value for `{what}`, expected a positive integer. Received: {what}={value}",
            )
        )
    return number


def _then_built(build: Callable[..., None]) -> Callable[..., None]:
    """A layer's `build`, which marks the layer as built: also where it is called by hand."""

    @wraps(build)
    def run(self: Layer, *args: Any, **kwargs: Any) -> None:
        build(self, *args, **kwargs)
        self.built = True

    return run


def _shape(inputs: Any) -> Any:
    return inputs.shape if isinstance(inputs, Operand) else map_structure(lambda x: TensorShape(x.shape), inputs)


@lru_cache(maxsize=512)
def _takes_training(call: Callable[..., Any]) -> bool:
    return "training" in inspect.signature(call).parameters

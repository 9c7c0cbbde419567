"""Metrics: numbers that are gathered over many batches (`tf.keras.metrics`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..missing import absent
from ..tensor import Operand, Tensor, wrap
from ..variable import Variable
from . import initializers
from .losses import (
    binary_crossentropy,
    categorical_crossentropy,
    mean_absolute_error,
    mean_squared_error,
    pair,
    sparse_categorical_crossentropy,
)
from .naming import snake_case


class Metric:
    """A number that is gathered: write `update_state` and `result` (`tf.keras.metrics.Metric`)."""

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.name = name or snake_case(type(self).__name__)
        self.variables: list[Variable] = []

    def add_weight(self, shape: Any = (), initializer: Any = "zeros", name: str | None = None) -> Variable:
        """A variable that the metric keeps its count in; `reset_state` sets it to 0."""
        variable = Variable(initializers.get(initializer)(shape, "float32"), trainable=False, name=name)
        self.variables.append(variable)
        return variable

    add_variable = add_weight

    def update_state(self, *args: Any, **kwargs: Any) -> None:
        """Take a batch into account."""
        raise NotImplementedError(
            say(f"the metric {self.name} has no update_state", "def update_state(self, y_true, y_pred): ...")
        )

    def result(self) -> Tensor:
        """The number, over all that was gathered."""
        raise NotImplementedError(say(f"the metric {self.name} has no result", "def result(self): return ..."))

    def reset_state(self) -> None:
        """Begin anew."""
        for variable in self.variables:
            variable.assign(np.zeros(tuple(variable.shape), np.float32))

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        self.update_state(*args, **kwargs)
        return self.result()


def array(values: Any) -> np.ndarray:
    """The numbers alone: what is measured is no part of what is learned."""
    return np.asarray(values.array if isinstance(values, Operand) else values, np.float32)


def by_example(values: Any, sample_weight: Any, over: Callable[..., Any] = np.mean) -> tuple[np.ndarray, np.ndarray]:
    """A weighted number and a weight for each example; what one example holds is averaged, or added up."""
    given = array(values)
    weights = np.ones(given.shape[:1], np.float32)
    if sample_weight is not None:
        given, weights = (x.array for x in pair(given, array(sample_weight)))
    given = over(given, axis=tuple(range(weights.ndim, given.ndim)))
    inner = tuple(range(1, given.ndim))
    try:
        weights = np.broadcast_to(weights, given.shape)
    except ValueError:
        raise unfit("weights", weights, "values", given) from None
    return over(given * weights, axis=inner), over(weights, axis=inner)


class Sum(Metric):
    """The sum of all values."""

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_weight(name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add values up, each times its weight."""
        self.total.assign_add(np.sum(by_example(values, sample_weight, np.sum)[0], dtype=np.float32))

    def result(self) -> Tensor:
        """The sum so far."""
        return self.total.value()


class Averaged(Metric):
    """What is a mean in the end."""

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total, self.count = self.add_weight(name="total"), self.add_weight(name="count")

    def gather(self, values: Any, sample_weight: Any) -> None:
        """Take values into the mean, each with its weight."""
        total, weights = by_example(values, sample_weight)
        self.total.assign_add(np.sum(total, dtype=np.float32))
        self.count.assign_add(np.sum(weights, dtype=np.float32))

    def result(self) -> Tensor:
        """The mean so far; 0 before the first value."""
        return wrap(self.total.array / self.count.array if self.count.array else np.float32(0))


class Mean(Averaged):
    """The mean of all values.

    >>> import minitape as tf
    >>> mean = tf.keras.metrics.Mean()
    >>> mean.update_state([1.0, 3.0])
    >>> print(mean.result())
    tf.Tensor(2.0, shape=(), dtype=float32)
    """

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Take values into the mean, each with its weight."""
        self.gather(values, sample_weight)


class MeanOf(Averaged):
    """The mean of a function of (y_true, y_pred) over all examples."""

    function: Callable[..., Any]

    def __init__(self, name: str | None = None, dtype: Any = None, **options: Any) -> None:
        super().__init__(name=name, dtype=dtype)
        self.options = options

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Take a batch into account."""
        # Arrays go in: what is measured is no part of what is learned, and no tape hears of it.
        self.gather(type(self).function(y_true, array(y_pred), **self.options), sample_weight)


def accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """1 where both are the same."""
    return ones_where(*(x.array for x in pair(y_true, y_pred)))


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Tensor:
    """1 where a probability is on the true side of the threshold."""
    true, pred = (x.array for x in pair(y_true, y_pred))
    return ones_where(true, pred > threshold)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """1 where the likeliest class is the true one, which one-hot labels say."""
    return ones_where(np.argmax(array(y_true), -1), np.argmax(array(y_pred), -1))


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """1 where the likeliest class is the true one, which is given by its number.

    >>> import minitape as tf
    >>> print(tf.keras.metrics.sparse_categorical_accuracy([1, 0], [[0.1, 0.9], [0.3, 0.7]]))
    tf.Tensor([1. 0.], shape=(2,), dtype=float32)
    """
    pred, true = array(y_pred), array(y_true)
    true = true[..., 0] if true.ndim == pred.ndim and true.shape[-1] == 1 else true
    return ones_where(true, np.argmax(pred, -1))


def ones_where(true: np.ndarray, pred: np.ndarray) -> Tensor:
    """1 where two arrays have the same number, 0 elsewhere, as a float tensor."""
    try:
        return wrap(np.equal(true, pred).astype(np.float32))
    except ValueError:
        raise unfit("true values", true, "predictions", pred) from None


def unfit(one: str, left: np.ndarray, other: str, right: np.ndarray) -> InvalidArgumentError:
    """The error for arrays of which one is not as long as the other."""
    return InvalidArgumentError(
        say(
            f"the {one} of shape {left.shape} do not go with the {other} of shape {right.shape}",
            "metric.update_state(y_true, y_pred)  # one of each for every example",
            f"Incompatible shapes: {list(left.shape)} vs. {list(right.shape)}",
        )
    )


class Accuracy(MeanOf):
    """How often predictions equal what is true."""

    function = accuracy


class BinaryAccuracy(MeanOf):
    """How often a probability is on the true side of a threshold."""

    function = binary_accuracy

    def __init__(self, name: str | None = None, dtype: Any = None, threshold: float = 0.5) -> None:
        super().__init__(name, dtype, threshold=threshold)


class CategoricalAccuracy(MeanOf):
    """How often the likeliest class is the true one, for one-hot labels."""

    function = categorical_accuracy


class SparseCategoricalAccuracy(MeanOf):
    """How often the likeliest class is the true one, for classes given by their numbers.

    >>> import minitape as tf
    >>> print(tf.keras.metrics.SparseCategoricalAccuracy()([1, 0], [[0.1, 0.9], [0.3, 0.7]]))
    tf.Tensor(0.5, shape=(), dtype=float32)
    """

    function = sparse_categorical_accuracy


class MeanSquaredError(MeanOf):
    """The mean of (y_true - y_pred)²."""

    function = mean_squared_error


class MeanAbsoluteError(MeanOf):
    """The mean of |y_true - y_pred|."""

    function = mean_absolute_error


class BinaryCrossentropy(MeanOf):
    """The mean of `tf.keras.losses.binary_crossentropy`."""

    function = binary_crossentropy


class CategoricalCrossentropy(MeanOf):
    """The mean of `tf.keras.losses.categorical_crossentropy`."""

    function = categorical_crossentropy


class SparseCategoricalCrossentropy(MeanOf):
    """The mean of `tf.keras.losses.sparse_categorical_crossentropy`."""

    function = sparse_categorical_crossentropy


BY_NAME: dict[str, type[MeanOf]] = {
    "mse": MeanSquaredError,
    "mean_squared_error": MeanSquaredError,
    "mae": MeanAbsoluteError,
    "mean_absolute_error": MeanAbsoluteError,
    "binary_accuracy": BinaryAccuracy,
    "categorical_accuracy": CategoricalAccuracy,
    "sparse_categorical_accuracy": SparseCategoricalAccuracy,
    "binary_crossentropy": BinaryCrossentropy,
    "categorical_crossentropy": CategoricalCrossentropy,
    "sparse_categorical_crossentropy": SparseCategoricalCrossentropy,
}


def get(identifier: Any, y_true: Any = None, y_pred: Any = None) -> Metric:
    """The metric with a name, or a function's mean; "accuracy" is the kind that fits the shapes."""
    if isinstance(identifier, Metric):
        return identifier
    if callable(identifier):
        given = identifier
        mean = type("MeanOf", (MeanOf,), {"function": staticmethod(lambda true, pred: given(true, pred))})
        made: Metric = mean(name=getattr(given, "__name__", "metric").strip("<>"))
        return made
    if identifier in ("accuracy", "acc"):
        return _accuracy(y_true, y_pred)(name=identifier)
    kind = BY_NAME.get(identifier) or BY_NAME.get(snake_case(str(identifier)))
    if kind is None:
        raise ValueError(
            say(
                f"no metric is called {identifier!r}",
                f"one of {', '.join(map(repr, ['accuracy', *BY_NAME]))}",
                f"Could not interpret metric identifier: {identifier}",
            )
        )
    return kind(name=identifier)


def _accuracy(y_true: Any, y_pred: Any) -> type[MeanOf]:
    true, pred = np.shape(array(y_true)), np.shape(array(y_pred))
    if pred[-1:] == (1,):
        return BinaryAccuracy
    return CategoricalAccuracy if true == pred else SparseCategoricalAccuracy


__getattr__ = absent(__name__)

__all__ = [
    "Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "CategoricalAccuracy", "CategoricalCrossentropy", "Mean",
    "MeanAbsoluteError", "MeanSquaredError", "Metric", "SparseCategoricalAccuracy", "SparseCategoricalCrossentropy",
    "Sum", "binary_accuracy", "categorical_accuracy", "get", "sparse_categorical_accuracy",
]  # fmt: skip

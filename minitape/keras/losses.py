"""Losses: how far predictions are from what is true (`tf.keras.losses`).

A function gives one number for each example; an object of a class averages them over the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import say
from ..missing import absent
from ..ops.choose import clip_by_value, where
from ..ops.composed import convert_to_tensor
from ..ops.elementwise import abs, log, multiply, square
from ..ops.join import expand_dims, squeeze
from ..ops.linear import cast, reduce_mean, reduce_sum
from ..ops.nn import sigmoid_cross_entropy_with_logits
from ..ops.softmax import softmax_cross_entropy_with_logits, sparse_softmax_cross_entropy_with_logits
from ..tensor import Tensor
from .naming import snake_case

TINY = 1e-7  # keeps log away from 0


def pair(y_true: Any, y_pred: Any) -> tuple[Tensor, Tensor]:
    """Both as float tensors with as many axes: an axis of length 1 at the end is added or taken away."""
    pred = tensor(y_pred)
    true = tensor(y_true, pred.dtype)
    if pred.ndim == true.ndim + 1 and pred.shape[-1] == 1:
        return (expand_dims(true, -1), pred) if true.ndim == 1 else (true, squeeze(pred, -1))
    if true.ndim == pred.ndim + 1 and true.shape[-1] == 1:
        return (true, expand_dims(pred, -1)) if pred.ndim == 1 else (squeeze(true, -1), pred)
    return true, pred


def tensor(value: Any, dtype: Any = None) -> Tensor:
    """A tensor of a dtype; without one, a float tensor."""
    x = value if type(value) is Tensor else convert_to_tensor(value)
    wanted = dtype or (x.dtype if x.dtype.is_floating else "float32")
    return x if x.dtype == wanted else cast(x, wanted)


def mean_squared_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of (y_true - y_pred)² over the last axis.

    >>> import minitape as tf
    >>> print(tf.keras.losses.mse([[1.0, 2.0]], [[2.0, 4.0]]))
    tf.Tensor([2.5], shape=(1,), dtype=float32)
    """
    true, pred = pair(y_true, y_pred)
    return reduce_mean(square(true - pred), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of |y_true - y_pred| over the last axis."""
    true, pred = pair(y_true, y_pred)
    return reduce_mean(abs(true - pred), -1)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Tensor:
    """Half the squared error up to delta, and from there on a straight line: outliers pull less."""
    true, pred = pair(y_true, y_pred)
    error = abs(pred - true)
    return reduce_mean(where(error <= delta, 0.5 * square(error), delta * error - 0.5 * delta**2), -1)


def binary_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0) -> Tensor:
    """How surprised probabilities of a yes are by what is true (0 or 1), averaged over the last axis.

    from_logits: y_pred is what a sigmoid is still to be taken of.
    """
    true, pred = pair(y_true, y_pred)
    if label_smoothing:
        true = true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    if from_logits:
        return reduce_mean(sigmoid_cross_entropy_with_logits(labels=true, logits=pred), -1)
    share = clip_by_value(pred, TINY, 1.0 - TINY)
    return reduce_mean(-(true * log(share) + (1 - true) * log(1 - share)), -1)


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0
) -> Tensor:
    """How surprised probabilities are by the true ones (one-hot labels).

    from_logits: y_pred is what a softmax is still to be taken of.
    """
    pred = tensor(y_pred)
    true = tensor(y_true, pred.dtype)
    if true.shape != pred.shape:
        raise ValueError(
            say(
                f"one-hot labels have the shape of the predictions: y_true has {tuple(true.shape)}, y_pred "
                f"{tuple(pred.shape)}",
                "tf.keras.losses.SparseCategoricalCrossentropy() takes the classes' numbers",
                "Arguments `target` and `output` must have the same shape. Received: "
                f"target.shape={tuple(true.shape)}, output.shape={tuple(pred.shape)}",
            )
        )
    if label_smoothing:
        true = true * (1.0 - label_smoothing) + label_smoothing / true.shape[-1]
    if from_logits:
        return softmax_cross_entropy_with_logits(labels=true, logits=pred)
    share = clip_by_value(pred / reduce_sum(pred, -1, keepdims=True), TINY, 1.0 - TINY)
    return -reduce_sum(true * log(share), -1)


def sparse_categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False) -> Tensor:
    """How surprised probabilities are by the true class, given by its number.

    from_logits: y_pred is what a softmax is still to be taken of.

    >>> import minitape as tf
    >>> print(tf.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]))
    tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    pred = tensor(y_pred)
    labels = tensor(y_true, "int64")
    if labels.ndim == pred.ndim and labels.shape[-1] == 1:
        labels = squeeze(labels, -1)
    if labels.shape != pred.shape[:-1]:
        raise ValueError(
            say(
                f"one class number for each row of predictions: y_true has shape {tuple(labels.shape)}, y_pred "
                f"{tuple(pred.shape)}",
                "tf.keras.losses.CategoricalCrossentropy() takes one-hot labels",
                "Arguments `target` and `output` must have the same shape up until the last dimension: "
                f"target.shape={tuple(labels.shape)}, output.shape={tuple(pred.shape)}",
            )
        )
    logits = pred if from_logits else log(clip_by_value(pred, TINY, 1.0 - TINY))
    return sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


class Loss:
    """A loss for a batch: write `call(y_true, y_pred)`, one number for each example (`tf.keras.losses.Loss`).

    reduction: "sum_over_batch_size" (the mean), "sum", or None for the numbers themselves.
    """

    truth = "float32"  # what y_true is cast to

    def __init__(self, name: str | None = None, reduction: str | None = "sum_over_batch_size") -> None:
        if reduction not in ("sum_over_batch_size", "mean", "sum", "none", None):
            raise ValueError(
                say(
                    f"{reduction!r} is no reduction",
                    'reduction="sum_over_batch_size", "sum" or None',
                    "Invalid value for argument `reduction`.",
                )
            )
        self.name = name or snake_case(type(self).__name__)
        self.reduction = reduction

    def call(self, y_true: Any, y_pred: Any) -> Tensor:
        """One number for each example."""
        raise NotImplementedError(
            say(f"the loss {self.name} has no call method", "def call(self, y_true, y_pred): return ...")
        )

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Tensor:
        values = self.call(tensor(y_true, self.truth), tensor(y_pred, "float32"))
        if sample_weight is not None:
            values = multiply(*pair(values, tensor(sample_weight, values.dtype)))
        if self.reduction in ("none", None) or not values.ndim:
            return values
        return reduce_sum(values) if self.reduction == "sum" else reduce_mean(values)


class LossFunction(Loss):
    """A function of (y_true, y_pred) as a loss; further arguments go to the function."""

    function: Callable[..., Tensor]

    def __init__(self, reduction: str | None = "sum_over_batch_size", name: str | None = None, **options: Any) -> None:
        super().__init__(name, reduction)
        self.options = options

    def call(self, y_true: Any, y_pred: Any) -> Tensor:
        """One number for each example."""
        return type(self).function(y_true, y_pred, **self.options)


class MeanSquaredError(LossFunction):
    """The mean of (y_true - y_pred)².

    >>> import minitape as tf
    >>> print(tf.keras.losses.MeanSquaredError()([1.0, 2.0], [[1.0], [4.0]]))
    tf.Tensor(2.0, shape=(), dtype=float32)
    """

    function = mean_squared_error


class MeanAbsoluteError(LossFunction):
    """The mean of |y_true - y_pred|."""

    function = mean_absolute_error


class Huber(LossFunction):
    """Squared up to delta, straight from there on."""

    function = huber

    def __init__(
        self, delta: float = 1.0, reduction: str | None = "sum_over_batch_size", name: str = "huber_loss"
    ) -> None:
        super().__init__(reduction, name, delta=delta)


class BinaryCrossentropy(LossFunction):
    """For answers of yes or no; see `binary_crossentropy`."""

    function = binary_crossentropy

    def __init__(self, from_logits: bool = False, label_smoothing: float = 0.0, **kwargs: Any) -> None:
        super().__init__(from_logits=from_logits, label_smoothing=label_smoothing, **kwargs)


class CategoricalCrossentropy(LossFunction):
    """For one-hot labels; see `categorical_crossentropy`."""

    function = categorical_crossentropy

    def __init__(self, from_logits: bool = False, label_smoothing: float = 0.0, **kwargs: Any) -> None:
        super().__init__(from_logits=from_logits, label_smoothing=label_smoothing, **kwargs)


class SparseCategoricalCrossentropy(LossFunction):
    """For classes given by their numbers; see `sparse_categorical_crossentropy`."""

    function = sparse_categorical_crossentropy
    truth = "int64"

    def __init__(self, from_logits: bool = False, **kwargs: Any) -> None:
        super().__init__(from_logits=from_logits, **kwargs)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error

FUNCTIONS: dict[str, Callable[..., Tensor]] = {
    "mse": mse,
    "mean_squared_error": mse,
    "mae": mae,
    "mean_absolute_error": mae,
    "huber": huber,
    "binary_crossentropy": binary_crossentropy,
    "categorical_crossentropy": categorical_crossentropy,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
}


CLASSES: dict[str, type[Loss]] = {
    kind.__name__: kind
    for kind in (
        MeanSquaredError, MeanAbsoluteError, Huber, BinaryCrossentropy, CategoricalCrossentropy,
        SparseCategoricalCrossentropy,
    )
}  # fmt: skip


def get(identifier: Any) -> Callable[[Any, Any], Tensor]:
    """The loss with a name: a function for "mse", an object for "MeanSquaredError"; what can be called is itself."""
    found: Any = identifier
    if isinstance(identifier, str):
        found = CLASSES[identifier]() if identifier in CLASSES else FUNCTIONS.get(identifier.lower())
    if not callable(found):
        raise ValueError(
            say(
                f"no loss is called {identifier!r}",
                f"one of {', '.join(map(repr, FUNCTIONS))}",
                f"Could not interpret loss identifier: {identifier}",
            )
        )
    return found  # type: ignore[no-any-return]


def of_a_batch(identifier: Any) -> Callable[[Any, Any], Tensor]:
    """The same, for `compile`: a function's numbers are averaged over the batch."""
    function = get(identifier)
    if isinstance(function, Loss):
        return function
    return lambda y_true, y_pred: reduce_mean(function(tensor(y_true, "float32"), tensor(y_pred, "float32")))


__getattr__ = absent(__name__)

__all__ = [
    "MAE", "MSE", "BinaryCrossentropy", "CategoricalCrossentropy", "Huber", "Loss", "MeanAbsoluteError",
    "MeanSquaredError", "SparseCategoricalCrossentropy", "binary_crossentropy", "categorical_crossentropy", "get",
    "huber", "mae", "mean_absolute_error", "mean_squared_error", "mse", "sparse_categorical_crossentropy",
]  # fmt: skip

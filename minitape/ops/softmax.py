"""Softmax, and the losses that begin with it.

The loss for labels that are numbers of classes is one op, with a rule of its own: most training programs end in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import as_dtype
from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..primitive import f, primitive, shape_of
from ..record import single
from ..refusal import called
from ..tensor import Operand, Tensor
from .arguments import from_end, plain
from .elementwise import exp, log, stop_gradient
from .linear import reduce_sum
from .reduce import reduce_max

#: Of fewer classes than this each is laid in a row of its own: along the many examples NumPy takes half of the time.
FEW = 100


def surprise(x: np.ndarray, at: np.ndarray, axis: int) -> tuple[Any, np.ndarray]:
    """-log(softmax(x)) at these places, one an example, without overflow. Its slope is the residual, as in TensorFlow.

    axis: where the classes are to lie in a matrix of them and the examples, whose numbers `at` counts: in rows (0) or
    in columns (1). `at` has the labels' shape.
    """
    examples = x.reshape(at.size, x.shape[-1])
    low = (examples if axis else examples.T).copy()
    low -= np.maximum.reduce(low, axis=axis, keepdims=True, initial=-np.inf)
    powers = np.exp(low)
    total = np.add.reduce(powers, axis=axis, keepdims=True)
    loss = np.log(total).reshape(at.shape) - low.ravel()[at]
    powers /= total
    powers.ravel()[at] -= 1
    return loss, (powers if axis else powers.T.copy()).reshape(x.shape)


def surprise_back(g: Any, x: Any, at: np.ndarray, axis: int, residual: np.ndarray) -> Any:
    """softmax(x), less 1 at the right answer, times the gradient of each example."""
    if not isinstance(x, Operand):
        return g[..., None] * residual
    powers = exp(x - f.stop_gradient(f.reduce_max(x, axis=(-1,), keepdims=True)))  # an outer tape must see all of it
    sizes = x._shape[-1], at.size
    right = np.zeros(sizes[::-1] if axis else sizes, x.array.dtype)
    right.ravel()[at] = 1
    right = (right if axis else right.T).reshape(x._shape)
    slope = powers / f.reduce_sum(powers, axis=(-1,), keepdims=True) - right
    return f.reshape(g, shape=(*shape_of(g), 1)) * slope


cross_entropy = primitive(
    "sparse_softmax_cross_entropy_with_logits",
    surprise,
    x=surprise_back,
    call=single,
    residual=True,
    takes="fc",
    kernel="SparseSoftmaxCrossEntropyWithLogits",
    says="g * (softmax(x) - 1 at the label)",
)


def softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis: numbers that are probabilities (`tf.nn.softmax`); without overflow.

    >>> import minitape as tf
    >>> print(tf.nn.softmax([0.0, 0.0]))
    tf.Tensor([0.5 0.5], shape=(2,), dtype=float32)
    """
    x = operand(logits)
    powers = exp(_lowered(x, axis, "softmax"))
    return powers / reduce_sum(powers, axis, keepdims=True)


def log_softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """log(softmax(x)) along an axis, without underflow (`tf.nn.log_softmax`).

    >>> import minitape as tf
    >>> print(tf.nn.log_softmax([1000.0, 0.0]))
    tf.Tensor([    0. -1000.], shape=(2,), dtype=float32)
    """
    low = _lowered(operand(logits), axis, "log_softmax")
    return low - log(reduce_sum(exp(low), axis, keepdims=True))


def _lowered(x: Operand, axis: int, name: str) -> Tensor:
    """Less the largest along an axis, which changes no softmax and keeps exp from overflowing."""
    if not x.ndim:
        raise InvalidArgumentError(
            say(
                f"{name} works along an axis, and a scalar tensor has none",
                "tf.reshape(x, [1])",
                "logits must be at least 1-D",
            )
        )
    outside = (
        "`dim` must be in the range [{low}, {rank}) where {rank} is the number of dimensions in the input. Received: "
    )
    return x - stop_gradient(reduce_max(x, from_end(axis, x.ndim, x, outside + "dim={place}"), keepdims=True))


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """How surprised softmax(logits) is by the labels' probabilities (`tf.nn.softmax_cross_entropy_with_logits`).

    labels, logits: the same shape; the result lacks the axis. Gradients reach both.

    >>> import minitape as tf
    >>> print(tf.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=[[50.0, 0.0]]))
    tf.Tensor([50.], shape=(1,), dtype=float32)
    """
    x = operand(logits, labels if isinstance(labels, Operand) else None)
    y = operand(labels, x)
    if any(a != b and 1 not in (a, b) for a, b in zip(x._shape[::-1], y._shape[::-1], strict=False)):
        sizes = [str(list(part._shape)).replace(" ", "") for part in (x, y)]
        raise InvalidArgumentError(
            say(
                f"{called(x, 'logits')} has shape {x._shape} and {called(y, 'labels')} {y._shape}: they must be the same",
                "tf.one_hot(labels, classes)",
                f"logits and labels must be broadcastable: logits_size={sizes[0]} labels_size={sizes[1]}",
            )
        )
    return -reduce_sum(y * log_softmax(x, axis), axis)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """How surprised softmax(logits) is by each right answer (`tf.nn.sparse_softmax_cross_entropy_with_logits`).

    labels: the right answers' places, whole numbers from 0 up, in the shape of logits without the last axis.
    Raises InvalidArgumentError where the shapes do not go together, or a label is too large.

    >>> import minitape as tf
    >>> print(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[50.0, 0.0]]))
    tf.Tensor([50.], shape=(1,), dtype=float32)
    """
    x, y = logits if type(logits) is Tensor else operand(logits), plain(labels)
    shape = x.spec.shape
    if not shape or y.shape != shape[:-1] or y.dtype.kind not in "iu":
        raise (ValueError if y.dtype.kind in "iu" else InvalidArgumentError)(
            say(
                f"labels are whole numbers in the shape of logits without the last axis: {called(x, 'logits')} has shape "
                f"{shape}, labels are {y.dtype} {y.shape}",
                "tf.nn.softmax_cross_entropy_with_logits(labels=probabilities, logits=logits)",
                f"Value for attr 'Tlabels' of {as_dtype(y.dtype).word} is not in the list of allowed values: int32, int64"
                if y.dtype.kind not in "iu"
                else f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape={y.shape} of rank "
                f"{y.ndim} and logits.shape={shape} of rank {x.ndim}"
                if y.ndim != x.ndim - 1
                else f"`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape="
                f"{y.shape} and logits.shape={shape}",
            )
        )
    count = shape[-1]
    axis = 0 if count < FEW else 1
    try:
        at = np.ravel_multi_index((y, np.arange(y.size).reshape(y.shape)), (count, y.size), order="F" if axis else "C")
    except ValueError:
        wrong = y[(y < 0) | (y >= count)][0]
        raise InvalidArgumentError(
            say(
                f"the label {wrong} is none of the {count} classes, which are 0 to {count - 1}",
                "labels from 0 up",
                f"Received a label value of {wrong} which is outside the valid range of [0, {count}).",
            )
        ) from None
    return cross_entropy(x, at=at, axis=axis)

"""Activations, losses and normalisation: made of other ops, so that they need no rules of their own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import InvalidArgumentError, say
from ..operands import operand
from ..refusal import called
from ..tensor import Operand, Tensor
from . import elementwise as table
from .arguments import axes
from .choose import where
from .elementwise import abs, add, erf, exp, log1p, maximum, rsqrt, sigmoid, square, stop_gradient, tanh
from .linear import cast, reduce_mean, reduce_sum, reshape

# gelu's constants as TensorFlow has them: rounded to float32, for float64, too.
ROOT_HALF, CUBE = float(np.float32(math.sqrt(0.5))), float(np.float32(0.044715))

# --- activations ------------------------------------------------------------------------------------------------------


def relu(features: Any, name: str | None = None) -> Tensor:
    """max(x, 0), number by number (`tf.nn.relu`); its slope at 0 is 0.

    >>> import minitape as tf
    >>> print(tf.nn.relu([-1.0, 2.0]))
    tf.Tensor([0. 2.], shape=(2,), dtype=float32)
    """
    return table.relu(features)


def relu6(features: Any, name: str | None = None) -> Tensor:
    """min(max(x, 0), 6), number by number (`tf.nn.relu6`); its slope at 0 and at 6 is 0.

    >>> import minitape as tf
    >>> print(tf.nn.relu6([-1.0, 2.0, 8.0]))
    tf.Tensor([0. 2. 6.], shape=(3,), dtype=float32)
    """
    return table.relu6(features)


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """x above 0, alpha * x below, number by number (`tf.nn.leaky_relu`); its slope at 0 is alpha.

    >>> import minitape as tf
    >>> print(tf.nn.leaky_relu([-1.0, 2.0]))
    tf.Tensor([-0.2  2. ], shape=(2,), dtype=float32)
    """
    # TensorFlow keeps a plain alpha as float32, for float64, too.
    features = cast(features, "float32") if operand(features).dtype.is_integer else features
    return table.leaky_relu(features, alpha if isinstance(alpha, Operand) else float(np.float32(alpha)))


def elu(features: Any, name: str | None = None) -> Tensor:
    """x above 0, exp(x) - 1 below, number by number (`tf.nn.elu`); its slope at 0 is 1.

    >>> import minitape as tf
    >>> print(tf.nn.elu([-1.0, 2.0]))
    tf.Tensor([-0.63212055  2.        ], shape=(2,), dtype=float32)
    """
    return table.elu(features)


def selu(features: Any, name: str | None = None) -> Tensor:
    """elu with two factors that keep mean and variance in place from layer to layer (`tf.nn.selu`).

    >>> import minitape as tf
    >>> print(tf.nn.selu([0.0, 1.0]))
    tf.Tensor([0.       1.050701], shape=(2,), dtype=float32)
    """
    return table.selu(features)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(1 + exp(x)) without overflow, number by number (`tf.nn.softplus`); its slope is sigmoid(x).

    >>> import minitape as tf
    >>> print(tf.nn.softplus([0.0, 100.0]))
    tf.Tensor([  0.6931472 100.       ], shape=(2,), dtype=float32)
    """
    return table.softplus(features)


def softsign(features: Any, name: str | None = None) -> Tensor:
    """x / (1 + |x|), number by number (`tf.nn.softsign`).

    >>> import minitape as tf
    >>> print(tf.nn.softsign([-1.0, 3.0]))
    tf.Tensor([-0.5   0.75], shape=(2,), dtype=float32)
    """
    x = operand(features)
    return x / (1 + abs(x))


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """x times the share of a normal distribution below x, number by number (`tf.nn.gelu`).

    approximate: by a formula with tanh instead of erf.

    >>> import minitape as tf
    >>> print(tf.nn.gelu([0.0, 1.0]))
    tf.Tensor([0.        0.8413447], shape=(2,), dtype=float32)
    """
    x = operand(features)
    if approximate:
        return 0.5 * x * (1 + tanh(math.sqrt(2 / math.pi) * (x + CUBE * x**3)))
    return 0.5 * x * (1 + erf(x * ROOT_HALF))


def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """x * sigmoid(beta * x), number by number (`tf.nn.silu`, `tf.nn.swish`).

    >>> import minitape as tf
    >>> print(tf.nn.silu([0.0, 1.0]))
    tf.Tensor([0.        0.7310586], shape=(2,), dtype=float32)
    """
    x = operand(features)
    return x * sigmoid(x if not isinstance(beta, Operand) and beta == 1 else x * beta)


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """relu(x) and relu(-x), one behind the other along an axis (`tf.nn.crelu`).

    >>> import minitape as tf
    >>> print(tf.nn.crelu([-1.0, 2.0]))
    tf.Tensor([0. 2. 1. 0.], shape=(4,), dtype=float32)
    """
    from .join import concat

    x = operand(features)
    return concat([table.relu(x), table.relu(-x)], axis)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(sigmoid(x)) without underflow, number by number (`tf.math.log_sigmoid`).

    >>> import minitape as tf
    >>> print(tf.math.log_sigmoid([0.0, -100.0]))
    tf.Tensor([  -0.6931472 -100.       ], shape=(2,), dtype=float32)
    """
    return -table.softplus(-operand(x))


# --- losses -----------------------------------------------------------------------------------------------------------


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """How surprised sigmoid(logits) is by the labels, number by number (`tf.nn.sigmoid_cross_entropy_with_logits`).

    labels, logits: the same shape. Gradients reach both.

    >>> import minitape as tf
    >>> print(tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]))
    tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    x = operand(logits, labels if isinstance(labels, Operand) else None)
    y = operand(labels, x)
    if x._shape != y._shape:
        raise ValueError(
            say(
                f"{called(x, 'logits')} has shape {x._shape} and {called(y, 'labels')} {y._shape}: they must be the same",
                "tf.reshape(labels, logits.shape)",
                f"`logits` and `labels` must have the same shape, received ({x._shape} vs {y._shape}).",
            )
        )
    up = x >= 0  # exp of what is not above 0 does not overflow
    return where(up, x, 0.0) - x * y + log1p(exp(where(up, -x, x)))


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
    """Sigmoid cross-entropy with a weight for labels that are 1 (`tf.nn.weighted_cross_entropy_with_logits`).

    >>> import minitape as tf
    >>> print(tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [-40.0, 40.0], pos_weight=2.0))
    tf.Tensor([80. 40.], shape=(2,), dtype=float32)
    """
    x = operand(logits, labels if isinstance(labels, Operand) else None)
    y = operand(labels, x)
    weight = 1 + (pos_weight - 1) * y
    return add((1 - y) * x, weight * (log1p(exp(-abs(x))) + table.relu(-x)))


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the sum of squares (`tf.nn.l2_loss`).

    >>> import minitape as tf
    >>> print(tf.nn.l2_loss([3.0, 4.0]))
    tf.Tensor(12.5, shape=(), dtype=float32)
    """
    return reduce_sum(square(operand(t))) / 2


# --- normalisation and the rest ---------------------------------------------------------------------------------------


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None) -> Tensor:
    """A vector made one long (`tf.math.l2_normalize`); a vector of zeros stays, and its gradient is large.

    >>> import minitape as tf
    >>> print(tf.math.l2_normalize([3.0, 4.0]))
    tf.Tensor([0.6 0.8], shape=(2,), dtype=float32)
    """
    t = operand(x)
    return t * rsqrt(maximum(reduce_sum(square(t), axis, keepdims=True), epsilon))


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the (population) variance over axes (`tf.nn.moments`).

    >>> import minitape as tf
    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])
    >>> print(mean, variance)
    tf.Tensor(2.0, shape=(), dtype=float32) tf.Tensor(1.0, shape=(), dtype=float32)
    """
    t = operand(x)
    mean = reduce_mean(t, axes, keepdims=True)
    variance = reduce_mean(table.squared_difference(t, stop_gradient(mean)), axes, keepdims=True)
    return (mean, variance) if keepdims else (_without(mean, axes, t), _without(variance, axes, t))


def _without(out: Tensor, axis: Any, x: Operand) -> Tensor:
    """What a reduction left in axes of length 1, without them."""
    gone = axes(axis, x)
    return reshape(out, [size for at, size in enumerate(x._shape) if at - x.ndim not in gone])


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float, name: str | None = None
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset (`tf.nn.batch_normalization`); offset and scale may be None.

    >>> import minitape as tf
    >>> print(tf.nn.batch_normalization(tf.constant([1.0, 3.0]), 2.0, 1.0, None, None, 0.0))
    tf.Tensor([-1.  1.], shape=(2,), dtype=float32)
    """
    t = operand(x)
    factor = rsqrt(operand(variance, t) + variance_epsilon)
    factor = factor if scale is None else factor * scale
    shift = -(factor * mean) if offset is None else offset - factor * mean
    return add(t * factor, shift)


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """A vector added to every row: along the last axis (`tf.nn.bias_add`); or the second for data_format "NC...".

    Raises InvalidArgumentError where the axis and the vector differ in length.

    >>> import minitape as tf
    >>> print(tf.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]))
    tf.Tensor(
    [[11. 22.]
     [13. 24.]], shape=(2, 2), dtype=float32)
    """
    x = operand(value, bias if isinstance(bias, Operand) else None)
    b = operand(bias, x)
    along = 1 if (data_format or "").startswith("NC") else x.ndim - 1
    if x.ndim < 2 or b.ndim != 1 or b._shape[0] != x._shape[along]:
        raise InvalidArgumentError(
            say(
                f"bias_add: {called(x, 'value')} has shape {x._shape} and {called(b, 'bias')} {b._shape}: "
                "the bias is a vector as long as the last axis",
                "value + bias broadcasts",
                f"Input tensor must be at least 2D: {list(x._shape)}"
                if x.ndim < 2
                else "Must provide as many biases as the last dimension of the input tensor: "
                f"{list(b._shape)} vs. {list(x._shape)} [Op:BiasAdd] name: ",
            )
        )
    return add(x, reshape(b, [-1 if at == along else 1 for at in range(x.ndim)]) if along != x.ndim - 1 else b)


def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None) -> Tensor:
    """Numbers set to 0 by chance, the others enlarged so that the sum stays about the same (`tf.nn.dropout`).

    rate: the share that becomes 0, from 0 to below 1. Every call draws anew, also in the second run of recompute_grad.

    >>> import minitape as tf
    >>> print(tf.nn.dropout([1.0, 2.0], rate=0.0))
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    """
    from .. import random

    return _drop(x, rate, noise_shape, lambda shape: random.uniform(shape, seed=seed).numpy())


def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: str = "auto_select", noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """Dropout that is the same for the same seed, a pair of whole numbers (`tf.nn.experimental.stateless_dropout`).

    >>> import minitape as tf
    >>> once = tf.nn.experimental.stateless_dropout(tf.ones([4]), 0.5, seed=[1, 2])
    >>> again = tf.nn.experimental.stateless_dropout(tf.ones([4]), 0.5, seed=[1, 2])
    >>> print(tf.reduce_all(once == again))
    tf.Tensor(True, shape=(), dtype=bool)
    """
    from .. import random

    return _drop(x, rate, noise_shape, lambda shape: random.stateless_uniform(shape, seed).numpy())


def _drop(x: Any, rate: Any, noise_shape: Any, draw: Any) -> Tensor:
    t = operand(x)
    share = float(rate)
    if not 0 <= share < 1:
        raise ValueError(
            say(
                f"rate is the share of numbers that become 0, and {share} is no share",
                "tf.nn.dropout(x, rate=0.5)",
                f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}",
            )
        )
    if t.array.dtype.kind != "f":
        raise ValueError(
            say(
                f"dropout works on floats, and {called(t, 'x')} is {t.dtype.name}",
                "tf.cast(x, tf.float32)",
                f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={t.dtype}",
            )
        )
    if not share:
        return table.identity(t)
    shape = (
        t._shape
        if noise_shape is None
        else tuple(size if size is not None else whole for size, whole in zip(noise_shape, t._shape, strict=True))
    )
    keep = np.asarray(draw(shape)) >= share
    return where(keep, t * (1 / (1 - share)), 0.0)


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of numbers that are 0, as float32 (`tf.math.zero_fraction`).

    >>> import minitape as tf
    >>> print(tf.math.zero_fraction([0.0, 1.0]))
    tf.Tensor(0.5, shape=(), dtype=float32)
    """
    return reduce_mean(cast(table.equal(operand(value), 0), "float32"))

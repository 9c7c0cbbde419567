"""Exercises of the lesson on digits: a network is trained with a tape."""

from __future__ import annotations

from typing import Any

import numpy as np

import minitape as tf

from .exercise import Exercise, Facts, Wrong

CLASSES = 10

# --- Predict: the loss of a network that knows nothing ----------------------------------------------------------------


def loss_at_the_start() -> float:
    """The loss of a network whose last layer is all zeros, on images and digits of any kind."""
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(CLASSES, kernel_initializer="zeros")]
    )
    images = tf.random.uniform([20, 64])
    digits = tf.random.uniform([20], maxval=CLASSES, dtype=tf.int32)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return float(loss(digits, model(images)))


START = Exercise(
    key="digits.start",
    asks="a number: the loss before the first step, to two digits behind the point",
    truth=lambda: round(loss_at_the_start(), 2),
    solution=2.3,
    wrong=(
        Wrong(0.0, "Zeros are the scores, not the probabilities: softmax makes them all equal. To what?"),
        Wrong(0.1, "That is the probability of the right digit. The loss is -log of it."),
        Wrong(1.0, "With base 10 it is 1. The loss takes the natural logarithm."),
        Wrong(-2.3, "That is log(0.1). The loss is -log: it is never below 0."),
        Wrong(3.32, "With base 2 it is 3.32. The loss takes the natural logarithm."),
    ),
    hint="Ten equal scores give each digit the probability 1/10. The loss is -log of the right digit's probability.",
)

# --- Do: one step of training -----------------------------------------------------------------------------------------

RATE = 0.5


def _wave(*shape: int) -> np.ndarray:
    return np.asarray(np.sin(np.arange(np.prod(shape), dtype=np.float32) * 1.7).reshape(shape))


def what_step_does(step: Any) -> Facts:
    """The loss that one step returns, and the loss after it, for a small network and six examples."""
    x, y = tf.constant(_wave(6, 4)), tf.constant([0, 1, 2, 2, 1, 0])
    model = tf.keras.Sequential([tf.keras.layers.Dense(5, activation="tanh"), tf.keras.layers.Dense(3)])
    model.build((None, 4))
    model.set_weights([_wave(*weights.shape) for weights in model.get_weights()])
    returned = step(model, x, y, RATE)
    return {"the loss it returns": returned, "the loss after the step": float(_loss_of(model, x, y))}


def _loss_of(model: Any, x: Any, y: Any) -> Any:
    return tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(y, model(x))


def _step(model: Any, x: Any, y: Any, rate: float) -> Any:
    with tf.GradientTape() as tape:
        loss = _loss_of(model, x, y)
    variables = model.trainable_variables
    for variable, grad in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(rate * grad)
    return loss


def _goes_up(model: Any, x: Any, y: Any, rate: float) -> Any:
    return _step(model, x, y, -rate)


def _forgets_the_rate(model: Any, x: Any, y: Any, rate: float) -> Any:
    return _step(model, x, y, 1.0)


def _last_layer_alone(model: Any, x: Any, y: Any, rate: float) -> Any:
    model.layers[0].trainable = False
    return _step(model, x, y, rate)


def _loss_afterwards(model: Any, x: Any, y: Any, rate: float) -> Any:
    _step(model, x, y, rate)
    return _loss_of(model, x, y)


STEP = Exercise(
    key="digits.step",
    asks="a function step(model, x, y, rate): one step of gradient descent, which returns the loss",
    truth=lambda: what_step_does(_step),
    solution=_step,
    wrong=(
        Wrong(_loss_of, "The variables are as they were: variable.assign_sub(rate * grad) for each of them."),
        Wrong(_goes_up, "The gradient points uphill, so it is taken away: assign_sub."),
        Wrong(_forgets_the_rate, "The whole gradient was taken away. Times rate, the step is shorter."),
        Wrong(_last_layer_alone, "Some variables were left out: model.trainable_variables has all of them."),
        Wrong(_loss_afterwards, "That is the loss after the step. Return the one that the tape recorded."),
    ),
    look=what_step_does,
    hint="The loss inside a tape's block; behind it tape.gradient(loss, model.trainable_variables), and assign_sub.",
)

# --- Do: how many are right -------------------------------------------------------------------------------------------


def what_accuracy_gives(accuracy: Any) -> Facts:
    """What the learner's function says of ten rows of scores, of which three are right."""
    scores = np.abs(_wave(CLASSES, CLASSES))
    right = [int(row.argmax()) for row in scores]
    digits = [best if row < 3 else (best + 1) % CLASSES for row, best in enumerate(right)]
    return {"the share of right rows": accuracy(tf.constant(scores), tf.constant(digits, tf.int64))}


def _accuracy(scores: Any, digits: Any) -> Any:
    return tf.reduce_mean(tf.cast(tf.argmax(scores, axis=1) == digits, tf.float32))


ACCURACY = Exercise(
    key="digits.accuracy",
    asks="a function accuracy(scores, digits): the share of rows whose largest score is at the digit",
    truth=lambda: what_accuracy_gives(_accuracy),
    solution=_accuracy,
    wrong=(
        Wrong(
            lambda scores, digits: tf.reduce_sum(tf.cast(tf.argmax(scores, axis=1) == digits, tf.float32)),
            "That is how many are right. The share is their mean.",
        ),
        Wrong(
            lambda scores, digits: tf.reduce_mean(tf.cast(tf.argmax(scores, axis=1) != digits, tf.float32)),
            "That is the share of wrong rows.",
        ),
        Wrong(
            lambda scores, digits: tf.reduce_mean(tf.cast(tf.argmax(scores, axis=0) == digits, tf.float32)),
            "That looks down each column. A row holds the scores of one image: axis=1.",
        ),
    ),
    look=what_accuracy_gives,
    hint="tf.argmax(scores, axis=1) is the digit with the largest score in each row. Compare, cast, and take the mean.",
)

EXERCISES = (START, STEP, ACCURACY)

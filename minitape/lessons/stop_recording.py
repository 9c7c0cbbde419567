"""Exercises of the lesson on stop_recording: values without history."""

from __future__ import annotations

from typing import Any

import numpy as np

import minitape as tf

from .exercise import Exercise, Facts, Wrong

# --- Predict: the gradient where one factor was computed under stop_recording ----------------------------------------


def gradient_of_cost() -> Any:
    """The lesson's program: a square field, and a price that was computed off the tape."""
    side = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(side)
        area = side * side
        with tape.stop_recording():
            price = side + 2.0
        cost = area * price
    return tape.gradient(cost, side)


COST = Exercise(
    key="stop_recording.cost",
    asks="a number, or None: the gradient of cost for side",
    truth=gradient_of_cost,
    solution=30.0,
    wrong=(
        Wrong(39.0, "That counts the road through price too. The tape did not record it: price is just the number 5."),
        Wrong(9.0, "That is the road through price, the one that was not recorded. The other one is left."),
        Wrong(45.0, "That is cost itself. Its gradient says how fast it grows with side."),
        Wrong(None, "One road was recorded: from side through area to cost."),
    ),
    hint="cost = area * price. Treat price as the number 5, and ask how fast 5 * side * side grows at 3.",
)

# --- Do: a metric that leaves no entry on the tape -------------------------------------------------------------------

WEIGHT, INPUTS, WANTED = 1.5, [1.0, 2.0, 4.0], [3.0, 2.0, 7.0]


def what_a_metric_does(metric: Any) -> Facts:
    """Run one training step with the learner's metric in it, and see what the metric left behind."""
    weight = tf.constant(WEIGHT)
    inputs, wanted = tf.constant(INPUTS), tf.constant(WANTED)
    with tf.GradientTape() as tape:
        tape.watch(weight)
        guess = weight * inputs
        loss = tf.reduce_mean(tf.square(guess - wanted))
        before = len(tape.entries)
        value = metric(tape, guess, wanted)
        after = len(tape.entries)
    return {
        "the metric": value,
        "new entries on the tape": after - before,
        "the gradient of the loss": tape.gradient(loss, weight),
    }


def metric_by_hand() -> Facts:
    """The same by hand: e is the error, the loss is the mean of e * e."""
    inputs = np.array(INPUTS)
    e = WEIGHT * inputs - np.array(WANTED)
    return {
        "the metric": np.mean(np.abs(e)),
        "new entries on the tape": 0,
        "the gradient of the loss": np.mean(2 * e * inputs),
    }


def _metric(tape: Any, guess: Any, wanted: Any) -> Any:
    with tape.stop_recording():
        return tf.reduce_mean(tf.abs(guess - wanted))


def _recorded_metric(tape: Any, guess: Any, wanted: Any) -> Any:
    return tf.reduce_mean(tf.abs(guess - wanted))


def _resetting_metric(tape: Any, guess: Any, wanted: Any) -> Any:
    value = tf.reduce_mean(tf.abs(guess - wanted))
    tape.reset()
    return value


def _signed_metric(tape: Any, guess: Any, wanted: Any) -> Any:
    with tape.stop_recording():
        return tf.reduce_mean(guess - wanted)


def _half_stopped_metric(tape: Any, guess: Any, wanted: Any) -> Any:
    return tf.reduce_mean(tf.abs(tf.stop_gradient(guess - wanted)))


METRIC = Exercise(
    key="stop_recording.metric",
    asks="a function metric(tape, guess, wanted): the mean of |guess - wanted|, with no new entry on the tape",
    truth=metric_by_hand,
    look=what_a_metric_does,
    solution=_metric,
    wrong=(
        Wrong(_recorded_metric, "The number is right. Compute it inside `with tape.stop_recording():`."),
        Wrong(_resetting_metric, "tape.reset() forgets the loss too. Pause the tape in place of emptying it."),
        Wrong(_signed_metric, "Errors up and down cancel. Take tf.abs before the mean."),
        Wrong(
            _half_stopped_metric, "What ran before tf.stop_gradient was recorded. Pause the tape before the first op."
        ),
    ),
    hint="Return tf.reduce_mean(tf.abs(guess - wanted)), computed inside `with tape.stop_recording():`.",
)

# --- Do: a mean that counts as a constant ----------------------------------------------------------------------------

PAY, UPSTREAM = [1.0, 2.0, 6.0], [3.0, 0.0, 0.0]


def what_above_mean_does(above_mean: Any) -> Facts:
    """The values, and the gradient when only the first of them is asked about."""
    pay = tf.constant(PAY)
    with tf.GradientTape() as tape:
        tape.watch(pay)
        value = above_mean(tape, pay)
    return {
        "the values": value,
        "the gradient": tape.gradient(value, pay, output_gradients=tf.constant(UPSTREAM)),
    }


def above_mean_by_hand() -> Facts:
    """The mean is a number like any other: the gradient for each value is what came from above."""
    pay = np.array(PAY)
    return {"the values": pay - pay.mean(), "the gradient": np.array(UPSTREAM)}


def _above_mean(tape: Any, pay: Any) -> Any:
    with tape.stop_recording():
        mean = tf.reduce_mean(pay)
    return pay - mean


def _recorded_mean(tape: Any, pay: Any) -> Any:
    return pay - tf.reduce_mean(pay)


def _all_stopped(tape: Any, pay: Any) -> Any:
    with tape.stop_recording():
        return pay - tf.reduce_mean(pay)


ABOVE_MEAN = Exercise(
    key="stop_recording.above",
    asks="a function above_mean(tape, pay): pay minus its mean, where the mean counts as a constant",
    truth=above_mean_by_hand,
    look=what_above_mean_does,
    solution=_above_mean,
    wrong=(
        Wrong(_recorded_mean, "Each pay still moves the mean. Compute the mean inside `with tape.stop_recording():`."),
        Wrong(_all_stopped, "Nothing was recorded. Only the mean belongs into the block, not the subtraction."),
    ),
    hint="First the mean inside `with tape.stop_recording():`, then, outside of it, return pay - mean.",
)

EXERCISES = (COST, METRIC, ABOVE_MEAN)

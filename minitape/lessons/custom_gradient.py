"""Exercises of the lesson on custom_gradient: you write the way back."""

from __future__ import annotations

from typing import Any

import numpy as np

import minitape as tf

from .exercise import Exercise, Facts, Wrong
from .probes import gradient, slope

# --- Predict: a function that lets its value through, and clips its gradient -----------------------------------------


def gradient_through_gentle() -> Any:
    """The lesson's program: three speeds, three weights, and a rule that clips what comes back."""

    @tf.custom_gradient
    def gentle(x: Any) -> Any:
        return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    speed = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(speed)
        calm = gentle(speed)
        force = calm * [5.0, 0.5, -5.0]
        total = tf.reduce_sum(force)
    return tape.gradient(total, speed)


GENTLE = Exercise(
    key="custom_gradient.gentle",
    asks="a list of three numbers: the gradient of total for speed",
    truth=gradient_through_gentle,
    solution=[1.0, 0.5, -1.0],
    wrong=(
        Wrong([5.0, 0.5, -5.0], "That is dy, what comes in. The rule clips it to [-1, 1]."),
        Wrong([0.0, 0.5, 0.0], "The rule is run, not differentiated: a dy of 5 becomes 1, not 0."),
        Wrong([1.0, 1.0, 1.0], "Each speed has its own dy: 5, 0.5 and -5. Which of them does the rule change?"),
        Wrong([5.0, 0.5, -1.0], "The upper bound counts as well as the lower one."),
    ),
    hint="dy is [5, 0.5, -5], the factors of calm. Clip each of its numbers to [-1, 1].",
)

# --- Do: round on the way there, let dy through on the way back ------------------------------------------------------

POINTS, UPSTREAM = [0.2, 1.7, -2.4], [1.0, -2.0, 3.0]


def what_a_round_does(round_through: Any) -> Facts:
    """Its values, and its gradient where the rest of the program sends UPSTREAM."""
    return {"the values": round_through(tf.constant(POINTS)), "the gradient": gradient(round_through, POINTS, UPSTREAM)}


def straight_through() -> Facts:
    """Values are rounded, gradients pass unchanged."""
    return {"the values": np.round(POINTS), "the gradient": np.array(UPSTREAM)}


@tf.custom_gradient
def _round_through(x: Any) -> Any:
    return tf.round(x), lambda dy: dy


@tf.custom_gradient
def _round_with_ones(x: Any) -> Any:
    return tf.round(x), lambda dy: tf.ones_like(dy)


@tf.custom_gradient
def _no_rounding(x: Any) -> Any:
    return x, lambda dy: dy


@tf.custom_gradient
def _rounded_gradient(x: Any) -> Any:
    return tf.round(x), lambda dy: dy * tf.round(x)


ROUND = Exercise(
    key="custom_gradient.round",
    asks="a function round_through(x): the value tf.round(x), and the rule that gives dy back as it came",
    truth=straight_through,
    look=what_a_round_does,
    solution=_round_through,
    wrong=(
        Wrong(tf.round, "tf.round alone is flat: no road leads back. Put @tf.custom_gradient above your function."),
        Wrong(_round_with_ones, "The rule must hand on dy, what the rest of the program sends. Ones forget it."),
        Wrong(_no_rounding, "Round the value: return tf.round(x), grad."),
        Wrong(_rounded_gradient, "The rule is not asked about x at all. Return dy."),
    ),
    hint="Under @tf.custom_gradient, return tf.round(x), grad, where grad(dy) returns dy.",
)

# --- Do: a square root whose gradient is 0 at 0, not infinite --------------------------------------------------------

SMOOTH, EDGE = [0.25, 1.0, 4.0, 9.0], [0.0, 4.0]


def what_a_root_does(safe_root: Any) -> Facts:
    """Its values, its gradient beside its own slope, and what it does at 0."""
    there = gradient(safe_root, SMOOTH)
    return {
        "the values": safe_root(tf.constant(SMOOTH)),
        "the gradient": there,
        "the gradient for dy = 3": gradient(safe_root, SMOOTH, [3.0] * len(SMOOTH)),
        "the gradient at 0 and 4": gradient(safe_root, EDGE),
    }


def root_by_nudging() -> Facts:
    """The root's slope by nudging its input; at 0, where nudging fails, the 0 that was asked for."""
    there = slope(tf.sqrt, SMOOTH)
    return {
        "the values": np.sqrt(SMOOTH),
        "the gradient": there,
        "the gradient for dy = 3": 3 * there,
        "the gradient at 0 and 4": np.append(0.0, slope(tf.sqrt, EDGE[1:])),
    }


@tf.custom_gradient
def _safe_root(x: Any) -> Any:
    root = tf.sqrt(x)

    def grad(dy: Any) -> Any:
        return tf.where(x > 0.0, dy / (2.0 * root), 0.0)

    return root, grad


@tf.custom_gradient
def _unsafe_root(x: Any) -> Any:
    root = tf.sqrt(x)
    return root, lambda dy: dy / (2.0 * root)


@tf.custom_gradient
def _forgetful_root(x: Any) -> Any:
    root = tf.sqrt(x)
    return root, lambda dy: tf.where(x > 0.0, 1.0 / (2.0 * root), 0.0)


@tf.custom_gradient
def _upside_down_root(x: Any) -> Any:
    root = tf.sqrt(x)
    return root, lambda dy: dy * 2.0 * root


@tf.custom_gradient
def _shifted_root(x: Any) -> Any:
    root = tf.sqrt(x)
    return root, lambda dy: dy / (2.0 * root + 1e-7)


ROOT = Exercise(
    key="custom_gradient.root",
    asks="a function safe_root(x): the value tf.sqrt(x), and the gradient dy / (2 * root), but 0 where x is 0",
    truth=root_by_nudging,
    look=what_a_root_does,
    solution=_safe_root,
    wrong=(
        Wrong(_unsafe_root, "At 0 this rule divides by 0. Choose with tf.where(x > 0.0, ..., 0.0)."),
        Wrong(
            _shifted_root,
            "A tiny number below the line gives a huge number at 0. Choose with tf.where(x > 0.0, ..., 0.0).",
        ),
        Wrong(_forgetful_root, "Your rule forgets dy, what the rest of the program sends. Multiply by it."),
        Wrong(_upside_down_root, "The slope of a root falls as x grows: divide by 2 * root."),
    ),
    hint="Let root = tf.sqrt(x). The rule grad(dy) returns tf.where(x > 0.0, dy / (2.0 * root), 0.0).",
)

EXERCISES = (GENTLE, ROUND, ROOT)

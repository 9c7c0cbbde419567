"""What the exercises' looks are made of: run a learner's function, and measure what it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minitape as tf

STEP = 1 / 128  # a power of two, so that x + STEP is exact; small beside 1, large beside float32's rounding


def gradient(f: Callable[[Any], Any], at: Any, upstream: Any = None) -> Any:
    """The gradient of f at a point by the tape; `upstream` is what the rest of a program would send back."""
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, output_gradients=None if upstream is None else tf.constant(upstream))


def slope(f: Callable[[Any], Any], at: Any) -> Any:
    """The slope of f at each number of `at`, by nudging it up and down: no rule is asked."""
    x = np.asarray(at, np.float32)
    up, down = f(tf.constant(x + STEP)), f(tf.constant(x - STEP))
    return (up.numpy() - down.numpy()) / (2 * STEP)


def counted(f: Callable[..., Any]) -> tuple[Callable[..., Any], list[int]]:
    """f, and a list that holds how often it ran."""
    runs = [0]

    def call(*args: Any) -> Any:
        runs[0] += 1
        return f(*args)

    return call, runs


def peak(block: Callable[[], Any]) -> int:
    """The most bytes that all tapes together held at any moment while a block ran."""
    with tf.observe() as seen:
        block()
    return seen.peak

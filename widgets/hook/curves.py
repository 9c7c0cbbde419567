"""Curves beside a rule: training with it, and the function itself with the slope that the rule claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import minitape as tf

from ..rerun import undone
from .measure import Measured, slopes

STEPS, POINTS = 30, 121
SLOW = 16  # entries up to which training by finite differences is worth its time


@dataclass(frozen=True)
class Curve:
    """One line of a chart; `end` is written behind it."""

    end: str
    values: tuple[float, ...]


def train(
    loss: Callable[..., Any], start: Sequence[np.ndarray], rate: float, *, slope: bool = False
) -> tuple[float, ...]:
    """The losses of gradient descent, with the tape's gradient or (slope=True) the one by finite differences."""
    variables = [tf.Variable(array) for array in start]
    losses: list[float] = []
    with undone({}):
        for _ in range(STEPS + 1):
            with tf.GradientTape() as tape:
                value = loss(*variables)
            losses.append(float(value))
            if not np.isfinite(losses[-1]) or abs(losses[-1]) > 1e6 * max(1.0, abs(losses[0])):
                break
            if slope:
                args = [tf.constant(variable.numpy()) for variable in variables]
                grads = [slopes(loss, args, place, np.ones(())) for place in range(len(args))]
            else:
                grads = [
                    np.zeros(variable.shape) if grad is None else tf.convert_to_tensor(grad).numpy()
                    for variable, grad in zip(variables, tape.gradient(value, variables), strict=True)
                ]
            for variable, grad in zip(variables, grads, strict=True):
                variable.assign(variable.numpy() - np.asarray(rate * grad, variable.numpy().dtype))
    return tuple(loss for loss in losses if np.isfinite(loss))


@dataclass(frozen=True)
class Graph:
    """A function of one number, drawn over the inputs' range, with the rule's slope at each input."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    points: tuple[tuple[float, float, float, float], ...]  # x, f(x), the rule's slope, the true one


def graph(hook: Callable[..., Any], found: Measured) -> Graph | None:
    """The graph of a function that works entry by entry; None for any other."""
    if (
        len(found.inputs) != 1
        or found.broken
        or not 0 < found.dy.size <= 8
        or found.inputs[0].array.shape != found.dy.shape
    ):
        return None
    each = found.inputs[0]
    x = each.array.ravel().astype(float)
    if each.rule is None or each.slope is None or not np.isfinite(x).all() or not np.all(found.dy):
        return None
    low, high = float(x.min()), float(x.max())
    pad = max((high - low) * 0.1, 0.25)
    at = np.linspace(min(low - pad, 0.0) if low >= 0 else low - pad, high + pad, POINTS)
    try:
        with undone({}):
            y = hook(tf.constant(at.astype(each.array.dtype))).numpy().astype(float)
            again = hook(tf.constant(x.astype(each.array.dtype))).numpy().astype(float)
    except Exception:
        return None
    if y.shape != at.shape or not np.allclose(again, found.value.ravel()) or not np.isfinite(y).all():
        return None
    rule, slope = each.rule.ravel() / found.dy.ravel(), each.slope.ravel() / found.dy.ravel()
    points = tuple(zip(x.tolist(), again.tolist(), rule.tolist(), slope.tolist(), strict=True))
    return Graph(tuple(at.tolist()), tuple(y.tolist()), points)

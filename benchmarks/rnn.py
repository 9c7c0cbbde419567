"""Row c: a recurrent cell over 16 steps, forward and gradient. Its parameters are used again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .contest import BY_HAND, Contest, Side, plain
from .libraries import Library

STEPS, BATCH, FEATURES, UNITS = 16, 16, 32, 64


def program(library: Library, xs: list[Any], h: Any) -> Callable[..., Any]:
    """h = tanh(x @ wx + h @ wh + b) for each x in turn, and the mean square of the last h."""

    def loss(wx: Any, wh: Any, b: Any) -> Any:
        state = h
        for x in xs:
            state = library.tanh(x @ wx + state @ wh + b)
        return library.mean(state * state)

    return loss


def gradient(xs: list[Any], h: Any, wx: Any, wh: Any, b: Any) -> list[Any]:
    """Its gradient by hand."""
    states = [h]
    for x in xs:
        states.append(np.tanh(x @ wx + states[-1] @ wh + b))
    of_wx, of_wh, of_b = np.zeros_like(wx), np.zeros_like(wh), np.zeros_like(b)
    g = states[-1] * np.float32(2 / states[-1].size)
    for x in reversed(xs):
        state = states.pop()
        g = g * (1 - state * state)
        of_wx += x.T @ g
        of_wh += states[-1].T @ g
        of_b += g.sum(axis=0)
        g = g @ wh.T
    return [of_wx, of_wh, of_b]


def start(steps: int, batch: int, features: int, units: int) -> tuple[list[Any], Any, list[Any]]:
    """The steps' inputs, the first state, and the parameters."""
    random = np.random.default_rng(0)
    xs = [random.normal(0, 1, (batch, features)).astype(np.float32) for _ in range(steps)]
    shapes = (features, units), (units, units), (units,)
    return xs, np.zeros((batch, units), np.float32), [np.float32(random.normal(0, units**-0.5, s)) for s in shapes]


def contests(
    libraries: list[Library],
    absent: dict[str, str],
    steps: int = STEPS,
    batch: int = BATCH,
    features: int = FEATURES,
    units: int = UNITS,
) -> Iterator[Contest]:
    """One: forward and gradient."""
    xs, h, parameters = start(steps, batch, features, units)
    sides = [side(library, xs, h, parameters) for library in libraries]
    hand = Side(BY_HAND, lambda: gradient(xs, h, *parameters), plain)
    what = f"RNN cell, {steps} steps, batch {batch}, {features} to {units}, gradient"
    yield Contest("rnn", what, (*sides, hand), absent)


def side(library: Library, xs: list[Any], h: Any, parameters: list[Any]) -> Side:
    """One library's part."""
    loss = program(library, [library.constant(x) for x in xs], library.constant(h))
    inputs = library.inputs(parameters)
    return Side(library.name, lambda: library.gradient(loss, inputs), library.numbers)

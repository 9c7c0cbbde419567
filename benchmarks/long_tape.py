"""Row f: a tape ten times as long takes ten times as long, and not much more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minitape as tf

from .contest import Contest, Side, spaced

SHORT, LONG = 10_000, 100_000


def slopes(ops: int, x: Any, w: Any, v: Any) -> list[Any]:
    """The gradient of x * w * v * w * v ..., by the tape."""
    with tf.GradientTape() as tape:
        tape.watch([x, w, v])
        y = x
        for _ in range(ops // 2):
            y = y * w * v
    grads: list[Any] = tape.gradient(y, [x, w, v])
    return grads


def contests(short: int = SHORT, long: int = LONG) -> Iterator[Contest]:
    """One: the long tape against the short one. w * v is 1, so the slopes are known: 1, n x / w and n x / v."""
    x, w, v = arrays = [np.arange(1, 9, dtype=np.float32), np.full(8, 0.5, np.float32), np.full(8, 2, np.float32)]
    inputs = [tf.constant(array) for array in arrays]

    def side(ops: int) -> Side:
        return Side(f"{spaced(ops)} ops", lambda: slopes(ops, *inputs), per_pair(ops))

    what = f"a tape of {spaced(long)} ops, forward and gradient"
    known = Side("known", lambda: [np.ones_like(x), x / w, x / v], list)
    yield Contest("tape", what, (side(long), side(short)), truth=known)


def per_pair(ops: int) -> Callable[[Any], list[np.ndarray]]:
    """Reads the slopes for one pair of ops, which are the same on a tape of any length."""
    pairs = np.float32(ops // 2)
    return lambda grads: [grads[0].numpy(), grads[1].numpy() / pairs, grads[2].numpy() / pairs]

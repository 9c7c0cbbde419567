"""Row i: the peak of a chain and its gradient in allocated bytes, with every value kept and with segments run again."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import minitape as tf

from .agree import agree
from .contest import BY_HAND, OURS, Finding

OPS, SEGMENTS, SIZE = 64, 8, 100_000


def findings(ops: int = OPS, segments: int = SEGMENTS, size: int = SIZE) -> list[Finding]:
    """Four, in arrays of the chain's size: ours and by hand, everything kept and recomputed."""
    x = np.random.default_rng(0).uniform(0.5, 1.5, size).astype(np.float32)
    each = ops // segments
    kept, again = f"peak of {ops} ops, all kept", f"peak of {ops} ops, {segments} segments recomputed"
    theory = {kept: ops, again: segments + each - 1}
    block = tf.recompute_grad(lambda x: sines(x, each))
    works: list[tuple[str, str, Callable[[], np.ndarray]]] = [
        (kept, OURS, lambda: by_tape(x, lambda x: sines(x, ops), 1)),
        (kept, BY_HAND, lambda: by_hand(x.copy(), ops)),
        (again, OURS, lambda: by_tape(x, block, segments)),
        (again, BY_HAND, lambda: by_hand_again(x.copy(), each, segments)),
    ]
    right = by_hand(x, ops)
    for what, who, work in works:
        agree(f"{who} ({what})", [work()], BY_HAND, [right])
    return [
        Finding("memory", what, who, peak(work) / x.nbytes, note=f"arrays; {theory[what]} are saved in theory")
        for what, who, work in works
    ]


def sines(x: Any, ops: int) -> Any:
    """sin(sin(... x)): each op keeps its input, and nothing else."""
    for _ in range(ops):
        x = tf.sin(x)
    return x


def by_tape(x: np.ndarray, f: Callable[[Any], Any], times: int) -> np.ndarray:
    """The gradient of f, so many times over; `constant` copies x, so the peak holds it too."""
    start = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(start)
        y = start
        for _ in range(times):
            y = f(y)
    gradient: np.ndarray = tape.gradient(y, start).array
    return gradient


def by_hand(x: np.ndarray, ops: int, g: np.ndarray | None = None) -> np.ndarray:
    """The same by hand: each input kept until it is used."""
    kept = [x]
    for _ in range(ops - 1):
        kept.append(np.sin(kept[-1]))
    y = np.sin(kept[-1])
    g = np.ones_like(y) if g is None else g
    while kept:
        g = g * np.cos(kept.pop())
    return g


def by_hand_again(x: np.ndarray, each: int, segments: int) -> np.ndarray:
    """The same by hand, with each segment's input kept and the segment run again on the way back."""
    starts = [x]
    for _ in range(segments - 1):
        y = starts[-1]
        for _ in range(each):
            y = np.sin(y)
        starts.append(y)
    g = np.ones_like(x)
    while starts:
        g = by_hand(starts.pop(), each, g)
    return g


def peak(work: Callable[[], Any]) -> int:
    """The most bytes that were allocated at one time while the work was done."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()

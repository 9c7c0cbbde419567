"""Row h: what listening costs, and what an op leaves on a tape that was used up."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minitape as tf

from .chain import gradient, program, start
from .contest import Contest, Finding, Side, plain
from .libraries import Library

SIZE, STEPS = (8,), 200


def contests(ours: Library, steps: int = STEPS) -> Iterator[Contest]:
    """One: a chain and its gradient under `observe()`, against the same without."""
    arrays = start(SIZE)
    f, inputs = program(ours, steps), ours.inputs(arrays)

    def observed() -> tuple[Any, tf.Trace]:
        with tf.observe() as seen:
            grads = ours.gradient(f, inputs)
        return grads, seen

    def numbers(made: tuple[Any, tf.Trace]) -> list[np.ndarray]:
        grads, seen = made
        return [*ours.numbers(grads), np.asarray(len(seen.recorded))]

    sides = (
        Side("observed", observed, numbers),
        Side("not observed", lambda: ours.gradient(f, inputs), lambda g: [*ours.numbers(g), np.asarray(3 * steps)]),
    )
    known = Side("known", lambda: [*gradient(steps, *arrays), np.asarray(3 * steps)], plain)
    yield Contest("observed", f"chain, 8 numbers, gradient, {3 * steps} ops, observed", sides, truth=known)


def skeleton(steps: int = STEPS) -> Finding:
    """The bytes an op of the chain leaves on the tape when `gradient` has let go of the arrays."""
    return Finding("observed", "what an op leaves on a used tape", "", bytes_left(steps) / (3 * steps), note="bytes")


def bytes_left(steps: int) -> int:
    """The bytes of a used tape, without the arrays it was made from and the gradients it gave."""
    x, w, b = (tf.constant(array) for array in start(SIZE))

    def used(times: int) -> tf.GradientTape:
        with tf.GradientTape() as tape:
            tape.watch([x, w, b])
            y = x
            for _ in range(times):
                y = tf.tanh(y * w + b)
        tape.gradient(y, [x, w, b])
        return tape

    used(1)
    return allocated(lambda: used(steps))


def allocated(make: Callable[[], Any]) -> int:
    """The bytes that what is made holds."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = make()
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
        del made
        return after - before
    finally:
        tracemalloc.stop()

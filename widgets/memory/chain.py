"""The chain that checkpointing is explained on: n times the same op, cut into k blocks; measured, not computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

import minitape as tf
from minitape.trace import Ran, Rerun, Trace, Walked, renamed

Op = Callable[[Any], Any]


def record(n: int, k: int, op: Op, size: int) -> tuple[Trace, Trace]:
    """Run the chain twice, in blocks of `recompute_grad` and with everything kept, on `size` float32 numbers.

    The values are called y1 to yn, with a prime where they are computed a second time.

    >>> import minitape as tf
    >>> in_blocks, all_kept = record(16, 4, tf.tanh, 250)
    >>> in_blocks.peak, all_kept.peak
    (7000, 16000)
    """
    x = tf.Variable(np.linspace(-1, 1, size, dtype=np.float32), name="x")
    blocks = [tf.recompute_grad(_segment(op, last - first)) for first, last in cuts(n, k)]
    return _label(_observe(blocks, x), n, k, op), _label(_observe([op] * n, x), n, None, op)


def cuts(n: int, k: int) -> list[tuple[int, int]]:
    """Where each of k blocks begins and ends among n ops; the first ones are longer where n/k is not whole.

    >>> cuts(16, 3)
    [(0, 6), (6, 11), (11, 16)]
    """
    short, longer = divmod(n, k)
    ends = [short * block + min(block, longer) for block in range(k + 1)]
    return list(pairwise(ends))


def _segment(op: Op, times: int) -> Op:
    def segment(y: Any) -> Any:
        for _ in range(times):
            y = op(y)
        return y

    return segment


def _observe(parts: list[Op], x: Any) -> Trace:
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            y = x
            for part in parts:
                y = part(y)
        tape.gradient(y, x)
    return seen


def _label(seen: Trace, n: int, k: int | None, op: Op) -> Trace:
    """The trace with the ops called by number, and the values by the op that made them."""
    word = getattr(op, "__name__", "op").strip("<>")
    ran = [event for event in seen.of(Ran) if event.custom != "recompute_grad" and event.within != "gradient"]
    forward = sum(not event.again for event in ran)
    each = max(1, forward // n)  # primitives in one op of the chain
    ends = cuts(n, k) if k else [(0, n)]
    names: dict[int, str] = {}
    texts: dict[int, str] = {}
    done, block, at = 0, len(ends), 0
    for event in seen.events:
        match event:
            case Rerun(run=run) if run > 1:
                block -= 1
                at = ends[block][0] * each
            case Ran(custom="recompute_grad", again=False):
                texts[event.outputs[0].id] = f"block {sum(end * each <= done for _, end in ends)}"
                names |= {value.id: f"y{-(-done // each)}" for value in event.outputs}
            case Ran() if event in ran:
                done, at = (done, at + 1) if event.again else (done + 1, done + 1)
                number, rest = -(-at // each), at % each
                mark = "\N{PRIME}" if event.again else ""
                texts[event.outputs[0].id] = f"{word} {number}" if each == 1 else f"{event.op} in {word} {number}"
                name = f"{event.op} {number}" if rest else f"y{number}"
                names |= {value.id: name + mark for value in event.outputs}
    events = tuple(renamed(_retold(event, texts), names) for event in seen.events)
    return Trace(seen.lines, events, seen.version)


def _retold(event: Any, texts: Mapping[int, str]) -> Any:
    if isinstance(event, Ran | Walked):
        return replace(event, text=texts.get(event.outputs[0].id, event.text))
    return event

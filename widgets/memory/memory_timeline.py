"""MemoryTimeline: the bytes that the tape held, step by step, and who held them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import minitape as tf
from minitape.trace import Trace

from ..player.picture import Head, Knob, Picture, Step, Storyboard
from ..player.player import Player
from ..player.svg import group
from .chain import Op, record
from .chart import Chart
from .held import measure
from .held_words import memory_table
from .layout import Layout
from .story import Story

# Where the player's track stands, wide and narrow: the axis of time stands right under it.
WIDE = {"left": 152.0, "axis": 768.0, "end": 984.0, "height": 208.0}
NARROW = {"left": 136.0, "axis": 360.0, "end": 544.0, "height": 184.0}
SIZES = (2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64)  # the depths that the knob of a chain goes through
LONGEST = 256


class MemoryTimeline(Player):
    """Plays the bytes that the tape held: forward it keeps, backward it uses and releases.

    Args:
        seen: what `with minitape.observe() as seen:` gave; drawn filled, blue for kept and orange for run again.
        other: a second trace of the same program, drawn as an outline on the same axes.
        title: the words above the picture.
        other_name: what to call `other`.
        theory: a number of bytes, drawn as a dashed line.
        theory_name: what to call that line: its formula, for instance.

    The numbers are those of `memory_table(seen, other)`; `plot_memory(seen, other)` plots the same. In a picture of
    more than 240 steps one step stands for several ops, and shows the most that they held.

    Raises:
        TypeError: `seen` or `other` is not a trace.

    >>> import minitape as tf
    >>> x = tf.Variable([1.0, 2.0])
    >>> with tf.observe() as seen:
    ...     with tf.GradientTape() as tape:
    ...         y = tf.tanh(tf.tanh(x))
    ...     grad = tape.gradient(y, x)
    >>> timeline = MemoryTimeline(seen)
    >>> timeline.memory.held
    (8, 16, 8, 0)
    >>> timeline
    MemoryTimeline(step 1 of 4)
    """

    def __init__(
        self,
        seen: Trace,
        other: Trace | None = None,
        *,
        title: str = "The bytes the tape holds",
        other_name: str = "store-all",
        theory: float | None = None,
        theory_name: str = "theory",
    ) -> None:
        for trace in (seen, other):
            if not isinstance(trace, Trace) and (trace is not None or seen is None):
                raise TypeError(
                    f"MemoryTimeline draws traces, and this is a {type(trace).__name__}\n"
                    "make one: with minitape.observe() as seen: ...  then MemoryTimeline(seen)"
                )
        self._measure(seen, other)
        story = Story(self.memory, self._second, title, other_name, theory, theory_name)
        super().__init__(draw(story, memory_table(seen, other, other_name=other_name)))

    def _measure(self, seen: Trace, other: Trace | None) -> None:
        self.memory = measure(seen)  # the numbers: `held` after each step, `peak`, `at_peak`, `extra_runs`, `lives`
        self._second = None if other is None else measure(other)

    @classmethod
    def chain(cls, n: int = 16, k: int = 4, *, op: Op | None = None, size: int = 250_000) -> ChainTimeline:
        """Measure a chain of n ops cut into k blocks of `recompute_grad`, and beside it the same chain without them.

        Two knobs above the picture change the depth n and the number of blocks k: the kernel then runs and measures
        anew. From Python: `timeline.knobs = {"n": 32, "k": 4}`.

        Args:
            n: how many times the op is applied, 1 to 256.
            k: into how many blocks the chain is cut, 1 to n.
            op: a function of one tensor, as `tf.tanh` (which is taken where it is left out) or `tf.sin`.
            size: how many float32 numbers each value has; 250 000 of them are 1 MB.

        The dashed line is what theory allows: k + n/k - 1 values, n/k rounded up.

        Raises:
            ValueError: n, k or size is out of range.

        >>> timeline = MemoryTimeline.chain(16, 4, size=250)
        >>> timeline.memory.peak, timeline.memory.extra_runs
        (7000, 16)
        >>> timeline.knobs = {"n": 16, "k": 2}
        >>> timeline.memory.peak
        9000
        """
        return ChainTimeline(n, k, tf.tanh if op is None else op, size)


class ChainTimeline(MemoryTimeline):
    """What `MemoryTimeline.chain` gives: a timeline that is measured anew when a knob is turned."""

    def __init__(self, n: int, k: int, op: Op, size: int) -> None:
        _check(n, k, size)
        self._op, self._size = op, size
        Player.__init__(self, self._run(n, k))
        self.observe(self._turned, "knobs")

    def _run(self, n: int, k: int) -> Picture:
        seen, other = record(n, k, self._op, self._size)
        self._measure(seen, other)
        most = 4 * self._size * (k + -(-n // k) - 1)
        story = Story(self.memory, self._second, theory=most, theory_name="theory: k + n/k \N{MINUS SIGN} 1")
        knobs = (
            Knob("n", "depth n", n, tuple(sorted({*SIZES, n}))),
            Knob("k", "blocks k", k, tuple(sorted({k, *(size for size in (*range(1, 17), *SIZES) if size <= n)}))),
        )
        return draw(story, memory_table(seen, other), knobs)

    def _turned(self, change: Mapping[str, Any]) -> None:
        n, k = change["new"]["n"], change["new"]["k"]
        shown = self._picture.head
        if shown and (n, k) != tuple(knob.value for knob in shown.knobs):
            self.redraw(self._run(n, min(k, n)))


def draw(story: Story, table: str, knobs: tuple[Knob, ...] = ()) -> Picture:
    """The picture of a story: the chart in a wide and in a narrow layout."""
    board = Storyboard()
    wide, narrow = Layout(story, **WIDE), Layout(story, **NARROW)
    drawing = (
        group(Chart(story, wide, board).draw(), cls="wide-only"),
        group(Chart(story, narrow, board, "-narrow").draw(), cls="narrow-only"),
    )
    return Picture(
        name="memory",
        title=story.sentence,
        drawing=drawing,
        wide=wide.bottom + 16,
        narrow=narrow.bottom + 16,
        steps=tuple(Step(story.kind(number), story.caption(number)) for number in range(story.count)),
        timelines=board.timelines(),
        text=f"{story.sentence}\n\n{table}",
        head=Head(story.title, story.summary, knobs),
        axis=(WIDE["axis"], NARROW["axis"]),
    )


def _check(n: int, k: int, size: int) -> None:
    for name, value, most in (("n", n, LONGEST), ("k", k, n), ("size", size, None)):
        if not isinstance(value, int) or value < 1 or (most is not None and value > most):
            upto = f"1 to {most}" if most is not None else "1 or more"
            raise ValueError(
                f"{name} is {value!r}, and a chain takes a whole number from {upto}\n"
                "MemoryTimeline.chain(n=16, k=4, size=250_000)"
            )

"""The memory plot: the bytes that the tape held over a program's steps, and below it who held them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from minitape.trace import Trace

from .held import Life, Memory, measure
from .held_words import common_unit, holders, memory_table, names, short, size
from .sheet import DPI, FONT, POINT, Box, Sheet, long

__all__ = ["memory_table", "plot_memory"]

# In pixels.
WIDTH, LEFT, RIGHT = 1000, 136, 64
TITLE, HEAD, CHART = 36, 44, 208  # the title, the words over the stairs, the stairs
MARKS, NOBODY, ROWS, FOOT = 8, 70, 84, 12  # below the axis: marks of the phases, first row, other rows, and the end
ROW, NAMED_ROW, MANY, MOST = 8, 14, 24, 192  # a row's pitch, without a name and with; over MANY rows share MOST pixels


def plot_memory(
    seen: Trace,
    other: Trace | None = None,
    *,
    ax: Axes | None = None,
    title: str = "The bytes the tape holds",
    other_name: str = "store-all",
    theory: float | None = None,
    theory_name: str = "theory",
) -> Axes:
    """Draw how many bytes the tape held after each op, forward and then on the way back, and who held them.

    Args:
        seen: the trace to draw filled: blue is kept, orange is held because an op ran again.
        other: a second trace of the same program, drawn as an outline on the same axes.
        ax: where to draw (the x axis counts ops, the y axis bytes); left out, a new figure is made.
        title: the words above the plot.
        other_name: what to call `other`.
        theory: a number of bytes, drawn as a dashed line.
        theory_name: what to call that line: its formula, for instance.

    Returns:
        The Axes of the curve. The strip of lifetimes below it takes the lower part of the room that `ax` had, and is
        the last of `ax.figure.axes`. `memory_table` gives the same numbers as text.

    >>> import minitape as tf
    >>> x = tf.Variable([1.0, 2.0])
    >>> with tf.observe() as seen:
    ...     with tf.GradientTape() as tape:
    ...         y = tf.tanh(tf.tanh(x))
    ...     grad = tape.gradient(y, x)
    >>> ax = plot_memory(seen)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['0 B', '16 B']
    >>> plt.close(ax.figure)
    """
    memory, second = measure(seen), None if other is None else measure(other)
    strip = _Strip(memory)
    if ax is None:
        height = TITLE + HEAD + CHART + strip.height
        figure = plt.figure(figsize=(WIDTH / DPI, height / DPI))
        ax = figure.add_axes((LEFT / WIDTH, 0, (WIDTH - LEFT - RIGHT) / WIDTH, 1 - TITLE / height))
    plot = _Plot(ax, memory, second, strip, theory)
    plot.title(title, other_name)
    plot.phases()
    plot.stairs(other_name)
    plot.theory(theory_name)
    plot.peak()
    plot.marks()
    plot.lifetimes()
    return ax


class _Strip:
    """Where the rows of the lifetimes stand: y in pixels below the axis, from the top of a row."""

    def __init__(self, memory: Memory) -> None:
        steps, lives = memory.steps, memory.lives
        kinds = (
            ("block", [life for life in lives if not life.again and life.input_of]),
            ("kept", [life for life in lives if not life.again and not life.input_of]),
        )
        self.groups: list[tuple[str, int | None, list[Life]]] = [(kind, None, group) for kind, group in kinds if group]
        again = [life for life in lives if life.again]
        for block, run in groupby(again, key=lambda life: steps[life.start].block):
            self.groups.append(("again", block, list(run)))
        self.many = len(lives) > MANY
        self.rows: list[list[float]] = []
        y = float(ROWS if memory.nobody else NOBODY - 6)
        for kind, _, group in self.groups:
            pitch = MOST / len(lives) if self.many else ROW if kind == "again" else NAMED_ROW
            self.rows.append([y + pitch * row for row in range(len(group))])
            y += pitch * len(group) if self.many else max(pitch * len(group), NAMED_ROW)  # room for the group's name
        self.bar = min(6.0, MOST / len(lives) * 0.8) if self.many else 6.0
        self.height = y + FOOT


@dataclass(frozen=True)
class _Note:
    """The note on the peak: its lines with their colours, and in pixels where it begins."""

    lines: list[tuple[str, str]]
    left: float
    on_right: bool
    level: float  # of its first line, below the highest stair


class _Plot(Sheet):
    """The picture, part by part."""

    def __init__(self, ax: Axes, memory: Memory, second: Memory | None, strip: _Strip, theory: float | None) -> None:
        self.memory, self.second, self.strip, self.bound = memory, second, strip, theory
        self.scale = common_unit(memory, second)
        steps = max(len(memory.steps), len(second.steps) if second else 0, 1)
        super().__init__(ax, strip.height, steps, max(memory.peak, second.peak if second else 0, theory or 0) or 1)
        self.leave_head(HEAD)
        self.leave_head(HEAD + max(0, 34 - HEAD - self.place_note().level))  # as much as the note needs
        self.note = self.place_note()

    def title(self, title: str, other_name: str) -> None:
        memory, second = self.memory, self.second
        left = 16 - LEFT
        runs = "run" if memory.extra_runs == 1 else "runs"
        extra = f" · {memory.extra_runs} extra {runs}" if memory.extra_runs else ""
        beside = f" ({other_name} {size(second.peak, self.scale)})" if second else ""
        peak = f"peak {size(memory.peak, self.scale)}"
        style: dict[str, Any] = {
            "fontfamily": FONT,
            "fontsize": 14 * POINT,
            "color": self.colours.ink,
            "pad": 13 * POINT,
        }
        self.ax.set_title(title, loc="left", x=left / self.width, fontweight="bold", **style)
        room = self.width + RIGHT - 16 - left - len(title) * 9
        fitting = [words for words in (peak + beside + extra, peak + extra, peak) if long(words) * 1.08 < room]
        self.ax.set_title(fitting[0] if fitting else "", loc="right", x=1 + (RIGHT - 16) / self.width, **style)

    def phases(self) -> None:
        """Say above the stairs which way the program runs, and draw a rule where the way back starts."""
        again = " (and run blocks again)" if self.memory.extra_runs else ""
        forward = ("forward: run, keep what is needed", "forward: run, keep", "forward")
        back = (
            f"backward: use it, release it{again}",
            "backward: use it, release it",
            "backward: use, release",
            "backward",
        )
        for way, first, end in self.memory.ways:
            choices, colour = (
                (back, self.colours.back_words) if way == "backward" else (forward, self.colours.kept_words)
            )
            indent = 8 if first else 0
            last = RIGHT - 16 if end == self.steps else 0
            words = self.fitting(choices, self.x(end) - self.x(first) - indent + last)
            self.write(self.ax, first, self.up(8 - self.head), words, colour, right=indent)
        for first, _ in self.memory.backs:
            self.ax.axvline(first, color=self.colours.soft, linewidth=POINT, zorder=3)
            self.below.axvline(first, color=self.colours.soft, linewidth=POINT, zorder=1)

    def stairs(self, other_name: str) -> None:
        memory, second, ax, colours = self.memory, self.second, self.ax, self.colours
        edges = range(len(memory.steps) + 1)
        kept = [step.kept for step in memory.steps]
        flat: dict[str, Any] = {"fill": True, "linewidth": 0, "zorder": 2}
        if kept:
            ax.stairs(kept, edges, color=colours.kept, label="kept", **flat)
            ax.stairs(memory.held, edges, baseline=kept, color=colours.again, label="held by a rerun", **flat)
        else:
            self.write(ax, 0, self.up(self.chart / 2), "nothing to draw: no tape heard an op", colours.soft)
        marks = {0: colours.soft, memory.peak: colours.ink}
        if second and second.steps:
            edges = range(len(second.steps) + 1)
            line: dict[str, Any] = {"color": colours.outline, "linewidth": 1.5 * POINT, "zorder": 4}
            halo = [withStroke(linewidth=4 * POINT, foreground=self.ground)]  # so that it is seen on the filled stairs
            ax.stairs(second.held, edges, baseline=None, label=other_name, path_effects=halo, **line)
            top = second.peak_step
            place = (top, -6, "right") if self.x(top) > long(other_name) + 12 else (top + 1, 6, "left")
            self.write(ax, place[0], second.peak, other_name, colours.kept_words, right=place[1], ha=place[2])
            if abs(self.down(second.peak) - self.down(memory.peak)) > 15:
                marks.setdefault(second.peak, colours.soft)
        if memory.peak and self.down(0) - self.down(memory.peak) < 15:
            del marks[0]
        ax.set_yticks(list(marks), [size(held, self.scale) for held in marks], fontfamily=FONT, fontsize=13 * POINT)
        ax.tick_params(axis="y", length=0, pad=8 * POINT)
        for label, colour in zip(ax.get_yticklabels(), marks.values(), strict=True):
            label.set_color(colour)

    def theory(self, theory_name: str) -> None:
        if self.bound is None:
            return
        style: dict[str, Any] = {"color": self.colours.ink, "linewidth": POINT, "linestyle": (0, (6, 4)), "zorder": 5}
        self.ax.axhline(self.bound, label=theory_name, **style)
        words = f"{theory_name} = {size(self.bound, self.scale)}"
        self.write(self.ax, self.steps, self.bound, words, self.colours.soft, up=10, ha="right")

    def place_note(self) -> _Note:
        """Where the note on the peak stands: beside the peak, and clear of the stairs; without names if it must be."""
        memory, colours = self.memory, self.colours
        colour = {"block": colours.kept_words, "kept": colours.kept_words, "again": colours.again_words}
        head = (f"peak {size(memory.peak, self.scale)}", colours.ink)
        held = holders(memory)
        named = [head, *((f"{words}: {names}", colour[kind]) for kind, words, names in held)]
        counted = [head, *((words, colour[kind]) for kind, words, _ in held)]
        x, y = self.x(memory.peak_step + 0.5), self.down(memory.peak)
        for lines in (named, counted):
            width = max(long(words) for words, _ in lines)
            last = self.width + RIGHT - 16 - width  # the furthest left end that keeps the note in the picture
            on_right = last > x + 24
            left = max(x + 24, min(last, 0.68 * self.width)) if on_right else min(x - 48, 0.4 * self.width) - width
            if on_right or left >= 0:
                break
        first, end = max(0, int(self.step(left))), int(self.step(left + width)) + 1
        stairs = memory.held[first:end] + (self.second.held[first:end] if self.second else ())
        clear = self.down(max(stairs, default=0)) - 12 - 18 * (len(lines) - 1)
        return _Note(lines, max(0.0, left), on_right, min(14.0, y - 14, clear))

    def peak(self) -> None:
        """Mark the first highest stair, and name who holds it."""
        memory, note, colours = self.memory, self.note, self.colours
        if not memory.peak:
            return
        x = memory.peak_step + 0.5
        end = self.step(note.left - 6 if note.on_right else note.left + 8.5 * len(note.lines[0][0]) + 6)
        level = self.up(note.level)
        self.ax.plot([x, x, end], [memory.peak, level, level], color=colours.soft, linewidth=POINT, zorder=5)
        self.ax.plot([x], [memory.peak], "o", color=colours.ink, markersize=7 * POINT, label="peak", zorder=6)
        for row, (words, colour) in enumerate(note.lines):
            self.write(self.ax, self.step(note.left), self.up(note.level + 18 * row), words, colour, bold=row == 0)

    def marks(self) -> None:
        """Below the axis: which stretch runs forward, which runs again, which goes back."""
        memory, colours = self.memory, self.colours
        style = {"forward": (colours.kept, 7, 2), "backward": (colours.back, 7, 2), "again": (colours.again, 5, 6)}
        runs, start = [], 0
        for (phase, block), group in groupby(memory.steps, key=lambda step: (step.phase, step.block)):
            end = start + len(list(group))
            colour, y, height = style.get(phase, (colours.soft, 7, 2))
            gap = min(1.0, self.x(end - start) / 4)
            self.boxes([(self.x(start) + gap, y, self.x(end - start) - 2 * gap, height)], colour, phase)
            if phase == "again":
                runs.append(((start + end) / 2, memory.block_name(block)))
            start = end
        room = min([self.x(b - a) for (a, _), (b, _) in pairwise(runs)], default=self.width) - 8
        names = [name for _, name in runs]
        forms = ([_run_again(name) for name in names], [f"{name} again" for name in names], names)
        fitting = [words for words in forms if all(long(word) <= room for word in words)]
        for (middle, _), words in zip(runs, fitting[0] if fitting else [], strict=False):
            self.write(self.below, middle, 22, words, colours.again_words, ha="center")
        if runs and forms[0] not in fitting and forms[1] not in fitting:
            self.aside(22, "run again", colours.again_words)

    def lifetimes(self) -> None:
        """Who holds what, and how long: a row for each value, a mark where it is let go."""
        memory, colours, strip = self.memory, self.colours, self.strip
        if memory.lives or memory.nobody:
            self.aside(46, "held by", colours.soft)
        if memory.nobody:
            self.aside(NOBODY, "nobody", colours.soft)
            skipped: list[Box] = [
                (self.x(first) + 1, NOBODY - 4, max(1, self.x(end - first) - 2), 7)
                for first, end in self.stretches(memory.nobody)
            ]
            self.boxes(skipped, colours.skipped, "nobody", hatch="//////", dashed=True)
            count = len(memory.nobody)
            outputs = "1 output skipped: it can" if count == 1 else f"{count} outputs skipped: they can"
            after = next((first for first, _ in memory.backs if first > memory.nobody[-1]), memory.nobody[-1] + 1)
            words = self.fitting(
                (f"{outputs} be computed again", f"{count} skipped"), self.width - self.x(after) + RIGHT - 16
            )
            self.write(self.below, after, NOBODY, words, colours.soft, right=8)
        released: list[Box] = []
        for (kind, block, group), rows in zip(strip.groups, strip.rows, strict=True):
            again = kind == "again"
            boxes: list[Box] = []
            for life, y in zip(group, rows, strict=True):
                start, end = self.x(life.start), self.x(self.steps if life.end is None else life.end)
                boxes.append((start, y, end - start, strip.bar))
                released += [] if life.end is None else [(end - 1, y - 1, 3, strip.bar + 2)]
            self.boxes(boxes, colours.again if again else colours.kept, f"{kind} {block or ''}".strip())
            self.group_names(kind, block, group, rows)
        self.boxes(released, colours.back, "released")

    def group_names(self, kind: str, block: int | None, group: Sequence[Life], rows: Sequence[float]) -> None:
        again = kind == "again"
        middle = (rows[0] + rows[-1] + self.strip.bar) / 2
        edge = 0.0  # where the names of the rows near the middle begin
        if again and not self.strip.many:
            written = [(group[0].start, middle, names([life.value for life in group], 2), self.colours.soft)]
        elif not self.strip.many:
            colour = self.colours.kept_words
            written = [(life.start, y + 3, short(life.value.name), colour) for life, y in zip(group, rows, strict=True)]
        else:
            written = []
        for start, y, words, colour in written:
            self.write(self.below, start, y, words, colour, right=-6, ha="right")
            if abs(y - middle) < 14:
                edge = min(edge, self.x(start) - 6 - long(words))
        if kind == "block":
            numbers = sorted({life.input_of for life in group if life.input_of})
            label = f"blocks {numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else "the block"
        else:
            label = _run_again(self.memory.block_name(block)) if again else "recorded ops"
        self.aside(middle, label, self.colours.again_words if again else self.colours.kept_words, edge)


def _run_again(name: str) -> str:
    return " ".join(filter(None, ("run", name, "again")))

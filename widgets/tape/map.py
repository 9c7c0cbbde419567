"""The map of a long tape: its spine, 2 px an op or one run of ops a pixel, which fills and is run up again.

It is drawn once. What moves goes by numbers in its style: `--first` is the first row in the window, `--seen` says how
many rows there are by now, `--from` and `--to` between which rows the way back ran, `--gone` how many are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..player.picture import DONE, FUTURE, Storyboard
from ..player.svg import Element, group, path, rect
from .layout import SPINE
from .story import Row, Story
from .window import LEFT, PITCH, SIZE

TOP, EACH, FINE, MOST = 40, 2, 240, 400  # where it begins; an op's height up to so many ops, the whole height above
TICK, FLOW, EDGE = 32, 44.5, 52  # from the left: what tells of a skip, the way back, the ring around the window's place
ROWS = 72  # where the window begins
LEAST = 10  # the height of the ring at least


class Map:
    """The map, and the numbers that move it."""

    def __init__(self, story: Story, board: Storyboard) -> None:
        self.story, self.board = story, board
        self.height = EACH * len(story.rows) if len(story.rows) <= FINE else MOST
        self.each = self.height / max(len(story.rows), 1)
        self.bottom = TOP + self.height

    def draw(self) -> Element:
        """From below: what is recorded and skipped, the cover over what is to come, rails, the way back, the ring."""
        down = self.bottom + 8
        left = [rect(-1, 0, TICK + 8, 1, "cover", style=_stretched(self._at("seen"), f"{self.bottom:g}"))]
        if any(row.cleared for row in self.story.rows):
            left.append(rect(0, 0, TICK + 8, 1, "veil", style=_stretched(f"{TOP}", self._at("gone"))))
        rails = path(f"M.5 32V{down:g}M23.5 32V{down:g}", "spine")
        return group(self._marks(), left, rails, self._flow(), self._place(), cls="gauged")

    def _at(self, gauge: str) -> str:
        """The height of a row's upper edge, as CSS."""
        return f"({TOP} + var(--{gauge}) * {self.each:.5g})"

    def _marks(self) -> list[Element]:
        """One path for what is recorded, one for what runs again, one for what is skipped."""
        lines: list[list[Row]] = [[] for _ in range(min(self.height, len(self.story.rows)))]
        for at, row in enumerate(self.story.rows):
            lines[at * len(lines) // len(self.story.rows)].append(row)
        tall = self.height / max(len(lines), 1)

        def marks(cls: str, x: float, width: Callable[[list[Row]], float]) -> list[Element]:
            runs = _runs([round(width(rows), 1) for rows in lines])
            d = "".join(f"M{x:g} {TOP + tall * at:g}h{w:g}v{tall * many:g}h-{w:g}z" for at, many, w in runs)
            return [path(d, cls)] if d else []

        return [
            *marks("k-rec crisp", 0, lambda rows: SPINE * sum(row.number is not None for row in rows) / len(rows)),
            *marks("k-redo crisp", SPINE, lambda rows: 4 * any(row.ran.custom == "recompute_grad" for row in rows)),
            *marks("missed crisp", TICK, lambda rows: 6 * any(row.number is None for row in rows)),
        ]

    def _flow(self) -> Element:
        """The orange line, from the entry where the way back began up to where it is."""
        for turn, call in enumerate(self.story.calls):
            if call.walks:
                self.board.set("flow", DONE, call.walks[0].step)
                if turn + 1 < len(self.story.calls):
                    self.board.set("flow", FUTURE, self.story.calls[turn + 1].step)
        below = f"({TOP} + (var(--from) + 1) * {self.each:.5g})"
        line = path(f"M{FLOW} 0V1", "flow", style=_stretched(self._at("to"), f"max({below}, {self._at('to')} + 8)"))
        head = path(f"M{FLOW} -2l6 10h-12z", "flowhead", style=_moved(self._at("to")))
        return group(line, head, id="flow")

    def _place(self) -> list[Element]:
        """The ring around the window's place, and the hairlines that join it to the window."""
        rows = min(SIZE, len(self.story.rows))
        tall = rows * self.each
        high = max(tall, LEAST)
        place = f"(var(--first) * {self.each:.5g})"
        ring = rect(-2, TOP + (tall - high) / 2 - 1, EDGE + 2, high + 2, "here", rx=2, style=_moved(place))
        bend = path(f"M{EDGE} 0C{EDGE + 20} 0 {EDGE + 12} 1 {LEFT} 1", "hair still")
        above, below = (f"({place} + {TOP + (tall + by * high) / 2 + by:g})" for by in (-1, 1))
        ends = ((above, ROWS), (below, ROWS + PITCH * rows))
        joins = [group(bend, style=_stretched(start, f"{end:g}")) for start, end in ends]
        return [*joins, ring]

    def gauges(self) -> dict[str, list[float]]:
        """For each step the numbers that the map goes by."""
        story, steps = self.story, len(self.story.beats)
        number = {id(row): at for at, row in enumerate(story.rows)}
        walks = [(walk.step, call, number[id(walk.row)]) for call in story.calls for walk in call.walks]
        began = {id(call): number[id(call.walks[0].row)] for call in story.calls if call.walks}
        gauges = {
            "seen": _held([(row.step, at + 1) for at, row in enumerate(story.rows)], steps),
            "from": _held([(step, began[id(call)]) for step, call, _ in walks], steps),
            "to": _held([(step, row) for step, _, row in walks], steps),
        }
        forgotten = [(row.cleared, at + 1) for at, row in enumerate(story.rows) if row.cleared]
        return gauges | ({"gone": _held(sorted(forgotten), steps)} if forgotten else {})


def _held(moments: Iterable[tuple[int, float]], steps: int) -> list[float]:
    """A number for each step: the one of its last moment, 0 before the first."""
    at, held = dict(moments), [0.0] * steps
    now = 0.0
    for step in range(1, steps + 1):
        held[step - 1] = now = at.get(step, now)
    return held


def _runs(widths: list[float]) -> list[tuple[int, int, float]]:
    """Neighbours of the same width as one: where it begins, how many they are, the width; nothing for width 0."""
    runs: list[tuple[int, int, float]] = []
    for at, width in enumerate(widths):
        if runs and runs[-1][2] == width:
            begin, many, _ = runs.pop()
            runs.append((begin, many + 1, width))
        else:
            runs.append((at, 1, width))
    return [run for run in runs if run[2]]


def _moved(down: str) -> str:
    return f"transform:translateY(calc({down} * 1px))"


def _stretched(start: str, end: str) -> str:
    """Of a shape of height 1: from one height to another."""
    return f"{_moved(start)} scaleY(calc({end} - {start}))"

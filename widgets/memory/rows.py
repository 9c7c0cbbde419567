"""Who holds the bytes of a MemoryTimeline: a row for each value, named at the left, and what nobody holds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from ..player.picture import CURRENT, DONE, FUTURE, Storyboard
from ..player.svg import Element, columns, group, rect, text
from .held import Life
from .held_words import names, short
from .layout import LABEL, LETTER, NOBODY, Group, Layout, long
from .story import Story

NARROW = 6.7  # the advance of a code character at 11 px
LINE = 14  # from one group's name to the next, at least


def aside(at: Layout, y: float, words: str, cls: str, edge: float | None = None, **more: Any) -> Element:
    """Words in the column at the left."""
    x = min(at.left if edge is None else edge, at.left) - LABEL
    return text(x, y, words, f"{cls} e", most=int(x // LETTER), **more)


class Rows:
    """Draws the rows of one layout; `caps` are the marks of thin rows, which go along with the cursor."""

    def __init__(self, story: Story, layout: Layout, board: Storyboard, suffix: str) -> None:
        self.story, self.at, self.board, self.suffix = story, layout, board, suffix
        self.memory = story.memory
        self.number = {id(life): number for number, life in enumerate(self.memory.lives, 1)}
        self.caps: list[Element] = []
        self.named = 0.0  # how far down the groups have names

    def draw(self) -> list[Element]:
        """The rows, the skipped outputs, and all their names."""
        bars = [part for rows in self.at.groups for part in self._bars(rows)]
        return [*bars, *self._nobody(), *(part for rows in self.at.groups for part in self._names(rows))]

    def _nobody(self) -> list[Element]:
        """The outputs that nothing holds: hatched, for they were skipped; and how many they are."""
        memory, at = self.memory, self.at
        if not memory.nobody:
            return []
        y, count = at.base + NOBODY, len(memory.nobody)
        runs, gap = _stretches(memory.nobody, apart=at.step > 8), 1 if at.step > 3 else 0
        boxes = [rect(at.x(a) + gap, y - 7, (b - a) * at.step - 2 * gap, 7, "k-skip") for a, b in runs]
        x = at.x(next((first for first, _ in memory.backs if first > memory.nobody[-1]), memory.nobody[-1] + 1)) + LABEL
        outputs = f"{count} output{'' if count == 1 else 's'} skipped"
        can = "it can be computed again" if count == 1 else "they can be computed again"
        said = next((w for w in (f"{outputs}: {can}", outputs, f"{count}") if long(w) <= at.end - x), "")
        return [group(boxes), aside(at, y, "nobody", "q"), text(x, y, said, "q halo")]

    def _bars(self, rows: Group) -> list[Element]:
        """How long each value is held: an orange cap where the way back lets it go, a ring while it is held.

        Where rows are too thin for a ring, a black piece travels along.
        """
        at, drawn = self.at, []
        cls = "k-redo" if rows.kind == "again" else "k-rec"
        for life, top in zip(rows.lives, rows.rows, strict=True):
            x, end = at.x(life.start), at.x(len(self.memory.steps) if life.end is None else life.end)
            y, ring = at.base + top, f"life-{self.number[id(life)]}{self.suffix}"
            drawn.append(rect(x, y, end - x, at.bar, cls))
            if at.many:
                self.caps.append(rect(at.left - 5, y, 5, at.bar, "k-ink", id=ring))
            else:
                drawn.append(rect(x, y, end - x, at.bar, "holds", id=ring))
            self.board.set(ring, CURRENT, self.story.when(life.start))
            if life.end is not None:
                self.board.set(ring, FUTURE, max(self.story.when(life.end), self.story.when(life.start) + 1))
                drawn.append(rect(end - 1, y - 1, 3, at.bar + 2, "k-back"))
        return drawn

    def _names(self, rows: Group) -> list[Element]:
        """What the values are called, and at the left the group's name, bold while one of them is held.

        Where groups are thin, some have no room for a name.
        """
        at, drawn, edge = self.at, [], None
        ink = "redo-ink" if rows.kind == "again" else "rec-ink"
        if not at.many and rows.kind == "again":
            named = [(rows.lives[0], rows.middle, names([life.value for life in rows.lives], 2), "q")]
        elif not at.many:
            each = zip(rows.lives, rows.rows, strict=True)
            named = [(life, top + 9, short(life.value.name), ink) for life, top in each]
        else:
            named = []
        for life, y, said, cls in named:
            x = at.x(life.start) - 6
            beside = 2 * LABEL + long(rows.label) if abs(y - rows.middle) < 14 else 0  # the group's own name
            most = int((x - LABEL - beside) // NARROW)
            if most < 2:
                continue
            drawn.append(text(x, at.base + y, said, f"c s {cls} halo e", most=most))
            if beside:
                edge = min(edge or at.left, x - NARROW * min(columns(said), most))
        if self.named and rows.middle - self.named < LINE:
            return drawn
        self.named = rows.middle
        id = f"group-{at.groups.index(rows) + 1}{self.suffix}"
        for start, end in _spells(rows.lives):
            self.board.set(id, CURRENT, self.story.when(start))
            if end is not None:
                self.board.set(id, DONE, max(self.story.when(end), self.story.when(start) + 1))
        self.board.moments.setdefault(id, {}).setdefault((1, 0), DONE)
        return [*drawn, aside(at, at.base + rows.middle, rows.label, ink, edge, id=id)]


def _stretches(steps: Sequence[int], apart: bool) -> list[tuple[int, int]]:
    """Steps as (first, end): one each where there is room to see them, else one for all that touch."""
    if apart:
        return [(step, step + 1) for step in steps]
    touching = groupby(enumerate(steps), key=lambda pair: pair[1] - pair[0])
    runs = [[step for _, step in run] for _, run in touching]
    return [(run[0], run[-1] + 1) for run in runs]


def _spells(lives: Sequence[Life]) -> list[tuple[int, int | None]]:
    """From when to when at least one of them is held."""
    spells: list[tuple[int, int | None]] = []
    for life in sorted(lives, key=lambda life: life.start):
        if spells and (spells[-1][1] is None or life.start < spells[-1][1]):
            start, end = spells[-1]
            spells[-1] = (start, None if end is None or life.end is None else max(end, life.end))
        else:
            spells.append((life.start, life.end))
    return spells

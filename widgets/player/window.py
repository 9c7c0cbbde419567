"""A window on rows that are too many to draw: the picture shows those around the current one, and no others exist.

A kind of row is drawn once, as a template: a drawing at height 0 in which an element with `data-cell` stands for a text
that each row has of its own. A row is then a compact record: its kind, its cells, and the moments from which on it has
another state (classes of `picture.css`) and says something else in the cell `said`. The player copies a template for
each row in view and rewrites texts and classes; `rows_at` does the same here, for the still picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .picture import FUTURE, Step, row_at
from .svg import Element, cut, group

SAID = "said"  # the cell that a moment fills
TIP = 120  # columns of a tooltip

Cell = str | tuple[str, str]  # what is shown; with the whole text, where that is more
Moment = tuple[int, str, Cell]  # from this step on: the state, and what is said


@dataclass(frozen=True, slots=True)
class Row:
    """One row, whether it is in view or not."""

    kind: str
    cells: tuple[Cell, ...]
    moments: tuple[Moment, ...]  # in order; before the first one the row is not there yet


@dataclass(frozen=True, slots=True)
class Window:
    """All rows, and how many of them are in view at a time."""

    id: str  # the part of the drawing that the rows stand in
    templates: dict[str, Element]
    rows: tuple[Row, ...]
    size: int  # rows in view
    pitch: float  # from one row to the next
    place: str  # the part of the drawing that says which rows are in view
    says: str  # what it says: "ops {first} to {last}"

    def first(self, row: int) -> int:
        """The first row in view when this one is the current one: it stands in the middle, as far as the ends allow."""
        return max(0, min(row - self.size // 2, len(self.rows) - self.size))

    def rows_at(self, steps: Sequence[Step], step: int) -> list[Element]:
        """The rows in view when a step is complete."""
        current = row_at(steps, step)
        first = self.first(current)
        shown = enumerate(self.rows[first : first + self.size])
        ring = steps[step - 1].row if steps else None
        return [
            group(self._filled(row, step, first + at == ring), transform=f"translate(0 {self.pitch * at:g})")
            for at, row in shown
        ]

    def place_at(self, steps: Sequence[Step], step: int) -> str:
        """Which rows are in view."""
        first = self.first(row_at(steps, step))
        return self.says.format(first=first + 1, last=min(first + self.size, len(self.rows)))

    def _filled(self, row: Row, step: int, ringed: bool) -> Element:
        _, state, said = next((moment for moment in reversed(row.moments) if moment[0] <= step), (0, FUTURE, ""))
        cells = {str(at): cell for at, cell in enumerate(row.cells)} | {SAID: said}
        return group(_fill(self.templates[row.kind], cells), cls=f"row {state}{' is-current' * ringed}")

    def to_data(self) -> dict[str, Any]:
        """What the player needs, with numbers for kinds and states."""
        kinds = {kind: at for at, kind in enumerate(self.templates)}
        states: dict[str, int] = {}

        def brief(row: Row) -> list[Any]:
            return [part for step, state, said in row.moments for part in (step, number(state), said)]

        def number(state: str) -> int:
            return states.setdefault(state, len(states))

        rows = [[kinds[row.kind], row.cells, brief(row)] for row in self.rows]
        return {
            "id": self.id,
            "size": self.size,
            "pitch": self.pitch,
            "place": self.place,
            "says": self.says,
            "templates": [template.render() for template in self.templates.values()],
            "states": list(states),
            "rows": rows,
        }


def cell(words: str, most: int) -> Cell:
    """A text in at most so many columns, with the whole of it for the tooltip."""
    shown = cut(words, most)
    return shown if shown == words else (shown, cut(words, TIP))


def _fill(element: Element, cells: dict[str, Cell]) -> Element:
    """A template with a row's texts in it."""
    name = element.attributes.get("data-cell")
    if name is not None:
        shown = cells.get(str(name), "")
        words = (shown,) if isinstance(shown, str) else (Element("title", (shown[1],)), shown[0])
        return replace(element, children=words)
    inside = tuple(_fill(child, cells) if isinstance(child, Element) else child for child in element.children)
    return replace(element, children=inside)

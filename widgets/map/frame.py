"""Where things stand on a road map: rows of the program, lanes of values, and the room that is taken by small texts."""

from __future__ import annotations

from typing import Any

from ..player.svg import CODE, Element, columns, text
from .roads import Road, Roads, Spot

TOP, EDGE = 64, 528  # where the first row begins; the panel's width
TALL, LOW, MANY = 40, 24, 14  # the pitch of the rows; low where there are more lines than this
MOST = 34  # columns of code
NUMBER = 12  # columns of a number
LABEL = 6.7  # the advance of the code font at 11 px
WIDEST, NARROWEST = 64.0, 30.0  # the pitch of the lanes


class Frame:
    """The places of one map; `bottom` is how far down it reaches."""

    def __init__(self, roads: Roads) -> None:
        self.roads = roads
        self.lines = [line.expandtabs(4).rstrip() for line in roads.story.lines]
        self.pitch = TALL if len(self.lines) <= MANY else LOW
        self.before = int(any(spot.row == 0 for spot in roads.spots))
        most = min(max((columns(line) for line in self.lines), default=0), MOST)
        self.code = 64 + most * CODE + 6
        self.left = max(self.code + 24, 216)
        room = (EDGE - 40 - self.left) / max(roads.lanes - 1, 1)
        self.lane = max(min(WIDEST, room), NARROWEST)
        rows = max(len(self.lines), roads.end if roads.spots else 0) + self.before
        self.bottom = TOP + self.pitch * rows
        self.taken: list[tuple[float, float, float, float]] = []  # the boxes of what is written on the map

    def x(self, spot: Spot) -> float:
        """The middle of a spot's lane."""
        return self.left + spot.lane * self.lane

    def y(self, row: float) -> float:
        """The middle of a row."""
        return TOP + self.pitch * (row - 0.5 + self.before)

    def way(self, road: Road, first: float, shift: float = 0) -> str:
        """The line of a road: down its lane from a row, then across to its reader's lane."""
        x, to, y0, y = self.x(road.start), self.x(road.end), self.y(first), self.y(road.end.row)
        if x == to:
            return f"M{x:g} {y0:g}V{y:g}"
        if self.roads.last(road.start) > road.end.row or y - y0 < 10 or shift:
            return f"M{x:g} {y0:g}V{y + shift:g}M{x:g} {y + shift:g}H{to:g}"
        bend = 10 if to > x else -10
        return f"M{x:g} {y0:g}V{y - 10:g}q0 10 {bend} 10H{to:g}"

    def room(self, x: float) -> int:
        """How many columns of a label fit right of a point."""
        return max(int((EDGE - x) // LABEL), 2)

    def claim(self, x: float, y: float, wide: float, force: bool = False) -> bool:
        """Take the room of a small text that begins at x, y; False where something stands there already."""
        box = (x, y - 10, x + wide, y + 3)
        met = any(box[0] < c and a < box[2] and box[1] < d and b < box[3] for a, b, c, d in self.taken)
        if force or not met:
            self.taken.append(box)
        return not met

    def small(self, x: float, y: float, said: str, cls: str, anchor: str = "", **more: Any) -> list[Element]:
        """A small text where there is room for it; nothing where there is none."""
        wide = columns(said) * LABEL
        left = x - wide if anchor == "e" else x - wide / 2 if anchor == "m" else x
        fits = left >= 0 and left + wide <= EDGE + 40 and self.claim(left, y, wide)
        return [text(x, y, said, f"c s {cls} knockout {anchor}".strip(), **more)] if fits else []

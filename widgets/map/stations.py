"""The stations of a road map: where values come from and are watched, and what they are called."""

from __future__ import annotations

from .. import words
from ..player.picture import Storyboard
from ..player.svg import CODE, Element, columns, cut, element, group, rect, text
from .breaks import Break
from .frame import EDGE, LABEL, MOST, NUMBER, TALL, Frame
from .roads import Spot

NAME = 14  # columns of a name


def stations(frame: Frame, board: Storyboard, ends: list[Break]) -> list[Element]:
    """A mark for each spot, its label, and its ring."""
    drawn: list[Element] = []
    for spot in frame.roads.spots:
        id = f"station-{spot.id}"
        board.show(id, spot.step)
        parts = [_mark(frame, spot)]
        if spot.kind != "plain" or not any(other is spot for _, other, _ in frame.roads.sources):
            parts += _label(frame, ends, spot)
        drawn.append(group(parts, id=id))
        if spot.watched is not None:
            drawn += _ring(frame, board, spot, spot.watched)
    return drawn


def _mark(frame: Frame, spot: Spot) -> Element:
    x, y = frame.x(spot), frame.y(spot.row)
    if spot.kind == "gone":
        return rect(x - 7, y - 7, 14, 14, "station off")
    cls = {"plain": "station plain", "rec": "station", "off": "station off", "idle": "station plain"}[spot.kind]
    return element("circle", cls=cls, cx=x, cy=y, r=6 if spot.kind == "plain" else 7)


def _ring(frame: Frame, board: Storyboard, spot: Spot, watched: int) -> list[Element]:
    """Where the watching begins; the word, where that is not the line that made the value."""
    x, y, id = frame.x(spot), frame.y(watched), f"watch-{spot.id}"
    board.show(id, spot.watch_step)
    drawn = [element("circle", cls="bed-ring", cx=x, cy=y, r=6 if spot.asked else 5, id=id)]
    if spot.asked and watched != spot.row:
        id = f"watched-{spot.id}"
        said = frame.small(x + 14, y + 4, "watched", "ri", id=id)
        drawn += said
        if said:
            board.show(id, spot.watch_step)
    return drawn


def said_at(spot: Spot) -> str:
    """What stands at a station: its name and number, and how often its line ran."""
    number = f" {words.brief(spot.value, NUMBER)}" if spot.value and words.FULL.named(spot.value) else ""
    return cut(spot.name, NAME) + number + (f" \N{MULTIPLICATION SIGN}{spot.times}" if spot.times > 1 else "")


def leftward(frame: Frame, spot: Spot, said: str) -> bool:
    """Whether a station is labelled at its left: roads come in from the right, and the line of code is short."""
    right = any(frame.x(road.start) > frame.x(spot) for road in frame.roads.roads if road.end is spot)
    if not right or spot.lane or spot.row > len(frame.lines):
        return False
    line = columns(frame.lines[spot.row - 1]) if spot.row else 0
    return 64 + min(line, MOST) * CODE + 12 < frame.x(spot) - 16 - columns(said) * LABEL


def _label(frame: Frame, ends: list[Break], spot: Spot) -> list[Element]:
    """A station's name and number: at its right, above roads that come in from there, or at its left."""
    x, y = frame.x(spot), frame.y(spot.row)
    said, full = said_at(spot), spot.name + (f" {words.number(spot.value)}" if spot.value else "")
    bold = "c s knockout" if spot.kind == "off" else "c s b knockout"
    if leftward(frame, spot, said):
        frame.claim(x - 14 - columns(said) * LABEL, y + 4, columns(said) * LABEL, force=True)
        return [text(x - 14, y + 4, said, f"{bold} e", full=full)]
    room = frame.room(x + 14)
    shown = said if columns(said) <= room else cut(spot.name, NAME)
    wide = columns(shown) * LABEL
    if columns(shown) > room:
        frame.claim(EDGE - wide, y - 12, wide, force=True)
        return [text(EDGE, y - 12, shown, f"{bold} e", full=full)]
    into = [road for road in frame.roads.roads if road.end is spot]
    above = any(frame.x(road.start) > x for road in into)
    above = above or any(len(road.strands) > 1 and frame.x(road.start) < x for road in into)
    told = any(end.road is not None and end.road.end is spot for end in ends)
    word = spot.kind == "off" and not told and frame.pitch == TALL and room >= len("skipped")
    at = y - 6 if above else y - 2 if word else y + 4
    frame.claim(x + 14, at, wide, force=True)
    drawn = [text(x + 14, at, shown, bold, full=full)]
    return [*drawn, *frame.small(x + 14, y + 11, "skipped", "q")] if word else drawn

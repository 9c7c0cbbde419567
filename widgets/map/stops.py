"""Where the roads of a map end: a bar across the road, and the number of its reason."""

from __future__ import annotations

from ..player.picture import Storyboard
from ..player.svg import Element, group, path
from .breaks import Break
from .frame import TALL, Frame
from .marks import badge
from .roads import Road


def stops(frame: Frame, board: Storyboard, ends: list[Break]) -> list[Element]:
    """The bars, numbered like the reasons."""
    return [_stop(frame, board, number, end.road) for number, end in enumerate(ends, 1) if end.road is not None]


def _stop(frame: Frame, board: Storyboard, number: int, road: Road) -> Element:
    x, to, y = frame.x(road.start), frame.x(road.end), frame.y(road.end.row)
    across = abs(to - x) > 1
    if across:
        at = (x + to) / 2 if frame.lane < 40 else min(x, to) + min(abs(to - x) / 2, 32)
        bar, places = f"M{at:g} {y - 11:g}v22", [(at, y - 22), (at, y + 22), (at + 18, y - 12)]
    else:
        at = y - (16 if frame.pitch == TALL else 12)
        bar, places = f"M{x - 11:g} {at:g}h22", [(x + 22, at - 2), (x - 22, at - 2), (x + 40, at)]
    free = [(nx, ny) for nx, ny in places if frame.claim(nx - 8, ny + 4, 16)]
    nx, ny = free[0] if free else places[0]
    id = f"stop-{number}"
    call = frame.roads.call
    board.show(id, call.end if call and call.end else road.step)
    return group(path(bar, "stop"), *badge(number, nx, ny), id=id)

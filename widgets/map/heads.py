"""The sources of a road map: their names at the top, and below each its gradient as it grows."""

from __future__ import annotations

from minitape.trace import Value

from .. import words
from ..player.picture import FUTURE, Storyboard
from ..player.svg import CODE, Element, text
from .frame import LOW, MOST, Frame
from .roads import Spot


def heads(frame: Frame, board: Storyboard) -> list[Element]:
    """The names with their sums so far, and the answers at the end."""
    drawn: list[Element] = []
    roads, call = frame.roads, frame.roads.call
    room = 24 if len(roads.sources) == 1 else max(int(frame.lane // CODE) - 1, 4)
    told: set[int] = set()
    for value, spot, gradient in roads.sources:
        if id(spot) in told:
            continue
        told.add(id(spot))
        if spot.kind != "plain":
            drawn += _inner(frame, board, spot, gradient)
            continue
        x = frame.x(spot)
        drawn.append(text(x, 32, words.name(value), "c b m", most=room))
        if call is None:
            continue
        grown = roads.totals.get(spot.id, [])[:MOST]
        for turn, (step, total) in enumerate(grown):
            id_ = f"sum-{spot.id}-{turn + 1}"
            board.show(id_, step, turn + 1)
            until = grown[turn + 1][0] if turn + 1 < len(grown) else call.end
            if until:
                board.set(id_, FUTURE, until, turn + 2 if until == step else 0)
            drawn.append(text(x, 50, total, "c gi m", most=room, id=id_))
        if call.end:
            id_ = f"answer-{spot.id}"
            board.show(id_, call.end)
            answer, ink = ("None", "") if gradient is None else (words.brief(gradient, room), "gi ")
            drawn.append(text(x, 50, answer, f"c {ink}bold m", most=room, id=id_))
    return drawn


def _inner(frame: Frame, board: Storyboard, spot: Spot, gradient: Value | None) -> list[Element]:
    """A source that is itself computed: its gradient stands at its station."""
    call = frame.roads.call
    if call is None or not call.end or frame.pitch == LOW:
        return []
    id_ = f"answer-{spot.id}"
    board.show(id_, call.end)
    said = "None" if gradient is None else words.number(gradient)
    x, y = frame.x(spot), frame.y(spot.row)
    return [text(x + 14, y + 18, f"gradient {said}", "c s gi knockout", most=frame.room(x + 14), id=id_)]

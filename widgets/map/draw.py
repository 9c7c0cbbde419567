"""Draws a road map, from the back to the front: the program, lanes and beds, the gradient, stations, ends of roads."""

from __future__ import annotations

from ..player.picture import Storyboard
from ..player.svg import Element, text
from .breaks import Break
from .flow import flow
from .frame import TOP, Frame
from .heads import heads
from .lanes import Lanes
from .program import Switches, program
from .stations import stations
from .stops import stops


def draw(frame: Frame, board: Storyboard, ends: list[Break], switches: Switches) -> list[Element]:
    """The panel's elements; the storyboard hears when each of them changes."""
    drawn = [text(0, 16, "Program and its road", "b")]
    if switches:
        drawn.append(text(0, 48, "on the tape?", "s q"))
    if not frame.lines:
        drawn.append(text(0, TOP + 16, "the program's text is not at hand", "q"))
    if frame.before and frame.roads.spots:
        drawn.append(text(64, frame.y(0) + 4, "made before", "q"))
    drawn += program(frame, board, ends, switches)
    if not frame.roads.spots:
        drawn.append(text(frame.left, TOP + 16, "no roads: no op ran here", "q"))
        return drawn
    # names first: numbers on the roads take the room that is left
    named = [*stations(frame, board, ends), *heads(frame, board), *stops(frame, board, ends)]
    return [*drawn, *Lanes(frame, board).draw(), *flow(frame, board), *named]

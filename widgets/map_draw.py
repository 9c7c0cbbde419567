"""Draws a road map, from the back to the front: the program, lanes and beds, the gradient, stations, ends of roads."""

from __future__ import annotations

from .map_breaks import Break
from .map_flow import flow
from .map_frame import TOP, Frame
from .map_heads import heads
from .map_lanes import Lanes
from .map_program import Switches, program
from .map_stations import stations
from .map_stops import stops
from .picture import Storyboard
from .svg import Element, text


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

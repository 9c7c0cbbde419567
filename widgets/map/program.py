"""The program of a road map: its lines, grey until they are reached, each with its switch."""

from __future__ import annotations

from collections.abc import Mapping

from ..player.picture import Storyboard
from ..player.svg import CODE, Element, columns, group, path, rect, text
from ..player.switch import switch
from ..tape.program import light
from .breaks import Break
from .frame import MOST, Frame

Switches = Mapping[int, tuple[int, bool]]  # by line: the variant that it leads to, and whether it is on


def program(frame: Frame, board: Storyboard, ends: list[Break], switches: Switches) -> list[Element]:
    """The lines with their switches; the ring goes with the steps."""
    light(frame.roads.story, board, len(frame.lines))
    return [part for number in range(1, len(frame.lines) + 1) for part in _line(frame, ends, switches, number)]


def _line(frame: Frame, ends: list[Break], switches: Switches, number: int) -> list[Element]:
    line, y = frame.lines[number - 1], frame.y(number)
    shown = [text(52, y + 4, str(number), "c q e"), text(64, y + 4, line, "c", most=MOST)]
    wide, off = columns(line), number in switches and not switches[number][1]
    stopped = any(end.note and end.row == number and end.spot.row == number for end in ends)
    if off and stopped and wide + 16 <= MOST:
        shown.append(text(64 + (wide + 2) * CODE, y + 4, "# off the tape", "c q"))
    ring = rect(32, y - min(14, frame.pitch / 2), frame.code - 32, min(28, frame.pitch), "cur", rx=4)
    drawn = [group(shown, ring, id=f"line-{number}", cls="line")]
    ran = [spot for spot in frame.roads.spots if spot.row == number and spot.kind in ("off", "gone")]
    if number in switches:
        choice, on = switches[number]
        drawn.append(switch(choice, on, y, id=f"switch-{number}", label=f"line {number} on the tape"))
    elif ran and switches:
        drawn.append(path(f"M6 {y + 0.5:g}h12", "hair"))
    return drawn

"""The gradient's way back on a road map: from the target up, strand by strand, to the names of the sources."""

from __future__ import annotations

from .. import words
from ..player.picture import Storyboard
from ..player.svg import Element, columns, cut, group, path, text
from .frame import NUMBER, TALL, TOP, Frame
from .marks import head_left, head_right, head_up
from .roads import Road
from .stations import leftward, said_at

STRANDS = 4  # of a road with more contributions the first are drawn, and all of them counted


def flow(frame: Frame, board: Storyboard) -> list[Element]:
    """The start, the strands, and the thin lines from where a source is watched up to its name."""
    drawn: list[Element] = []
    roads, call = frame.roads, frame.roads.call
    if call is None:
        return drawn
    for target in roads.targets:
        if any(road.strands for road in roads.roads if road.end is target) or target.tracked:
            x, y, end = frame.x(target), frame.y(target.row), frame.y(roads.end)
            seed = words.number(call.asked.seeds[0]) if call.asked.seeds else "1.0"
            parts = [path(f"M{x:g} {end:g}V{y:g}", "flow"), head_up(x, (end + y) / 2)]
            said = text(x + 14, end + 4, f"{cut(seed, NUMBER)} start", "c s gi knockout")
            board.show("start", call.step)
            drawn.append(group(parts, said, id="start"))
            break
    for road in roads.roads:
        for place in range(min(len(road.strands), STRANDS)):
            drawn.append(_strand(frame, board, road, place))
    for _, spot, gradient in roads.sources:
        if gradient is not None and spot.kind == "plain" and call.end:
            start = spot.watched if spot.watched is not None else spot.row
            x = frame.x(spot)
            id = f"deliver-{spot.id}"
            board.show(id, call.end)
            drawn.append(group(path(f"M{x:g} {frame.y(start):g}V{TOP - 6}", "flow slim"), head_up(x, TOP - 4), id=id))
    return drawn


def _strand(frame: Frame, board: Storyboard, road: Road, place: int) -> Element:
    """One contribution: its line, its arrow heads, and its number where there is room."""
    strand, start, many = road.strands[place], road.start, min(len(road.strands), STRANDS)
    id = f"strand-{road.end.id}-{start.id}-{place + 1}"
    board.show(id, strand.step, strand.phase)
    x, to, y = frame.x(start), frame.x(road.end), frame.y(road.end.row)
    first = start.watched if start.watched is not None else start.row
    shift = 0 if many == 1 or x == to else min(4, 12 / many) * (2 * place - many + 1)
    drawn = [path(frame.way(road, first, shift), "flow")]
    said = _number(frame, road, place)
    if x == to:
        drawn.append(head_up(x, y - frame.pitch / 2 + 0.5))
        if said and frame.pitch == TALL and place == 0:
            said += f" \N{MULTIPLICATION SIGN}{len(road.strands)}" if many > 1 else ""
            if leftward(frame, road.end, said_at(road.end)):
                drawn += frame.small(x - 14, y - 14, said, "gi", "e")
            else:
                high = any(frame.x(other.start) > x for other in frame.roads.roads if other.end is road.end)
                drawn += frame.small(x + 14, y - (22 if high else 16), said, "gi")
    else:
        middle = (x + to) / 2
        tip = middle + (6 if place % 2 else -6) * (many > 1)
        drawn.append(head_left(tip, y + shift) if to > x else head_right(tip, y + shift))
        if y - frame.y(first) > frame.pitch:
            drawn.append(head_up(x, (y + frame.y(first)) / 2))
        if said and frame.pitch == TALL and place < 2:
            up = place == 0 or many == 1
            drawn += frame.small(middle, y + (-12 - abs(shift) / 2 if up else 22), said, "gi", "m")
    return group(drawn, id=id)


def _number(frame: Frame, road: Road, place: int) -> str:
    """What is written at a strand: with a plus where several meet, nothing where it is long or unclear."""
    shown = words.number(road.strands[place].value)
    down = frame.x(road.start) == frame.x(road.end)
    unlike = down and len({words.number(other.value) for other in road.strands}) > 1
    if columns(shown) > NUMBER or shown.startswith("(") or unlike:
        return ""
    return f"+{shown}" if shown and len(frame.roads.came(road.start)) > 1 and not shown.startswith("-") else shown

"""Draws a road map: the program with its switches, lanes and beds, the gradient's way back up, and where roads end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import words
from .map_breaks import Break
from .map_marks import badge, head_left, head_right, head_up
from .map_roads import Road, Roads, Spot
from .picture import FUTURE, Storyboard
from .svg import CODE, Element, columns, cut, element, group, path, rect, text
from .switch import switch

TOP, EDGE = 64, 528  # where the first row begins; the panel's width
TALL, LOW, MANY = 40, 24, 14  # the pitch of the rows; low where there are more lines than this
NUMBER, NAME = 12, 14  # columns of a number and of a name
LABEL = 6.7  # the advance of the code font at 11 px
MOST = 34  # columns of code
STRANDS = 4  # of a road with more contributions the first are drawn, and all of them counted
WIDEST, NARROWEST = 64.0, 30.0  # the pitch of the lanes


class Map:
    """The panel; notes down when each of its parts changes."""

    def __init__(
        self, roads: Roads, board: Storyboard, ends: list[Break], switches: Mapping[int, tuple[int, bool]]
    ) -> None:
        self.roads, self.board, self.ends, self.switches = roads, board, ends, switches
        story = roads.story
        self.lines = [line.expandtabs(4).rstrip() for line in story.lines]
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
        self.pieces: dict[tuple[str, int], list[str]] = {}

    def x(self, spot: Spot) -> float:
        """The middle of a spot's lane."""
        return self.left + spot.lane * self.lane

    def y(self, row: float) -> float:
        """The middle of a row."""
        return TOP + self.pitch * (row - 0.5 + self.before)

    def draw(self) -> list[Element]:
        """The panel's elements."""
        drawn = [text(0, 16, "Program and its road", "b")]
        if self.switches:
            drawn.append(text(0, 48, "on the tape?", "s q"))
        if not self.lines:
            drawn.append(text(0, TOP + 16, "the program's text is not at hand", "q"))
        if self.before and self.roads.spots:
            drawn.append(text(64, self.y(0) + 4, "made before", "q"))
        drawn += self._program()
        if not self.roads.spots:
            drawn.append(text(self.left, TOP + 16, "no roads: no op ran here", "q"))
            return drawn
        spots, heads = self._spots(), self._heads()  # names first: numbers on the roads take the room that is left
        stops = [self._stop(number, end) for number, end in enumerate(self.ends, 1) if end.road is not None]
        return [*drawn, *self._lanes(), *self._flow(), *spots, *heads, *stops]

    def _claim(self, x: float, y: float, wide: float, force: bool = False) -> bool:
        """Take the room of a small text that begins at x, y; False where something stands there already."""
        box = (x, y - 10, x + wide, y + 3)
        met = any(box[0] < c and a < box[2] and box[1] < d and b < box[3] for a, b, c, d in self.taken)
        if force or not met:
            self.taken.append(box)
        return not met

    def _small(self, x: float, y: float, said: str, cls: str, anchor: str = "", **more: Any) -> list[Element]:
        """A small text where there is room for it; nothing where there is none."""
        wide = columns(said) * LABEL
        left = x - wide if anchor == "e" else x - wide / 2 if anchor == "m" else x
        fits = left >= 0 and left + wide <= EDGE + 40 and self._claim(left, y, wide)
        return [text(x, y, said, f"c s {cls} knockout {anchor}".strip(), **more)] if fits else []

    # --- the program -------------------------------------------------------------------------------------------------

    def _program(self) -> list[Element]:
        """The lines, grey until they are reached, with their switches; the ring goes with the steps."""
        story, reached, last = self.roads.story, 0, max(len(self.roads.story.beats), 1)
        for step, beat in enumerate(story.beats, 1):
            line = story.line_of(beat)
            if line is None:
                continue
            for passed in range(reached + 1, line):
                self.board.show(f"line-{passed}", step)
            reached = max(reached, line)
            self.board.ring(f"line-{line}", step)
        for rest in range(reached + 1, len(self.lines) + 1):
            self.board.show(f"line-{rest}", last)
        return [part for number, line in enumerate(self.lines, 1) for part in self._line(number, line)]

    def _line(self, number: int, line: str) -> list[Element]:
        y = self.y(number)
        shown = [text(52, y + 4, str(number), "c q e"), text(64, y + 4, line, "c", most=MOST)]
        wide, off = columns(line), number in self.switches and not self.switches[number][1]
        stopped = any(end.note and end.row == number and end.spot.row == number for end in self.ends)
        if off and stopped and wide + 16 <= MOST:
            shown.append(text(64 + (wide + 2) * CODE, y + 4, "# off the tape", "c q"))
        ring = rect(32, y - min(14, self.pitch / 2), self.code - 32, min(28, self.pitch), "cur", rx=4)
        drawn = [group(shown, ring, id=f"line-{number}", cls="line")]
        ran = [spot for spot in self.roads.spots if spot.row == number and spot.kind in ("off", "gone")]
        if number in self.switches:
            choice, on = self.switches[number]
            drawn.append(self._switch(number, choice, on, y))
        elif ran and self.switches:
            drawn.append(path(f"M6 {y + 0.5:g}h12", "hair"))
        return drawn

    def _switch(self, number: int, choice: int, on: bool, y: float) -> Element:
        return switch(choice, on, y, id=f"switch-{number}", label=f"line {number} on the tape")

    # --- lanes and beds ----------------------------------------------------------------------------------------------

    def _lanes(self) -> list[Element]:
        """What lies under the gradient: dashed lanes off the tape, beds of what the tape knows, thin lanes before."""
        for spot in self.roads.spots:
            self._lane_of(spot)
        order = ("lane off", "bed-edge", "bed", "lane plain", "lane")
        drawn = []
        for cls in order:
            for (layer, step), pieces in sorted(self.pieces.items()):
                if layer == cls:
                    id = f"{cls.replace(' ', '-')}-{step}"
                    self.board.show(id, step)
                    drawn.append(path("".join(pieces), cls, id=id))
        return drawn

    def _lane_of(self, spot: Spot) -> None:
        """The pieces of one value's road, each from the step at which it is read."""
        x, readers = self.x(spot), sorted(self.roads.of(spot), key=lambda road: road.end.row)
        known = spot.watched if spot.watched is not None else spot.row
        if known > spot.row:
            self._piece("lane plain", f"M{x:g} {self.y(spot.row):g}V{self.y(known):g}", spot.watch_step)
        if spot.watched is not None:
            self._bed(f"M{x:g} {self.y(known):g}v.1", spot.watch_step)
        first: float = known
        reached: float = known
        for road in (road for road in readers if road.on):
            across = len(road.strands) > 1 and self.x(road.start) != self.x(road.end)
            self._bed(self._way(road, first), road.step, self._way(road, first).partition("H")[0] if across else None)
            reached = max(reached, road.end.row)
            first = reached if self.roads.last(spot) > road.end.row else first
        for road in (road for road in readers if not road.on):
            begin = spot.row if not spot.tracked else min(reached, road.end.row)
            if spot.tracked and road.end.row > reached:  # the bed goes on to where the road ends
                begin = road.end.row - 0.65
                self._bed(f"M{x:g} {self.y(reached):g}V{self.y(begin):g}", road.step)
                reached = begin
            self._piece("lane off", self._way(road, begin), road.step)
        if spot in self.roads.targets:
            d = f"M{x:g} {self.y(spot.row):g}V{self.y(self.roads.end):g}"
            step = self.roads.call.step if self.roads.call else 1
            if spot.tracked:
                self._bed(d, step)
            else:
                self._piece("lane off", d, step)

    def _piece(self, layer: str, d: str, step: int) -> None:
        self.pieces.setdefault((layer, step), []).append(d)

    def _bed(self, d: str, step: int, lane: str | None = None) -> None:
        """A piece of what the tape knows; `lane` is its middle line, where that is shorter."""
        self._piece("bed-edge", d, step)
        self._piece("bed", d, step)
        self._piece("lane", d if lane is None else lane.rpartition("M")[0] or lane, step)

    def _way(self, road: Road, first: float, shift: float = 0) -> str:
        """The line of a road: down its lane from a row, then across to its reader's lane."""
        x, to, y0, y = self.x(road.start), self.x(road.end), self.y(first), self.y(road.end.row)
        if x == to:
            return f"M{x:g} {y0:g}V{y:g}"
        if self.roads.last(road.start) > road.end.row or y - y0 < 10 or shift:
            return f"M{x:g} {y0:g}V{y + shift:g}M{x:g} {y + shift:g}H{to:g}"
        bend = 10 if to > x else -10
        return f"M{x:g} {y0:g}V{y - 10:g}q0 10 {bend} 10H{to:g}"

    # --- the way back ------------------------------------------------------------------------------------------------

    def _flow(self) -> list[Element]:
        """The gradient: from the target up, strand by strand, and thin from the watch up to the source's name."""
        drawn: list[Element] = []
        call = self.roads.call
        if call is None:
            return drawn
        for target in self.roads.targets:
            if any(road.strands for road in self.roads.roads if road.end is target) or target.tracked:
                x, y, end = self.x(target), self.y(target.row), self.y(self.roads.end)
                seed = words.number(call.asked.seeds[0]) if call.asked.seeds else "1.0"
                parts = [path(f"M{x:g} {end:g}V{y:g}", "flow"), head_up(x, (end + y) / 2)]
                said = text(x + 14, end + 4, f"{cut(seed, NUMBER)} start", "c s gi knockout")
                self.board.show("start", call.step)
                drawn.append(group(parts, said, id="start"))
                break
        for road in self.roads.roads:
            for place, strand in enumerate(road.strands[:STRANDS]):
                drawn += self._strand(road, place, strand.step)
        for _, spot, gradient in self.roads.sources:
            if gradient is not None and spot.kind == "plain" and call.end:
                start = spot.watched if spot.watched is not None else spot.row
                x = self.x(spot)
                id = f"deliver-{spot.id}"
                self.board.show(id, call.end)
                drawn += [group(path(f"M{x:g} {self.y(start):g}V{TOP - 6}", "flow slim"), head_up(x, TOP - 4), id=id)]
        return drawn

    def _strand(self, road: Road, place: int, step: int) -> list[Element]:
        id = f"strand-{road.end.id}-{road.start.id}-{place + 1}"
        self.board.show(id, step, road.strands[place].phase)
        start, many = road.start, min(len(road.strands), STRANDS)
        first = start.watched if start.watched is not None else start.row
        shift = 0 if many == 1 or self.x(start) == self.x(road.end) else min(4, 12 / many) * (2 * place - many + 1)
        drawn = [path(self._way(road, first, shift), "flow")]
        x, to, y = self.x(start), self.x(road.end), self.y(road.end.row)
        shown = words.number(road.strands[place].value)
        unlike = x == to and len({words.number(other.value) for other in road.strands}) > 1
        shown = "" if columns(shown) > NUMBER or shown.startswith("(") or unlike else shown
        total = len(self.roads.came(start))
        said = f"+{shown}" if shown and total > 1 and not shown.startswith("-") else shown
        if x == to:
            drawn.append(head_up(x, y - self.pitch / 2 + 0.5))
            if said and self.pitch == TALL and place == 0:
                extra = f" \N{MULTIPLICATION SIGN}{len(road.strands)}" if many > 1 else ""
                if self._leftward(road.end, self._said(road.end)):
                    drawn += self._small(x - 14, y - 14, said + extra, "gi", "e")
                else:
                    high = any(self.x(other.start) > x for other in self.roads.roads if other.end is road.end)
                    drawn += self._small(x + 14, y - (22 if high else 16), said + extra, "gi")
        else:
            middle = (x + to) / 2
            tip = middle + (6 if place % 2 else -6) * (many > 1)
            drawn.append(head_left(tip, y + shift) if to > x else head_right(tip, y + shift))
            if self.y(road.end.row) - self.y(first) > self.pitch:
                drawn.append(head_up(x, (y + self.y(first)) / 2))
            if said and self.pitch == TALL and place < 2:
                up = place == 0 or many == 1
                drawn += self._small(middle, y + (-12 - abs(shift) / 2 if up else 22), said, "gi", "m")
        return [group(drawn, id=id)]

    # --- spots and names ---------------------------------------------------------------------------------------------

    def _spots(self) -> list[Element]:
        """Stations, the rings where the watching begins, and what the values are called."""
        drawn: list[Element] = []
        for spot in self.roads.spots:
            x, y = self.x(spot), self.y(spot.row)
            id = f"station-{spot.id}"
            self.board.show(id, spot.step)
            parts: list[Element] = []
            if spot.kind == "gone":
                parts.append(rect(x - 7, y - 7, 14, 14, "station off"))
            elif spot.kind == "plain":
                parts.append(element("circle", cls="station plain", cx=x, cy=y, r=6))
            else:
                cls = {"rec": "station", "off": "station off", "idle": "station plain"}[spot.kind]
                parts.append(element("circle", cls=cls, cx=x, cy=y, r=7))
            if spot.kind != "plain" or not any(other is spot for _, other, _ in self.roads.sources):
                parts += self._label(spot, x, y)
            drawn.append(group(parts, id=id))
            if spot.watched is not None:
                ring = element(
                    "circle",
                    cls="bed-ring",
                    cx=x,
                    cy=self.y(spot.watched),
                    r=6 if spot.asked else 5,
                    id=f"watch-{spot.id}",
                )
                self.board.show(f"watch-{spot.id}", spot.watch_step)
                drawn.append(ring)
                if spot.asked and spot.watched != spot.row:
                    id = f"watched-{spot.id}"
                    said = self._small(x + 14, self.y(spot.watched) + 4, "watched", "ri", id=id)
                    drawn += said
                    if said:
                        self.board.show(id, spot.watch_step)
        return drawn

    def _room(self, x: float) -> int:
        """How many columns of a label fit right of a point."""
        return max(int((EDGE - x) // LABEL), 2)

    def _leftward(self, spot: Spot, said: str) -> bool:
        """Whether a station is labelled at its left: roads come in from the right, and the line of code is short."""
        right = any(self.x(road.start) > self.x(spot) for road in self.roads.roads if road.end is spot)
        if not right or spot.lane or spot.row > len(self.lines):
            return False
        line = columns(self.lines[spot.row - 1]) if spot.row else 0
        return 64 + min(line, MOST) * CODE + 12 < self.x(spot) - 16 - columns(said) * LABEL

    def _said(self, spot: Spot) -> str:
        number = f" {words.brief(spot.value, NUMBER)}" if spot.value and words.FULL.named(spot.value) else ""
        return cut(spot.name, NAME) + number + (f" \N{MULTIPLICATION SIGN}{spot.times}" if spot.times > 1 else "")

    def _label(self, spot: Spot, x: float, y: float) -> list[Element]:
        """A station's name and number: at its right, above roads that come in from there, or at its left."""
        said, full = self._said(spot), spot.name + (f" {words.number(spot.value)}" if spot.value else "")
        bold = "c s knockout" if spot.kind == "off" else "c s b knockout"
        if self._leftward(spot, said):
            self._claim(x - 14 - columns(said) * LABEL, y + 4, columns(said) * LABEL, force=True)
            return [text(x - 14, y + 4, said, f"{bold} e", full=full)]
        room = self._room(x + 14)
        shown = said if columns(said) <= room else cut(spot.name, NAME)
        wide = columns(shown) * LABEL
        if columns(shown) > room:
            self._claim(EDGE - wide, y - 12, wide, force=True)
            return [text(EDGE, y - 12, shown, f"{bold} e", full=full)]
        into = [road for road in self.roads.roads if road.end is spot]
        above = any(self.x(road.start) > x for road in into)
        above = above or any(len(road.strands) > 1 and self.x(road.start) < x for road in into)
        told = any(end.road is not None and end.road.end is spot for end in self.ends)
        word = spot.kind == "off" and not told and self.pitch == TALL and room >= len("skipped")
        at = y - 6 if above else y - 2 if word else y + 4
        self._claim(x + 14, at, wide, force=True)
        drawn = [text(x + 14, at, shown, bold, full=full)]
        return [*drawn, *self._small(x + 14, y + 11, "skipped", "q")] if word else drawn

    def _heads(self) -> list[Element]:
        """The sources at the top: their names, and their gradients as they grow."""
        drawn: list[Element] = []
        call = self.roads.call
        lone = len(self.roads.sources) == 1
        room = 24 if lone else max(int(self.lane // CODE) - 1, 4)
        told: set[int] = set()
        for value, spot, gradient in self.roads.sources:
            if id(spot) in told:
                continue
            told.add(id(spot))
            name, x = words.name(value), self.x(spot)
            if spot.kind != "plain":
                drawn += self._inner_head(spot, gradient)
                continue
            drawn.append(text(x, 32, name, "c b m", most=room))
            grown = self.roads.totals.get(spot.id, [])[:MOST]
            answer = "None" if gradient is None else words.brief(gradient, room)
            if call is None:
                continue
            for turn, (step, total) in enumerate(grown):
                id_ = f"sum-{spot.id}-{turn + 1}"
                self.board.show(id_, step, turn + 1)
                until = grown[turn + 1][0] if turn + 1 < len(grown) else call.end
                if until:
                    self.board.set(id_, FUTURE, until, turn + 2 if until == step else 0)
                drawn.append(text(x, 50, total, "c gi m", most=room, id=id_))
            if call.end:
                id_ = f"answer-{spot.id}"
                self.board.show(id_, call.end)
                drawn.append(text(x, 50, answer, f"c {'' if gradient is None else 'gi '}bold m", most=room, id=id_))
        return drawn

    def _inner_head(self, spot: Spot, gradient: object) -> list[Element]:
        """A source that is itself computed: its gradient stands at its station."""
        call = self.roads.call
        if call is None or not call.end or self.pitch == LOW:
            return []
        id_ = f"answer-{spot.id}"
        self.board.show(id_, call.end)
        said = "None" if gradient is None else words.number(gradient)  # type: ignore[arg-type]
        x, y = self.x(spot), self.y(spot.row)
        return [text(x + 14, y + 18, f"gradient {said}", "c s gi knockout", most=self._room(x + 14), id=id_)]

    # --- where roads end ---------------------------------------------------------------------------------------------

    def _stop(self, number: int, end: Break) -> Element:
        """A bar across the road, and the number of its reason."""
        road = end.road
        assert road is not None
        x, to, y = self.x(road.start), self.x(road.end), self.y(road.end.row)
        across = abs(to - x) > 1
        if across:
            at = (x + to) / 2 if self.lane < 40 else min(x, to) + min(abs(to - x) / 2, 32)
            bar, places = f"M{at:g} {y - 11:g}v22", [(at, y - 22), (at, y + 22), (at + 18, y - 12)]
        else:
            at = y - (16 if self.pitch == TALL else 12)
            bar, places = f"M{x - 11:g} {at:g}h22", [(x + 22, at - 2), (x - 22, at - 2), (x + 40, at)]
        free = [(nx, ny) for nx, ny in places if self._claim(nx - 8, ny + 4, 16)]
        nx, ny = free[0] if free else places[0]
        id = f"stop-{number}"
        step = self.roads.call.end if self.roads.call and self.roads.call.end else road.step
        self.board.show(id, step)
        return group(path(bar, "stop"), *badge(number, nx, ny), id=id)

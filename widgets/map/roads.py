"""A road map as data: its rows are the lines of the program, its roads lead from values to their readers.

Nothing here knows about pixels: a spot has a row and a lane, a road leads from one spot to another.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from minitape.trace import Trace, Value

from ..tape.story import Call, Story


@dataclass
class Spot:
    """Where values come from: a line that made a value or ran ops, or what was there before the program (row 0)."""

    id: str  # "4" for line 4, or the name of a value that was there before
    row: int
    kind: str  # "plain" (made), "rec", "off" (not recorded), "idle" (no tape heard it), "gone" (left the library)
    step: int = 0
    done: int = 0  # the step of its last op
    value: Value | None = None  # the last value it made
    name: str = ""
    why: str = ""  # of an op that was not recorded: the reason's short name
    lane: int = 0
    watched: int | None = None  # the row from which it is watched, where it was watched and not computed
    watch_step: int = 0
    asked: bool = False  # whether `watch` was called for it
    tracked: bool = False  # whether the tape knows a road from a watched value to it
    times: int = 1  # how often its line ran


@dataclass
class Road:
    """One value read by one line."""

    start: Spot
    end: Spot
    on: bool  # whether the tape recorded the reading, of a value that it knows
    step: int
    strands: list[Strand] = field(default_factory=list)


@dataclass
class Strand:
    """One contribution on its way back."""

    value: Value
    step: int
    phase: int


@dataclass
class Roads:
    """The whole map of one call of `gradient` (or of none)."""

    story: Story
    seen: Trace
    call: Call | None
    spots: list[Spot]
    roads: list[Road]
    targets: list[Spot]
    sources: list[tuple[Value, Spot, Value | None]]  # as asked for: the value, its spot, its gradient
    lanes: int
    totals: dict[str, list[tuple[int, str]]]  # by a source's spot: (step, the sum so far)

    def came(self, spot: Spot) -> list[Value]:
        """The contributions that reached a spot."""
        return [strand.value for road in self.roads if road.start is spot for strand in road.strands]

    def of(self, spot: Spot) -> list[Road]:
        """The roads that lead from a spot to its readers."""
        return [road for road in self.roads if road.start is spot]

    def last(self, spot: Spot) -> int:
        """The row of the last line that reads a spot."""
        rows = [road.end.row for road in self.roads if road.start is spot]
        return max([spot.row, *rows, *([self.end] if spot in self.targets else [])])

    @property
    def end(self) -> int:
        """The row of the call, one below the last spot where its line is not known."""
        asked = self.call.asked.line if self.call else None
        return asked or max((spot.row for spot in self.spots), default=0) + 1


def lanes(map: Roads) -> int:
    """Give each spot a lane: a source its own, an op that of an input which ends there, or a free one."""
    taken: list[list[tuple[int, int, Spot]]] = []  # by lane: from row, to row

    def free(lane: int, first: int, last: int) -> bool:
        return all(last < begin or end < first for begin, end, _ in taken[lane])

    def put(spot: Spot, lane: int, first: int) -> None:
        while len(taken) <= lane:
            taken.append([])
        taken[lane].append((first, map.last(spot), spot))
        spot.lane = lane

    placed: set[int] = set()
    for _, spot, _ in map.sources:
        if id(spot) not in placed and spot.kind == "plain":
            placed.add(id(spot))
            put(spot, len(taken), 0)
    for spot in map.spots:
        if id(spot) in placed:
            continue
        placed.add(id(spot))
        last = map.last(spot)
        inputs = [road.start for road in map.roads if road.end is spot and map.last(road.start) == spot.row]
        lane = next((one.lane for one in inputs if free(one.lane, spot.row + 1, last)), None)
        if lane is None:
            lane = next((at for at in range(len(taken)) if free(at, spot.row, last)), len(taken))
        put(spot, lane, spot.row + (0.5 if any(one.lane == lane for one in inputs) else 0))  # type: ignore[arg-type]
    return len(taken)

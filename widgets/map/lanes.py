"""What lies under the gradient of a road map: beds of what the tape knows, dashed lanes of what it does not."""

from __future__ import annotations

from ..player.picture import Storyboard
from ..player.svg import Element, path
from .frame import Frame
from .roads import Spot

ORDER = ("lane off", "bed-edge", "bed", "lane plain", "lane")  # from the back to the front


class Lanes:
    """Collects the pieces of all roads, and draws those of one kind and one step as one path."""

    def __init__(self, frame: Frame, board: Storyboard) -> None:
        self.frame, self.roads, self.board = frame, frame.roads, board
        self.pieces: dict[tuple[str, int], list[str]] = {}  # by kind, and the step from which they are there

    def draw(self) -> list[Element]:
        """The lanes and beds, from the back to the front."""
        for spot in self.roads.spots:
            self._lane_of(spot)
        drawn = []
        for cls in ORDER:
            for (kind, step), pieces in sorted(self.pieces.items()):
                if kind == cls:
                    id = f"{cls.replace(' ', '-')}-{step}"
                    self.board.show(id, step)
                    drawn.append(path("".join(pieces), cls, id=id))
        return drawn

    def _lane_of(self, spot: Spot) -> None:
        """The pieces of one value's road, each from the step at which it is read."""
        x, y, way = self.frame.x(spot), self.frame.y, self.frame.way
        readers = sorted(self.roads.of(spot), key=lambda road: road.end.row)
        known = spot.watched if spot.watched is not None else spot.row
        if known > spot.row:
            self._piece("lane plain", f"M{x:g} {y(spot.row):g}V{y(known):g}", spot.watch_step)
        if spot.watched is not None:
            self._bed(f"M{x:g} {y(known):g}v.1", spot.watch_step)
        first: float = known
        reached: float = known
        for road in (road for road in readers if road.on):
            across = len(road.strands) > 1 and x != self.frame.x(road.end)
            self._bed(way(road, first), road.step, way(road, first).partition("H")[0] if across else None)
            reached = max(reached, road.end.row)
            first = reached if self.roads.last(spot) > road.end.row else first
        for road in (road for road in readers if not road.on):
            begin = spot.row if not spot.tracked else min(reached, road.end.row)
            if spot.tracked and road.end.row > reached:  # the bed goes on to where the road ends
                begin = road.end.row - 0.65
                self._bed(f"M{x:g} {y(reached):g}V{y(begin):g}", road.step)
                reached = begin
            self._piece("lane off", way(road, begin), road.step)
        if spot in self.roads.targets:
            d = f"M{x:g} {y(spot.row):g}V{y(self.roads.end):g}"
            step = self.roads.call.step if self.roads.call else 1
            if spot.tracked:
                self._bed(d, step)
            else:
                self._piece("lane off", d, step)

    def _piece(self, kind: str, d: str, step: int) -> None:
        self.pieces.setdefault((kind, step), []).append(d)

    def _bed(self, d: str, step: int, lane: str | None = None) -> None:
        """A piece of what the tape knows; `lane` is its middle line, where that is shorter."""
        self._piece("bed-edge", d, step)
        self._piece("bed", d, step)
        self._piece("lane", d if lane is None else lane.rpartition("M")[0] or lane, step)

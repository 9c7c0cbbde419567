"""One layout of a rule under the lens: what is shown, where it stands, and when its parts change."""

from __future__ import annotations

from dataclasses import dataclass

from ..player.picture import Storyboard
from ..player.svg import Element, group
from .calls import Call
from .measure import Measured
from .source import Source

FORWARD, DY, RETURN, OUT, SLOPE, VERDICT = 1, 2, 3, 4, 5, 6  # the steps
LINE = 24  # the pitch of the source's lines


@dataclass(frozen=True)
class Places:
    """Where things stand in one of the two layouts."""

    wide: bool
    width: float
    edges: tuple[float, float]  # the left and the right edge of the source
    top: float  # of the source
    value: float  # where the input's value ends
    hook: tuple[float, float]  # x and width of the boxes of the forward lane
    after: tuple[tuple[float, float], ...]
    end: float
    dy: float  # where the dy column begins

    @property
    def prefix(self) -> str:
        """What the ids of this layout begin with."""
        return "" if self.wide else "n-"


WIDE = Places(True, 936, (228, 664), 128.0, 124, (372, 144), ((688, 68), (772, 92)), 888, 688)
NARROW = Places(False, 528, (0, 528), 144.0, 132, (160, 100), ((284, 60), (368, 64)), 456, 312)


@dataclass(frozen=True)
class Lens:
    """A call and what was measured of it, in one layout."""

    call: Call
    found: Measured
    source: Source
    board: Storyboard
    at: Places

    @property
    def foot(self) -> float:
        """Where the source ends."""
        return self.at.top + LINE * len(self.source.lines) + 24

    def y(self, line: int) -> float:
        """The baseline of a line of the source."""
        return self.at.top + 12 + LINE * line + 16

    def show(self, name: str, step: int, *parts: Element | list[Element], ring: bool = False) -> Element:
        """Parts that appear at a step, with a ring during it where that is asked for."""
        id = self.at.prefix + name
        if ring:
            self.board.ring(id, step)
        else:
            self.board.show(id, step)
        return group(*parts, id=id, cls="bars" if ring else "")

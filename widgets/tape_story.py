"""What a TapePlayer tells: a trace, read once, as rows (on the tape), calls (the ways back) and beats (the steps).

Nothing here knows about places or colours; `tape_player` draws the story, `tape_text` writes it down.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from minitape.trace import Answered, Asked, Event, Passed, Ran, Rerun, Rested, Skip, Walked

from .words import Words

MOST_ROWS = 30  # of more rows than this the picture shows a map, and a window on those around the current one


@dataclass
class Row:
    """One op in the order of time: an entry of the tape, or an op that it skipped."""

    ran: Ran
    step: int
    id: str  # "entry-1", "skip-1"
    number: int | None = None  # the entry's number; None for a skipped op
    skip: Skip | None = None
    cleared: int | None = None  # the step at which `reset` made the tape forget it


@dataclass
class Walk:
    """The way back at one entry, with the block that had to run again for it."""

    row: Row
    event: Walked | Passed
    step: int
    runs: list[Rerun] = field(default_factory=list)
    again: list[tuple[Ran, int]] = field(default_factory=list)  # the ops that ran again, each with its step


@dataclass
class Call:
    """One call of `gradient`."""

    asked: Asked
    step: int
    walks: list[Walk] = field(default_factory=list)
    answered: Answered | None = None
    end: int | None = None  # the step of the answer

    @property
    def frees(self) -> bool:
        """Whether the entries let go of what they saved (a tape that is not persistent)."""
        return any(walk.event.freed for walk in self.walks)

    def came(self, id: int) -> int:
        """How many contributions reached a value."""
        walked = [walk.event for walk in self.walks if isinstance(walk.event, Walked)]
        return sum(gift.to.id == id for event in walked for gift in event.gifts)


@dataclass
class Beat:
    """One step of the player: what happened, on which line, and to which row."""

    kind: str  # the shape of its tick
    line: int | None
    events: list[Event]
    row: Row | None = None
    call: Call | None = None
    walk: Walk | None = None
    at: Row | None = None  # the entry whose way back runs this, where the op is none of the tape's

    @property
    def plain(self) -> bool:
        """Whether this is the step of a line without an op."""
        told = any(isinstance(event, Ran | Rerun | Rested) for event in self.events)
        return self.kind == "none" and not (told or self.call or self.row)


@dataclass
class Story:
    """A trace as one tape tells it."""

    lines: tuple[str, ...]
    tape: int | None = None
    name: str = "tape"
    others: tuple[str, ...] = ()  # the names of the tapes that this picture leaves out
    rows: list[Row] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    beats: list[Beat] = field(default_factory=list)
    words: Words = field(default_factory=Words)  # spells values in the picture, where room is scarce

    def line_of(self, beat: Beat) -> int | None:
        """The line that has the ring in a step: on the way back, the one that wrote the entry."""
        return beat.line if beat.line and beat.line <= len(self.lines) else None

"""What a TapePlayer tells: a trace, read once, as rows (on the tape), calls (the ways back) and beats (the steps).

Nothing here knows about places or colours; `tape_player` draws the story, `twin` writes it down.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from minitape.trace import Answered, Asked, Event, Passed, Ran, Rerun, Rested, Skip, Value, Walked

from ..words import Words

MOST_ROWS = 30  # of more rows than this the picture shows a map, and a window on those around the current one


TO = "\N{EN DASH}"  # between two numbers
MOST_LANES = 3  # spines that have room side by side


@dataclass
class Lane:
    """A tape that the picture shows: a spine of its own, or one that it shares with the tapes before and after it."""

    tape: int  # its number in the trace
    name: str
    column: int = 0
    began: int = 0  # the step from which on it is there
    closed: int | None = None  # the last step inside its `with` block
    gone: int | None = None  # the step at which another tape takes its place


@dataclass
class Row:
    """One op in the order of time: an entry of at least one tape, or an op that all of them skipped."""

    ran: Ran
    step: int
    id: str  # "entry-1", "skip-1"
    numbers: dict[int, int] = field(default_factory=dict)  # the entry's number on each tape that recorded it
    skips: dict[int, Skip] = field(default_factory=dict)  # why each of the others did not
    cleared: int | None = None  # the step at which `reset` made the tape forget it, or a new tape took its place
    born: tuple[Call, int] | None = None  # the way back whose own op this is, and the entry that it served
    many: int = 1  # the entries that it stands for: those of a folded layer, from its number on

    @property
    def number(self) -> int | None:
        """The entry's number, on the first tape that has it; None for a skipped op."""
        return next(iter(self.numbers.values()), None)

    def span(self, number: int) -> str:
        """Its entries on a tape where the first has this number: "4"; of a folded layer, the first and the last."""
        return str(number) if self.many == 1 else f"{number}{TO}{number + self.many - 1}"

    @property
    def skip(self) -> Skip | None:
        """Why no tape recorded it."""
        return None if self.numbers else next(iter(self.skips.values()), None)


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
    name: str = "tape"  # the tape's
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
    """A trace as its tapes tell it."""

    lines: tuple[str, ...]
    lanes: list[Lane] = field(default_factory=list)
    others: tuple[str, ...] = ()  # the names of the tapes that this picture leaves out
    rows: list[Row] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    beats: list[Beat] = field(default_factory=list)
    buggy: bool = False  # contributions are written over each other
    right: list[str] = field(default_factory=list)  # then: what each call would have answered without that
    unrecorded: list[Value] = field(default_factory=list)  # what ways back worked out for themselves
    words: Words = field(default_factory=Words)  # spells values in the picture, where room is scarce
    said: Words = field(default_factory=Words)  # the same in sentences and tables

    @property
    def sign(self) -> str:
        """How a contribution comes to a value."""
        return "=" if self.buggy else "+="

    @property
    def columns(self) -> int:
        """How many spines stand side by side."""
        return max((lane.column for lane in self.lanes), default=0) + 1

    @property
    def several(self) -> bool:
        """Whether tapes must be told apart by their names."""
        return self.columns > 1

    @property
    def kept(self) -> int:
        """How many ops at least one tape recorded; a folded layer counts with all its entries."""
        return sum(row.many for row in self.rows if row.numbers)

    @property
    def skipped(self) -> int:
        """How many ops no tape recorded."""
        return sum(not row.numbers for row in self.rows)

    @property
    def tape(self) -> int | None:
        """The number of the first tape that is shown."""
        return self.lanes[0].tape if self.lanes else None

    @property
    def name(self) -> str:
        """Its name."""
        return self.lanes[0].name if self.lanes else "tape"

    def lane(self, tape: int) -> Lane:
        """The lane of a tape."""
        return next(lane for lane in self.lanes if lane.tape == tape)

    def line_of(self, beat: Beat) -> int | None:
        """The line that has the ring in a step: on the way back, the one that wrote the entry."""
        return beat.line if beat.line and beat.line <= len(self.lines) else None

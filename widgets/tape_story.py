"""What a TapePlayer tells: a trace, read once, as rows (what stands on the tape), calls (the ways back) and beats (steps).

Nothing here knows about places or colours; `tape_player` draws the story, `tape_text` writes it down.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from minitape.trace import (
    Answered,
    Asked,
    Cleared,
    Entered,
    Event,
    Left,
    Made,
    Passed,
    Paused,
    Ran,
    Rerun,
    Rested,
    Resumed,
    Skip,
    Trace,
    Walked,
    Watched,
)

MOST_ROWS = 30  # what a picture without a map can show


@dataclass
class Row:
    """One op in the order of time: an entry of the tape, or an op that it skipped."""

    ran: Ran
    step: int
    id: str  # "entry-1", "skip-1"
    number: int | None = None  # the entry's number; None for a skipped op
    skip: Skip | None = None
    drawn: bool = True
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
    hidden: int = 0  # how many rows beyond the last drawn one this step stands for


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

    @property
    def drawn(self) -> list[Row]:
        """The rows that the picture shows."""
        return [row for row in self.rows if row.drawn]

    def line_of(self, beat: Beat) -> int | None:
        """The line that is lit in a step: on the way back, the line that wrote the entry."""
        return beat.line if beat.line and beat.line <= len(self.lines) else None


def tell(seen: Trace, tape: str | int | None = None) -> Story:
    """Read a trace as the story of one tape: the one of that name or number, else the first.

    Raises:
        ValueError: the trace has no such tape.
    """
    entered = {event.tape: event.name for event in seen.of(Entered)}
    for event in seen.events:  # a tape whose `with` began before the observed block
        for number in _tapes(event):
            entered.setdefault(number, "tape")
    chosen = next((number for number, name in entered.items() if tape in (None, number, name)), None)
    if tape is not None and chosen is None:
        names = ", ".join(repr(name) for name in entered.values())
        raise ValueError(
            f"this trace has no tape {tape!r}\n"
            + (f"choose one of {names}: TapePlayer(seen, tape=...)" if names else "record on one: with tf.GradientTape()")
        )
    others = tuple(name for number, name in entered.items() if number != chosen)
    story = Story(seen.lines, chosen, entered.get(chosen, "tape") if chosen is not None else "tape", others)
    _Reader(story).read(seen.events)
    return story


def _tapes(event: Event) -> list[int]:
    if isinstance(event, Ran):
        return [number for number, _ in event.recorded] + [skip.tape for skip in event.skipped]
    number = getattr(event, "tape", None)
    return [] if number is None else [number]


class _Reader:
    """Walks through the events once and keeps what is open: the call, the reruns, the quiet events of a line."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.entries: dict[int, Row] = {}  # by number, on the tape as it is now
        self.call: Call | None = None
        self.runs: list[Rerun] = []
        self.again: list[tuple[Ran, int]] = []
        self.quiet: list[Event] = []  # constants made and variables met: told with the op that uses them
        self.skips = 0
        self.resets = 0

    def read(self, events: tuple[Event, ...]) -> None:
        for event in events:
            match event:
                case Ran():
                    self.ran(event)
                case Made() | Watched(asked=False):
                    if self.call is None:
                        self.settle(event.line)
                        self.quiet.append(event)
                case Left() | Resumed():
                    pass
                case Asked(tape=tape) if tape == self.story.tape:
                    self.settle()
                    self.call = Call(event, self.next)
                    self.story.calls.append(self.call)
                    self.beat("back", event.line, event, call=self.call)
                case Walked() | Passed():
                    self.walked(event)
                case Answered(tape=tape) if tape == self.story.tape and self.call is not None:
                    self.call.answered, self.call.end = event, self.next
                    self.beat("none", event.line, event, call=self.call)
                    self.call = None
                case Rerun() | Rested():
                    self.rerun(event)
                case Entered() | Watched() | Paused() | Cleared() | Asked():
                    if self.call is None:
                        self.plain(event)
        self.settle()

    @property
    def next(self) -> int:
        """The number that the next beat will have."""
        return len(self.story.beats) + 1

    def beat(self, kind: str, line: int | None, *events: Event, **more: object) -> Beat:
        beat = Beat(kind, line, list(events), **more)  # type: ignore[arg-type]
        self.story.beats.append(beat)
        return beat

    def settle(self, line: int | None = None) -> None:
        """Give the quiet events a step of their own, unless they belong to a line that goes on."""
        if self.quiet and (line is None or line != self.quiet[-1].line):
            self.merge(self.quiet[-1].line, self.quiet)
            self.quiet = []

    def plain(self, event: Event) -> None:
        """A line that is not an op."""
        self.settle(event.line)
        events, self.quiet = [*self.quiet, event], []
        if isinstance(event, Cleared) and event.tape == self.story.tape:
            for row in self.entries.values():
                row.cleared = self.next
            self.entries.clear()
            self.resets += 1
        self.merge(event.line, events)

    def merge(self, line: int | None, events: list[Event]) -> None:
        """A step for a line without an op; what one line does in a row is one step."""
        last = self.story.beats[-1] if self.story.beats else None
        if last and last.kind == "none" and last.line == line is not None and not (last.call or last.row or last.hidden):
            if not any(isinstance(event, Ran | Rerun | Rested) for event in last.events):
                last.events.extend(events)
                return
        self.beat("none", line, *events)

    def ran(self, event: Ran) -> None:
        number = next((number for tape, number in event.recorded if tape == self.story.tape), None)
        skip = next((skip for skip in event.skipped if skip.tape == self.story.tape), None)
        if event.again and self.call is not None:
            self.again.append((event, self.next))
            self.beat("redo", event.line, event, call=self.call)
            return
        if number is None and self.call is not None:
            return  # the way back works with ops of its own; only what the tape hears is part of its story
        self.settle(event.line)
        quiet, self.quiet = self.quiet, []
        if number is None and skip is None:
            self.beat("none", event.line, *quiet, event)
            return
        if number is None:
            self.skips += 1
        id = f"entry-{number}" if number is not None else f"skip-{self.skips}"
        if self.resets and number is not None:
            id += f"-{self.resets}"
        row = Row(event, self.next, id, number, skip, len(self.story.rows) < MOST_ROWS)
        self.story.rows.append(row)
        if number is not None:
            self.entries[number] = row
        self.tell_row("rec" if number is not None else "skip", event, quiet, row)

    def tell_row(self, kind: str, event: Ran, quiet: list[Event], row: Row) -> None:
        last = self.story.beats[-1] if self.story.beats else None
        if row.drawn:
            self.beat(kind, event.line, *quiet, event, row=row)
        elif last and last.hidden and last.call is None:
            last.hidden += 1
            last.line = event.line
            row.step -= 1
        else:
            self.beat("none", event.line, event, hidden=1)

    def walked(self, event: Walked | Passed) -> None:
        row = self.entries.get(event.entry)
        if event.tape != self.story.tape or self.call is None or row is None:
            return
        walk = Walk(row, event, self.next, self.runs, self.again)
        self.runs, self.again = [], []
        self.call.walks.append(walk)
        last = self.story.beats[-1]
        if row.drawn:
            kind = "back" if isinstance(event, Walked) else "pass"
            self.beat(kind, row.ran.line, event, row=row, call=self.call, walk=walk)
        elif last.hidden and last.call is self.call:
            last.hidden += 1
            walk.step -= 1
        else:
            self.beat("none", row.ran.line, event, call=self.call, hidden=1)

    def rerun(self, event: Rerun | Rested) -> None:
        self.settle()
        if self.call is not None and isinstance(event, Rerun):
            self.runs.append(event)
        self.beat("none" if event.run == 1 else "redo", event.line, event, call=self.call)

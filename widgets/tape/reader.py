"""Reads a trace, event by event, as the story of its tapes."""

from __future__ import annotations

from collections import Counter

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
    Trace,
    Walked,
    Watched,
)

from ..words import Words, number, owned
from .fold import Spans
from .lanes import first_tape, lanes_of
from .story import Beat, Call, Lane, Row, Story, Walk


def tell(seen: Trace, tape: str | int | None = None, spans: Spans | None = None) -> Story:
    """Read a trace as the story of its tapes; with `tape`, of the one that has this name or number.

    `spans` belongs to a folded trace.

    Raises:
        ValueError: the trace has no such tape.
    """
    lanes, others = lanes_of(seen, tape)
    story = Story(seen.lines, lanes, others)
    _Reader(story, spans or {}).read(seen.events)
    plain = {value.id: number(value) for value in story.unrecorded if value.numbers}
    story.words = Words(plain | _handles(story.rows))
    story.said = Words(plain | _handles([row for row in story.rows if row.born]))
    return story


def tell_one(seen: Trace, tape: str | int | None = None) -> Story:
    """Read a trace as the story of one tape: the one of that name or number, else the one that listened first."""
    return tell(seen, first_tape(seen) if tape is None else tape)


def _handles(rows: list[Row]) -> dict[int, str]:
    """Short names for values that have none of their own: "#2" is what entry 2 made."""
    return {
        value.id: f"#{row.number}"
        for row in rows
        for value in row.ran.outputs
        if row.number is not None and row.many == 1 and not owned(value, row.ran)
    }


class _Reader:
    """Walks through the events once and keeps what is open: the call, the reruns, the quiet events of a line."""

    def __init__(self, story: Story, spans: Spans) -> None:
        self.story, self.spans = story, spans
        self.lanes = {lane.tape: lane for lane in story.lanes}
        self.entries: dict[tuple[int, int], Row] = {}  # by tape and number, on the tapes as they are now
        self.call: Call | None = None
        self.runs: list[Rerun] = []
        self.again: list[tuple[Ran, int]] = []
        self.pending: list[Beat] = []  # steps of a way back whose entry is not known yet
        self.born: list[Row] = []  # entries that it made on other tapes, for the same entry
        self.quiet: list[Event] = []  # constants made and variables met: told with the op that uses them
        self.skips = 0
        self.taken: Counter[str] = Counter()

    def read(self, events: tuple[Event, ...]) -> None:
        for event in events:
            match event:
                case Ran():
                    self.ran(event)
                case Made() | Watched(asked=False):
                    if self.call is None:
                        self.settle(event.line)
                        self.quiet.append(event)
                case Left(tape=tape):
                    if tape in self.lanes:
                        self.lanes[tape].closed = len(self.story.beats)
                case Resumed():
                    pass
                case Asked(tape=tape) if tape in self.lanes and self.call is None:
                    self.settle()
                    self.call = Call(event, self.next, self.lanes[tape].name)
                    self.story.calls.append(self.call)
                    self.beat("back", event.line, event, call=self.call)
                case Walked() | Passed():
                    self.walked(event)
                case Answered(tape=tape) if self.call is not None and tape == self.call.asked.tape:
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
        self.merge(event.line, events)
        if isinstance(event, Cleared) and event.tape in self.lanes:
            self.forget(event.tape)
        elif isinstance(event, Entered) and event.tape in self.lanes:
            self.take_place(self.lanes[event.tape])

    def take_place(self, lane: Lane) -> None:
        """A tape begins; one that had the same spine before it is over."""
        lane.began = len(self.story.beats)
        for other in self.story.lanes[: self.story.lanes.index(lane)]:
            if other.column == lane.column and other.gone is None:
                other.gone = lane.began
                self.forget(other.tape)

    def forget(self, tape: int) -> None:
        """A tape's entries are gone; those that another tape has, too, stay there."""
        gone = [self.entries.pop(at) for at in [at for at in self.entries if at[0] == tape]]
        kept = {id(row) for row in self.entries.values()}
        for row in gone:
            if id(row) not in kept:
                row.cleared = len(self.story.beats)

    def merge(self, line: int | None, events: list[Event]) -> None:
        """A step for a line without an op; what one line does in a row is one step."""
        last = self.story.beats[-1] if self.story.beats else None
        if last and last.plain and last.line == line is not None:
            last.events.extend(events)
        else:
            self.beat("none", line, *events)

    def ran(self, event: Ran) -> None:
        numbers = {tape: number for tape, number in event.recorded if tape in self.lanes}
        skips = {skip.tape: skip for skip in event.skipped if skip.tape in self.lanes}
        if event.again and self.call is not None:
            self.again.append((event, self.next))
            self.pending.append(self.beat("redo", event.line, event, call=self.call))
            return
        if not numbers and self.call is not None:
            # The way back works with ops of its own: they are told where they are lines of the learner's own rule.
            if event.line is not None and event.line != self.call.asked.line:
                self.pending.append(self.beat("none", event.line, event, call=self.call))
            else:
                self.story.unrecorded += event.outputs
            return
        self.settle(event.line)
        quiet, self.quiet = self.quiet, []
        if not numbers and not skips:
            self.beat("none", event.line, *quiet, event)
            return
        row = Row(event, self.next, self.name(numbers), numbers, skips)
        self.story.rows.append(row)
        for at in numbers.items():
            self.entries[at] = row
            row.many = self.spans.get(at, at[1]) - at[1] + 1
        if self.call is not None:
            self.born.append(row)
        self.beat("rec" if numbers else "skip", event.line, *quiet, event, row=row)

    def name(self, numbers: dict[int, int]) -> str:
        """An id for a row; where an earlier entry or another tape's had the same number, with a number behind it."""
        self.skips += not numbers
        name = f"entry-{next(iter(numbers.values()))}" if numbers else f"skip-{self.skips}"
        self.taken[name] += 1
        return name if self.taken[name] == 1 else f"{name}x{self.taken[name]}"

    def walked(self, event: Walked | Passed) -> None:
        row = self.entries.get((event.tape, event.entry))
        if self.call is None or event.tape != self.call.asked.tape or row is None:
            return
        walk = Walk(row, event, self.next, self.runs, self.again)
        self.runs, self.again = [], []
        self.call.walks.append(walk)
        for beat in self.pending:
            beat.at = row
        for born in self.born:
            born.born = (self.call, event.entry)
        self.pending, self.born = [], []
        kind = "back" if isinstance(event, Walked) else "pass"
        self.beat(kind, row.ran.line, event, row=row, call=self.call, walk=walk)

    def rerun(self, event: Rerun | Rested) -> None:
        self.settle()
        if self.call is not None and isinstance(event, Rerun):
            self.runs.append(event)
        beat = self.beat("none" if event.run == 1 else "redo", event.line, event, call=self.call)
        if self.call is not None:
            self.pending.append(beat)

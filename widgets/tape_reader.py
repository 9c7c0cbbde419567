"""Reads a trace, event by event, as the story of one tape."""

from __future__ import annotations

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

from .tape_story import Beat, Call, Row, Story, Walk
from .words import Words, owned


def tell(seen: Trace, tape: str | int | None = None) -> Story:
    """Read a trace as the story of one tape: the one of that name or number, else the first.

    Raises:
        ValueError: the trace has no such tape.
    """
    entered = _names(seen.events)
    chosen = next((number for number, name in entered.items() if tape in (None, number, name)), None)
    if tape is not None and chosen is None:
        names = ", ".join(repr(name) for name in entered.values())
        raise ValueError(
            f"this trace has no tape {tape!r}\n"
            + (
                f"choose one of {names}: TapePlayer(seen, tape=...)"
                if names
                else "record on one: with tf.GradientTape()"
            )
        )
    others = tuple(name for number, name in entered.items() if number != chosen)
    story = Story(seen.lines, chosen, entered.get(chosen, "tape") if chosen is not None else "tape", others)
    _Reader(story).read(seen.events)
    story.words = Words(_handles(story.rows))
    return story


def _handles(rows: list[Row]) -> dict[int, str]:
    """Short names for values that have none of their own: "#2" is what entry 2 made."""
    return {
        value.id: f"#{row.number}"
        for row in rows
        for value in row.ran.outputs
        if row.number is not None and not owned(value, row.ran)
    }


def _names(events: tuple[Event, ...]) -> dict[int, str]:
    """The tapes by number; without those that a block opens for itself when it runs again."""
    names: dict[int, str] = {}
    own: set[int] = set()
    again = 0
    for event in events:
        match event:
            case Rerun(run=run) if run > 1:
                again += 1
            case Rested(run=run) if run > 1:
                again -= 1
            case Entered(tape=tape, name=name):
                if again:
                    own.add(tape)
                else:
                    names[tape] = name
            case Ran():  # a tape whose `with` began before the observed block
                for tape in (*(tape for tape, _ in event.recorded), *(skip.tape for skip in event.skipped)):
                    names.setdefault(tape, "tape")
            case Asked(tape=tape):
                names.setdefault(tape, "tape")
    return {tape: name for tape, name in names.items() if tape not in own}


class _Reader:
    """Walks through the events once and keeps what is open: the call, the reruns, the quiet events of a line."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.entries: dict[int, Row] = {}  # by number, on the tape as it is now
        self.call: Call | None = None
        self.runs: list[Rerun] = []
        self.again: list[tuple[Ran, int]] = []
        self.pending: list[Beat] = []  # steps of a way back whose entry is not known yet
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
        self.merge(event.line, events)
        if isinstance(event, Cleared) and event.tape == self.story.tape:
            for row in self.entries.values():
                row.cleared = len(self.story.beats)
            self.entries.clear()
            self.resets += 1

    def merge(self, line: int | None, events: list[Event]) -> None:
        """A step for a line without an op; what one line does in a row is one step."""
        last = self.story.beats[-1] if self.story.beats else None
        if last and last.plain and last.line == line is not None:
            last.events.extend(events)
        else:
            self.beat("none", line, *events)

    def ran(self, event: Ran) -> None:
        number = next((number for tape, number in event.recorded if tape == self.story.tape), None)
        skip = next((skip for skip in event.skipped if skip.tape == self.story.tape), None)
        if event.again and self.call is not None:
            self.again.append((event, self.next))
            self.pending.append(self.beat("redo", event.line, event, call=self.call))
            return
        if number is None and self.call is not None:
            # The way back works with ops of its own: they are told where they are lines of the learner's own rule.
            if event.line is not None and event.line != self.call.asked.line:
                self.pending.append(self.beat("none", event.line, event, call=self.call))
            return
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
        row = Row(event, self.next, id, number, skip)
        self.story.rows.append(row)
        if number is not None:
            self.entries[number] = row
        self.beat("rec" if number is not None else "skip", event.line, *quiet, event, row=row)

    def walked(self, event: Walked | Passed) -> None:
        row = self.entries.get(event.entry)
        if event.tape != self.story.tape or self.call is None or row is None:
            return
        walk = Walk(row, event, self.next, self.runs, self.again)
        self.runs, self.again = [], []
        self.call.walks.append(walk)
        for beat in self.pending:
            beat.at = row
        self.pending = []
        kind = "back" if isinstance(event, Walked) else "pass"
        self.beat(kind, row.ran.line, event, row=row, call=self.call, walk=walk)

    def rerun(self, event: Rerun | Rested) -> None:
        self.settle()
        if self.call is not None and isinstance(event, Rerun):
            self.runs.append(event)
        beat = self.beat("none" if event.run == 1 else "redo", event.line, event, call=self.call)
        if self.call is not None:
            self.pending.append(beat)

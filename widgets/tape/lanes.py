"""Which tapes a picture shows, and where: a spine for each, or one that tapes share when one comes after the other."""

from __future__ import annotations

from minitape.trace import Answered, Asked, Entered, Event, Passed, Ran, Rerun, Rested, Trace, Walked, Watched

from .story import MOST_LANES, Lane


def lanes_of(seen: Trace, tape: str | int | None = None) -> tuple[list[Lane], tuple[str, ...]]:
    """The lanes of a trace, and the names of the tapes that have none; with `tape`, that one alone.

    Raises:
        ValueError: the trace has no such tape.
    """
    names = _names(seen.events)
    if tape is None:
        lanes = _columns(seen.events, names)
    else:
        chosen = next((number for number, name in names.items() if tape in (number, name)), None)
        if chosen is None:
            known = ", ".join(repr(name) for name in dict.fromkeys(names.values()))
            way = (
                f"choose one of {known}: TapePlayer(seen, tape=...)"
                if known
                else "record on one: with tf.GradientTape()"
            )
            raise ValueError(f"this trace has no tape {tape!r}\n{way}")
        lanes = [Lane(chosen, names[chosen])]
    shown = {lane.tape for lane in lanes}
    return lanes, tuple(dict.fromkeys(name for number, name in names.items() if number not in shown))


def first_tape(seen: Trace) -> int | None:
    """The number of the tape that listened first; None where none did."""
    return next(iter(_names(seen.events)), None)


def _names(events: tuple[Event, ...]) -> dict[int, str]:
    """The tapes by number; without those that open inside a block that runs again, or inside a rule on the way back."""
    names: dict[int, str] = {}
    own: set[int] = set()
    inside = 0
    for event in events:
        match event:
            case Rerun(run=run) if run > 1:
                inside += 1
            case Rested(run=run) if run > 1:
                inside -= 1
            case Entered(tape=tape, name=name):
                if inside:
                    own.add(tape)
                else:
                    names[tape] = name
            case Ran():  # a tape whose `with` began before the observed block
                for tape in _tapes(event):
                    names.setdefault(tape, "tape")
            case Asked(tape=tape):
                names.setdefault(tape, "tape")
                inside += 1
            case Answered():
                inside -= 1
    return {tape: name for tape, name in names.items() if tape not in own}


def _tapes(event: Event) -> set[int]:
    """The tapes that an event is about."""
    if isinstance(event, Ran):
        return {*(tape for tape, _ in event.recorded), *(skip.tape for skip in event.skipped)}
    if isinstance(event, Entered | Watched | Asked | Walked | Passed | Answered):
        return {event.tape}
    return set()


def _columns(events: tuple[Event, ...], names: dict[int, str]) -> list[Lane]:
    """A column for each tape: the first that is free because nothing more comes of the tape that was there."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for at, event in enumerate(events):
        for tape in _tapes(event):
            first.setdefault(tape, at)
            last[tape] = at
    free = [-1] * MOST_LANES  # when the last tape of each column was heard of for the last time
    lanes = []
    for tape in sorted(names, key=lambda tape: first.get(tape, -1)):
        column = next((column for column, until in enumerate(free) if until < first.get(tape, 0)), None)
        if column is not None:
            free[column] = last.get(tape, len(events))
            lanes.append(Lane(tape, names[tape], column))
    return lanes

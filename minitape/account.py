"""An observed block's account: what happened, line by line, as a table; and what differs between two of them."""

from __future__ import annotations

import html
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from . import trace
from .trace import Event, Ran, Trace, Value


class Row(NamedTuple):
    """One thing that happened."""

    line: int | None
    what: str  # "recorded", "skipped", "left", "watched", "back", ...
    text: str
    note: str = ""


class Account(NamedTuple):
    """All that happened in an observed block, in order."""

    rows: tuple[Row, ...]
    recorded: int
    skipped: int
    peak: int

    def __str__(self) -> str:
        lines = [
            f"{self.recorded} op{'s' * (self.recorded != 1)} recorded, {self.skipped} skipped; "
            f"the tapes held {self.peak} bytes at most"
        ]
        what = max((len(row.what) for row in self.rows), default=0)
        text = min(max((len(row.text) for row in self.rows), default=0), 44)
        for row in self.rows:
            at = f"line {row.line}" if row.line is not None else ""
            lines.append(f"{at:<8} {row.what:<{what}}  {row.text:<{text}}  {row.note}".rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        cells = [(str(row.line or ""), row.what, row.text, row.note) for row in self.rows]
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in cells)
        head = "".join(f"<th>{name}</th>" for name in ("line", "what", "of", "why"))
        caption = html.escape(str(self).partition("\n")[0])
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Comparison(NamedTuple):
    """What two observed blocks have in common, and what became of each op."""

    recorded: int  # how many more ops the second one recorded
    skipped: int
    peak: int  # how many more bytes were held at most
    changes: tuple[str, ...]

    def __str__(self) -> str:
        if not self.changes:
            return "the same ops, recorded and skipped alike"
        told = [_more(self.recorded, "recorded"), _more(self.skipped, "skipped")]
        return "\n".join([", ".join(part for part in told if part) or "as many ops, but not the same", *self.changes])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "<br>".join(f"<code>{html.escape(line)}</code>" for line in str(self).splitlines())


def account(seen: Trace) -> Account:
    """The account of an observed block.

    >>> import minitape as tf
    >>> with tf.observe() as seen:
    ...     x = tf.constant(3.0)
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = x * x
    ...         shown = float(y)
    ...     grad = tape.gradient(y, x)
    >>> print(account(seen))
    1 op recorded, 0 skipped; the tapes held 4 bytes at most
    line 2   tape begins  tape
    line 3   watched      x                     by tape
    line 4   recorded     y = x * x             entry 1 of tape; keeps x
    line 5   left         y                     to Python
    line 2   tape ends    tape
    line 6   gradient     of y                  for x
    line 6   back         x gets g * x + g * x  entry 1, x * x; frees x
    line 6   answer       dy/dx = 6.0
    """
    names = {event.tape: event.name for event in seen.of(trace.Entered)}
    rows: list[Row] = []
    for number, event in enumerate((*seen.events, None)):
        rows += [Row(gone.line, "left", gone.value.name, f"to {gone.to}") for gone in seen.gone if gone.after == number]
        if event is not None:
            rows += _rows(event, names)
    rows += _notes(seen)
    return Account(tuple(rows), len(seen.recorded), len(seen.skipped), seen.peak)


def _rows(event: Event, names: dict[int, str]) -> Iterator[Row]:
    line = event.line
    match event:
        case trace.Entered():
            yield Row(line, "tape begins", event.name)
        case trace.Left():
            yield Row(line, "tape ends", names.get(event.tape, "tape"))
        case trace.Watched():
            how = "by" if event.asked else "by itself, by"
            yield Row(line, "watched", event.value.name, f"{how} {names.get(event.tape, 'a tape')}")
        case trace.Paused():
            yield Row(line, "paused", names.get(event.tape, "tape"), "stop_recording()")
        case trace.Resumed():
            yield Row(line, "goes on", names.get(event.tape, "tape"))
        case trace.Cleared():
            yield Row(line, "reset", names.get(event.tape, "tape"), "it forgets what it recorded and watched")
        case trace.Ran():
            yield from _ran(event, names)
        case trace.Asked():
            yield Row(line, "gradient", f"of {_listed(event.targets)}", f"for {_listed(event.sources)}")
        case trace.Rerun():
            times = "runs without recording" if event.run == 1 else f"runs again, for the {event.run}. time"
            yield Row(line, "block", event.name, times)
        case trace.Walked():
            sums: dict[str, list[str]] = {}
            for gift in event.gifts:
                sums.setdefault(gift.to.name, []).append(gift.rule)
            gifts = ", ".join(f"{name} gets {' + '.join(rules)}" for name, rules in sums.items())
            yield Row(line, "back", gifts or "nothing", f"entry {event.entry}, {event.text}{_frees(event.freed)}")
        case trace.Passed():
            yield Row(line, "passed over", f"entry {event.entry}", "no gradient is needed there" + _frees(event.freed))
        case trace.Answered():
            for source, gradient in zip(event.sources, event.gradients, strict=True):
                answer = f"{gradient.name} = {gradient.text}" if gradient is not None else f"None for {source.name}"
                yield Row(line, "answer", answer)


def _ran(event: Ran, names: dict[int, str]) -> Iterator[Row]:
    """An op: one row for those that recorded it, one for each that did not."""
    text = _told(event)
    if event.recorded:
        where = " and ".join(f"entry {entry} of {names.get(tape, 'a tape')}" for tape, entry in event.recorded)
        keeps = f"; keeps {_listed(event.saves)}" if event.saves else ""
        yield Row(event.line, "recorded", text, where + keeps)
    for skip in event.skipped:
        yield Row(event.line, "skipped", text, f"by {names.get(skip.tape, 'a tape')}: {skip.why}")


def _notes(seen: Trace) -> Iterator[Row]:
    """What a custom rule seems to get wrong, as far as a look at the block tells; `check_custom_gradient` tells all."""
    followed = {event.value.id for event in seen.of(trace.Watched)}
    inside: dict[str, list[Ran]] = {}
    told = set()
    for event in seen.of(Ran):
        if event.within:
            inside.setdefault(event.within, []).append(event)
        if event.custom and event.op not in told:
            within = inside.pop(f"{event.custom} {event.op}", [])
            given = {value.id for value in event.inputs} | {value.id for op in within for value in op.outputs}
            for value in (value for op in within for value in op.inputs if value.id in followed - given):
                told.add(event.op)
                given.add(value.id)
                note = f"{event.op} uses {value.name}, which is no argument of it: no gradient reaches it"
                yield Row(event.line, "note", event.text, note)
        followed |= {value.id for value in event.outputs if event.recorded}
    walks: dict[str, trace.Walked] = {}
    for step in seen.of(trace.Walked):
        first = walks.setdefault(step.op, step) if step.custom == "custom_gradient" else step
        gifts = [[gift.value.numbers for gift in walk.gifts] for walk in (first, step)]
        ups = [[value.numbers for value in walk.upstream] for walk in (first, step)]
        same_inputs = [gift.to.id for gift in first.gifts] == [gift.to.id for gift in step.gifts]
        if same_inputs and ups[0] != ups[1] and gifts[0] == gifts[1] and any(map(any, gifts[0])):
            yield Row(
                step.line, "note", step.text, f"the rule of {step.op} gives the same whatever comes in: is dy left out?"
            )


def _told(event: Ran) -> str:
    name = event.outputs[0].name
    return event.text if name in (event.text, "") else f"{name} = {event.text}"


def _listed(values: tuple[Value, ...]) -> str:
    return ", ".join(value.name for value in values) or "nothing"


def _frees(values: tuple[Value, ...]) -> str:
    return f"; frees {_listed(values)}" if values else ""


def compare(before: Trace, after: Trace) -> Comparison:
    """What became of the ops of one observed block in another: recorded, skipped, added or gone.

    >>> import minitape as tf
    >>> x = tf.constant(3.0)
    >>> def run(watch):
    ...     with tf.observe() as seen, tf.GradientTape() as tape:
    ...         if watch:
    ...             tape.watch(x)
    ...         y = x * x
    ...         z = y + 1.0
    ...     return seen
    >>> print(run(watch=False).compare(run(watch=True)))
    2 more ops recorded, 2 fewer skipped
    x * x: recorded; before, none of its inputs is watched
    y + 1.0: recorded; before, none of its inputs is watched
    """
    olds, news = before.of(Ran), after.of(Ran)
    changes: list[str] = []
    steps = SequenceMatcher(None, [_key(op) for op in olds], [_key(op) for op in news], autojunk=False).get_opcodes()
    for kind, i, j, k, m in steps:
        if kind == "equal":
            changes += [said for old, new in zip(olds[i:j], news[k:m], strict=True) if (said := _changed(old, new))]
        else:
            changes += [f"{op.text}: gone, was {_state(op)}" for op in olds[i:j]]
            changes += [f"{op.text}: new, {_state(op)}" for op in news[k:m]]
    recorded = len(after.recorded) - len(before.recorded)
    return Comparison(recorded, len(after.skipped) - len(before.skipped), after.peak - before.peak, tuple(changes))


def _key(op: Ran) -> tuple[str, str]:
    return op.op, op.text


def _changed(old: Ran, new: Ran) -> str:
    if len(old.recorded) == len(new.recorded):
        return ""
    if len(new.recorded) > len(old.recorded):
        why = "; before, " + old.skipped[0].why if old.skipped else "; before, no tape heard it"
        return f"{new.text}: recorded{why}"
    return f"{new.text}: skipped, {new.skipped[0].why}" if new.skipped else f"{new.text}: no tape hears it"


def _state(op: Ran) -> str:
    return "recorded" if op.recorded else "skipped" if op.skipped else "unheard"


def _more(count: int, what: str) -> str:
    if not count:
        return ""
    ops = f" op{'s' * (abs(count) != 1)}" if what == "recorded" else ""
    return f"{abs(count)} {'more' if count > 0 else 'fewer'}{ops} {what}"

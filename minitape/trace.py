"""What happened, as plain frozen data: the whole contract between the tape and every picture of it.

A `Trace` is a program (its lines of code) and the events that its run caused, in order. Nothing here reaches into a
tape: values travel as summaries, places as line numbers, ops as names. `to_json` and `from_json` are each other's
inverse, so a trace can be sent to a browser, stored, or compared with another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .account import Comparison
    from .observer import Heard

VERSION = 1


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor's summary: who it is, what it is called, and at most eight of its numbers."""

    id: int  # the tensor's number; never reused
    name: str  # the learner's own name for it, else the expression that made it
    text: str  # "9.0", "[1. 2. 3.]", "(128, 256) float32"
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    numbers: tuple[float, ...] = ()  # all of them where there are at most eight, else the first eight
    low: float | None = None  # the smallest and the largest number
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """Why one tape did not record an op."""

    tape: int
    reason: str  # "stop_recording", "recompute_grad", "unwatched", "not differentiable", "integer"
    why: str  # one clause for a caption: "line 5 stopped the recording"
    line: int | None = None  # the line that is the cause, where there is one


@dataclass(frozen=True, slots=True)
class Gift:
    """What one step of the way back gives to one input of its op."""

    to: Value  # the input
    rule: str  # the local rule in the learner's names: "g * x"
    calc: str  # the same with its numbers: "3.0 * 3.0"; empty where numbers would not fit
    value: Value  # what is given
    total: Value  # the input's sum so far, this gift included


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `line` counts from 1 in the trace's program; `held` is in bytes, after the event."""

    line: int | None
    held: int

    @property
    def kind(self) -> str:
        """The event's name in the JSON form: its class in lower case."""
        return type(self).__name__.lower()


@dataclass(frozen=True, slots=True)
class Made(Event):
    """A constant or a Variable was made (not an op: nothing to record)."""

    value: Value
    how: str  # "constant", "Variable"


@dataclass(frozen=True, slots=True)
class Entered(Event):
    """A tape's `with` block began: it listens from here on."""

    tape: int
    name: str  # the learner's name for the tape


@dataclass(frozen=True, slots=True)
class Left(Event):
    """A tape's `with` block ended."""

    tape: int


@dataclass(frozen=True, slots=True)
class Watched(Event):
    """A tape was told to watch a tensor, or met a trainable Variable."""

    tape: int
    value: Value
    asked: bool  # False: a Variable, watched by itself when it was first read


@dataclass(frozen=True, slots=True)
class Paused(Event):
    """`stop_recording` began on a tape."""

    tape: int


@dataclass(frozen=True, slots=True)
class Resumed(Event):
    """`stop_recording` ended."""

    tape: int


@dataclass(frozen=True, slots=True)
class Cleared(Event):
    """`reset` made a tape forget everything."""

    tape: int


@dataclass(frozen=True, slots=True)
class Ran(Event):
    """An op ran forward: each listening tape either recorded it or skipped it."""

    op: str  # "multiply"
    text: str  # the learner's expression: "x * x"
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    recorded: tuple[tuple[int, int], ...]  # (tape, entry number on it, from 1)
    skipped: tuple[Skip, ...]
    saves: tuple[Value, ...]  # what the entry keeps for the way back
    custom: str | None = None  # "custom_gradient" or "recompute_grad": the rule is the learner's or a rerun
    within: str | None = None  # the block it ran inside of: "recompute_grad my_function", "gradient"
    again: bool = False  # it ran a second time, in a recomputed block
    scope: str = ""  # the layers and name scopes that it ran in: "model/hidden"


@dataclass(frozen=True, slots=True)
class Asked(Event):
    """`gradient` was called: the way back starts."""

    tape: int
    targets: tuple[Value, ...]
    sources: tuple[Value, ...]
    seeds: tuple[Value, ...]  # the gradient of each target for itself: ones, or output_gradients


@dataclass(frozen=True, slots=True)
class Rerun(Event):
    """A recomputed block begins to run (`run` 1 is the forward one; the later ones are the price of its memory)."""

    name: str
    run: int


@dataclass(frozen=True, slots=True)
class Rested(Event):
    """A recomputed block's run ended."""

    name: str
    run: int


@dataclass(frozen=True, slots=True)
class Walked(Event):
    """The way back went through one entry: upstream in, one gift per tracked input out, what it saved freed."""

    tape: int
    entry: int
    op: str
    text: str
    outputs: tuple[Value, ...]  # the entry's own outputs, whose gradients are `upstream`
    upstream: tuple[Value, ...]
    gifts: tuple[Gift, ...]
    freed: tuple[Value, ...]
    custom: str | None = None


@dataclass(frozen=True, slots=True)
class Passed(Event):
    """The way back passed over an entry: no gradient came for its output, or no source needs it."""

    tape: int
    entry: int
    freed: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """`gradient` returned; None stands where no road on the tape led back to the source."""

    tape: int
    sources: tuple[Value, ...]
    gradients: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True)
class Gone:
    """A value that left as plain numbers, which no tape follows: to NumPy, to Python or into a Variable."""

    line: int | None
    value: Value
    to: str  # "NumPy", "Python", or "the variable v"
    after: int  # how many events came before it


KINDS = {
    kind.__name__.lower(): kind
    for kind in (
        Made, Entered, Left, Watched, Paused, Resumed, Cleared, Ran, Asked, Rerun, Rested, Walked, Passed, Answered
    )
}  # fmt: skip


@dataclass
class Trace:
    """What one observed block did, in order: `lines` is its program, `events` what they caused.

    >>> import minitape as tf
    >>> with tf.observe() as seen:
    ...     x = tf.constant(3.0)
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = x * x
    ...     grad = tape.gradient(y, x)
    >>> [event.kind for event in seen.events]
    ['made', 'entered', 'watched', 'ran', 'left', 'asked', 'walked', 'answered']
    >>> [saved.bytes for saved in seen.recorded[0].saves]
    [4]
    >>> seen.peak
    4
    """

    lines: tuple[str, ...] = ()
    events: tuple[Event, ...] = field(default_factory=tuple)
    version: int = VERSION
    gone: tuple[Gone, ...] = field(default_factory=tuple)  # the values that left
    observed: bool = field(default=False, compare=False, repr=False)  # here, not read from JSON: it may run again

    def hear(self, heard: Heard) -> None:
        """Take what was noted of a block that is over; it is put into words when the events are first asked for."""
        self.lines, self.observed = heard.program.lines, True
        del self.events, self.gone
        self._heard = heard

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            heard = vars(self).get("_heard")
            if heard is None or name not in ("events", "gone"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            from .telling import told

            self.events, self.gone = told(heard)
            self._heard = None
            return getattr(self, name)

    def __getstate__(self) -> dict[str, Any]:
        return {"events": self.events, **vars(self)}  # put into words, it can be copied and sent

    def of(self, *kinds: type[Event]) -> tuple[Any, ...]:
        """The events of these kinds, in order."""
        return tuple(event for event in self.events if isinstance(event, kinds))

    @property
    def recorded(self) -> tuple[Ran, ...]:
        """The ops that at least one tape recorded."""
        return tuple(event for event in self.of(Ran) if event.recorded)

    @property
    def skipped(self) -> tuple[Ran, ...]:
        """The ops that at least one listening tape skipped; each `Skip` says why."""
        return tuple(event for event in self.of(Ran) if event.skipped)

    @property
    def peak(self) -> int:
        """The most bytes that all tapes together held at any moment."""
        return max((event.held for event in self.events), default=0)

    def compare(self, other: Trace) -> Comparison:
        """What became of this block's ops in another one: recorded, skipped, added or gone."""
        from .account import compare

        return compare(self, other)

    def __str__(self) -> str:
        """The block's account: what happened, line by line."""
        from .account import account

        return str(account(self))

    def _repr_html_(self) -> str:
        from .account import account

        return account(self)._repr_html_()

    def to_json(self) -> str:
        """The trace as JSON text (`from_json` reads it back)."""
        return json.dumps(self.to_data(), ensure_ascii=False)

    def to_data(self) -> dict[str, Any]:
        """The trace as plain lists and dictionaries."""
        events = [{"kind": event.kind, **asdict(event)} for event in self.events]
        gone = [asdict(gone) for gone in self.gone]
        return {"version": self.version, "lines": list(self.lines), "events": events, "gone": gone}

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Read a trace back from `to_json`; ValueError for a version that this minitape does not know."""
        data = json.loads(text)
        if data.get("version") != VERSION:
            raise ValueError(
                f"this trace has version {data.get('version')!r}, and this minitape reads version {VERSION}\n"
                "make the trace again: with minitape.observe() as seen: ..."
            )
        gone = tuple(Gone(**{**one, "value": _value(one["value"])}) for one in data.get("gone", ()))
        return cls(tuple(data["lines"]), tuple(_event(event) for event in data["events"]), gone=gone)


def renamed(thing: Any, names: Mapping[int, str]) -> Any:
    """The same data, with the values of these ids under other names."""
    if isinstance(thing, Value):
        name = names.get(thing.id, thing.name)
        return thing if name == thing.name else replace(thing, name=name)
    if isinstance(thing, tuple):
        return tuple([renamed(part, names) for part in thing])
    if not is_dataclass(thing):
        return thing
    parts = {field.name: renamed(getattr(thing, field.name), names) for field in fields(thing)}
    return replace(thing, **parts)  # type: ignore[type-var]


def _event(data: dict[str, Any]) -> Any:
    kind: Any = KINDS[data["kind"]]
    return kind(**{field.name: _READ.get((kind, field.name), _plain)(data[field.name]) for field in fields(kind)})


def _plain(data: Any) -> Any:
    return data


def _value(data: dict[str, Any] | None) -> Any:
    return data and Value(**{**data, "shape": tuple(data["shape"]), "numbers": tuple(data["numbers"])})


def _values(data: list[Any]) -> tuple[Any, ...]:
    return tuple(_value(value) for value in data)


def _skips(data: list[dict[str, Any]]) -> tuple[Skip, ...]:
    return tuple(Skip(**skip) for skip in data)


def _gifts(data: list[dict[str, Any]]) -> tuple[Gift, ...]:
    return tuple(
        Gift(_value(gift["to"]), gift["rule"], gift["calc"], _value(gift["value"]), _value(gift["total"]))
        for gift in data
    )


# How a field that is not a plain number or text is read back, by its annotation.
_READERS: dict[Any, Callable[[Any], Any]] = {
    "Value": _value,
    "tuple[Value, ...]": _values,
    "tuple[Value | None, ...]": _values,
    "tuple[Skip, ...]": _skips,
    "tuple[Gift, ...]": _gifts,
    "tuple[tuple[int, int], ...]": lambda pairs: tuple(tuple(pair) for pair in pairs),
}
_READ = {
    (kind, field.name): _READERS[field.type]
    for kind in KINDS.values()
    for field in fields(kind)
    if field.type in _READERS
}

"""`audit`: how often a recomputed block ran, whether its runs were alike, what it saved, and what gets no gradient."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import numpy as np

from .causes import quoted
from .control import Bind
from .diagnosis import Diagnosis, findings
from .errors import say
from .listeners import here
from .marks import Mark, marks, serial
from .nest import flatten
from .observer import Observer
from .ops.composed import convert_to_tensor
from .place import Spot, learner_frame
from .primitive import Primitive
from .probe import apart
from .scope import Scope
from .tape import GradientTape
from .telling import told
from .tensor import Operand, Tensor
from .trace import Ran, Rerun, Rested, Trace
from .variable import Variable

SMALL = 1024  # bytes; below that there is no memory to speak of


@dataclass(frozen=True)
class Audit:
    """The figures: how often each block ran, and the peak of the bytes that tapes held, with and without it."""

    runs: dict[str, int]
    peak: int
    plain: int | None = None

    @property
    def saved(self) -> float | None:
        """The part of the plain peak that recomputing saves; None where there is no plain run."""
        return None if not self.plain else 1.0 - self.peak / self.plain


@dataclass
class Once:
    """One run of a block: what its ops made, the constants it was given or drew, what it wrote."""

    name: str
    number: int
    depth: int
    began: int
    ended: int = 0
    ops: list[tuple[str, Spot | None, Any]] = field(default_factory=list)
    made: list[tuple[Spot | None, Any]] = field(default_factory=list)


class Auditor(Observer):
    """An observer that also keeps what each run of a block made, to compare them."""

    def __init__(self) -> None:
        super().__init__(None)
        self.began = next(serial)
        self.open: list[Once] = []
        self.all: list[Once] = []
        self.captured: dict[int, tuple[Operand, Tensor]] = {}
        self.given: set[int] = set()

    def run(self, name: str, number: int) -> None:
        """A block begins to run."""
        super().run(name, number)
        self.open.append(Once(name, number, len(self.open), next(serial)))
        self.all.append(self.open[-1])

    def rested(self, name: str, number: int) -> None:
        """A block has run."""
        self.open.pop().ended = next(serial)
        super().rested(name, number)

    def made(self, thing: Operand, how: str) -> None:
        """A constant was made; random numbers come this way too."""
        super().made(thing, how)
        for once in self.open:
            once.made.append((_spot(thing), thing.array))

    def ran(self, op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...]) -> None:
        """An op ran."""
        super().ran(op, inputs, outputs)
        for once in self.open:
            once.ops.append((op.name, _spot(outputs[0]), outputs[0].array))
        if self.open and not any(once.number > 1 for once in self.open):
            for x in inputs:
                outside = x.id < self.began and x.id not in self.given and not isinstance(x, Variable)
                if outside and x.array.dtype.kind in "fc":
                    self.captured.setdefault(x.id, (x, outputs[0]))


def audit(
    f: Callable[..., Any] | Trace, at: Any = (), kwargs: dict[str, Any] | None = None, order: Any = 1
) -> Diagnosis:
    """What a function made by `recompute_grad` costs and saves: its runs, their differences, the bytes held.

    at: the positional inputs, a list; kwargs: those given by keyword; order=2: for the second derivative. f may also be
    a function that calls several such blocks, or a `Trace` of `observe()`. It is run forward and back, and once more
    without recomputing; variables that it assigns are put back. `data` holds the figures.

    >>> import minitape as tf
    >>> x = tf.ones([1000])
    >>> def half(x):
    ...     return tf.sin(tf.sin(tf.sin(tf.sin(x))))
    >>> block = tf.recompute_grad(half)
    >>> found = tf.audit(lambda x: block(block(x)), at=[x])
    >>> found.data.peak, found.data.plain
    (20000, 32000)
    >>> print(found)
    half ran twice forward and twice on the way back: 20000 bytes held at most, 32000 without it: saves 38 %
    nothing to mend
    """
    if isinstance(f, Trace):
        return findings(_of_trace(f))
    if not callable(f):
        raise TypeError(say(f"audit takes a function or a trace, and {f!r} is neither", "audit(f, at=[x])"))
    at = list(at) if isinstance(at, list | tuple) else [at]
    return findings(Check(f, at, kwargs or {}, int(order), Scope(learner_frame(sys._getframe(1)))).found())


class Check:
    """One function at one point, run with and without recomputing."""

    def __init__(self, f: Any, at: list[Any], kwargs: dict[str, Any], order: int, scope: Scope) -> None:
        self.f, self.at, self.kwargs, self.order, self.scope = f, at, kwargs, order, scope
        before = {id: (v, v.array) for id, v in scope.things.items() if isinstance(v, Variable)}
        try:
            self.seen = self._run(plain=False)
            self.plain = self._run(plain=True)
        finally:
            for variable, array in before.values():
                variable.array = array
        self.runs = Counter(once.name for once in self.seen.all)
        self.bind = f if isinstance(f, Bind) else None
        self.made = Spot(f.made.code, f.made.at) if self.bind is not None else None
        names = list(self.runs) or [getattr(f, "__name__", "f")]
        named = scope.functions.get(f.op) if self.bind is not None else None
        self.title, self.name = ("the block", named or "f") if names[0] == "<lambda>" else (names[0], names[0])

    def _run(self, plain: bool) -> Auditor:
        """Forward and back, heard by an auditor."""
        heard = Auditor()
        inputs = [x for x in flatten(self.at) if isinstance(x, Operand)]
        floats = [x for x in inputs if x.array.dtype.kind in "fc"]
        heard.given = {x.id for x in flatten([self.at, list(self.kwargs.values())]) if isinstance(x, Operand)}
        with apart(heard):
            here.now.plain = plain
            with GradientTape(persistent=self.order > 1) as outer:
                outer.watch(floats)
                if self.order > 1:
                    with GradientTape() as inner:
                        inner.watch(floats)
                        value = self.f(*self.at, **self.kwargs)
                    value = [g for g in flatten(inner.gradient(value, floats)) if g is not None]
                else:
                    value = self.f(*self.at, **self.kwargs)
            targets = [convert_to_tensor(out) for out in flatten(value)]
            del value
            outer.gradient([t for t in targets if t.array.dtype.kind in "fc"], floats)
        return heard

    def found(self) -> list[Diagnosis]:
        """All findings, the most telling first."""
        found = [*self._keyword(), *self._captured(), *self._differs()]
        memory = [*self._saves_nothing()]
        return [*found, *memory, self._reruns(bool(found or memory))]

    def figures(self) -> Audit:
        """How often, and how many bytes."""
        peaks = [max((event.held for event in told(part.finish())[0]), default=0) for part in (self.seen, self.plain)]
        return Audit(dict(self.runs), *peaks)

    # --- one method a finding -----------------------------------------------------------------------------------------

    def _keyword(self) -> list[Diagnosis]:
        given = {name: x for name, x in self.kwargs.items() if isinstance(x, Operand)}
        if not given:
            return []
        name = next(iter(given))
        past = [m for m in marks if m.what == "keyword" and m.when < self.seen.began]
        past = [m for m in past if any(x.id in m.ids for x in given.values())]
        spot = Spot(past[0].code, past[0].at) if past else None
        what = f"{_at(spot)}`{name}` is given to {self.title} by keyword: only inputs by position get a gradient"
        inputs = [self.scope.name(x) or "x" for x in self.at if isinstance(x, Operand)]
        inputs += [self.scope.name(x) or name for name, x in given.items()]
        fix = f"{self.name}({', '.join(inputs)})  # by position"
        return [Diagnosis("keyword-input", what, fix, _line(spot))]

    def _captured(self) -> list[Diagnosis]:
        found = []
        for x, out in self.seen.captured.values():
            spot, name = _spot(out), self.scope.name(x) or "a tensor from outside"
            what = f"{_at(spot)}{self.title} uses `{name}`{quoted(spot)}, which is no argument: no gradient reaches it"
            fix = f"def {self.name}(..., {name}):  # pass it as an argument"
            found.append(Diagnosis("captured-by-closure", what, fix, _line(spot)))
        return found

    def _differs(self) -> list[Diagnosis]:
        """The first run of the outermost block against its second."""
        firsts = [once for once in self.seen.all if once.number == 1]
        for again in (once for once in self.seen.all if once.number > 1):
            # Of a block that was called more than once, the run that this one repeats is the one most like it.
            alike = [(_alike(first, again), -first.began, first) for first in firsts if first.name == again.name]
            first = max(alike, key=lambda one: one[:2])[2]
            for (spot, one), (_, other) in zip(first.made, again.made, strict=False):
                if not _same(one, other):
                    what = f"{_at(spot)}the second run of {self.title} draws other numbers{quoted(spot)}"
                    fix = "tf.random.stateless_normal(shape, seed=[1, 2])  # the same numbers in every run"
                    what += ": the gradient is that of another function"
                    return [Diagnosis("random-differs", what, fix, _line(spot))]
            wrote = [m for m in marks if m.what == "assign" and first.began < m.when < first.ended]
            if wrote:
                return [self._side_effect(wrote[0])]
            for (op, spot, one), (_, _, other) in zip(first.ops, again.ops, strict=False):
                if not _same(one, other):
                    what = f"{_at(spot)}{op} gives something else in the second run of {self.title}{quoted(spot)}"
                    fix = "pass in as an argument what the block reads from outside"
                    return [Diagnosis("side-effect", f"{what}: what it uses has changed", fix, _line(spot))]
        return []

    def _side_effect(self, mark: Mark) -> Diagnosis:
        spot = Spot(mark.code, mark.at)
        name = self.scope.names.get(mark.ids[-1], "a variable")
        times = self.runs[next(iter(self.runs))]
        what = f"{spot}{quoted(spot)} changes `{name}` inside {self.title}, and runs {_times(times)} there"
        return Diagnosis("side-effect", what, f"{spot.statement}  # outside of the block", spot.line)

    def _saves_nothing(self) -> list[Diagnosis]:
        figures = self.figures()
        saved = figures.saved
        small = (figures.plain or 0) < SMALL and self.order == 1
        if saved is None or saved >= 0.05 or small:
            return []
        why = "one block holds all its values on the way back"
        fix = "lambda x: part_2(part_1(x))  # several blocks, each with its own tf.recompute_grad"
        if self.order > 1:
            why = "a second derivative needs all values at once"
            fix = f"{self._raw()}  # the function itself, where second derivatives are taken"
        much = f"{figures.peak} bytes held at most, {figures.plain} without it"
        what = f"{_at(self.made)}recomputing {self.title} saves nothing: {much}; {why}"
        return [Diagnosis("saves-nothing", what, fix, _line(self.made), data=figures)]

    def _reruns(self, more: bool) -> Diagnosis:
        figures = self.figures()
        name, _ = max(self.runs.items(), key=lambda pair: pair[1], default=(self.title, 0))
        title = "the block" if name == "<lambda>" else name
        runs = [once for once in self.seen.all if once.name == name]
        back = [once for once in runs if once.number > 1 or self._during_rerun(once)]
        forward, again = len(runs) - len(back), len(back)
        what = f"{_at(self.made)}{title} ran {_times(forward)} forward and {_times(again)} on the way back"
        if again > forward:
            what += ": a block inside a block runs again at each level"
        elif (figures.plain or 0) >= SMALL and figures.saved is not None:
            what += (
                f": {figures.peak} bytes held at most, {figures.plain} without it: saves {100 * figures.saved:.0f} %"
            )
        saves = (figures.saved or 0.0) >= 0.05
        if self.bind is None and saves and not more:
            return Diagnosis("works", what, "", data=figures)
        fix = "" if saves else f"{self._raw()}  # the function itself, where memory is no worry"
        return Diagnosis("reruns", what, fix, _line(self.made), data=figures)

    def _raw(self) -> str:
        return f"{self.name}.__wrapped__" if self.title == "the block" else self.name

    def _during_rerun(self, once: Once) -> bool:
        return any(o.number > 1 and o.began < once.began < o.ended for o in self.seen.all)


def _of_trace(seen: Trace) -> list[Diagnosis]:
    """What a trace tells: how often, and whether the runs were alike."""
    counts = Counter(event.name for event in seen.of(Rerun))
    if not counts:
        return [Diagnosis("works", "no block was recomputed", "")]
    found = []
    open_runs: list[tuple[str, int, list[Ran]]] = []
    done: dict[tuple[str, int], list[list[Ran]]] = {}
    for event in seen.events:
        if isinstance(event, Rerun):
            open_runs.append((event.name, event.run, []))
        elif isinstance(event, Rested):
            name, run, ops = open_runs.pop()
            done.setdefault((name, run), []).append(ops)
        elif isinstance(event, Ran):
            for _, _, ops in open_runs:
                ops.append(event)
    for (name, run), runs_of in done.items():
        firsts = [one for (of, number), runs in done.items() for one in runs if of == name and number == 1]
        for again in runs_of if run > 1 else ():
            pairs = [list(zip(first, again, strict=False)) for first in firsts]
            differ = [[(a, b) for a, b in pair if _numbers(a) != _numbers(b)] for pair in pairs]
            if differ and all(differ):
                one = min(differ, key=len)[0][0]
                what = f"line {one.line}: {one.op} (`{one.text}`) gives something else in run {run} of {name}"
                found.append(Diagnosis("random-differs", what, "make the numbers outside, and pass them in", one.line))
                break
    figures = Audit(dict(counts), seen.peak)
    told = ", ".join(f"{name} ran {_times(count)}" for name, count in counts.items())
    return [*found, Diagnosis("reruns", f"{told}; the tape held {seen.peak} bytes at most", "", data=figures)]


def _numbers(event: Ran) -> list[Any]:
    return [value.numbers for value in event.outputs]


def _same(one: Any, other: Any) -> bool:
    return bool(np.shape(one) == np.shape(other) and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"))


def _alike(first: Once, again: Once) -> int:
    """How many results two runs have in common, from the start."""
    pairs = zip((array for _, _, array in first.ops), (array for _, _, array in again.ops), strict=False)
    return sum(1 for _ in takewhile(lambda pair: _same(*pair), pairs))


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _spot(thing: Operand) -> Spot | None:
    return Spot(thing.code, thing.at) if thing.code is not None else None


def _line(spot: Spot | None) -> int | None:
    return spot.line if spot is not None else None


def _at(spot: Spot | None) -> str:
    return f"{spot}: " if spot is not None else ""

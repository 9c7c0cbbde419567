"""`describe`: what exactly was differentiated, with which shapes; and what of it was perhaps not meant."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from .backward import backward
from .causes import quoted
from .diagnosis import Diagnosis, findings
from .errors import say
from .flow import expression
from .marks import Reading
from .nest import flatten
from .ops.composed import convert_to_tensor
from .place import Spot, learner_frame
from .probe import apart
from .record import TapeEntry
from .scope import Scope
from .slices import dense
from .tape import GradientTape
from .tensor import Operand, wrap
from .why import Case

#: Ops that go along an axis and keep the shape: along axis 0 they mix the examples of a batch.
ALONG = {
    "cumsum", "cumprod", "softmax", "log_softmax", "sort", "reverse", "roll", "gather", "l2_normalize",
    "cumulative_logsumexp",
}  # fmt: skip


def describe(
    tape: GradientTape,
    target: Any,
    source: Any,
    how: str = "gradient",
    output_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> Diagnosis:
    """What `tape.gradient(target, source)` computes, in one sentence; and what in it was perhaps not meant.

    how: "gradient", "jacobian" or "batch_jacobian"; the other arguments as in the call that is described.
    It works after the call, also on a tape that is used up. A gradient that is None is handed on to `explain`.

    >>> import minitape as tf
    >>> w = tf.Variable(1.0)
    >>> with tf.GradientTape() as tape:
    ...     y = w * tf.constant([1.0, 2.0, 3.0])
    >>> print(tape.gradient(y, w).numpy())
    6.0
    >>> print(tf.describe(tape, y, w))
    line 1: this is the gradient of the sum of the 3 numbers of `y`, of shape (): not one for each of them
    fix: tape.jacobian(y, w)  # one for each number, shape (3,)
    """
    if not isinstance(tape, GradientTape):
        raise TypeError(say(f"describe takes a tape, and {tape!r} is none", "describe(tape, target, source)"))
    scope = Scope(learner_frame(sys._getframe(1)))
    zero = "zero" in str(getattr(unconnected_gradients, "value", unconnected_gradients))
    told = Narrator(tape, flatten(target), flatten(source), how, output_gradients, zero, scope)
    return findings(list(told.found()) or [told.plainly()])


class Narrator:
    """One call of `gradient` or its kin."""

    def __init__(
        self,
        tape: GradientTape,
        targets: list[Operand],
        sources: list[Operand],
        how: str,
        output_gradients: Any,
        zero: bool,
        scope: Scope,
    ) -> None:
        self.tape, self.targets, self.sources, self.how, self.zero = tape, targets, sources, how, zero
        self.seeds = [] if output_gradients is None else [convert_to_tensor(part) for part in flatten(output_gradients)]
        self.cases = [[Case(tape, target, source, scope) for source in sources] for target in targets]
        self.words = self.cases[0][0].words
        pairs = [(case.roads, case.source.id, case.target.id) for row in self.cases for case in row]
        self.between = {id for roads, x, y in pairs for id in roads.after(x) & roads.before(y)}
        self.call = self._call()
        self.spot = Spot(self.call.code, self.call.at) if self.call is not None else None
        self.at = f"{self.spot}: " if self.spot is not None else ""

    def _call(self) -> Reading | None:
        """The last call of this kind with these targets and sources."""
        to, of = {x.id for x in self.targets}, {x.id for x in self.sources}
        calls = [c for c in self.tape.readings if c.how == self.how and to <= set(c.targets) and of <= set(c.sources)]
        seeds = tuple(seed._shape for seed in self.seeds)
        like = [c for c in calls if c.seeds == seeds and (None in c.answers) <= (not self.zero)]
        return [None, *calls, *like][-1]

    def made(self, cause: str, what: str, fix: str, spot: Spot | None, *detail: str) -> Diagnosis:
        """A finding."""
        return Diagnosis(cause, what, fix, spot.line if spot is not None else None, detail)

    @property
    def y(self) -> str:
        """The target, or targets, as code."""
        names = [case[0].words.y for case in self.cases]
        return names[0] if len(names) == 1 else f"[{', '.join(names)}]"

    @property
    def x(self) -> str:
        """The source, or sources, as code."""
        names = [case.words.x for case in self.cases[0]]
        return names[0] if len(names) == 1 else f"[{', '.join(names)}]"

    def found(self) -> Iterator[Diagnosis]:
        """What was perhaps not meant, the most telling first."""
        for number, source in enumerate(self.sources):
            told = [case[number].diagnosis() for case in self.cases]
            if not any(case[number].connected for case in self.cases):
                yield self._unconnected(source, told[0])
        yield from self._broadcast()
        if self.how == "batch_jacobian":
            yield from self._mixing()
        yield from self._keeps()
        yield from self._sums()

    def plainly(self) -> Diagnosis:
        """Nothing looks like an accident: what it is."""
        shapes = ", ".join(str(x._shape) for x in self.sources)
        if self.how == "gradient":
            what = f"{self.at}d{self.y}/d{self.x}, of shape {shapes}: one slope for each number of `{self.x}`"
            if self.seeds:
                what = (
                    f"{self.at}the gradients of the numbers of `{self.y}`, weighed by output_gradients: shape {shapes}"
                )
        else:
            rows = self.targets[0]._shape
            shape = rows + self.sources[0]._shape[self.how == "batch_jacobian" :]
            what = f"{self.at}d{self.y}/d{self.x} for each number of `{self.y}`: shape {shape}"
        return self.made("works", what, "", self.spot)

    # --- one method a suspicion ---------------------------------------------------------------------------------------

    def _unconnected(self, source: Operand, why: Diagnosis) -> Diagnosis:
        if not (self.zero or self.how == "batch_jacobian"):
            return why
        name = self.words.name(source, "the source")
        what = f"{self.at}no road leads from {name} to `{self.y}`: the zeros were filled in, not computed"
        if self.how == "batch_jacobian":
            what += " (batch_jacobian always does that)"
        fix = f"{self.words.tape}.gradient({self.y}, {self.x})  # says None where there is no road"
        found = self.made("unconnected-zeros", what, fix, self.spot)
        return findings([found, why])

    def _broadcast(self) -> Iterator[Diagnosis]:
        for target, seed in zip(self.targets, self.seeds, strict=False):
            if seed._shape != target._shape:
                have, want = (str(list(shape)) for shape in (seed._shape, target._shape))
                what = f"{self.at}output_gradients has shape {have} and was stretched to the target's {want}"
                fix = f"output_gradients=tf.ones({want})  # one weight for each number of `{self.y}`"
                yield self.made("broadcast-suspect", what, fix, self.spot)
        for entry in self._entries():
            shapes = [shape for shape in entry.shapes or () if np.prod(shape) > 1]
            mutual = len(shapes) == 2 and entry.spec.shape not in shapes and len(shapes[0]) != len(shapes[1])
            if mutual:
                one, two = shapes
                spot = Spot(entry.code, entry.at)
                both = entry.spec.shape
                what = f"{spot}{quoted(spot)}: shapes {one} and {two} were stretched to {both}; was that meant?"
                long, short = sorted(shapes, key=lambda shape: -len(shape))
                fix = f"tf.reshape(a, {list(short)})  # for the one of shape {long}: then both have one shape"
                yield self.made("broadcast-suspect", what, fix, spot)

    def _entries(self) -> Iterator[TapeEntry]:
        """The tape's entries on the roads from the sources to the targets."""
        for entry in self.tape.entries:
            outs = set(entry.out) if entry.op.many else {entry.out}
            if outs & self.between:
                yield entry

    def _keeps(self) -> Iterator[Diagnosis]:
        """A tape that holds more than it needs."""
        tape, name = self.tape, self.words.tape
        entered = [mark for mark in tape.marks if mark.what == "enter"]
        used = {id for entry in tape.entries for id in entry.inputs} | {id for c in tape.readings for id in c.targets}
        for call in tape.readings:
            if tape.persistent and call.recording and used.isdisjoint(id for id in call.answers if id is not None):
                spot = Spot(call.code, call.at)
                what = f"{spot}: {call.how}() ran while its own tape was recording, so the way back was recorded too"
                fix = f"{name}.{call.how}({self.y}, {self.x})  # after the block"
                yield self.made("keeps-too-much", what, fix, spot)
                return
        if tape.persistent and len(entered) > 1:
            spot = Spot(entered[-1].code, entered[-1].at)
            what = f"{spot}: one persistent tape was entered {len(entered)} times, and holds the entries of all of them"
            yield self.made("keeps-too-much", what, "with tf.GradientTape() as tape:  # a new tape for each step", spot)

    def _sums(self) -> Iterator[Diagnosis]:
        if self.how != "gradient" or self.seeds:
            return
        shape = ", ".join(str(x._shape) for x in self.sources)
        if len(self.targets) > 1:
            what = f"{self.at}you gave {len(self.targets)} targets, and got the gradient of their sum, of shape {shape}"
            fix = f"[{self.words.tape}.gradient(t, {self.x}) for t in {self.y}]  # one for each; persistent=True"
            yield self.made("sum-of-outputs", what, fix, self.spot)
            return
        target = self.targets[0]
        if target.array.size > 1:
            what = (
                f"{self.at}this is the gradient of the sum of the {target.array.size} numbers of `{self.y}`, "
                f"of shape {shape}: not one for each of them"
            )
            rows = ", ".join(str(target._shape + x._shape) for x in self.sources)
            fix = f"{self.words.tape}.jacobian({self.y}, {self.x})  # one for each number, shape {rows}"
            yield self.made("sum-of-outputs", what, fix, self.spot)

    # --- examples that mix --------------------------------------------------------------------------------------------

    def _mixing(self) -> Iterator[Diagnosis]:
        """A result that depends on several examples of the batch: batch_jacobian adds their slopes up."""
        source, batch = self.sources[0], self.sources[0]._shape[0]
        if batch < 2 or self._kept_apart():
            return
        shapes: dict[int, tuple[int, ...]] = {source.id: source._shape}
        by_example = {source.id}  # ids whose first axis is the batch
        for entry in self._entries():
            on_road = [id for id in entry.inputs if id in shapes]
            if entry.op.many or not on_road:
                continue
            shape = shapes[entry.out] = entry.spec.shape
            along = _axis_0(entry, len(shapes[on_road[0]]))
            reduces = entry.op.name.startswith("reduce_") and (shape[:1] != (batch,) or along)
            turned = entry.op.name in ("transpose", "reshape") and shape[:1] != shapes[on_road[0]][:1]
            second = entry.op.name == "matmul" and on_road[0] != entry.inputs[0]
            back = shape[:1] == (batch,) and not by_example.issuperset(on_road)
            if reduces or (entry.op.name in ALONG and along) or (second and shape[:1] == (batch,)) or back:
                spot = Spot(entry.code, entry.at)
                what = (
                    f"{spot}{quoted(spot)} mixes the examples of the batch; batch_jacobian takes them for independent"
                )
                fix = f"{self.words.tape}.jacobian({self.y}, {self.x})  # every example against every other"
                yield self.made("batch-mixing", what, fix, spot)
                return
            if not turned and not second and by_example.issuperset(on_road):
                by_example.add(entry.out)

    def _kept_apart(self) -> bool:
        """Where the tape still holds its arrays: does each example's result depend on that example alone?"""
        if not self.tape.persistent or len(self.tape.saved) != len(self.tape.rows):
            return False
        target, source = self.targets[0], self.sources[0]
        for example in range(min(target._shape[0], 16)):
            seed = np.zeros(target._shape, target.array.dtype)
            seed[example] = np.random.default_rng(0).uniform(0.5, 1.5, target._shape[1:])
            with apart():
                grad = backward(self.tape, {target.id: wrap(seed)}, {source.id}).get(source.id)
            whole = np.zeros(source._shape) if grad is None else np.array(getattr(dense(grad), "array", dense(grad)))
            whole[example] = 0.0
            if np.any(whole):
                return False
        return True


def _axis_0(entry: TapeEntry, rank: int) -> bool:
    """Does the learner's call of this op name axis 0?"""
    constants = [
        part[1] for part in expression(entry.code, entry.at) if isinstance(part, tuple) and part[0].startswith("LOAD_")
    ]
    return any(text in ("0", "(0,)", str(-rank)) or text.startswith("(0,") for text in constants)

"""`find_nan`: the first op, forward or on the way back, that made inf or nan; why, and how to write it instead."""

from __future__ import annotations

import ast
import contextlib
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .diagnosis import Diagnosis
from .dtypes import as_dtype
from .errors import say
from .nest import flatten
from .ops.composed import convert_to_tensor
from .place import Spot, learner_frame
from .probe import Listening, apart
from .record import TapeEntry
from .scope import Scope
from .slices import Rows
from .tape import GradientTape
from .tensor import Operand
from .trace import Ran, Trace, Walked

#: Ops with a pole: they are infinite at a point of their own, not because a number grew too large.
POLES = {
    "log", "log1p", "divide", "reciprocal", "rsqrt", "atanh", "xlogy", "xlog1py", "xdivy", "floordiv", "floormod",
    "digamma", "lgamma",
}  # fmt: skip
ROOTS = {"sqrt", "power", "norm", "pow"}


class Step(NamedTuple):
    """One op of the run: its inputs and outputs by id, with their numbers."""

    op: str
    inputs: list[tuple[int, Any]]
    outputs: list[tuple[int, Any]]
    line: int | None
    where: str  # "line 4 (`tf.exp(x)`)"
    text: str


class Back(NamedTuple):
    """One step of the way back: the gradient that came, and what each input was given."""

    out: int
    upstream: Any
    gifts: list[Any]


class Heard(Listening):
    """A run whose way back is kept too."""

    def __init__(self) -> None:
        super().__init__()
        self.backs: list[Back] = []

    def walked(
        self, tape: Any, number: int, g: Any, gifts: list[tuple[int, Any]], kept: Any, grads: dict[int, Any]
    ) -> None:
        """Keep it, with plain arrays."""
        entry = TapeEntry._make(tape.rows[number])
        out = entry.out[0] if entry.op.many else entry.out
        upstream = _plain(next((part for part in g if part is not None), 0.0) if entry.op.many else g)
        self.backs.append(Back(out, upstream, [_plain(gift) for _, gift in gifts if gift is not None]))


def find_nan(f: Callable[..., Any] | Trace, at: Any = ()) -> Diagnosis:
    """Which op made the first inf or nan, in the value of f or in its gradient, and what to write instead.

    at: the positional inputs, a list of tensors. In the place of f a `Trace` of `observe()` may stand.

    >>> import minitape as tf
    >>> def f(x):
    ...     return tf.where(x > 0.0, tf.math.log(x), 0.0)
    >>> print(tf.find_nan(f, at=[tf.constant([0.0, 4.0])]))  # doctest: +ELLIPSIS
    line 2 (`tf.math.log(x)`): log(0) = -inf in the branch that tf.where did not choose; on the way back 0 * inf = nan
    fix: x_safe = tf.where(x > 0.0, x, tf.ones_like(x))  # use x_safe in log
    ...
    """
    if isinstance(f, Trace):
        return Search(*_from_trace(f)).found()
    if not callable(f):
        raise TypeError(say(f"find_nan takes a function or a trace, and {f!r} is neither", "find_nan(f, at=[x])"))
    return Search(*_from_run(f, at if isinstance(at, list | tuple) else [at])).found()


def _from_run(f: Callable[..., Any], at: Any) -> tuple[list[Step], list[Back], dict[int, str]]:
    scope = Scope(learner_frame(sys._getframe(2)))
    heard = Heard()
    sources = [x for x in flatten(at) if isinstance(x, Operand) and x.array.dtype.kind in "fc"]
    with apart(heard), GradientTape(persistent=True) as tape:
        tape.watch(sources)
        outputs = [convert_to_tensor(out) for out in flatten(f(*at))]
    forward = list(heard.ops)
    with apart(heard):
        tape.gradient([out for out in outputs if out.array.dtype.kind in "fc"], sources)
    steps = []
    names = dict(scope.names)
    for op, inputs, outs in forward:
        spot = Spot(outs[0].code, outs[0].at) if outs[0].code is not None else None
        text = spot.text if spot is not None else ""
        place = f"{spot}{f' (`{text}`)' if text else ''}" if spot is not None else op.name
        ins, made = ([(t.id, np.asarray(t.array)) for t in ts] for ts in (inputs, outs))
        steps.append(Step(op.name, ins, made, spot.line if spot is not None else None, place, text))
    return steps, heard.backs, names


def _from_trace(seen: Trace) -> tuple[list[Step], list[Back], dict[int, str]]:
    steps: list[Step] = []
    backs: list[Back] = []
    names: dict[int, str] = {}
    for event in seen.events:
        if isinstance(event, Ran) and event.within != "gradient":
            ins, outs = ([(v.id, _summary(v)) for v in values] for values in (event.inputs, event.outputs))
            at = f"line {event.line} (`{event.text}`)" if event.line is not None else f"`{event.text}`"
            steps.append(Step(event.op, ins, outs, event.line, at, event.text))
            names |= {v.id: v.name for v in (*event.inputs, *event.outputs)}
        elif isinstance(event, Walked):
            gifts = [_summary(gift.value) for gift in event.gifts]
            upstream = _summary(event.upstream[0]) if event.upstream else np.zeros(())
            backs.append(Back(event.outputs[0].id, upstream, gifts))
    return steps, backs, names


def _summary(value: Any) -> Any:
    """The numbers of a value that a trace has: all of a small one, else the first few and the extremes."""
    dtype = as_dtype(value.dtype).numpy_dtype
    if len(value.numbers) == int(np.prod(value.shape)):
        return np.array(value.numbers).astype(dtype).reshape(value.shape)
    return np.array([*value.numbers, value.low or 0.0, value.high or 0.0]).astype(dtype)


class Search:
    """The run, searched from its first op on."""

    def __init__(self, steps: list[Step], backs: list[Back], names: dict[int, str]) -> None:
        self.steps, self.backs, self.names = steps, backs, names
        self.maker = {id: step for step in steps for id, _ in step.outputs}

    def found(self) -> Diagnosis:
        """The first op that made inf or nan, where the end result has one."""
        last = self.steps[-1].outputs if self.steps else []
        gone = [back for back in self.backs if any(not _fine(gift) for gift in back.gifts)]
        if not gone and all(_fine(array) for _, array in last):
            return Diagnosis("works", "every number is finite, forward and on the way back", "")
        forward = next((step for step in self.steps if self._began(step)), None)
        if forward is not None:
            return self._forward(forward, all(_fine(array) for _, array in last))
        if not gone:
            return Diagnosis("zero-times-inf", "an input is not finite", "tf.debugging.check_numerics(x, 'x')")
        return self._backward(gone[0])

    def _began(self, step: Step) -> bool:
        """Did inf or nan begin here: not in what an earlier op made?"""
        made = [array for id, array in step.inputs if id in self.maker]
        return not all(_fine(array) for _, array in step.outputs) and all(_fine(array) for array in made)

    # --- forward ------------------------------------------------------------------------------------------------------

    def _forward(self, step: Step, hidden: bool) -> Diagnosis:
        array = next(array for _, array in step.outputs if not _fine(array))
        ins = [a for _, a in step.inputs]
        spot = self._element(array)
        result = np.ravel(array)[spot]
        if self._unchosen(step):
            how = f"{self._call(step, spot)} = {result} in the branch that tf.where did not choose"
            return self._made("where-unused-branch", step, f"{how}; on the way back 0 * inf = nan", self._guard(step))
        shown = f"{self._call(step, spot)} = {result}"
        if any(not _fine(a) for a in ins):
            what = f"{shown}: an infinite factor, and 0 * inf = nan on the way back"
            return self._made("zero-times-inf", step, what, "-1e9  # a large finite number in the place of -inf")
        if step.op in POLES or (step.op == "power" and _zero_at(ins[0], spot, array)):
            if np.isnan(result) and not self._zero_by_zero(step, spot):
                return self._outside(step, shown)
            what = f"{shown}, and 0 * inf = nan" if np.isinf(result) else f"{shown}: 0 / 0"
            return self._made("zero-times-inf", step, what, self._instead_of_pole(step))
        if np.isinf(result):
            what = f"{shown}: too large for {array.dtype}, whose largest number is {_largest(array)}"
            return self._made("overflow", step, what, self._instead_of_overflow(step))
        return self._outside(step, shown)

    def _outside(self, step: Step, shown: str) -> Diagnosis:
        what = f"{shown}: {step.op} is not defined there"
        return self._made("outside-domain", step, what, f"{self._name(step)} = tf.maximum({self._name(step)}, 0.0)")

    def _unchosen(self, step: Step) -> bool:
        """Does every inf or nan of this op end in a branch that a `where` did not choose?"""
        reached = {id for id, _ in step.outputs}
        for later in self.steps[self.steps.index(step) + 1 :]:
            if reached.isdisjoint(id for id, _ in later.inputs):
                continue
            if later.op == "where" and len(later.inputs) == 3:
                (_, condition), *branches = later.inputs
                for number, (id, array) in enumerate(branches):
                    if id in reached:
                        try:
                            chosen = np.broadcast_to(condition if number == 0 else ~condition, array.shape)
                        except (ValueError, TypeError):
                            return False
                        return not bool((chosen & ~np.isfinite(array)).any())
            if step.outputs[0][1].shape == later.outputs[0][1].shape:
                reached |= {id for id, _ in later.outputs}
        return False

    # --- on the way back ----------------------------------------------------------------------------------------------

    def _backward(self, back: Back) -> Diagnosis:
        step = self.maker[back.out]
        gift = next(gift for gift in back.gifts if not _fine(gift))
        spot = self._element(gift)
        shown = self._call(step, spot)
        if self._behind_where(step):
            what = (
                f"{step.op} has an infinite slope at {self._at(step, spot)}, in the branch that tf.where did not choose"
            )
            return self._made("where-unused-branch", step, f"{what}: 0 * inf = nan", self._guard(step))
        if step.op in ROOTS:
            what = f"{shown}: a root has an infinite slope at 0, so the gradient is {np.ravel(gift)[spot]}"
            return self._made("sqrt-at-zero", step, what, self._instead_of_root(step))
        what = f"the slope of {shown} is infinite there, and 0 * inf = nan on the way back"
        return self._made("zero-times-inf", step, what, self._instead_of_pole(step))

    def _behind_where(self, step: Step) -> bool:
        """Is this op's result in a branch of a `where`, and is the slope infinite only where it was not chosen?"""
        reached = {id for id, _ in step.outputs}
        shape = step.outputs[0][1].shape
        bad = ~np.isfinite(self._slope(step))
        for later in self.steps[self.steps.index(step) + 1 :]:
            if reached.isdisjoint(id for id, _ in later.inputs):
                continue
            if later.op == "where" and len(later.inputs) == 3:
                (_, condition), *branches = later.inputs
                for number, (id, array) in enumerate(branches):
                    if id in reached and np.shape(bad) == array.shape:
                        chosen = np.broadcast_to(condition if number == 0 else ~condition, array.shape)
                        return not bool((chosen & bad).any())
            if later.outputs[0][1].shape == shape:
                reached |= {id for id, _ in later.outputs}
        return False

    def _slope(self, step: Step) -> Any:
        """What the op gave back, number by number."""
        back = next(back for back in self.backs if back.out == step.outputs[0][0])
        return next(gift for gift in back.gifts if not _fine(gift))

    # --- words --------------------------------------------------------------------------------------------------------

    def _made(self, cause: str, step: Step, what: str, fix: str) -> Diagnosis:
        detail = [f"{self._called(id)} = {_few(array)}" for id, array in step.inputs]
        detail += [f"{step.op} gives {_few(array)}" for _, array in step.outputs]
        detail += ["clipping the gradient does not help: clip(nan) is nan"]
        return Diagnosis(cause, f"{step.where}: {what}", fix, step.line, tuple(detail))

    def _element(self, array: Any) -> int:
        """The place of the first number that is not finite, counted through."""
        return int(np.argmax(~np.isfinite(np.ravel(array))))

    def _numbers(self, step: Step, spot: int) -> list[str]:
        shape = step.outputs[0][1].shape
        found = []
        for _, array in step.inputs:
            try:
                flat = np.ravel(np.broadcast_to(array, shape))
            except ValueError:
                flat = np.ravel(array)
            found.append(f"{flat[spot]:g}" if spot < flat.size else _few(array))
        return found

    def _at(self, step: Step, spot: int) -> str:
        return ", ".join(self._numbers(step, spot)[:1])

    def _call(self, step: Step, spot: int) -> str:
        """The op with the numbers it was given: "log(0)", "0 / 0"."""
        numbers = self._numbers(step, spot)
        sign = {"divide": "/", "multiply": "*", "add": "+", "subtract": "-", "power": "**"}.get(step.op)
        return f" {sign} ".join(numbers) if sign and len(numbers) == 2 else f"{step.op}({', '.join(numbers)})"

    def _zero_by_zero(self, step: Step, spot: int) -> bool:
        return all(float(n) == 0.0 for n in self._numbers(step, spot) if re.fullmatch(r"[-+.\de]+", n))

    def _called(self, id: int) -> str:
        if id in self.names:
            return self.names[id]
        step = self.maker.get(id)
        return (step.text or step.op) if step is not None else "an input"

    def _name(self, step: Step) -> str:
        """The first input as it may stand in code."""
        called = self._called(step.inputs[0][0]) if step.inputs else "x"
        if called == "an input":
            inside = re.search(r"\((\w+)\)$", step.text)
            return inside[1] if inside else "x"
        return called

    def _makers(self, step: Step) -> list[str]:
        """The ops that made this op's inputs."""
        return [self.maker[id].op for id, _ in step.inputs if id in self.maker]

    def _users(self, step: Step) -> list[str]:
        """All ops that something of this op's result went into, in order."""
        reached, found = {id for id, _ in step.outputs}, []
        for later in self.steps[self.steps.index(step) + 1 :]:
            if not reached.isdisjoint(id for id, _ in later.inputs):
                reached |= {id for id, _ in later.outputs}
                found.append(later.op)
        return found

    def _guard(self, step: Step) -> str:
        name = self._name(step)
        safe = f"{name}_safe" if name.isidentifier() else "safe"
        if step.op == "divide" and len(step.inputs) == 2:
            name = self._called(step.inputs[1][0]) if step.inputs[1][0] in self.names else "x"
            safe = f"{name}_safe"
        return f"{safe} = tf.where({self._condition(step)}, {name}, tf.ones_like({name}))  # use {safe} in {step.op}"

    def _condition(self, step: Step) -> str:
        """The condition of the `where` behind a step, as the learner wrote it."""
        for later in self.steps[self.steps.index(step) :]:
            if later.op == "where":
                with contextlib.suppress(SyntaxError):
                    call = ast.parse(later.text, mode="eval").body
                    if isinstance(call, ast.Call) and call.args:
                        return ast.unparse(call.args[0])
        return "..."

    def _instead_of_root(self, step: Step) -> str:
        name, made = self._name(step), self._makers(step)
        if "reduce_sum" in made or step.op == "norm":
            return "tf.sqrt(tf.reduce_sum(x * x) + 1e-12)  # a norm without a corner; or the sum of squares itself"
        if "multiply" in made or "square" in made:
            return "tf.abs(x)  # in the place of sqrt(x * x)"
        return f"tf.sqrt({name} + 1e-12)"

    def _instead_of_pole(self, step: Step) -> str:
        name, users, made = self._name(step), self._users(step), self._makers(step)
        if step.op == "log" and "softmax" in made:
            return "tf.nn.log_softmax(z)"
        if step.op == "log" and "multiply" in users[:1]:
            return f"tf.math.xlogy({name}, {name})  # 0 where {name} is 0"
        if step.op == "log":
            return f"tf.math.log({name} + 1e-12)"
        if step.op == "divide":
            return "tf.math.divide_no_nan(a, b)  # 0 where b is 0"
        return f"{name} + 1e-12  # away from the pole"

    def _instead_of_overflow(self, step: Step) -> str:
        name, users = self._name(step), self._users(step)
        if step.op == "exp" and users[:2] == ["reduce_sum", "log"]:
            return f"tf.reduce_logsumexp({name})"
        if step.op == "exp" and users[:2] == ["add", "log"]:
            return f"tf.nn.softplus({name})"
        if step.op == "exp" and "log1p" in users[:1]:
            return f"tf.nn.softplus({name})"
        if step.op == "exp" and "divide" in users:
            return f"tf.nn.softmax({name})"
        return f"tf.{step.op}(tf.clip_by_value({name}, -50.0, 50.0))  # or float64"


def _fine(array: Any) -> bool:
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def _plain(g: Any) -> Any:
    if isinstance(g, Rows):
        g = g.dense()
    return np.asarray(g.array if isinstance(g, Operand) else g)


def _zero_at(array: Any, spot: int, like: Any) -> bool:
    return bool(np.ravel(np.broadcast_to(array, like.shape))[spot] == 0)


def _largest(array: Any) -> str:
    return f"{np.finfo(array.dtype).max:.2g}" if array.dtype.kind == "f" else "not infinite"


def _few(array: Any) -> str:
    return np.array2string(np.ravel(array)[:4] if array.ndim else array, precision=4) + (
        " ..." if array.size > 4 else ""
    )

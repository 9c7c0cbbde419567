"""What an observed block's tapes tell, put into events: who is who, on which line, and which bytes are held."""

from __future__ import annotations

import dataclasses
import linecache
import sys
import textwrap
from itertools import count
from types import FrameType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, finalize, ref

import numpy as np

from . import place, trace
from .ledger import Held, base
from .marks import marks, next_id
from .names import scope_path
from .place import INTERNAL, Origin
from .primitive import REGISTRY, Primitive, rule_text
from .record import TapeEntry, here
from .slices import Rows
from .tensor import Operand, Tensor
from .trace import Value
from .variable import Variable
from .wording import SUBSCRIPTS, WHERE_TO, WHY, filled, plain, short, summary

if TYPE_CHECKING:
    from .tape import GradientTape


class Observer:
    """What the tape calls, one method a kind of event; it keeps summaries only, and no array alive."""

    def __init__(self, frame: FrameType | None, buggy: bool = False) -> None:
        self.buggy = buggy  # shall contributions be written over each other, to be looked at?
        self.began = next_id()
        self.events: list[trace.Event] = []
        self.times: list[int] = []  # when each happened, on the scale of ids
        self.names: dict[int, str] = {}  # by tensor id: the learner's name, or else the expression
        self.expressions: set[int] = set()  # ids whose name is only an expression so far
        self.used: dict[str, int] = {}  # how many tensors had this name
        self.held = Held()
        self.seen: dict[int, Value] = {}  # by tensor id: the value, as it was last seen
        self.owners: dict[int, tuple[Any, Value]] = {}  # by piece of memory: itself, weakly, and the value seen in it
        self.tapes: WeakKeyDictionary[GradientTape, int] = WeakKeyDictionary()
        self.numbers = count(1)
        self.tape_names: dict[int, str] = {}
        self.kept: dict[tuple[int, int], dict[int, Value]] = {}  # by tape and entry: what it saved, by memory
        self.inside: list[str] = []
        self.ways: list[tuple[str, dict[int, Any]]] = []  # each way back: its target's name, and the gradients so far
        self.again = 0
        self.renamed = False  # was a better name found for a value that stands in an event already?
        self.file, self.first, self.last, self.lines = _program(frame)

    def finish(self) -> tuple[tuple[str, ...], tuple[trace.Event, ...]]:
        """The program and the events, every value under the best name that was found for it."""
        if not self.renamed:
            return self.lines, tuple(self._renamed(e) if isinstance(e, trace.Entered) else e for e in self.events)
        return self.lines, tuple(self._renamed(event) for event in self.events)

    def gone(self) -> tuple[trace.Gone, ...]:
        """The values that left as plain numbers while it listened, each after the events that came before it."""
        found = []
        for mark in marks:
            to = WHERE_TO.get(mark.what)
            into = to == "the variable"
            if to and mark.when > self.began and mark.ids[0] in self.names and len(mark.ids) == 1 + into:
                value = self._known(mark.ids[0])
                name = self.names.get(mark.ids[-1], "") if into and mark.ids[-1] not in self.expressions else ""
                to += f" {name}".rstrip()
                after = sum(when < mark.when for when in self.times)
                found.append(trace.Gone(self._line_of(mark.origin), self._renamed(value), to, after))
        return tuple(found)

    def _renamed(self, thing: Any) -> Any:
        if isinstance(thing, trace.Entered):
            return dataclasses.replace(thing, name=self.tape_names.get(thing.tape, thing.name))
        if isinstance(thing, Value):
            return dataclasses.replace(thing, name=self.names.get(thing.id, thing.name))
        if isinstance(thing, tuple):
            return tuple(self._renamed(part) for part in thing)
        if dataclasses.is_dataclass(thing):
            fields = {field.name: self._renamed(getattr(thing, field.name)) for field in dataclasses.fields(thing)}
            return dataclasses.replace(thing, **fields)  # type: ignore[type-var]
        return thing

    # --- what the tape tells ------------------------------------------------------------------------------------------

    def made(self, thing: Operand, how: str) -> None:
        if how == "constant" and _inner() == "composed":
            return  # a layer's own business
        self._add(trace.Made, value=self._value(thing), how=how)

    def entered(self, tape: GradientTape) -> None:
        frame = place.learner_frame()
        name = place.with_name(place.locate(frame.f_code, frame.f_lasti)) if frame else None
        self._add(trace.Entered, tape=self._number(tape), name=name or "tape")

    def left(self, tape: GradientTape) -> None:
        name = place.name_of(tape, place.learner_frame())
        if name is not None:
            self.tape_names[self._number(tape)] = name
        self._add(trace.Left, tape=self._number(tape))

    def watched(self, tape: GradientTape, thing: Operand, asked: bool) -> None:
        self._add(trace.Watched, tape=self._number(tape), value=self._value(thing), asked=asked)

    def paused(self, tape: GradientTape) -> None:
        self._add(trace.Paused, tape=self._number(tape))

    def resumed(self, tape: GradientTape) -> None:
        self._add(trace.Resumed, tape=self._number(tape))

    def cleared(self, tape: GradientTape) -> None:
        self.held.drop_all(tape.saved)
        self._add(trace.Cleared, tape=self._number(tape))

    def run(self, name: str, number: int) -> None:
        self.again += number > 1
        self._add(trace.Rerun, name=name, run=number)
        self.inside.append(f"recompute_grad {name}")

    def rested(self, name: str, number: int) -> None:
        self.inside.pop()
        self._add(trace.Rested, name=name, run=number)
        self.again -= number > 1

    def ran(self, op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...]) -> None:
        origin = outputs[0].origin
        text, name = self._expression(op, origin, inputs)
        ins = tuple(self._value(x) for x in inputs)
        outs = tuple(self._value(output, text, name) for output in outputs)
        recorded, skipped, saves = [], [], {}
        out = tuple(output.id for output in outputs) if op.many else outputs[0].id
        for tape in here.now.tapes:
            number = self._number(tape)
            if tape.rows and TapeEntry._make(tape.rows[-1]).out == out:
                recorded.append((number, len(tape.rows)))
                owners = {
                    id(base(x.array)): value
                    for x, value in (*zip(outputs, outs, strict=True), *zip(inputs, ins, strict=True))
                }
                pieces = self.held.hold(tape.saved[-1])
                saves = {
                    key: owners.get(key) or self._owner(array) or summary(0, "value", array)
                    for key, array in pieces.items()
                }
                self.kept[number, len(tape.rows)] = saves
            elif tape.notes and tape.notes[-1].out == out:
                skipped.append(self._skip(op, tape, number, tape.notes[-1].reason))
        self._add(
            trace.Ran,
            op=op.name,
            text=text,
            inputs=ins,
            outputs=outs,
            recorded=tuple(recorded),
            skipped=tuple(skipped),
            saves=tuple(saves.values()),
            custom=op.kind if op.kind in ("custom_gradient", "recompute_grad") else None,
            within=self.inside[-1] if self.inside else None,
            again=self.again > 0,
            scope=scope_path(),
        )

    def asked(
        self, tape: GradientTape, targets: list[Operand], sources: list[Operand], seeds: dict[int, Tensor]
    ) -> None:
        values = tuple(self._value(target) for target in targets)
        name = values[0].name if len({value.id for value in values}) == 1 else ""
        self.inside.append("gradient")
        self.ways.append((name, {id: seed.array for id, seed in seeds.items()}))
        self._add(
            trace.Asked,
            tape=self._number(tape),
            targets=values,
            sources=tuple(self._value(source) for source in sources),
            seeds=tuple(self._gradient(value, seeds[value.id]) for value in values if value.id in seeds),
        )

    def turned(self) -> None:
        """A way back is over, in an answer or an error."""
        self.inside.pop()
        self.ways.pop()

    def walked(
        self, tape: GradientTape, number: int, g: Any, gifts: list[tuple[int, Any]], kept: tuple[Any, ...]
    ) -> None:
        entry = TapeEntry._make(tape.rows[number])
        ins = [self._known(id) for id in entry.inputs]
        outs = [self._known(id) for id in (entry.out if entry.op.many else (entry.out,))]
        self._add(
            trace.Walked,
            tape=self._number(tape),
            entry=number + 1,
            op=entry.op.name,
            text=self._expression(entry.op, entry.origin, ())[0],
            outputs=tuple(outs),
            upstream=tuple(
                self._gradient(out, part) for out, part in zip(outs, g if entry.op.many else [g], strict=True)
            ),
            gifts=tuple(
                self._gift(entry.op, slot, g, ins, outs, ins[slot], _array(gift))
                for slot, gift in gifts
                if gift is not None
            ),
            freed=self._freed(tape, number, kept),
            custom=entry.op.kind if entry.op.joint else None,
        )

    def passed(self, tape: GradientTape, number: int, kept: tuple[Any, ...]) -> None:
        self._add(trace.Passed, tape=self._number(tape), entry=number + 1, freed=self._freed(tape, number, kept))

    def answered(self, tape: GradientTape, sources: list[Operand], grads: dict[int, Any]) -> None:
        values = tuple(self._value(source) for source in sources)
        self._add(
            trace.Answered,
            tape=self._number(tape),
            sources=values,
            gradients=tuple(self._gradient(value, grads[value.id]) if value.id in grads else None for value in values),
        )

    # --- how it is put into words -------------------------------------------------------------------------------------

    def _add(self, kind: type[trace.Event], **fields: Any) -> None:
        self.times.append(next_id())
        self.events.append(kind(line=self._line(), held=self.held.bytes, **fields))

    def _line(self) -> int | None:
        """The line of the observed program that is running: the innermost frame that lies in it."""
        frame = place.learner_frame()
        while frame is not None:
            if frame.f_code.co_filename == self.file and self.first <= frame.f_lineno <= self.last:
                return frame.f_lineno - self.first + 1
            frame = frame.f_back
        return None

    def _number(self, tape: GradientTape) -> int:
        if tape not in self.tapes:
            self.tapes[tape] = next(self.numbers)  # never that of a tape that has died
            finalize(tape, self.held.drop_all, tape.saved)  # a tape that dies lets go of all it holds
        return self.tapes[tape]

    def _expression(self, op: Primitive, origin: Origin | None, inputs: tuple[Operand, ...]) -> tuple[str, str | None]:
        """The learner's expression that ran an op, and the name it was assigned to."""
        if origin is None:
            return op.name, None
        where = place.locate(origin.code, origin.at)
        text = place.source(where) or f"{op.name}({', '.join(self._value(x).name for x in inputs)})"
        if self.inside and self.inside[-1] == "gradient" and inputs and _inner() == "gradient":
            return f"{op.name}({', '.join(self._value(x).name for x in inputs)})", None
        if inputs and _inner() == "composed":
            return f"{op.name} in {text}", None
        return text, place.assigned_name(where)

    def _value(self, thing: Operand, text: str | None = None, name: str | None = None) -> Value:
        """A summary of a tensor, under the learner's name for it."""
        if thing.id not in self.names:
            if name is None and text is None:
                name = self._find_name(thing)
            if name is not None:
                name = self._fresh(name)
            elif text is None:
                text = short(thing.array) if thing.array.size == 1 else "constant"
            self.names[thing.id] = name or text or ""
            if name is None:
                self.expressions.add(thing.id)
        elif thing.id in self.expressions and text is None:
            found = self._find_name(thing)
            if found is not None:
                self.names[thing.id] = self._fresh(found)
                self.expressions.discard(thing.id)
                self.renamed = True
        value = summary(thing.id, self.names[thing.id], thing.array)
        memory = base(thing.array)
        # A scalar of NumPy's knows no weak references; held, it costs nothing.
        held = ref(memory) if isinstance(memory, np.ndarray) else lambda: memory
        self.owners[id(memory)] = held, value
        self.seen[thing.id] = value
        return value

    def _owner(self, memory: Any) -> Value | None:
        """The value last seen in a piece of memory; None where it was another piece, gone since, at the same place."""
        found, value = self.owners.get(id(memory), (None, None))
        return value if found is not None and found() is memory else None

    def _known(self, id: int) -> Value:
        """The value with this id, as it was last seen."""
        value = self.seen.get(id)
        return value or Value(id, self.names.get(id, "?"), "", (), "", 0)

    def _find_name(self, thing: Operand) -> str | None:
        frame = place.learner_frame()
        while frame is not None:
            name = place.name_of(thing, frame)
            if name is not None:
                return name
            frame = place.learner_frame(frame.f_back) if frame.f_back else None
        if isinstance(thing, Variable) and thing.name != "Variable:0":
            return thing.name.removesuffix(":0")
        origin = thing.origin
        if origin is None or origin.op not in ("constant", "Variable"):
            return None
        return place.assigned_name(place.locate(origin.code, origin.at))

    def _fresh(self, name: str) -> str:
        """A name that is bound anew gets a number: r, r₂, r₃."""
        self.used[name] = count = self.used.get(name, 0) + 1
        return name if count == 1 else name + str(count).translate(SUBSCRIPTS)

    def _skip(self, op: Primitive, tape: GradientTape, number: int, reason: str) -> trace.Skip:
        line = None
        why = WHY.get(reason, reason)
        if reason == "stop_recording":
            line = self._line_of(tape.paused_by)
            why = f"line {line} stopped the recording" if line else "the recording is stopped"
        elif op.name == "stop_gradient" and reason == "not differentiable":
            why = "stop_gradient lets no gradient through"
        return trace.Skip(number, reason, why, line)

    def _line_of(self, origin: Origin | None) -> int | None:
        if origin is None or origin.code.co_filename != self.file:
            return None
        line = place.locate(origin.code, origin.at).line
        return line - self.first + 1 if self.first <= line <= self.last else None

    def _gradient(self, of: Value, array: Any) -> Value:
        return summary(0, f"d{plain(self.ways[-1][0])}/d{plain(of.name)}", _array(array))

    def _gift(
        self, op: Primitive, slot: int, g: Any, ins: list[Value], outs: list[Value], to: Value, gift: Any
    ) -> trace.Gift:
        sums = self.ways[-1][1]
        before = sums.get(to.id)
        sums[to.id] = total = gift if before is None or self.buggy else before + gift
        rule, calc = f"the rule of {op.name}", ""
        if op.joint is None and op.name in REGISTRY:
            rule = rule_text(op.name, slot)
            if op.says is None:
                parts = dict(zip(op.inputs, ins, strict=False)) | {"z": outs[0]}
                calc = (
                    filled(rule, {"g": short(_array(g)), **{k: v.text for k, v in parts.items()}})
                    if all(v.shape == () for v in (*parts.values(),)) and np.ndim(_array(g)) == 0
                    else ""
                )
                rule = filled(rule, {k: plain(v.name) for k, v in parts.items()})
        return trace.Gift(to, rule, calc, self._gradient(to, gift), self._gradient(to, total))

    def _freed(self, tape: GradientTape, number: int, kept: tuple[Any, ...]) -> tuple[Value, ...]:
        """What the way back let go of: memory that no entry of any tape holds any more."""
        if tape.persistent:
            return ()
        saves = self.kept.pop((self._number(tape), number + 1), {})
        return tuple(saves[gone] for gone in self.held.drop(kept) if gone in saves)


# --- small helpers ---------------------------------------------------------------------------------------------------


def _program(frame: FrameType | None) -> tuple[str, int, int, tuple[str, ...]]:
    """The file, first and last line of the observed block, and its lines; nothing where the source is not to be had."""
    if frame is None:
        return "", 0, -1, ()
    where = place.locate(frame.f_code, frame.f_lasti)
    block = place.block_of(where)
    if block is None:
        return "", 0, -1, ()
    first, last = block
    lines = linecache.getlines(where.file)[first - 1 : last]
    return where.file, first, last, tuple(textwrap.dedent("".join(lines)).rstrip().splitlines())


def _inner() -> str:
    """What lies between the learner's line and the op: nothing, a composed function or layer, or the way back."""
    frame: FrameType | None = sys._getframe(1)
    outermost = ""
    while frame is not None and frame.f_code.co_filename in INTERNAL:
        outermost = frame.f_code.co_filename.replace("\\", "/")
        frame = frame.f_back
    if outermost.endswith("/tape.py"):
        return "gradient"
    return "composed" if "/keras/" in outermost or outermost.endswith(("/composed.py", "/module.py")) else ""


def _array(gradient: Any) -> Any:
    if isinstance(gradient, Rows):
        gradient = gradient.dense()
    return gradient.array if isinstance(gradient, Operand) else gradient

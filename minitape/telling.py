"""How an observer's notes become events: in the learner's names, expressions and numbers.

Nothing runs any more when this does. It goes through the notes in the order in which they were taken, with one method
for each kind of note; what a note says is the method's arguments.
"""

from __future__ import annotations

import dataclasses
import itertools
from bisect import bisect
from types import CodeType
from typing import Any

import numpy as np

from . import place, trace
from .ledger import Held
from .observer import Heard, Piece
from .place import Origin
from .primitive import REGISTRY, Primitive, rule_text
from .trace import Value
from .wording import SUBSCRIPTS, WHERE_TO, WHY, Given, filled, plain, short, summary


def told(heard: Heard) -> tuple[tuple[trace.Event, ...], tuple[trace.Gone, ...]]:
    """The events of an observed block, and the values that left it."""
    telling = Telling(heard)
    with np.errstate(all="ignore"):
        for what, *facts in heard.notes:
            getattr(telling, what)(*facts)
    return telling.finish()


class Telling:
    """The state of the block, note by note: who is who, and which bytes are held."""

    def __init__(self, heard: Heard) -> None:
        self.program, self.marks, self.buggy = heard.program, heard.marks, heard.buggy
        self.events: list[trace.Event] = []
        self.times: list[int] = []  # when each happened, on the scale of ids
        self.names: dict[int, str] = {}  # by tensor id: the learner's name, or else the expression
        self.expressions: set[int] = set()  # ids whose name is only an expression so far
        self.used: dict[str, int] = {}  # how many tensors had this name
        self.renamed = False  # was a better name found for a value that stands in an event already?
        self.held = Held()
        self.facts: dict[int, tuple[Any, int, int]] = {}  # by tensor id: its numbers, its memory and the bytes of that
        self.seen: dict[int, Value] = {}  # by tensor id: the value, as it was last seen
        self.owners: dict[int, Value] = {}  # by piece of memory: the value last seen in it
        self.persistent: dict[int, bool] = {}  # by tape
        self.tape_names: dict[int, str] = {}
        self.pieces: dict[tuple[int, int], dict[int, int]] = {}  # by tape and entry: the bytes of what it holds
        self.unseen = itertools.count(-1, -1)  # numbers for values that no tensor of the learner's holds
        self.kept: dict[tuple[int, int], dict[int, Value]] = {}  # the same as values, by memory
        self.sources: dict[tuple[int, int], tuple[str, str | None]] = {}  # by instruction: its text, the name assigned
        self.inside: list[str] = []
        # Each way back: its target's name, the gradients so far, its tape and line.
        self.ways: list[tuple[str, dict[int, Any], int, int | None]] = []
        self.again = 0

    def finish(self) -> tuple[tuple[trace.Event, ...], tuple[trace.Gone, ...]]:
        """The events, every value under the best name that was found for it, and the values that left."""
        kinds = object if self.renamed else trace.Entered
        events = tuple(self._renamed(event) if isinstance(event, kinds) else event for event in self.events)
        return events, tuple(self._gone())

    # --- a method a note: values and tapes ----------------------------------------------------------------------------

    def met(
        self,
        id: int,
        value: tuple[int, Any, int, int] | None,
        name: str | None,
        own: str | None,
        origin: tuple[CodeType, int] | None,
    ) -> None:
        """A tensor is spoken of for the first time, with another value, or under a name at last."""
        if value is not None:
            self._see(*value)
        if id not in self.names:
            name = name or own or (place.assigned_name(place.locate(*origin)) if origin is not None else None)
            array = self.facts[id][0]
            self._name(id, name, short(array) if np.prod(array.shape) == 1 else "constant")
        elif id in self.expressions and name is not None:
            self._name(id, name, "")
        self._value(id)

    def found(self, tape: int, persistent: bool) -> None:
        """A tape is there."""
        self.persistent[tape] = persistent

    def died(self, tape: int) -> None:
        """A tape is gone, and with it all that it held."""
        for key in [key for key in self.pieces if key[0] == tape]:
            self.held.drop(self.pieces.pop(key))

    # --- a method a note: events --------------------------------------------------------------------------------------

    def made(self, time: int, line: int | None, id: int, how: str) -> None:
        """A constant or a Variable was made."""
        self._add(time, trace.Made, line, value=self._value(id), how=how)

    def entered(self, time: int, line: int | None, tape: int, where: tuple[CodeType, int] | None) -> None:
        """A tape's block began."""
        name = place.with_name(place.locate(*where)) if where is not None else None
        self._add(time, trace.Entered, line, tape=tape, name=name or "tape")

    def left(self, time: int, line: int | None, tape: int, name: str | None) -> None:
        """A tape's block ended."""
        if name is not None:
            self.tape_names[tape] = name
        self._add(time, trace.Left, line, tape=tape)

    def watched(self, time: int, line: int | None, tape: int, id: int, asked: bool) -> None:
        """A tape follows a tensor."""
        self._add(time, trace.Watched, line, tape=tape, value=self._value(id), asked=asked)

    def paused(self, time: int, line: int | None, tape: int) -> None:
        """`stop_recording` began."""
        self._add(time, trace.Paused, line, tape=tape)

    def resumed(self, time: int, line: int | None, tape: int) -> None:
        """`stop_recording` ended."""
        self._add(time, trace.Resumed, line, tape=tape)

    def cleared(self, time: int, line: int | None, tape: int) -> None:
        """`reset` forgot everything."""
        self.died(tape)
        self._add(time, trace.Cleared, line, tape=tape)

    def began_inside(self, what: str) -> None:
        """The ops from here on run inside a function with its own rule."""
        self.inside.append(what)

    def ended_inside(self) -> None:
        """It is over."""
        self.inside.pop()

    def run(self, time: int, line: int | None, name: str, number: int) -> None:
        """A recomputed block begins to run."""
        self.again += number > 1
        self._add(time, trace.Rerun, line, name=name, run=number)
        self.inside.append(f"recompute_grad {name}")

    def rested(self, time: int, line: int | None, name: str, number: int) -> None:
        """A recomputed block has run."""
        self.inside.pop()
        self._add(time, trace.Rested, line, name=name, run=number)
        self.again -= number > 1

    def ran(
        self,
        time: int,
        line: int | None,
        row: tuple[Any, ...],
        values: tuple[tuple[int, Any, int, int], ...],
        heard: tuple[tuple[int, Any, Any], ...],
        between: str,
        scope: str,
    ) -> None:
        """An op ran forward; `heard` says for each tape its entry and what that saved, or why there is none."""
        op, _, ids, _, _, _, code, at = row
        text, name = self._expression(op, code, at, ids, between)
        ins = tuple(map(self._value, ids))
        for value in values:
            self._see(*value)
            self._name(value[0], name, text)
        outs = tuple(self._value(id) for id, *_ in values)
        recorded, skipped, saves = [], [], {}
        for tape, entry, what in heard:
            if isinstance(entry, str):
                skipped.append(self._skip(op, tape, entry, what))
                continue
            recorded.append((tape, entry))
            saves = self._saved(tape, entry, self._pieces(op, what, ids, outs[0].id), outs + ins)
        self._add(
            time,
            trace.Ran,
            line,
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
            scope=scope,
        )

    def asked(
        self, time: int, line: int | None, tape: int, targets: list[int], sources: list[int], seeds: dict[int, Any]
    ) -> None:
        """A way back begins."""
        values = tuple(map(self._value, targets))
        name = values[0].name if len({*targets}) == 1 else ""
        self.inside.append("gradient")
        self.ways.append((name, dict(seeds), tape, line))
        self._add(
            time,
            trace.Asked,
            line,
            tape=tape,
            targets=values,
            sources=tuple(map(self._value, sources)),
            seeds=tuple(self._gradient(value, seeds[value.id]) for value in values if value.id in seeds),
        )

    def walked(self, time: int, number: int, row: tuple[Any, ...], came: Any, gifts: tuple[Any, ...]) -> None:
        """The way back went through an entry: what came (None: the sum so far for its output), and what it gave."""
        op, plan, ids, out, _, _, code, at = row
        _, sums, tape, line = self.ways[-1]
        ins = [self._known(id) for id in ids]
        outs = [self._known(id) for id in (out if op.many else (out,))]
        upstream = [sums[out]] if came is None else came
        given = []
        for slot, gift in zip(plan if isinstance(plan, tuple) else plan.slots, gifts, strict=True):
            if gift is None:
                continue
            before = sums.get(ids[slot])
            if isinstance(gift, Given):
                gift, total = gift
            else:
                total = gift if before is None else before + gift
            if self.buggy:
                total = gift
            sums[ids[slot]] = total
            given.append(self._gift(op, slot, upstream, ins, outs, gift, total))
        self._add(
            time,
            trace.Walked,
            line,
            freed=self._freed(tape, number + 1),
            tape=tape,
            entry=number + 1,
            op=op.name,
            text=self._expression(op, code, at, (), "")[0],
            outputs=tuple(outs),
            upstream=tuple(self._gradient(value, part) for value, part in zip(outs, upstream, strict=True)),
            gifts=tuple(given),
            custom=op.kind if op.joint else None,
        )

    def passed(self, time: int, number: int) -> None:
        """The way back passed over an entry."""
        _, _, tape, line = self.ways[-1]
        self._add(time, trace.Passed, line, freed=self._freed(tape, number + 1), tape=tape, entry=number + 1)

    def answered(self, time: int, sources: list[int], grads: dict[int, Any]) -> None:
        """A way back ends in an answer."""
        _, _, tape, line = self.ways[-1]
        values = tuple(map(self._value, sources))
        found = tuple(self._gradient(value, grads[value.id]) if value.id in grads else None for value in values)
        self._add(time, trace.Answered, line, tape=tape, sources=values, gradients=found)

    def turned(self) -> None:
        """A way back is over, in an answer or an error."""
        self.inside.pop()
        self.ways.pop()

    # --- how it is put into words -------------------------------------------------------------------------------------

    def _add(self, time: int, kind: type[trace.Event], line: int | None, **fields: Any) -> None:
        self.times.append(time)
        self.events.append(kind(line=line, held=self.held.bytes, **fields))

    def _value(self, id: int) -> Value:
        """A summary of a tensor that is spoken of, under its name."""
        array, memory, _ = self.facts[id]
        value = self.seen.get(id)
        if value is None or value.name != self.names[id]:
            value = self.seen[id] = summary(id, self.names[id], array)
        self.owners[memory] = value
        return value

    def _see(self, id: int, numbers: Any, memory: int, size: int) -> None:
        """A tensor's value is this from now on."""
        self.facts[id] = numbers, memory, size
        self.seen.pop(id, None)

    def _known(self, id: int) -> Value:
        """The value with this id, as it was last seen."""
        return self.seen.get(id) or Value(id, self.names.get(id, "?"), "", (), "", 0)

    def _name(self, id: int, name: str | None, text: str) -> None:
        """The name of a value: the learner's, or a text in its place."""
        self.renamed = self.renamed or id in self.names
        self.names[id] = self._fresh(name) if name is not None else text
        if name is None:
            self.expressions.add(id)
        else:
            self.expressions.discard(id)

    def _fresh(self, name: str) -> str:
        """A name that is bound anew gets a number: r, r₂, r₃."""
        self.used[name] = count = self.used.get(name, 0) + 1
        return name if count == 1 else name + str(count).translate(SUBSCRIPTS)

    def _expression(
        self, op: Primitive, code: CodeType, at: int, ids: tuple[int, ...], between: str
    ) -> tuple[str, str | None]:
        """The learner's expression that ran an op, and the name it was assigned to."""
        called = f"{op.name}({', '.join(self.names[id] for id in ids)})"
        if self.inside and self.inside[-1] == "gradient" and ids and between == "gradient":
            return called, None
        if (id(code), at) not in self.sources:
            where = place.locate(code, at)
            self.sources[id(code), at] = place.source(where), place.assigned_name(where)
        text, name = self.sources[id(code), at]
        if ids and between == "composed":
            return f"{op.name} in {text or called}", None
        return text or called, name

    def _pieces(self, op: Primitive, saves: Any, ids: tuple[int, ...], out: int) -> list[Piece]:
        """The pieces of memory that an entry saved; of most ops it is known by its plan which values those are."""
        if isinstance(saves, list):
            return saves
        picked = [out if name == "z" else ids[op.inputs.index(name)] for name in saves]
        return [(memory, size, "", None) for _, memory, size in map(self.facts.__getitem__, picked)]

    def _saved(self, tape: int, entry: int, pieces: list[Piece], near: tuple[Value, ...]) -> dict[int, Value]:
        """What an entry keeps for the way back, by memory: values of its own op, others, or such as nobody has seen."""
        owners = {self.facts[value.id][1]: value for value in near}
        unknown = {
            memory: summary(next(self.unseen), "value" if name == "rule" else name, array)
            for memory, _, name, array in pieces
            if array is not None
        }
        self.pieces[tape, entry] = {memory: size for memory, size, *_ in pieces}
        self.held.hold(self.pieces[tape, entry])
        saves = {memory: owners.get(memory) or unknown.get(memory) or self.owners[memory] for memory, *_ in pieces}
        self.kept[tape, entry] = saves
        return saves

    def _freed(self, tape: int, entry: int) -> tuple[Value, ...]:
        """What the way back let go of: memory that no entry of any tape holds any more."""
        if self.persistent[tape]:
            return ()
        saves = self.kept.pop((tape, entry), {})
        return tuple(saves[gone] for gone in self.held.drop(self.pieces.pop((tape, entry), {})))

    def _skip(self, op: Primitive, tape: int, reason: str, paused_by: Origin | None) -> trace.Skip:
        line = None
        why = WHY.get(reason, reason)
        if reason == "stop_recording":
            line = self._line_of(paused_by)
            why = f"line {line} stopped the recording" if line else "the recording is stopped"
        elif op.name == "stop_gradient" and reason == "not differentiable":
            why = "stop_gradient lets no gradient through"
        return trace.Skip(tape, reason, why, line)

    def _line_of(self, origin: Origin | None) -> int | None:
        return self.program.line(place.locate(origin.code, origin.at)) if origin is not None else None

    def _gradient(self, of: Value, array: Any) -> Value:
        return summary(0, f"d{plain(self.ways[-1][0])}/d{plain(of.name)}", array)

    def _gift(
        self, op: Primitive, slot: int, upstream: list[Any], ins: list[Value], outs: list[Value], gift: Any, total: Any
    ) -> trace.Gift:
        to = ins[slot]
        rule, calc = f"the rule of {op.name}", ""
        if not op.joint and op.name in REGISTRY:
            rule = rule_text(op.name, slot)
            if op.says is None:
                parts = dict(zip(op.inputs, ins, strict=False)) | {"z": outs[0]}
                scalars = all(part.shape == () for part in (*parts.values(), *upstream))
                texts = {"g": short(upstream[0]), **{name: value.text for name, value in parts.items()}}
                calc = filled(rule, texts) if scalars else ""
                rule = filled(rule, {name: plain(value.name) for name, value in parts.items()})
        return trace.Gift(to, rule, calc, self._gradient(to, gift), self._gradient(to, total))

    # --- at the end ---------------------------------------------------------------------------------------------------

    def _gone(self) -> list[trace.Gone]:
        """The values that left as plain numbers while it listened, each after the events that came before it."""
        found = []
        for mark in self.marks:
            to = WHERE_TO.get(mark.what)
            into = to == "the variable"
            if to and mark.ids[0] in self.names and len(mark.ids) == 1 + into:
                name = self.names.get(mark.ids[-1], "") if into and mark.ids[-1] not in self.expressions else ""
                to += f" {name}".rstrip()
                value = self._renamed(self._known(mark.ids[0]))
                found.append(trace.Gone(self._line_of(mark.origin), value, to, bisect(self.times, mark.when)))
        return found

    def _renamed(self, thing: Any) -> Any:
        if isinstance(thing, trace.Entered):
            return dataclasses.replace(thing, name=self.tape_names.get(thing.tape, thing.name))
        return trace.renamed(thing, self.names)

"""The roads that a value took: on the tape, and past it.

A tape's entries and notes say which op made what of what. Marks say where a value left to NumPy, to Python or into a
Variable. What no tape heard is found by name, in the learner's own statements. Together they are one graph from source
to target, in which every edge knows whether a gradient can come back along it, and if not, why.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count, pairwise
from math import inf
from types import CodeType
from typing import NamedTuple

from .flow import Program, Statement, callee, statement_at, statements
from .marks import Mark, Reading, marks, readings
from .place import Spot
from .scope import Scope
from .tape import GradientTape
from .tensor import Operand

#: Ways in which a value leaves as plain numbers.
EXITS = {"numpy", "float", "int", "complex", "bool"}
#: Edges along which a value went without its gradient, though the number depends on it: a frozen part of a road.
FROZEN = {"stop_recording", "stop_gradient", "unheard", "assign", "copy", "numpy", "float", "int", "complex"}
#: Reasons for a skip that lie in the op and its inputs, not in the tape.
UNFOLLOWED = ("not differentiable", "unwatched", "integer")
#: What it costs the search to believe an edge: the tape's own word first, then notes, then what is read off names.
COST = {"recorded": 0.01, "unheard": 2.0, "assign": 2.0, "copy": 2.0, "derivative": 4.0} | dict.fromkeys(EXITS, 3.0)


class Edge(NamedTuple):
    """One step of a value: from a tensor's id to another's."""

    start: int
    end: int
    kind: str  # "recorded", or why not
    op: str
    spot: Spot | None
    when: int


class Interval(NamedTuple):
    """A time in which a tape recorded."""

    start: float
    end: float
    entered: Mark
    left: Mark | Reading | None  # what ended it


class Roads:
    """The graph around one tape and one target."""

    def __init__(self, tape: GradientTape, target: Operand, source: Operand, scope: Scope) -> None:
        self.tape, self.target, self.source, self.scope = tape, target, source, scope
        self.intervals = list(_intervals(tape))
        self.known = set(tape.watched)
        self.out: dict[int, list[Edge]] = {}
        self.into: dict[int, list[Edge]] = {}
        # The tensors at hand, by id.
        self.things = {**scope.things, **{x.id: x for x in (*tape.variables.values(), source, target)}}
        for entry in tape.entries:
            self.known.update(entry.out if entry.op.many else (entry.out,))
        self._entries(tape)
        self.heard = set(self.into)
        for other in scope.tapes:
            if other is not tape:
                self._elsewhere(other)
        self._assigns()
        self._readings()
        self._indices()
        self.program = Program(self._codes())
        self._by_name()

    # --- building -----------------------------------------------------------------------------------------------------

    def add(self, start: int, end: int, kind: str, op: str, spot: Spot | None, when: int = 0) -> None:
        """One more edge."""
        edge = Edge(start, end, kind, op, spot, when)
        self.out.setdefault(start, []).append(edge)
        self.into.setdefault(end, []).append(edge)

    def _entries(self, tape: GradientTape) -> None:
        for entry in tape.entries:
            spot = Spot(entry.code, entry.at)
            for slot, id in enumerate(entry.inputs):
                kind = "recorded"
                if slot not in entry.plan.slots:
                    kind = "not differentiable" if self.known_at(id, _first(entry.out)) else "unwatched"
                for out in _ids(entry.out):
                    self.add(id, out, kind, entry.op.name, spot)
        for note in tape.notes:
            origin = note.origin
            op = origin.op if origin else ""
            at = Spot(origin.code, origin.at) if origin else None
            kind = note.reason
            if op == "stop_gradient" and at is not None and kind in UNFOLLOWED and callee(*at) == op:
                kind = op  # the learner's own; a composed function may stop what is its own business
            for id in note.inputs:
                for out in _ids(note.out):
                    self.add(id, out, kind, op, at)

    def known_at(self, id: int, when: int) -> bool:
        """Did the tape follow this tensor when the op with this output ran?"""
        if id not in self.tape.watched:
            return id in self.known
        watches = [mark.when for mark in self.tape.marks if mark.what == "watch" and id in mark.ids]
        return id in self.tape.variables or not watches or min(watches) < when

    def _elsewhere(self, other: GradientTape) -> None:
        """What another tape heard and this one did not: made before, after or apart from its block."""
        for entry in other.entries:
            for out in _ids(entry.out):
                if out not in self.heard:
                    for id in entry.inputs:
                        self.add(id, out, "unheard", entry.op.name, Spot(entry.code, entry.at))
        for note in other.notes:
            for out in _ids(note.out):
                if out not in self.heard and note.origin is not None:
                    for id in note.inputs:
                        self.add(id, out, "unheard", note.origin.op, Spot(note.origin.code, note.origin.at))

    def _assigns(self) -> None:
        known = {*self.out, *self.into, *self.things}
        self.marks = [mark for mark in marks if not known.isdisjoint(mark.ids)]
        for mark in self.marks:
            if mark.what in ("assign", "copy") and len(mark.ids) == 2:
                self.add(*mark.ids, mark.what, mark.what, Spot(mark.code, mark.at), mark.when)

    def _readings(self) -> None:
        own = {reading.when for reading in self.tape.readings}
        known = {*self.out, *self.into, *self.things}
        for reading in {reading.when: reading for reading in (*readings, *self.tape.readings)}.values():
            inside = self.during(reading.when) and (
                reading.when not in own or (self.tape.persistent and reading.recording)
            )
            for answer in filter(None, reading.answers if not known.isdisjoint(reading.targets) else ()):
                for id in reading.targets:
                    spot = Spot(reading.code, reading.at)
                    self.add(id, answer, "derivative" if inside else "unheard", reading.how, spot)

    def _codes(self) -> Iterator[CodeType]:
        yield from (edge.spot.code for edges in self.out.values() for edge in edges if edge.spot is not None)
        yield from (mark.code for mark in (*self.tape.marks, *self.marks))
        yield from self.scope.codes
        yield from (thing.code for thing in self.things.values() if thing.code is not None)

    def _indices(self) -> None:
        """A tensor that an op took as plain numbers (indices, a mask) is no input of it: the mark is at its place."""
        for mark in self.marks:
            if mark.what == "index":
                spot = Spot(mark.code, mark.at)
                for end in {edge.end for edges in self.out.values() for edge in edges if edge.spot == spot}:
                    if end > mark.when:
                        self.add(mark.ids[0], end, "not differentiable", "gather", spot)

    def _by_name(self) -> None:
        """Edges that only the learner's names tell of, into the leaves of the target's roads."""
        leaves = [id for id in self.before(self.target.id) if not self.into.get(id) and id != self.source.id]
        for leaf in leaves:
            self._unheard(leaf)
        reached = self.after(self.source.id)
        exits = [mark for mark in self.marks if mark.what in EXITS and mark.ids[0] in reached]
        for left in exits:
            spot = Spot(left.code, left.at)
            for leaf in leaves:
                if left.when < leaf and self.comes_back(left, leaf):
                    self.add(left.ids[0], leaf, left.what, left.what, spot, left.when)
            for mark in self.marks:
                if mark.what == "assign" and mark.ids[-1] in leaves and len(mark.ids) == 1 and left.when < mark.when:
                    start, to = statement_at(*spot), statement_at(mark.code, mark.at)
                    if start is to or self.program.feeds(start, to):
                        self.add(left.ids[0], mark.ids[-1], left.what, left.what, spot, mark.when)

    def _unheard(self, leaf: int) -> None:
        """What no tape heard, from the source to a leaf that an op made: each step that still has a name."""
        if leaf not in self.things:
            self._nameless(leaf)
            return
        if not self._by_op(self.things[leaf]) or self.during(leaf):
            return  # made of plain numbers: an op in this tape's time would have been heard
        last = self.made_by(self.things[leaf])
        for start in sorted(self.after(self.source.id)):
            first = self.made_by(self.things[start]) if start in self.things else None
            if start >= leaf or not self.program.feeds(first, last):
                continue
            steps = [id for id, thing in sorted(self.things.items()) if start < id < leaf and self._by_op(thing)]
            between = [
                id
                for id in steps
                if id not in self.heard
                and self.program.feeds(first, self.made_by(self.things[id]))
                and self.program.feeds(self.made_by(self.things[id]), last)
            ]
            for one, next in pairwise([start, *between, leaf]):
                thing = self.things[next]
                assert thing.code is not None
                self.add(one, next, "unheard", thing.op, Spot(thing.code, thing.at))

    def _nameless(self, leaf: int) -> None:
        """A leaf from before the block that is no longer at hand: by the names in the op that took it."""
        first = self.made_by(self.source)
        if not self.intervals or leaf >= self.intervals[-1].start:
            return
        entered = self.intervals[-1].entered
        early = [s for s in statements(entered.code) if s.start < entered.at and not s.defines]
        for use in self.out.get(leaf, ()):
            last = statement_at(*use.spot) if use.spot is not None else None
            makers = [s for s in early if last is not None and not (s.writes | s.changes).isdisjoint(last.reads)]
            for maker in makers:
                if self.program.feeds(first, maker):
                    steps = [s for s in early if self.program.feeds(first, s) and self.program.feeds(s, maker)]
                    begin = min([*steps, maker], key=lambda s: s.start)
                    self.add(self.source.id, leaf, "unheard", "", Spot(begin.code, begin.at))

    @staticmethod
    def _by_op(thing: Operand) -> bool:
        return thing.code is not None and thing.op not in ("constant", "Variable", "")

    def made_by(self, thing: Operand) -> Statement | None:
        """The statement that made a tensor."""
        return statement_at(thing.code, thing.at) if thing.code is not None else None

    def comes_back(self, left: Mark, leaf: int) -> bool:
        """Did a value that left as plain numbers come back as this leaf?"""
        start = statement_at(left.code, left.at)
        if start is not None and start.branches:
            return False
        thing = self.things.get(leaf)
        if thing is not None:
            if self._by_op(thing) and not self.during(leaf):
                return False
            ends = [self.made_by(thing)]
        else:
            ends = [statement_at(*edge.spot) for edge in self.out.get(leaf, ()) if edge.spot is not None]
        return any(start is end or self.program.feeds(start, end) for end in ends if end is not None)

    # --- asking -------------------------------------------------------------------------------------------------------

    def during(self, when: float) -> bool:
        """Was the tape recording at this time?"""
        return any(interval.start < when < interval.end for interval in self.intervals)

    def ended(self, when: float) -> Interval | None:
        """The last time of recording, where this moment is after it."""
        last = self.intervals[-1] if self.intervals else None
        return last if last is not None and when >= last.end else None

    def after(self, id: int) -> set[int]:
        """All that a value went into."""
        return self._closure(id, self.out, lambda edge: edge.end)

    def before(self, id: int) -> set[int]:
        """All that a value came from."""
        return self._closure(id, self.into, lambda edge: edge.start)

    def _closure(self, id: int, edges: dict[int, list[Edge]], end: object) -> set[int]:
        found, todo = {id}, [id]
        while todo:
            for edge in edges.get(todo.pop(), ()):
                other = end(edge)  # type: ignore[operator]
                if other not in found:
                    found.add(other)
                    todo.append(other)
        return found

    def path(self, source: int, target: int) -> list[Edge] | None:
        """The road from one tensor to another that takes least to believe; None where there is none."""
        turn = count()
        todo: list[tuple[float, int, tuple[int, int]]] = [(0.0, next(turn), (source, 0))]
        came: dict[tuple[int, int], tuple[tuple[int, int], Edge] | None] = {(source, 0): None}
        cost_of = {(source, 0): 0.0}
        while todo:
            cost, _, node = heapq.heappop(todo)
            id, since = node
            if id == target:
                road = []
                while (step := came[node]) is not None:
                    node, edge = step
                    road.append(edge)
                return road[::-1]
            for edge in self.out.get(id, ()) if cost <= cost_of[node] else ():
                total = cost + COST.get(edge.kind, 1.0)
                to = (edge.end, edge.when)
                if (edge.end > since or edge.when > since) and total < cost_of.get(to, inf):
                    cost_of[to], came[to] = total, (node, edge)
                    heapq.heappush(todo, (total, next(turn), to))
        return None

    def frozen(self) -> list[Edge]:
        """The edges on other roads from source to target along which the number went without its gradient."""
        ahead, behind = self.after(self.source.id), self.before(self.target.id)
        found = [
            edge
            for edges in self.out.values()
            for edge in edges
            if edge.kind in FROZEN and edge.start in ahead and edge.end in behind and edge.end != self.source.id
        ]
        return sorted(found, key=lambda edge: edge.end)


def _first(out: int | tuple[int, ...]) -> int:
    return out[0] if isinstance(out, tuple) else out


def _ids(out: int | tuple[int, ...]) -> tuple[int, ...]:
    return out if isinstance(out, tuple) else (out,)


def _intervals(tape: GradientTape) -> Iterator[Interval]:
    entered: Mark | None = None
    events: list[Mark | Reading] = [mark for mark in tape.marks if mark.what in ("enter", "exit")]
    if not tape.persistent:
        events += [reading for reading in tape.readings if reading.recording]
    for event in sorted(events, key=lambda event: event.when):
        if isinstance(event, Mark) and event.what == "enter":
            entered = event
        elif entered is not None:
            yield Interval(entered.when, event.when, entered, event)
            entered = None
    if entered is not None:
        yield Interval(entered.when, inf, entered, None)

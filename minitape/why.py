"""Why one source got no gradient from one target, or a part of it was held fixed: the first break on the road."""

from __future__ import annotations

from math import inf
from types import CodeType

import numpy as np

from . import causes
from .diagnosis import Diagnosis, findings
from .flow import Statement, expression, statement_at
from .marks import Mark
from .place import Spot
from .roads import EXITS, Edge, Roads
from .scope import Scope
from .tape import GradientTape
from .tensor import Operand
from .variable import Variable

#: Breaks that the learner asked for: they are told first.
ON_PURPOSE = ("stop_gradient", "stop_recording")


class Case:
    """One tape, one target, one source."""

    def __init__(self, tape: GradientTape, target: Operand, source: Operand, scope: Scope) -> None:
        self.tape, self.target, self.source, self.scope = tape, target, source, scope
        self.roads = Roads(tape, target, source, scope)
        self.words = causes.Words(self)
        self.connected = False

    def diagnosis(self) -> Diagnosis:
        """The most telling cause, or that the road is whole."""
        road = self.roads.path(self.source.id, self.target.id)
        self.connected = road is not None and all(edge.kind == "recorded" for edge in road)
        if road is not None and self.connected:
            return self._refused(road) or self._frozen(road) or self.words.works(road)
        return self._on_purpose(road) or self._another(road) or self._broken(road) or self._without(road)

    # --- a road that is whole -----------------------------------------------------------------------------------------

    def _refused(self, road: list[Edge]) -> Diagnosis | None:
        """A custom rule on the road said None for this input."""
        calls = [call for call in self.tape.readings if self.target.id in call.targets]
        answers = [call.answers[call.sources.index(self.source.id)] for call in calls if self.source.id in call.sources]
        if not answers or answers[-1] is not None:
            return None
        ops = {out: entry.op for entry in self.tape.entries for out in (entry.out if entry.op.many else (entry.out,))}
        for edge in road:
            op = ops[edge.end]
            if op.kind == "custom_gradient" and op.rule is not None:
                return self.words.rule_says_none(edge, op)
        return None

    def _frozen(self, road: list[Edge]) -> Diagnosis | None:
        """A part of the road that the gradient knows nothing of, though the number depends on it."""
        frozen = sorted(self.roads.frozen(), key=lambda edge: (edge.kind not in ON_PURPOSE, edge.end))
        return self.words.broken(frozen[0], road, whole=True) if frozen else None

    # --- a road that is broken ----------------------------------------------------------------------------------------

    def _on_purpose(self, road: list[Edge] | None) -> Diagnosis | None:
        """What the learner asked for."""
        for edge in road or ():
            if edge.kind in ON_PURPOSE:
                first = self._first(road or [])
                besides = [] if edge is first else [self._broken(road)]
                return findings([self.words.broken(edge, road or []), *filter(None, besides)])
        forgot = self._reset(road)
        if forgot is not None:
            return self.words.reset(forgot)
        if isinstance(self.source, Variable) and self._unseen(road):
            if not self.source.trainable:
                return self.words.not_trainable()
            made = [mark for mark in self.tape.marks if mark.what == "made"]
            if made:
                return self.words.auto_watch_off(Spot(made[0].code, made[0].at))
        return None

    def _unseen(self, road: list[Edge] | None) -> bool:
        """Is the source itself what the tape did not follow?"""
        return self.source.id not in self.roads.known and (road is None or self._first(road).start == self.source.id)

    def _reset(self, road: list[Edge] | None) -> Mark | None:
        """The reset that forgot the road, or the watch."""
        for mark in reversed([mark for mark in self.tape.marks if mark.what == "reset"]):
            started = self.roads.intervals[0].start if self.roads.intervals else 0
            if started < self.target.id < mark.when and road is None:
                return mark
            if self.source.id in mark.ids and self._unseen(road):
                return mark
        return None

    def _first(self, road: list[Edge]) -> Edge:
        return next(edge for edge in road if edge.kind != "recorded")

    def _another(self, road: list[Edge] | None) -> Diagnosis | None:
        """The source is not what the learner takes it for."""
        if road is None:
            back = self.roads.path(self.target.id, self.source.id)
            if back and all(edge.kind == "recorded" for edge in back):
                return self.words.swapped(back)
        if not self._unseen(road) and road is not None:
            return None
        rebound = self._rebound()
        if rebound is not None:
            return self.words.rebound(*rebound)
        twin = self._twin() if road is None else None
        if twin is not None:
            return self.words.twin(twin)
        return None

    def _rebound(self) -> tuple[str, Spot] | None:
        """The name that once stood for a variable or a watched tensor, and the line that gave it to this source."""
        source = self.source
        statement = self.roads.made_by(source)
        if statement is None or source.code is None or source.id in self.tape.watched:
            return None
        named = {key for key in statement.writes if key[1] == self.scope.name(source)}
        for key in named or statement.writes:
            others = [s for s in self.roads.program.statements if key in s.writes and s is not statement]
            watches = [mark for mark in self.tape.marks if mark.what == "watch" and source.id not in mark.ids]
            watched = [statement_at(mark.code, mark.at) for mark in watches]
            was_watched = any(s is not None and key in s.reads | s.changes for s in watched)
            own = [s for s in others if s.code is statement.code or key in statement.reads]
            if source.op != "Variable" and any(self._makes_variable(s) for s in own):
                return key[1], Spot(source.code, source.at)
            if was_watched or (others and source.id > self.target.id and self._used_before(key[1])):
                return key[1], Spot(source.code, source.at)
        return None

    def _makes_variable(self, s: Statement) -> bool:
        return "Variable" in s.attributes or any(key[1] == "Variable" for key in s.calls)

    def _used_before(self, name: str) -> bool:
        """Did the tape follow a variable that was called by this name?"""
        for variable in self.tape.variables.values():
            statement = self.roads.made_by(variable)
            if statement is not None and any(key[1] == name for key in statement.writes):
                return True
        return False

    def _twin(self) -> Operand | Edge | None:
        """A tensor on the target's road that has the source's value, and is not the source."""
        source = self.source
        if source.code is None:
            return None
        mine = expression(source.code, source.at)
        for id in sorted(self.roads.before(self.target.id)):
            for edge in self.roads.into.get(id, ())[:1]:
                if edge.spot is None or edge.op != source.op or source.op in ("constant", "Variable"):
                    continue
                if edge.spot == (source.code, source.at) or (mine and expression(*edge.spot) == mine):
                    return edge
            thing = self.roads.things.get(id)
            if thing is not None and thing is not source and self._equal(thing):
                return thing
        return None

    def _equal(self, thing: Operand) -> bool:
        """Is this the same value, and more than a coincidence?"""
        source = self.source
        if thing._shape != source._shape or thing.dtype is not source.dtype or isinstance(source, Variable):
            return False
        if self.roads.out.get(source.id) or source.id in self.roads.known:
            return False  # it has a use of its own
        return bool(np.array_equal(thing.array, source.array))

    def _broken(self, road: list[Edge] | None) -> Diagnosis | None:
        """The first break on a road that is there."""
        if road is None:
            return None
        first = self._first(road)
        if first.start == self.source.id and first.kind == "unwatched":
            behind = self.roads.before(self.target.id)
            uses = [e for e in self.roads.out[first.start] if e.kind == "unwatched" and e.end in behind]
            first = min(uses, key=lambda edge: edge.end)
            late = [m for m in self.tape.marks if m.what == "watch" and self.source.id in m.ids and m.when > first.end]
            if late and self.source.array.dtype.kind in "fc":
                return self.words.watched_late(first, late[0], road)
        at_once = first.kind in ("unwatched", "integer") and first.start == self.source.id
        if at_once and self.source.array.dtype.kind not in "fc":
            return self.words.integer(road)
        return self.words.broken(first, road)

    def _without(self, road: list[Edge] | None) -> Diagnosis:
        """No road, and no break: a decision, a target made elsewhere, or a source that was never used."""
        reached = self.roads.after(self.source.id)
        for left in self.roads.marks:
            early = left.when < self.target.id or not self.roads.during(self.target.id)
            if left.what in EXITS and left.ids[0] in reached and early and self._decides(left):
                return self.words.decided(left)
        ended = self.roads.ended(self.target.id)
        if ended is not None and self.target.op not in ("constant", "Variable", ""):
            return self.words.outside(None)
        return self.words.unused()

    def keyword(self, id: int) -> Spot | None:
        """The call that was given this tensor by keyword."""
        found = [mark for mark in self.roads.marks if mark.what == "keyword" and id in mark.ids]
        return Spot(found[-1].code, found[-1].at) if found else None

    def _decides(self, left: Mark) -> bool:
        """Did a value that left decide which way the program goes, or how often?"""
        statement = statement_at(left.code, left.at)
        if statement is None or statement.branches or (left.what == "bool" and not statement.writes):
            return True
        ways = [s for s in self.roads.program.statements if s.branches]
        return any(self.roads.program.feeds(statement, way) for way in ways)

    # --- lines --------------------------------------------------------------------------------------------------------

    def outer(self, spot: Spot | None, id: int | None = None) -> Spot | None:
        """The line of the tape's own frame in the course of which something ran: functions may stand between."""
        if spot is None or not self.roads.intervals:
            return spot
        entered = self.roads.intervals[-1].entered
        home: CodeType = entered.code
        if spot.code is home or spot.code.co_name == "<module>":
            return spot
        program = self.roads.program
        found = program.running(home, spot.code)
        if id is not None:
            low, high = self._around(home, id)
            found = [s for s in found if low <= s.stop and s.start <= high] or found
        if not found:  # in another cell of the notebook
            found = [
                s for code in program.codes if code.co_name == "<module>" for s in program.running(code, spot.code)
            ]
        name = self.scope.names.get(id) if id is not None else None
        best = [s for s in found if any(key[1] == name for key in s.writes)] or found
        return Spot(best[0].code, best[0].at) if best else spot

    def _around(self, home: CodeType, id: int) -> tuple[int, float]:
        """The instructions of the tape's frame between which something was made: the nearest before and after it."""
        places = [(mark.when, mark.at) for mark in (*self.tape.marks, *self.roads.marks) if mark.code is home]
        places += [(call.when, call.at) for call in self.tape.readings if call.code is home]
        for edges in self.roads.out.values():
            places += [(e.end, e.spot.at) for e in edges if e.spot is not None and e.spot.code is home and not e.when]
        low = max(((when, at) for when, at in places if when < id), default=(0, 0))[1]
        high = min(((when, at) for when, at in places if when > id), default=(0, inf))[1]
        return (low, high) if low <= high else (0, inf)  # in a loop the next place may lie before it

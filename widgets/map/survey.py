"""Reads a story as a road map: which values there are, who reads them, and what comes back along each road."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping

from minitape.trace import Entered, Made, Ran, Trace, Value, Walked, Watched

from .. import words
from ..tape.story import Story
from .roads import Road, Roads, Spot, Strand, lanes


def survey(story: Story, seen: Trace) -> Roads:
    """Read a story as a road map."""
    return _Surveyor(story, seen).survey()


class _Surveyor:
    def __init__(self, story: Story, seen: Trace) -> None:
        self.story, self.seen = story, seen
        self.call = story.calls[0] if story.calls else None
        self.spots: dict[str, Spot] = {}
        self.of: dict[int, Spot] = {}  # by the id of a value
        self.named: dict[str, Spot] = {}  # by its name, as the program stands
        self.roads: dict[tuple[str, str], Road] = {}
        self.tracked: set[int] = set()
        self.steps: dict[int, list[int]] = {}
        self.rows = {id(row.ran): row.step for row in story.rows}
        for step, beat in enumerate(story.beats, 1):
            if beat.line and beat.call is None:
                self.steps.setdefault(beat.line, []).append(step)
        self.statements = _statements(story.lines)
        self.asked: set[int] = {value.id for value in self.call.asked.sources} if self.call else set()
        self.often = Counter((event.line, event.text) for event in seen.of(Ran) if event.within != "gradient")
        self.entered = 0
        self.told = {self._start(event.line) for event in seen.of(Ran, Made)}  # the lines that ran ops or made values
        self.passed = 0  # the last line that `_gone` has looked at

    def survey(self) -> Roads:
        """The map, its spots in lanes."""
        events = self.seen.events
        asked = next((at for at, event in enumerate(events) if self.call and event is self.call.asked), len(events))
        known = {value.id for value in (*self.call.asked.sources, *self.call.asked.targets)} if self.call else set()
        self._gone(0)
        for event in events[:asked]:
            match event:
                case Entered(tape=tape, line=line) if tape == self.story.tape:
                    self.entered = line or 0
                case Made(line=line, value=value):
                    self._gone(line)
                    if self._named(value) or value.id in known:
                        self._made(line or 0, value)
                case Watched(tape=tape) if tape == self.story.tape:
                    self._gone(event.line)
                    self._watch(event)
                case Ran():
                    self._gone(event.line)
                    self._ran(event)
        self._gone(len(self.story.lines) + 1)
        targets, sources = [], []
        if self.call is not None:
            for value in self.call.asked.targets:
                targets.append(self._spot(value))
            gradients = self.call.answered.gradients if self.call.answered else ()
            for at, value in enumerate(self.call.asked.sources):
                sources.append((value, self._spot(value), gradients[at] if at < len(gradients) else None))
            self._back()
        for road in self.roads.values():
            road.on = road.on and road.end.kind == "rec"
        kept = self._kept(targets, [spot for _, spot, _ in sources])
        roads = [road for road in self.roads.values() if road.start in kept and road.end in kept]
        made = Roads(self.story, self.seen, self.call, kept, roads, targets, sources, 0, self.totals())
        made.lanes = lanes(made)
        return made

    def _named(self, value: Value) -> bool:
        return words.FULL.named(value) and value.name != "constant"

    def _step(self, row: int) -> int:
        return self.steps.get(row, [1])[0]

    def _add(self, id: str, row: int, kind: str, value: Value | None, name: str = "") -> Spot:
        """The spot of this id; a line that ran before has it already."""
        spot = self.spots.get(id)
        if spot is None:
            steps = self.steps.get(row, [])
            spot = self.spots[id] = Spot(id, row, kind, steps[0] if steps else 1, steps[-1] if steps else 1)
        spot.kind = kind  # of a line with several ops, that of the last one
        if value is not None:
            spot.value, spot.name = value, words.name(value)
            self.of[value.id] = spot
            self.named[value.name.rstrip("₀₁₂₃₄₅₆₇₈₉")] = spot
        else:
            spot.name = name
            self.named[name] = spot
        return spot

    def _made(self, row: int, value: Value) -> None:
        """A constant or a Variable; one that is made of what has left the library is still a reader of it."""
        node = self.statements.get(self._start(row))
        reads = [self.named[name] for name in _reads(node) if name in self.named] if node is not None else []
        id = str(row) if row else value.name
        there = self.spots.get(id)
        if there is not None and there.kind == "plain" and there.name != words.name(value):
            id = f"{id}-{value.name}"  # x, y = ..., ...
        spot = self._add(id, row, "plain", value)
        for read in reads:
            if read is not spot and read.row < row:
                self._road(read, spot, False, spot.step)

    def _spot(self, value: Value) -> Spot:
        """Where a value comes from; one that no line of the program made was there before."""
        spot = self.of.get(value.id)
        return spot or self._add(value.name or f"value {value.id}", 0, "plain", value)

    def _watch(self, event: Watched) -> None:
        spot = self._spot(event.value)
        self.tracked.add(event.value.id)
        spot.tracked = True
        if spot.watched is None:
            by_itself = max(self.entered, spot.row)
            spot.watched = (event.line or by_itself) if event.asked else by_itself
            spot.watch_step = self._step(event.line or spot.watched) if event.asked else self._step(spot.watched)
            spot.asked = event.asked

    def _ran(self, event: Ran) -> None:
        if event.again:
            return
        row = self._start(event.line)
        recorded = any(tape == self.story.tape for tape, _ in event.recorded)
        skip = next((skip for skip in event.skipped if skip.tape == self.story.tape), None)
        kind = "rec" if recorded else "off" if skip else "idle"
        there = str(row) if row else f"before {event.text}"
        before = self.spots.get(there)
        step = self.rows.get(id(event), self._step(row))
        ends = [(self.of.get(value.id) or self._literal(event, value), value) for value in event.inputs]
        spot = self._add(there, row, kind, event.outputs[-1])
        spot.done = max(spot.done, step)
        spot.why = skip.reason if skip else ""
        spot.tracked = recorded
        for value in event.outputs:
            self.of[value.id] = spot
            if recorded:
                self.tracked.add(value.id)
        if before is not None:
            spot.times = max(spot.times, self.often[event.line, event.text])
        for end, value in ends:
            if end is not None and end is not spot and end.row < spot.row:
                self._road(end, spot, recorded and value.id in self.tracked, step)

    def _literal(self, event: Ran, value: Value) -> Spot | None:
        """A value that nobody made here: by its name in the line, if the name is known; a plain number is no road."""
        if self._named(value) and value.name.isidentifier():
            return self._spot(value) if value.id in self.asked else None
        node = self.statements.get(self._start(event.line))
        names = _reads(node) if node is not None else []
        return next(
            (self.named[name] for name in names if name in self.named and self.named[name].kind == "gone"), None
        )

    def _road(self, start: Spot, end: Spot, on: bool, step: int) -> Road:
        road = self.roads.setdefault((start.id, end.id), Road(start, end, on, step))
        road.on = road.on or on
        return road

    def _start(self, line: int | None) -> int:
        """The first line of the statement that a line belongs to."""
        if line is None:
            return 0
        if line in self.statements:
            return line
        return next((at for at, node in self.statements.items() if at <= line <= (node.end_lineno or at)), line)

    def _gone(self, line: int | None) -> None:
        """The lines before this one that read a known value and ran no op: what they made has left the library."""
        for row in sorted(self.statements):
            node = self.statements[row]
            if not self.passed < row < (line or 0) or row in self.told or row <= self.entered or not self.entered:
                continue
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if not isinstance(target, ast.Name) or (self.call and row == self.call.asked.line):
                continue
            reads = [self.named[name] for name in _reads(node) if name in self.named]
            if not reads or target.id in (spot.name for spot in reads):
                continue
            spot = self._add(str(row), row, "gone", None, target.id)
            spot.step = spot.done = self._step(row)
            for read in reads:
                self._road(read, spot, False, spot.step)
        self.passed = max(self.passed, (line or 1) - 1)

    def _back(self) -> None:
        """The contributions, on the roads that they take."""
        assert self.call is not None
        for walk in self.call.walks:
            if not isinstance(walk.event, Walked):
                continue
            end = self.of.get(walk.event.outputs[-1].id) if walk.event.outputs else None
            for slot, gift in enumerate(walk.event.gifts):
                start = self.of.get(gift.to.id)
                if start is None or end is None or start is end:
                    continue
                road = self.roads.get((start.id, end.id))
                if road is not None:
                    road.strands.append(Strand(gift.value, walk.step, 1 + slot))

    def totals(self) -> dict[str, list[tuple[int, str]]]:
        """How the sums of the sources grew."""
        found: dict[str, list[tuple[int, str]]] = {}
        for walk in self.call.walks if self.call else ():
            for gift in walk.event.gifts if isinstance(walk.event, Walked) else ():
                spot = self.of.get(gift.to.id)
                if spot is not None and gift.to.id in self.asked:
                    found.setdefault(spot.id, []).append((walk.step, words.number(gift.total)))
        return found

    def _kept(self, targets: list[Spot], sources: list[Spot]) -> list[Spot]:
        """What the map shows: everything but constants that nothing reads, in the order of the program."""
        read = {id(road.start) for road in self.roads.values()}
        kept = [
            spot
            for spot in self.spots.values()
            if spot.kind != "plain" or id(spot) in read or spot in targets or spot in sources
        ]
        return sorted(kept, key=lambda spot: spot.row)


def _statements(lines: tuple[str, ...]) -> Mapping[int, ast.stmt]:
    """The statements of a program without a block of their own, by their first line."""
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return {}
    simple = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
    return {node.lineno: node for node in ast.walk(tree) if isinstance(node, simple)}


def _reads(node: ast.AST) -> list[str]:
    """The names that a statement reads, in order."""
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)]
    return [name.id for name in sorted(names, key=lambda name: (name.lineno, name.col_offset))]

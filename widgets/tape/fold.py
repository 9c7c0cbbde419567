"""A trace with its layers folded: the ops of one call become one op, and their way back one step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from minitape.trace import Event, Gift, Passed, Ran, Trace, Value, Walked, renamed

from ..scopes import Scope, layers
from .story import TO

Spans = Mapping[tuple[int, int], int]  # by tape and an entry's number: the last number that it stands for


@dataclass
class _Block:
    """The ops of one scope, and what the way back through them has brought so far."""

    name: str
    ops: list[Ran]
    whole: Ran
    walks: dict[int, list[Walked | Passed]] = field(default_factory=dict)  # by tape

    def entries(self, tape: int) -> list[int]:
        """Their numbers on a tape."""
        return [number for ran in self.ops for heard, number in ran.recorded if heard == tape]


def fold(seen: Trace) -> tuple[Trace, Spans]:
    """The trace with each scope as one op, and which entries stand for several; without scopes, as it is."""
    ops = seen.of(Ran)
    blocks = [_block(scope, ops[scope.first - 1 : scope.last], ops[scope.last :]) for scope in layers(ops, 1)]
    if not blocks:
        return seen, {}
    names = {id: name for block in blocks for id, name in _names(block).items()}
    events = tuple(renamed(event, names) for event in _folded(seen.events, blocks))
    spans = {(tape, first): block.entries(tape)[-1] for block in blocks for tape, first in block.whole.recorded}
    return dataclasses.replace(seen, events=events, gone=()), spans


def _block(scope: Scope, ops: tuple[Ran, ...], later: tuple[Ran, ...]) -> _Block:
    made = [value for ran in ops for value in ran.outputs]
    inside = {value.id for value in made}
    used = {value.id for ran in later for value in ran.inputs} | {value.id for value in ops[-1].outputs}
    inputs = _once(value for ran in ops for value in ran.inputs if value.id not in inside and value.name != value.text)
    whole = dataclasses.replace(
        ops[-1],
        op=scope.name,
        text=scope.name,
        inputs=inputs,
        outputs=tuple(value for value in made if value.id in used),
        recorded=tuple({tape: number for ran in reversed(ops) for tape, number in ran.recorded}.items()),
        skipped=() if any(ran.recorded for ran in ops) else ops[0].skipped,
        saves=_once(value for ran in ops for value in ran.saves),
        custom=None,
    )
    return _Block(scope.name, list(ops), whole)


def _once(values: Iterable[Value]) -> tuple[Value, ...]:
    """Each value once, in order."""
    return tuple({value.id: value for value in values}.values())


def _names(block: _Block) -> dict[int, str]:
    """What to call values that had only "relu in model(x)" for a name: the block's own is called like the block."""
    last = {value.id for value in block.whole.outputs}
    return {
        value.id: block.name if value.id in last else ran.op
        for ran in block.ops
        for value in ran.outputs
        if value.name.startswith(f"{ran.op} in ")
    }


def _folded(events: Iterable[Event], blocks: list[_Block]) -> Iterable[Event]:
    of_op = {id(ran): block for block in blocks for ran in block.ops}
    of_entry = {(tape, number): block for block in blocks for ran in block.ops for tape, number in ran.recorded}
    for event in events:
        if isinstance(event, Ran) and id(event) in of_op:
            block = of_op[id(event)]
            if event is block.ops[-1]:
                yield block.whole
        elif isinstance(event, Walked | Passed) and (event.tape, event.entry) in of_entry:
            block = of_entry[event.tape, event.entry]
            walks = block.walks.setdefault(event.tape, [])
            walks.append(event)
            if len(walks) == len(block.entries(event.tape)):
                yield _way_back(block, walks)
                block.walks[event.tape] = []
        else:
            yield event


def _way_back(block: _Block, walks: list[Walked | Passed]) -> Walked | Passed:
    """The way back through all entries of a block, as one step."""
    last, freed = walks[-1], _once(value for walk in walks for value in walk.freed)
    walked = [walk for walk in walks if isinstance(walk, Walked)]
    if not walked:
        return dataclasses.replace(last, entry=block.entries(last.tape)[0], freed=freed)
    inside = {value.id for ran in block.ops for value in ran.outputs}
    wanted = {value.id for value in block.whole.outputs}
    came = {out.id: (out, g) for walk in walked for out, g in zip(walk.outputs, walk.upstream, strict=False)}
    came = {id: pair for id, pair in came.items() if id in wanted}
    gifts = [gift for walk in walked for gift in walk.gifts if gift.to.id not in inside]
    if len(walks) > 1:
        rule = f"through {walks[-1].entry}{TO}{walks[0].entry}"
        gifts = [Gift(gift.to, rule, "", gift.value, gift.total) for gift in gifts]
    return Walked(
        last.line,
        last.held,
        last.tape,
        block.entries(last.tape)[0],
        block.name,
        block.name,
        tuple(out for out, _ in came.values()),
        tuple(g for _, g in came.values()),
        tuple(gifts),
        freed,
    )

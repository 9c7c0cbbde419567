"""What each entry of a tape keeps, under the learner's names, and which derivative needs it."""

from __future__ import annotations

import sys
from typing import Any

from .flow import stored_name
from .ledger import Buffer, Holding, arrays, base
from .place import Spot, learner_frame
from .record import TapeEntry
from .scope import Scope
from .tape import GradientTape


def holdings(tape: GradientTape) -> tuple[Holding, ...]:
    """One row for each entry that keeps an array."""
    names = Names(tape)
    rows = []
    for number, (entry, kept) in enumerate(zip(names.entries, tape.saved, strict=False), 1):
        buffers = tuple(_buffers(entry, kept, names))
        if buffers:
            sizes = {buffer.key: buffer.bytes for buffer in buffers}
            line = Spot(entry.code, entry.at).line
            rows.append(Holding(number, entry.op.name, sum(sizes.values()), len(sizes), line, buffers))
    return tuple(rows)


class Names:
    """The learner's names for the values on a tape; a value without one is called by its op, in brackets."""

    def __init__(self, tape: GradientTape) -> None:
        self.scope = Scope(learner_frame(sys._getframe(3)))
        self.entries = tape.entries
        self.maker = {id: one for one in self.entries for id in (one.out if one.op.many else (one.out,))}

    def __getitem__(self, id: int) -> str:
        entry = self.maker.get(id)
        if id in self.scope.names:
            return self.scope.names[id]
        if entry is None:
            return "(a constant)"
        return stored_name(entry.code, entry.at) or f"({entry.op.name})"


def _buffers(entry: TapeEntry, kept: tuple[Any, ...], names: Names) -> list[Buffer]:
    """The pieces of memory of one entry; one that serves two derivatives stands there once."""
    found: dict[int, Buffer] = {}
    ids = dict(zip(entry.op.inputs, entry.inputs, strict=False)) | ({} if entry.op.many else {"z": entry.out})
    for place, (name, value) in enumerate(zip(entry.plan.names, kept, strict=True)):
        for array in map(base, arrays([value])):
            slots = [slot for slot, _, picks in entry.plan.rules if place in _places(picks)] or entry.plan.slots
            use = ", ".join(dict.fromkeys(f"dL/d{names[entry.inputs[slot]]}" for slot in slots))
            said = names[ids[name]] if name in ids else "captured by the rule" if name == "rule" else name
            found.setdefault(id(array), Buffer(said, array.nbytes, use, id(array)))
    return list(found.values())


def _places(picks: Any) -> tuple[int, ...]:
    """Which of the kept values a rule takes."""
    return () if picks is None else (picks,) if isinstance(picks, int) else tuple(picks)

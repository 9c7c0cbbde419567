"""How a detective runs a learner's function: apart from the learner's own tapes, hearing each op with its values."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from .listeners import Listeners, here
from .marks import Mark, marks, serial
from .nest import flatten
from .primitive import Primitive
from .record import reads
from .tensor import Operand, Tensor
from .variable import Variable


class Probe:
    """A listener with the methods of an `Observer`, which does nothing; a detective overrides what it wants to hear."""

    def ran(self, op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...]) -> None:
        """An op ran."""

    def walked(
        self, tape: Any, number: int, g: Any, gifts: list[tuple[int, Any]], kept: Any, grads: dict[int, Any]
    ) -> None:
        """The way back went through an entry."""

    def run(self, name: str, number: int) -> None:
        """A recomputed block begins to run."""

    def rested(self, name: str, number: int) -> None:
        """A recomputed block has run."""

    def passed(self, tape: Any, number: int, kept: tuple[Any, ...]) -> None:
        """The way back passed over an entry."""

    def _nothing(self, *told: Any) -> None:
        """What no detective listens to."""

    made = entered = left = watched = paused = resumed = cleared = asked = answered = turned = _nothing
    began_inside = ended_inside = _nothing


class Listening(Probe):
    """Keeps every op with its inputs and outputs, and the variables that were read."""

    def __init__(self) -> None:
        super().__init__()
        self.began = next(serial)
        self.ops: list[tuple[Primitive, tuple[Operand, ...], tuple[Tensor, ...]]] = []

    def ran(self, op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...]) -> None:
        """Keep it."""
        self.ops.append((op, inputs, outputs))

    @property
    def marks(self) -> list[Mark]:
        """What left, was assigned or given by keyword since."""
        return [mark for mark in marks if mark.when > self.began]

    def captured(self, arguments: Any) -> list[tuple[Operand, Tensor]]:
        """Tensors from outside that an op used and that are no arguments: each with what was first made of it."""
        given = {x.id for x in flatten(arguments) if isinstance(x, Operand)}
        found: dict[int, tuple[Operand, Tensor]] = {}
        for _, inputs, outputs in self.ops:
            for x in inputs:
                outside = x.id < self.began and x.id not in given and not isinstance(x, Variable)
                if outside and x.array.dtype.kind in "fc":
                    found.setdefault(x.id, (x, outputs[0]))
        return list(found.values())


@contextmanager
def apart(probe: Any = None) -> Iterator[dict[int, Variable]]:
    """Run what follows unheard by the learner's tapes and observers; gives the trainable variables read, by id."""
    before, here.now = here.now, Listeners()
    here.now.observer = probe
    try:
        with reads() as read:
            yield read
    finally:
        here.now = before


def returned_on(
    function: Callable[..., Any], code: CodeType | None, *args: Any, **kwargs: Any
) -> tuple[Any, int | None]:
    """A call's result, and the line on which a code object that ran in it returned last."""
    line: int | None = None
    before = sys.getprofile()

    def watch(frame: Any, event: str, arg: Any) -> None:
        nonlocal line
        if event == "return" and frame.f_code is code:
            line = frame.f_lineno

    sys.setprofile(watch)
    try:
        return function(*args, **kwargs), line
    finally:
        sys.setprofile(before)

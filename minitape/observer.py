"""What happens in an observed block, noted while it happens: only what would be gone later, and nothing in words.

A note is a plain tuple: what happened, and the facts of it. `telling.py` has a method for each, which takes those facts
as its arguments and makes an event of them, when the trace is read. Here every op of the block goes through, so this
file is written for speed: of an array it copies eight numbers at most, and a place is worked out once.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from sys import _getframe
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np
from numpy import ndarray

from . import place
from .ledger import arrays, base
from .listeners import here
from .marks import Mark, foreign, marks, serial
from .names import now as scopes
from .place import INTERNAL
from .primitive import Primitive
from .program import Program, Site
from .slices import Rows
from .tensor import Operand, Tensor
from .variable import Variable
from .wording import Given, Large

if TYPE_CHECKING:
    from .tape import GradientTape

Note = tuple[Any, ...]
#: A piece of memory that an entry keeps: which, its bytes, the rule's name for it, its numbers if no tensor has them.
Piece = tuple[int, int, str, Any]


class Heard(NamedTuple):
    """All that an observer leaves when the block is over; it holds no array of the learner's."""

    program: Program
    notes: list[Note]
    began: int
    marks: tuple[Mark, ...]  # what left as plain numbers meanwhile
    buggy: bool = False  # was each contribution written over the one before?


class Op(NamedTuple):
    """What is noted of an op with a rule of the learner's own: the op itself would hold the learner's function."""

    name: str
    kind: str
    many: bool
    joint: bool = True


class Observer:
    """What the tape calls, one method a kind of event."""

    def __init__(self, frame: FrameType | None) -> None:
        self.began = self.now = next(serial)
        self.program = Program.of(frame)
        self.notes: list[Note] = []
        self.sites: dict[tuple[int, int], Site] = {}
        self.arrays: dict[int, Any] = {}  # by the id of what an op was given: its array when it was noted last, weakly
        self.memory: dict[int, Any] = {}  # by piece of memory: the array that owns it, weakly
        self.named: set[int] = set()  # ids of tensors whose name is known
        self.changing: set[int] = set()  # ids of variables, whose value may be another one every time
        self.settled: set[int] = set()  # ids of tensors of which nothing more need be noted
        self.unnamed: set[int] = set()  # ids of an op's outputs that were given no name at once
        self.tapes: dict[int, int] = {}  # the tapes' numbers, by id()
        self.found = 0  # how many tapes there were
        self.watching: list[ref[GradientTape]] = []
        self.ways: list[tuple[int, dict[int, Any]]] = []  # each way back: when it began, its large gradients so far

    def finish(self) -> Heard:
        """What was noted."""
        recent = takewhile(lambda mark: mark.when > self.began, reversed(marks))
        return Heard(self.program, self.notes, self.began, tuple(recent)[::-1])

    # --- what the tape tells ------------------------------------------------------------------------------------------

    def made(self, thing: Operand, how: str) -> None:
        """A constant or a Variable was made."""
        frame = _getframe(1)
        if how == "constant" and _between(frame) == "composed":
            return  # a layer's own business
        self._meet(thing, None)
        self._note("made", self._line(frame), thing.id, how)

    def entered(self, tape: GradientTape) -> None:
        """A tape's block began."""
        frame = place.learner_frame()
        where = (frame.f_code, frame.f_lasti) if frame is not None else None
        number = self._number(tape)
        self._note("entered", self._line(frame), number, where)

    def left(self, tape: GradientTape) -> None:
        """A tape's block ended."""
        frame = place.learner_frame()
        number = self._number(tape)
        self._note("left", self._line(frame), number, place.name_of(tape, frame))

    def watched(self, tape: GradientTape, thing: Operand, asked: bool) -> None:
        """A tape follows a tensor."""
        number = self._number(tape)
        self._meet(thing, place.learner_frame())
        self._note("watched", self._line(_getframe(1)), number, thing.id, asked)

    def paused(self, tape: GradientTape) -> None:
        """`stop_recording` began."""
        self._note("paused", self._line(_getframe(1)), self._number(tape))

    def resumed(self, tape: GradientTape) -> None:
        """`stop_recording` ended."""
        self._note("resumed", self._line(_getframe(1)), self._number(tape))

    def cleared(self, tape: GradientTape) -> None:
        """`reset` forgot everything."""
        self._note("cleared", self._line(_getframe(1)), self._number(tape))

    def began_inside(self, what: str) -> None:
        """The ops from here on run inside a function with its own rule."""
        self.notes.append(("began_inside", what))

    def ended_inside(self) -> None:
        """It is over."""
        self.notes.append(("ended_inside",))

    def run(self, name: str, number: int) -> None:
        """A recomputed block begins to run."""
        self._note("run", self._line(_getframe(1)), name, number)

    def rested(self, name: str, number: int) -> None:
        """A recomputed block has run."""
        self._note("rested", self._line(_getframe(1)), name, number)

    def ran(self, op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...]) -> None:
        """An op ran forward."""
        out = outputs[0]
        code: Any = out.code
        at = out.at
        frame: Any = _getframe(3)  # of an elementwise op, who called it: in between are its function and `tell`
        between = "" if frame.f_code is code else _between(frame)
        site = self.sites.get((id(code), at)) or self._site(code, at)
        line = site.line or self._line(frame)
        settled, unnamed, parts = self.settled, self.unnamed, site.parts
        for x in inputs:
            if x.id not in settled and not (x.at in parts and x.code is code and x.id in unnamed):
                self._meet(x, frame, between)
        named = settled if site.named and not between else unnamed
        out_id: Any = out.id
        values: tuple[Note, ...]
        if op.many:
            values = tuple([self._value(output) for output in outputs])
            out_id = tuple([output.id for output in outputs])
            named.update(out_id)
        else:
            values = (self._value(out),)
            named.add(out_id)
        row: Note | None = None
        heard: tuple[Note, ...] = ()
        tape = here.now.tape
        while tape is not None:
            number = self.tapes.get(id(tape)) or self._number(tape)
            rows = tape.rows
            if rows and rows[-1][3] == out_id:
                row = rows[-1]
                plan = row[1]
                # Of most ops it is clear from the plan what is saved: which of the inputs and outputs.
                saves = self._pieces(plan.names, tape.saved[-1]) if plan.keep is None else plan.names
                heard = ((number, len(rows), saves), *heard)
            elif tape.notes and tape.notes[-1].out == out_id:
                heard = ((number, tape.notes[-1].reason, tape.paused_by), *heard)
            tape = tape.outer
        if row is None or op.joint is not None:
            row = (_told(op), None, tuple([x.id for x in inputs]), out_id, None, None, code, at)
        self.now = now = next(serial)
        self.notes.append(("ran", now, line, row, values, heard, between, scopes.path))

    def asked(
        self, tape: GradientTape, targets: list[Operand], sources: list[Operand], seeds: dict[int, Tensor]
    ) -> None:
        """A way back begins."""
        frame = place.learner_frame()
        for thing in (*targets, *sources):
            self._meet(thing, frame)
        number = self._number(tape)
        so_far = {id: _array(grad) for id, grad in (tape.unfinished.grads if tape.unfinished else {}).items()}
        so_far |= {id: seed.array for id, seed in seeds.items()}
        self.ways.append((self.now, {id: grad for id, grad in so_far.items() if grad.size > 8}))
        given = {id: numbers(grad) for id, grad in so_far.items()}
        self._note("asked", self._line(frame), number, [x.id for x in targets], [x.id for x in sources], given)

    def walked(
        self, tape: GradientTape, number: int, g: Any, gifts: list[tuple[int, Any]], kept: Any, grads: dict[int, Any]
    ) -> None:
        """The way back went through an entry."""
        _, sums = self.ways[-1]
        row = tape.rows[number]
        told: tuple[Any, ...] = ()
        for slot, gift in gifts:
            if type(gift) is ndarray and gift.size <= 8:  # `numbers`, written out; the sum can be worked out later
                told += (gift.__copy__(),)
            else:
                told += (None if gift is None else self._large(row[2], slot, gift, sums, grads),)
        came, op = None, row[0]
        if sums or op.joint is not None or op.many:
            row, came = self._after(row, g, sums, grads)
        self.notes.append(("walked", next(serial), number, row, came, told))

    def passed(self, tape: GradientTape, number: int, kept: tuple[Any, ...]) -> None:
        """The way back passed over an entry."""
        self._note("passed", number)

    def answered(self, tape: GradientTape, sources: list[Operand], grads: dict[int, Any]) -> None:
        """A way back ends in an answer."""
        frame = place.learner_frame()
        for thing in sources:
            self._meet(thing, frame)
        found = {x.id: numbers(_array(grads[x.id])) for x in sources if x.id in grads}
        self._note("answered", [x.id for x in sources], found)

    def turned(self) -> None:
        """A way back is over, in an answer or an error."""
        self.ways.pop()
        self.notes.append(("turned",))

    # --- what is noted ------------------------------------------------------------------------------------------------

    def _note(self, what: str, *facts: Any) -> None:
        """An event, and when it was, on the scale of ids."""
        self.now = now = next(serial)
        self.notes.append((what, now, *facts))

    def _line(self, frame: FrameType | None) -> int | None:
        """The line of the observed program that is running: the innermost frame that lies in it."""
        file = self.program.file
        while frame is not None:
            code = frame.f_code
            if code.co_filename == file:
                at = frame.f_lasti
                site = self.sites.get((id(code), at)) or self._site(code, at)
                if site.line:
                    return site.line
            frame = frame.f_back
        return None

    def _site(self, code: CodeType, at: int) -> Site:
        site = self.sites[id(code), at] = Site(code, at, self.program)
        return site

    def _number(self, tape: GradientTape) -> int:
        """A new tape's number."""
        notes, tapes, key = self.notes, self.tapes, id(tape)
        if key not in tapes:
            self.found += 1
            number = tapes[key] = self.found

            def died(_: object) -> None:
                """It lets go of all it held, and another tape may come to lie at its place."""
                del tapes[key]
                notes.append(("died", number))

            self.watching.append(ref(tape, died))
            notes.append(("found", number, tape.persistent))
            self.changing.update(tape.variables)
        return tapes[key]

    def _value(self, thing: Operand) -> Note:
        """A tensor's value: its id and numbers, and the memory it lies in, with its bytes."""
        array = thing.array
        if type(array) is ndarray and array.base is None:
            key = id(array)
            self.memory[key] = ref(array)
            return thing.id, array.__copy__() if array.size <= 8 else numbers(array), key, array.nbytes
        memory = base(array)
        self.memory[id(memory)] = _weakly(memory)
        return thing.id, numbers(array), id(memory), memory.nbytes

    def _large(self, ids: tuple[int, ...], slot: int, gift: Any, sums: dict[int, Any], grads: dict[int, Any]) -> Any:
        """A gift of more than a few numbers, and what it adds up to: of such a sum only a summary can be noted."""
        gift = _array(gift)
        if np.size(gift) <= 8:
            return numbers(gift)
        id = ids[slot]
        total = _array(grads[id])
        if ids.count(id) > 1:  # x * x: one gift after the other
            total = _array(sums[id]) + gift if id in sums else gift
        sums[id] = total
        few = numbers(gift)
        return Given(few, few if total is gift else numbers(total))

    def _after(self, row: Note, g: Any, sums: dict[int, Any], grads: dict[int, Any]) -> tuple[Note, Any]:
        """What a walk leaves in `sums`: the way's own arrays, so that none lives longer for it. What is noted of it."""
        op, _, ids, out, *_ = row
        for id in out if op.many else (out,):
            sums.pop(id, None)
        sums.update({id: grads[id] for id in ids if id in sums})
        told = row if op.joint is None else (_told(op), row[1].slots, *row[2:])
        return told, [numbers(_array(part)) for part in g] if op.many else None

    def _pieces(self, names: tuple[str, ...], kept: tuple[Any, ...]) -> list[Piece]:
        """The pieces of memory in what an entry keeps; with its numbers where nothing that was noted lies in it."""
        found = {
            id(array): (name, array)
            for name, part in zip(names, kept, strict=True)
            for array in map(base, arrays([part]))
        }
        return [
            (key, array.nbytes, name, None if _is(self.memory.get(key), array) else numbers(array))
            for key, (name, array) in found.items()
        ]

    def _meet(self, thing: Operand, frame: FrameType | None, between: str = "") -> None:
        """Note what is new of a tensor that is spoken of: its value, and the learner's name for it.

        frame: where to look for the name; None for what is only being made.
        """
        id, array = thing.id, thing.array
        if id in self.settled:
            return
        if isinstance(thing, Variable):
            self.changing.add(id)
        first = id not in self.unnamed and id not in self.arrays
        value = name = own = origin = None
        if first or (id in self.changing and not _is(self.arrays.get(id), array)):
            value = self._value(thing)
            self.arrays[id] = _weakly(array)
        if id not in self.named:
            name = self._find(thing, frame, between)
            if first:
                own = thing.name.removesuffix(":0") if isinstance(thing, Variable) else None
                own = own if own != "Variable" else None
                origin = (thing.code, thing.at) if thing.code and thing.op in ("constant", "Variable") else None
            if name or own or (origin and self._site(*origin).named):
                self.named.add(id)
        if value is not None or name is not None:
            self.notes.append(("met", id, value, name, own, origin))
        if id in self.named and id not in self.changing:
            self.settled.add(id)

    def _find(self, thing: Operand, frame: FrameType | None, between: str) -> str | None:
        """The learner's own name for a tensor, from the innermost frame to the outermost."""
        if between == "gradient" and self.ways and thing.id > self.ways[-1][0]:
            return None  # made by minitape itself on this way back
        frame = place.learner_frame(frame) if frame is not None else None
        if thing.code is None and thing.id > self.now:
            return place.name_of(thing, frame)  # a number beside a tensor, just made a tensor itself
        while frame is not None:
            name = place.name_of(thing, frame)
            if name is not None:
                return name
            frame = frame.f_back
            while frame is not None and foreign(frame.f_code.co_filename):
                frame = frame.f_back
        return None


# --- small helpers ---------------------------------------------------------------------------------------------------


def numbers(array: Any) -> Any:
    """What is noted of an array: a copy of at most eight numbers, or the first eight, the smallest and the largest."""
    if isinstance(array, np.generic):
        return array  # a scalar of NumPy's
    if array.size <= 8:
        return array.__copy__()  # half the price of copy()
    ordered = array.dtype.kind in "fiub"
    first = array.flat[:8].tolist() if ordered else []
    low, high = (float(array.min()), float(array.max())) if ordered else (None, None)
    return Large(array.shape, array.dtype, array.nbytes, tuple(map(float, first)), low, high)


def _array(gradient: Any) -> Any:
    """A gradient's plain array, and no op that a tape would hear."""
    if type(gradient) is ndarray:
        return gradient
    if isinstance(gradient, Rows):
        return Rows(_array(gradient.values), gradient.indices, gradient.shape).dense()
    return gradient.array if isinstance(gradient, Operand) else gradient


def _weakly(array: Any) -> Any:
    """A weak reference; a scalar of NumPy's knows none, and costs nothing when it is held."""
    return ref(array) if isinstance(array, ndarray) else array


def _told(op: Primitive) -> Primitive | Op:
    return op if op.joint is None else Op(op.name, op.kind, op.many)


def _is(held: Any, array: Any) -> bool:
    """Is an array the one that was noted?"""
    return held is not None and (held is array or (type(held) is ref and held() is array))


def _between(frame: FrameType | None) -> str:
    """What lies between the learner's line and the op: nothing, a composed function or layer, or the way back."""
    outermost = ""
    while frame is not None and frame.f_code.co_filename in INTERNAL:
        outermost = frame.f_code.co_filename
        frame = frame.f_back
    return _part(outermost)


@lru_cache(maxsize=256)
def _part(file: str) -> str:
    """Which part of minitape a file is."""
    file = file.replace("\\", "/")
    if file.endswith("/tape.py"):
        return "gradient"
    return "composed" if "/keras/" in file or file.endswith(("/composed.py", "/module.py")) else ""

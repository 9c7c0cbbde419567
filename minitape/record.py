"""The hot path: run an op, and append an entry to each live tape that must know of it.

This is the file that every op of every program goes through, so it is written for speed: one function per arity,
no argument lists, no dictionaries. `unary`, `binary`, `single` and `general` build such functions from a primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from sys import _getframe
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from .listeners import here
from .marks import serial
from .operands import operand, operands
from .place import INTERNAL, Origin
from .refusal import failed, mismatched, refused
from .silence import LOUD, silently
from .spec import Spec, spec_for
from .tensor import Operand, Tensor, wrap

if TYPE_CHECKING:
    from .primitive import Plan, Primitive
    from .variable import Variable


class TapeEntry(NamedTuple):
    """One recorded op, as data. It holds no array: those lie beside it, in the tape's `saved`, until they are used.

    The tape keeps entries as plain tuples, in this order: a tuple is made in a fifth of a named one's time.
    """

    op: Primitive
    plan: Plan  # which inputs are tracked, their rules, and what the rules asked to keep
    inputs: tuple[int, ...]  # the inputs' ids
    out: Any  # the output's id; a tuple of ids for an op with several outputs
    spec: Any  # the output's shape and dtype (a Spec); a tuple of Specs for several
    shapes: tuple[tuple[int, ...], ...] | None  # the inputs' shapes, where they differ from the output's
    code: CodeType  # the learner's code object, and the instruction's offset in it
    at: int

    @property
    def origin(self) -> Origin:
        """What ran, and where."""
        return Origin(self.op.name, self.code, self.at)


class Note(NamedTuple):
    """An op that ran while the tape was there, and that it did not record."""

    origin: Origin | None
    inputs: tuple[int, ...]
    out: Any
    reason: str


#: How many listeners are at work, in all threads, and how many of them are no tapes. While the first is 0 an op has
#: nobody to tell.
live = others = 0
#: The learner's code that called an op last: most calls come from there again.
home: CodeType | None = None
id_of, array_of, spec_of = attrgetter("id"), attrgetter("array"), attrgetter("spec")


def listen(change: int) -> None:
    """One listener more (+1) or less (-1) that is no tape."""
    global live, others
    live += change
    others += change


@contextmanager
def reads() -> Iterator[dict[int, Variable]]:
    """The trainable variables that are read in a block, by id."""
    read: dict[int, Variable] = {}
    here.now.reads.append(read)
    listen(+1)
    try:
        yield read
    finally:
        listen(-1)
        here.now.reads.pop()


def made(thing: Operand, how: str) -> None:
    """Tell an observer, where there is one, that the learner made a constant or a Variable."""
    if live and here.now.observer is not None:
        here.now.observer.made(thing, how)


def recording() -> bool:
    """Is any tape of this thread recording right now?"""
    return live > 0 and any(tape.paused is None for tape in here.now.tapes)


def traced() -> bool:
    """Would an op be heard right now, by a tape or in forward mode? Then the way back runs on Tensors."""
    return live > 0 and (recording() or bool(here.now.accumulators))


# --- one function an arity ---------------------------------------------------------------------------------------


def unary(op: Primitive) -> Callable[..., Tensor]:
    """The function of an elementwise op with one input."""
    forward, title, retypes = op.forward, op.name, op.retypes
    plan = op.plans[1] if op.differentiable else None

    def call(x: Any, name: str | None = None) -> Tensor:
        global home
        if type(x) is not Tensor:
            x = operand(x)
        spec = x.spec
        if not spec.real and spec.dtype.kind not in op.takes:
            raise refused(op, x)
        try:
            z = forward(x.array)
        except LOUD:
            z = silently(forward, x.array)
        except Exception as error:
            raise failed(op, error, x) from None
        if retypes and z.dtype is not spec.dtype:
            spec = spec_for(z.shape, z.dtype)
        frame: Any = _getframe(1)
        code = frame.f_code
        if code is not home:
            while code is not home and code.co_filename in INTERNAL:
                frame = frame.f_back
                code = frame.f_code
            home = code
        out = Tensor()
        out.array = z
        out.spec = spec
        out.id = next(serial)
        out.op = title
        out.code = code
        out.at = frame.f_lasti
        if live:
            id, tape = out.id, here.now.tape
            while tape is not None:
                known = tape.known
                if x.id in known and plan is not None and tape.paused is None:
                    tape.rows.append((op, plan, (x.id,), id, spec, None, code, out.at))
                    tape.saved.append(plan.keep(x.array, None, z))
                    known.add(id)
                else:
                    tape.skip(op, (x,), out)
                tape = tape.outer
            if others:
                tell(op, (x,), (out,), {})
        return out

    return call


def binary(op: Primitive) -> Callable[..., Tensor]:
    """The function of an elementwise op with two inputs, which broadcast."""
    forward, title, retypes = op.forward, op.name, op.retypes
    of_x, of_y, of_both = (op.plans[1], op.plans[2], op.plans[3]) if op.differentiable else (None, None, None)

    def call(x: Any, y: Any, name: str | None = None) -> Tensor:
        global home
        if type(x) is not Tensor:
            x = operand(x, y)
        if type(y) is not Tensor:
            y = operand(y, x)
        spec = x.spec
        other = y.spec
        if spec is other:
            shapes = None
        elif spec.dtype is other.dtype:
            shapes = spec.shape, other.shape
            if not spec.shape:  # a number beside an array
                spec = other
        else:
            raise mismatched(op, x, y)
        if not spec.real and spec.dtype.kind not in op.takes:
            raise refused(op, x)
        try:
            z = forward(x.array, y.array)
        except LOUD:
            z = silently(forward, x.array, y.array)
        except Exception as error:
            raise failed(op, error, x, y) from None
        if (shapes is not None and z.shape != spec.shape) or (retypes and z.dtype is not spec.dtype):
            spec = spec_for(z.shape, z.dtype)
        frame: Any = _getframe(1)
        code = frame.f_code
        if code is not home:
            while code is not home and code.co_filename in INTERNAL:
                frame = frame.f_back
                code = frame.f_code
            home = code
        out = Tensor()
        out.array = z
        out.spec = spec
        out.id = next(serial)
        out.op = title
        out.code = code
        out.at = frame.f_lasti
        if live:
            id, tape = out.id, here.now.tape
            while tape is not None:
                known = tape.known
                plan = (of_both if y.id in known else of_x) if x.id in known else of_y if y.id in known else None
                if plan is not None and tape.paused is None:
                    tape.rows.append((op, plan, (x.id, y.id), id, spec, shapes, code, out.at))
                    tape.saved.append(plan.keep(x.array, y.array, z))
                    known.add(id)
                else:
                    tape.skip(op, (x, y), out)
                tape = tape.outer
            if others:
                tell(op, (x, y), (out,), {})
        return out

    return call


def single(op: Primitive) -> Callable[..., Tensor]:
    """The function of any other op with one input and one output: the input by position, all else by keyword."""
    forward, title = op.forward, op.name
    plan = op.plans[1] if op.differentiable else None

    def call(x: Any, **params: Any) -> Tensor:
        global home
        if type(x) is not Tensor:
            x = operand(x)
        if not x.spec.real and x.spec.dtype.kind not in op.takes:
            raise refused(op, x)
        try:
            z = forward(x.array, **params)
        except LOUD:
            z = silently(forward, x.array, **params)
        except Exception as error:
            raise failed(op, error, x) from None
        if op.residual:
            z, params["residual"] = z
        out = wrap(z)
        frame: Any = _getframe(1)
        code = frame.f_code
        if code is not home:
            while code is not home and code.co_filename in INTERNAL:
                frame = frame.f_back
                code = frame.f_code
            home = code
        out.op = title
        out.code = code
        out.at = frame.f_lasti
        if live:
            id, spec, tape = out.id, out.spec, here.now.tape
            while tape is not None:
                known = tape.known
                if x.id in known and plan is not None and spec.floating and tape.paused is None:
                    tape.rows.append((op, plan, (x.id,), id, spec, None, code, out.at))
                    values = {**params, "x": x.array, "z": out.array, "x_shape": x.spec.shape, "x_dtype": x.spec.dtype}
                    tape.saved.append(tuple(map(values.__getitem__, plan.names)))
                    known.add(id)
                    if not spec.real:  # then it is complex
                        tape.complex = True
                else:
                    tape.skip(op, (x,), out)
                tape = tape.outer
            if others:
                tell(op, (x,), (out,), params)
        return out

    return call


def general(op: Primitive) -> Callable[..., Any]:
    """The function of any other op: tensors by position, what is not a tensor by keyword."""
    forward, many = op.forward, op.many

    def call(*inputs: Any, **params: Any) -> Any:
        for x in inputs:
            if type(x) is not Tensor:
                inputs = operands(inputs)
                break
        if op.one_dtype:
            for x in inputs:
                if x.spec.dtype is not inputs[0].spec.dtype:
                    raise mismatched(op, inputs[0], x)
        if inputs and inputs[0].spec.dtype.kind not in op.takes:
            raise refused(op, inputs[0])
        arrays = tuple(map(array_of, inputs))
        try:
            z = forward(*arrays, **params)
        except LOUD:
            z = silently(forward, *arrays, **params)
        except Exception as error:
            raise failed(op, error, *inputs) from None
        outputs = tuple(map(wrap, z)) if many else (wrap(z),)
        emit(op, inputs, outputs, params)
        return outputs if many else outputs[0]

    return call


def emit(op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...], params: dict[str, Any]) -> None:
    """Stamp outputs with where they were made, and tell everybody who listens."""
    frame: Any = _getframe(2)
    while frame.f_code.co_filename in INTERNAL:
        frame = frame.f_back
    code, at = frame.f_code, frame.f_lasti
    for out in outputs:
        out.op, out.code, out.at = op.name, code, at
    if not live:
        return
    ids = tuple(map(id_of, inputs))
    shapes = tuple([x.spec.shape for x in inputs]) if op.broadcasts else None
    first = outputs[0]
    out_id: Any = first.id
    spec: Any = first.spec
    floats: Any = (out_id,) if spec.floating else ()
    if op.many:
        out_id, spec = tuple(map(id_of, outputs)), tuple(map(spec_of, outputs))
        floats = [out.id for out in outputs if out.spec.floating]
    tape = here.now.tape
    while tape is not None:
        known, mask = tape.known, 0
        for slot, id in enumerate(ids):
            if id in known:
                mask |= 1 << slot
        if mask and floats and op.differentiable and tape.paused is None:
            plan = op.plans[mask]
            tape.rows.append((op, plan, ids, out_id, spec, shapes, code, at))
            values = named(op, tuple(map(array_of, inputs)), first.array, inputs[0].spec, params)
            tape.saved.append(tuple(map(values.__getitem__, plan.names)))
            known.update(floats)
            for out in outputs:
                tape.complex = tape.complex or out.spec.dtype.kind == "c"
        else:
            tape.skip(op, inputs, *outputs)
        tape = tape.outer
    if others:
        tell(op, inputs, outputs, params)


def named(op: Primitive, inputs: tuple[Any, ...], z: Any, spec: Spec, params: dict[str, Any]) -> dict[str, Any]:
    """All that a rule may ask for, by name; inputs and output as arrays, or as tensors."""
    found = params | dict(zip(op.inputs, inputs, strict=False))
    found["z"], found["x_shape"], found["x_dtype"] = z, spec.shape, spec.dtype
    return found


def tell(op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...], params: dict[str, Any]) -> None:
    """Tell those of this thread who listen and are no tapes: forward mode and the observer."""
    if here.now.accumulators:
        from .forward import push

        push(op, inputs, outputs, params)
    if here.now.observer is not None:
        here.now.observer.ran(op, inputs, outputs)

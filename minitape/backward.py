"""The way back: one reversed loop over the tape. Call each entry's rules, undo broadcasting, add up, free.

Append order is topological order, so there is no graph to sort and nothing to recurse into. The loop runs on plain
arrays; where another tape is recording it runs on Tensors, through the very same rules, so that the way back is
recorded like any other program and can be differentiated again.
"""

from __future__ import annotations

from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .errors import InvalidArgumentError, OpError, say
from .listeners import here
from .primitive import Plan, f, front, shape_of
from .record import TapeEntry, traced
from .silence import LOUD, silently
from .slices import Rows, dense
from .spec import Spec
from .tensor import Operand, Tensor, wrap

if TYPE_CHECKING:
    from .tape import GradientTape


class Unfinished(NamedTuple):
    """A way back that a rule broke off: nothing of it is lost, and the same question takes it up there again."""

    seeds: dict[int, Tensor]
    sources: set[int]
    number: int  # the entries before this one are still to do
    grads: dict[int, Any]
    on_tensors: bool

    def asks(self, seeds: dict[int, Tensor], sources: set[int], on_tensors: bool) -> bool:
        """Is this the same question? For another one, what was let go on the way would be missing."""
        if (self.seeds.keys(), self.sources, self.on_tensors) != (seeds.keys(), sources, on_tensors):
            return False
        return all(np.array_equal(seed.array, self.seeds[id].array) for id, seed in seeds.items())


def backward(tape: GradientTape, seeds: dict[int, Tensor], sources: set[int]) -> dict[int, Any]:
    """The gradients by id that arrive at the sources, and at what else is watched, from those of the targets (`seeds`).

    On a tape that is not persistent each entry's saved arrays are let go as soon as they were used.
    """
    try:
        try:
            return walk(tape, seeds, sources)
        except LOUD:
            pass
        found: dict[int, Any] = silently(walk, tape, seeds, sources)  # from where it was broken off
        return found
    finally:
        if tape.persistent:
            tape.unfinished = None  # nothing of it was let go


def walk(tape: GradientTape, seeds: dict[int, Tensor], sources: set[int]) -> dict[int, Any]:
    """From the tape's last entry to its first, or from where the walk before was broken off."""
    on_tensors = traced()
    number = len(tape.rows)
    grads: dict[int, Any] = {}  # (no comprehensions: they make the loop's variables slower)
    for id, seed in seeds.items():
        grads[id] = seed if on_tensors else seed.array
    before = tape.unfinished
    if before is not None:
        if not before.asks(seeds, sources, on_tensors):
            raise RuntimeError(
                say(
                    "a rule broke off the way back, and this asks for something else: part of the record is gone",
                    "ask the same again, or tf.GradientTape(persistent=True)",
                    "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)",
                )
            )
        number, grads = before.number, before.grads
    tape.unfinished = None
    sums: set[int] = set()  # whose gradient is a sum made here, so that more can be added in place: nobody else has it
    custom = before is not None  # did a learner's rule run? Only then can a gradient have a wrong shape
    wanted = None if tape.watched <= sources else needed(tape, sources)  # where all is asked for, all is needed
    seen = here.now.observer
    rows, saved, persistent, of_complex = tape.rows, tape.saved, tape.persistent, tape.complex
    while number:
        number -= 1
        row = rows[number]
        op, plan, inputs, out, spec, shapes, _, _ = row
        kept = saved[number] if persistent else saved.pop()
        try:
            g = several(out, spec, grads, on_tensors) if op.many else grads.get(out)
            if g is None or (wanted is not None and wanted.isdisjoint(inputs)):
                if seen is not None:
                    seen.passed(tape, number, kept)
                continue
            if type(g) is Rows:
                g = g.dense()
            values = as_tensors(TapeEntry._make(row), kept) if on_tensors else kept
            if of_complex and op.conjugated:
                values = tuple(conjugate(value) for value in values)
            if plan.joint is not None:
                gifts, custom = joint(plan, g, values), True
            else:
                gifts = []
                for slot, rule, picks in plan.rules:  # `apply`, written out: this is the hot path of the way back
                    if picks is None:
                        gift = rule(g)
                    elif type(picks) is int:
                        gift = rule(g, values[picks])
                    else:
                        gift = rule(g, *map(values.__getitem__, picks))
                    if shapes is not None and (type(gift) is not np.ndarray or gift.shape != shapes[slot]):
                        gift = f.fit(gift, shapes[slot], len(spec.shape))
                    gifts.append((slot, gift))
        except BaseException as error:
            if not persistent:
                saved.append(kept)
            tape.unfinished = Unfinished(seeds, sources, number + 1, grads, on_tensors)
            if plan.joint is None and isinstance(error, ValueError | OpError):
                raise misfit(TapeEntry._make(row), g, error) from None
            raise
        if op.many:
            for id in out:
                if id not in sources:
                    grads.pop(id, None)
        elif out not in sources:
            del grads[out]
        for slot, gift in gifts:
            if gift is None:
                continue
            id = inputs[slot]
            if id not in grads:
                grads[id] = gift
                continue
            if custom:
                check_sum(grads[id], gift)
            in_place = id in sums and type(gift) is not Rows
            try:
                if in_place:
                    grads[id] += gift
                else:
                    grads[id] = grads[id] + gift
            except LOUD:
                if not in_place:  # there the sum was made before NumPy told of it
                    grads[id] = silently(add, grads[id], gift)
            if seen is None:  # an observer still looks at the sum before
                sums.add(id)
        if seen is not None:
            seen.walked(tape, number, g, gifts, kept, grads)
        gift = None
        del g, gifts, kept, values  # dead arrays go before the next rule needs memory: 8 % of a large chain
    return grads


def needed(tape: GradientTape, sources: set[int]) -> set[int]:
    """Every value on a road from the sources."""
    wanted = set(sources)
    for op, _, inputs, out, *_ in tape.rows:
        if not wanted.isdisjoint(inputs):
            wanted.update(out if op.many else (out,))
    return wanted


def check_sum(before: Any, gift: Any) -> None:
    """Do two gradients of one value add up? Only a custom rule can have handed in one of another shape or dtype."""
    if type(before) is Rows or type(gift) is Rows or (before.shape == gift.shape and before.dtype == gift.dtype):
        return
    first, second = ("[" + ",".join(map(str, grad.shape)) + "]" for grad in (before, gift))
    raise InvalidArgumentError(
        say(
            f"two gradients of one value do not add up: {first} {before.dtype} and {second} {gift.dtype}",
            "return a gradient of each input's own shape and dtype from the custom rule",
            "Inputs to operation AddN of type AddN must have the same size and shape.  "
            f"Input 0: {first} != input 1: {second}",
        )
    )


def several(
    outs: tuple[int, ...], specs: tuple[Spec, ...], grads: dict[int, Any], on_tensors: bool
) -> list[Any] | None:
    """The gradients that came for the outputs of one entry, zeros for those nobody used; None where none came."""
    parts = [dense(grads.get(id)) for id in outs]
    came = [(part, spec) for part, spec in zip(parts, specs, strict=True) if part is not None]
    if not came:
        return None
    part, spec = came[0]
    lead = front(part, len(spec.shape))
    return [zero(lead, spec, on_tensors) if part is None else part for part, spec in zip(parts, specs, strict=True)]


def zero(lead: tuple[int, ...], spec: Spec, on_tensors: bool) -> Any:
    """The gradient of an output that nobody used: zeros of its shape and dtype, as in TensorFlow."""
    zeros = np.zeros(lead + spec.shape, spec.dtype)
    return wrap(zeros) if on_tensors else zeros


def joint(plan: Plan, g: Any, kept: tuple[Any, ...]) -> list[tuple[int, Any]]:
    """What each tracked input gets from a rule for all of them at once: (its place, its gradient)."""
    assert plan.joint is not None
    grads = plan.joint(g, *kept)
    return [(slot, grads[slot]) for slot in plan.slots]


def conjugate(value: Any) -> Any:
    """TensorFlow's gradient of a complex function: the conjugate of its derivative."""
    array = value.array if isinstance(value, Operand) else value
    if not isinstance(array, np.ndarray | np.generic) or array.dtype.kind != "c":
        return value
    return f.conj(value)


def misfit(entry: TapeEntry, g: Any, error: Exception) -> Exception:
    """The error of a rule. Where the gradient does not fit its op, a custom rule further on has handed it in."""
    have, dtype = shape_of(g), (g.array if isinstance(g, Operand) else g).dtype
    shape, of = entry.spec.shape, entry.spec.dtype
    if have[len(have) - len(shape) :] == shape and dtype == of:
        return error
    text = str(error).rpartition("TensorFlow: ")[2]
    return InvalidArgumentError(
        say(
            f"a gradient of shape {have}, {dtype} came back to {entry.op.name}, whose result has shape {shape}, {of}",
            "return a gradient of each input's own shape and dtype from the custom rule",
            text if isinstance(error, OpError) else f"Incompatible shapes: {list(have)} vs. {list(shape)}",
        )
    )


def as_tensors(entry: TapeEntry, kept: tuple[Any, ...]) -> tuple[Any, ...]:
    """What was kept, as the tensors it came from, under their own ids: an outer tape knows them by those."""
    ids = dict(zip(entry.op.inputs, entry.inputs, strict=False)) | {"z": entry.out}
    return tuple(
        wrap(value, entry.origin, ids[name]) if name in ids and isinstance(value, np.ndarray | np.generic) else value
        for name, value in zip(entry.plan.names, kept, strict=True)
    )

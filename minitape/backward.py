"""The way back: one reversed loop over the tape. Call each entry's rules, undo broadcasting, add up, free.

Append order is topological order, so there is no graph to sort and nothing to recurse into. The loop runs on plain
arrays; where another tape is recording it runs on Tensors, through the very same rules, so that the way back is
recorded like any other program and can be differentiated again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InvalidArgumentError, OpError, say
from .primitive import f
from .record import TapeEntry, here, recording
from .tensor import Operand, Tensor

if TYPE_CHECKING:
    from .tape import GradientTape


def backward(tape: GradientTape, seeds: dict[int, Tensor], sources: set[int]) -> dict[int, Any]:
    """The gradients that reach the sources, by id, from the gradients of the targets (`seeds`).

    On a tape that is not persistent each entry's saved arrays are let go as soon as they were used.
    """
    wanted = needed(tape, sources)
    on_tensors = recording()
    grads: dict[int, Any] = {id: seed if on_tensors else seed.array for id, seed in seeds.items()}
    seen = here.observer
    saved = tape.saved
    with np.errstate(all="ignore"):
        for number in range(len(tape.entries) - 1, -1, -1):
            entry = tape.entries[number]
            kept = saved[number] if tape.persistent else saved.pop()
            g = upstream(entry, grads, sources, on_tensors)
            if g is None or (wanted is not None and _nothing(entry, wanted)):
                if seen is not None:
                    seen.passed(tape, number, kept)
                continue
            gifts = give(entry, g, as_tensors(entry, kept) if on_tensors else kept)
            for slot, gift in gifts:
                if gift is not None:
                    id = entry.inputs[slot]
                    before = grads.get(id)
                    grads[id] = gift if before is None else before + gift
            if seen is not None:
                seen.walked(tape, number, g, gifts, kept)
    return {id: grads[id] for id in sources if id in grads}


def needed(tape: GradientTape, sources: set[int]) -> set[int] | None:
    """Every value on a road from the sources; None where all that was watched is asked for, so all of it is needed."""
    if tape.watched <= sources:
        return None
    wanted = set(sources)
    for entry in tape.entries:
        if not wanted.isdisjoint(entry.inputs):
            wanted.update(entry.out if entry.op.many else (entry.out,))
    return wanted


def _nothing(entry: TapeEntry, wanted: set[int]) -> bool:
    return wanted.isdisjoint(entry.inputs)


def upstream(entry: TapeEntry, grads: dict[int, Any], sources: set[int], on_tensors: bool) -> Any:
    """The gradient that came for an entry's output; a list of them for several outputs; None where none came."""
    take = grads.get if not sources.isdisjoint(entry.out if entry.op.many else (entry.out,)) else grads.pop
    if not entry.op.many:
        return take(entry.out, None)
    parts = [take(id, None) for id in entry.out]
    if all(part is None for part in parts):
        return None
    return [part if part is not None else zero(out, on_tensors) for part, out in zip(parts, entry.shape, strict=True)]


def give(entry: TapeEntry, g: Any, kept: tuple[Any, ...]) -> list[tuple[int, Any]]:
    """What each tracked input of an entry gets: (its place, its gradient), in the input's own shape."""
    plan, shapes = entry.plan, entry.shapes
    if plan.joint is not None:
        grads = plan.joint(g, kept)
        return [(slot, grads[slot]) for slot in plan.slots]
    try:
        if shapes is None:
            return [(slot, rule(g, kept)) for slot, rule in plan.rules]
        return [(slot, f.fit(rule(g, kept), shapes[slot], len(entry.shape))) for slot, rule in plan.rules]
    except (ValueError, OpError) as error:
        raise misfit(entry, g, error) from None


def misfit(entry: TapeEntry, g: Any, error: Exception) -> InvalidArgumentError:
    """A gradient that does not fit its op: only an `output_gradients` of the wrong shape or dtype brings that about."""
    have = g._shape if isinstance(g, Operand) else g.shape
    text = str(error).rpartition("TensorFlow: ")[2]
    return InvalidArgumentError(
        say(
            f"a gradient of shape {have} came back to {entry.origin.op}, whose result has shape {entry.shape}",
            f"output_gradients=tf.ones({list(entry.shape)})",
            text if isinstance(error, OpError) else f"Incompatible shapes: {list(have)} vs. {list(entry.shape)}",
        )
    )


def zero(like: tuple[tuple[int, ...], np.dtype], on_tensors: bool) -> Any:
    """The gradient of an output that nobody used: zeros of its shape and dtype, as in TensorFlow."""
    zeros = np.zeros(*like)
    return Tensor(zeros) if on_tensors else zeros


def as_tensors(entry: TapeEntry, kept: tuple[Any, ...]) -> tuple[Any, ...]:
    """What was kept, as the tensors it came from, under their own ids: an outer tape knows them by those."""
    ids = dict(zip(entry.op.inputs, entry.inputs, strict=False)) | {"z": entry.out}
    return tuple(
        Tensor(value, entry.origin, ids[name]) if name in ids and isinstance(value, np.ndarray | np.generic) else value
        for name, value in zip(entry.plan.names, kept, strict=True)
    )

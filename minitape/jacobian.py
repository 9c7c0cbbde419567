"""Whole jacobians in one way back: the gradient carries a row for each number of the target, in one axis in front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import say
from .nest import pack_as
from .primitive import f
from .slices import dense
from .tensor import Operand, Tensor, wrap

if TYPE_CHECKING:
    from .tape import GradientTape


def jacobian(tape: GradientTape, target: Any, sources: Any, unconnected_gradients: Any, at_once: bool) -> Any:
    """`GradientTape.jacobian`."""
    mode = tape._check_call(target, unconnected_gradients)
    _one_tensor(target, "target")
    leaves = tape._tensors(sources, "source")
    if not at_once:
        _must_persist(tape, "jacobian")
    call = tape.reading("jacobian", [target], leaves)
    size = target.array.size
    seeds = np.eye(size, dtype=target.array.dtype).reshape((size, *target._shape))
    grads = _rows(tape, target, leaves, seeds, at_once) if target.array.dtype.kind in "fc" else {}

    def answer(leaf: Operand) -> Tensor | None:
        grad = grads.get(leaf.id)
        shape = target._shape + leaf._shape
        if grad is None or leaf.array.dtype.kind not in "fc":
            return wrap(np.zeros(shape, leaf.array.dtype)) if mode.value == "zero" else None
        return _tensor(f.reshape(grad, shape=shape))

    return pack_as(sources, tape.answered(call, [answer(leaf) for leaf in leaves]))


def batch_jacobian(tape: GradientTape, target: Any, source: Any, unconnected_gradients: Any, at_once: bool) -> Tensor:
    """`GradientTape.batch_jacobian`."""
    tape._check_call(target, unconnected_gradients, "")
    _one_tensor(target, "target")
    _one_tensor(source, "source")
    for thing in (target, source):
        if thing.ndim < 2:
            raise ValueError(
                say(
                    f"batch_jacobian needs a batch axis and at least one more, and got shape {thing._shape}",
                    "tf.reshape(x, [-1, 1])",
                    f"Shape {thing._shape} must have rank at least 2",
                )
            )
    if target._shape[0] != source._shape[0]:
        raise ValueError(
            say(
                f"the target has {target._shape[0]} examples, and the source {source._shape[0]}",
                "tape.jacobian(target, source)",
                f"Need first dimension of target shape ({target._shape}) and source shape ({source._shape}) to match.",
            )
        )
    if not at_once:
        _must_persist(tape, "batch_jacobian")
    call = tape.reading("batch_jacobian", [target], [source])
    batch, *inner = target._shape
    size = int(np.prod(inner))
    # Row j asks for number j of every example at once: examples do not mix.
    seeds = np.broadcast_to(np.eye(size, dtype=target.array.dtype)[:, None], (size, batch, size))
    grads = _rows(tape, target, [source], seeds.reshape((size, *target._shape)), at_once)
    shape = (batch, *inner, *source._shape[1:])
    if source.id not in grads:
        answer = wrap(np.zeros(shape, source.array.dtype))
    else:
        rank = source.ndim + 1
        swapped = f.transpose(grads[source.id], perm=(1 - rank, -rank, *range(2 - rank, 0)))
        answer = _tensor(f.reshape(swapped, shape=shape))
    return tape.answered(call, [answer])[0]  # type: ignore[no-any-return]


def _rows(
    tape: GradientTape, target: Operand, sources: list[Operand], seeds: np.ndarray, at_once: bool
) -> dict[int, Any]:
    """For each source, its gradients for all rows of seeds: in one way back, or in one for each row."""
    if at_once:
        grads = tape.read({target.id: wrap(seeds)}, [target], sources)
        return {source.id: dense(grads[source.id]) for source in sources if source.id in grads}
    rows = [tape.read({target.id: wrap(seed)}, [target], sources) for seed in seeds]
    return {
        source.id: stack([dense(row[source.id]) for row in rows]) for source in sources if rows and source.id in rows[0]
    }


def stack(rows: list[Any]) -> Any:
    """Gradients of one shape, one above the other; on Tensors each is put in its place, so that tapes can follow."""
    if not isinstance(rows[0], Operand):
        return np.stack(rows)
    shape = (len(rows), *rows[0]._shape)
    total = f.put(rows[0], key=(0,), shape=shape)
    for number, row in enumerate(rows[1:], 1):
        total = total + f.put(row, key=(number,), shape=shape)
    return total


def _tensor(grad: Any) -> Tensor:
    return grad if isinstance(grad, Tensor) else wrap(grad)


def _one_tensor(thing: Any, role: str) -> None:
    if not isinstance(thing, Operand):
        kind = type(thing).__name__
        raise AttributeError(
            say(
                f"the {role} of a jacobian is one tensor, and this is a {kind}",
                f"one call for each: tape.jacobian({role}s[0], ...)",
                f"{kind!r} object has no attribute 'shape'",
            )
        )


def _must_persist(tape: GradientTape, name: str) -> None:
    if not tape.persistent:
        joint = "and  experimental_use_pfor" if name == "jacobian" else "and  with experimental_use_pfor"
        raise RuntimeError(
            say(
                f"a {name} without pfor reads the tape once a row, and this tape can be read only once",
                "tf.GradientTape(persistent=True)",
                f"GradientTape must be created with persistent=True to compute the {name} with eager execution enabled "
                f"{joint} set to False.",
            )
        )

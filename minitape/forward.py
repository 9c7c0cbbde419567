"""Forward mode: tangents travel with the values, by the same rules that gradients travel back by."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import say
from .listeners import here
from .nest import flatten, pack_as
from .ops.composed import convert_to_tensor
from .primitive import CALLS, Primitive, apply
from .record import listen, named
from .tape import GradientTape, UnconnectedGradients, unconnected, warn_integer
from .tensor import Operand, Tensor, wrap


class ForwardAccumulator:
    """Computes how the results of a block change when its inputs move along given tangents (`tf.autodiff`).

    primals: tensors or variables, in any structure; tangents: the same structure, each of its primal's shape.

    >>> import minitape as tf
    >>> x = tf.constant(3.0)
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
    ...     y = x * x
    >>> print(acc.jvp(y))
    tf.Tensor(6.0, shape=(), dtype=float32)
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self.tangents: dict[int, Tensor] = {}
        self.active = False
        for primal, tangent in zip(flatten(primals), flatten(tangents), strict=True):
            self._set(primal, tangent)

    def _set(self, primal: Any, tangent: Any) -> None:
        if not isinstance(primal, Operand):
            raise ValueError(
                say(f"a primal must be a tensor or a variable, and {primal!r} is not", "x = tf.constant(...)")
            )
        if primal.array.dtype.kind not in "fc":
            warn_integer(primal, "primal")
            return
        if primal.id in self.tangents:
            raise ValueError(
                say(
                    "the same tensor is given as a primal twice",
                    "give it once, with the sum of its tangents",
                    "Tensor {} was specified as a primal multiple times. This may indicate an error. If it was "
                    "intended, please sum the corresponding tangents.",
                )
            )
        if isinstance(tangent, Operand) and tangent.array.dtype != primal.array.dtype:
            raise ValueError(
                say(
                    f"the tangent is {tangent.dtype.name}, and its primal {primal.dtype.name}",
                    f"tf.cast(tangent, tf.{primal.dtype.name})",
                    f"Tensor conversion requested dtype {primal.dtype.name} for Tensor with dtype "
                    f"{tangent.dtype.name}: {tangent!r}",
                )
            )
        value = convert_to_tensor(tangent, None if isinstance(tangent, Operand) else primal.dtype)
        if value._shape != primal._shape:
            sizes = next(
                (pair for pair in zip(value._shape, primal._shape, strict=False) if pair[0] != pair[1]), ("?", "?")
            )
            raise ValueError(
                say(
                    f"the tangent has shape {value._shape}, and its primal {primal._shape}",
                    f"tf.ones({list(primal._shape)})",
                    f"Dimensions must be equal, but are {sizes[0]} and {sizes[1]}",
                )
            )
        self.tangents[primal.id] = value

    def __enter__(self) -> ForwardAccumulator:
        if self.active:
            raise ValueError(
                say(
                    "this accumulator is at work already",
                    "with tf.autodiff.ForwardAccumulator(x, t) as another: ...",
                    "Accumulator is already recording.",
                )
            )
        self.active = True
        here.now.accumulators.append(self)
        listen(+1)
        return self

    def __exit__(self, *error: object) -> None:
        if self.active:
            self.active = False
            here.now.accumulators[:] = [acc for acc in here.now.accumulators if acc is not self]
            listen(-1)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """How each of these results changes along the tangents; None (or zeros) where it does not depend on them."""
        mode = unconnected(unconnected_gradients, "{!r} is not a valid UnconnectedGradients")
        return pack_as(primals, [self._jvp(primal, mode) for primal in flatten(primals)])

    def _jvp(self, primal: Operand, mode: UnconnectedGradients) -> Tensor | None:
        tangent = self.tangents.get(primal.id)
        if tangent is None and mode is UnconnectedGradients.ZERO:
            return wrap(np.zeros(primal._shape, primal.array.dtype))
        return tangent


def push(op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...], params: dict[str, Any]) -> None:
    """Give an op's outputs their tangents, for each accumulator of this thread that knows one of its inputs.

    Outer accumulators go first, and hear of the inner ones' arithmetic: that is how second derivatives come about.
    """
    if op.kind == "recompute_grad":
        return  # the ops inside were heard one by one; `carry` has handed their tangents on
    working = here.now.accumulators
    for place, acc in enumerate(working):
        tangents = [acc.tangents.get(x.id) for x in inputs]
        done = all(out.id in acc.tangents for out in outputs)  # `carry` has handed on what ops inside a rule gave
        if done or all(tangent is None for tangent in tangents):
            continue
        here.now.accumulators = working[:place]
        try:
            moved = jvp(op, inputs, outputs, params, tangents)
        finally:
            here.now.accumulators = working
        for out, tangent in zip(outputs, moved, strict=True):
            if tangent is not None:
                acc.tangents.setdefault(out.id, tangent)


def carry(values: list[Any], outputs: tuple[Tensor, ...]) -> None:
    """Fresh outputs that stand for values take over their tangents."""
    for acc in here.now.accumulators:
        for value, out in zip(values, outputs, strict=True):
            if isinstance(value, Operand) and value.id in acc.tangents:
                acc.tangents[out.id] = acc.tangents[value.id]


def jvp(
    op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...], params: dict[str, Any], tangents: list[Any]
) -> list[Tensor | None]:
    """The outputs' tangents from the inputs'."""
    if not op.differentiable or all(out.array.dtype.kind not in "fc" for out in outputs):
        return [None] * len(outputs)
    if op.kind == "linear":
        return [CALLS[op.name](tangents[0], **params)]
    if op.kind == "elementwise":
        return [elementwise(op, inputs, outputs[0], params, tangents)]
    return transposed(op, inputs, outputs, params, tangents)


def elementwise(
    op: Primitive, inputs: tuple[Operand, ...], out: Tensor, params: dict[str, Any], tangents: list[Any]
) -> Tensor | None:
    """Number by number, a derivative is one factor: the rule of the way back is the rule of the way forward."""
    plan = op.plans[_mask(tangents)]
    values = named(op, inputs, out, inputs[0].spec, params)
    kept = tuple(values[name] for name in plan.names)
    total: Tensor | None = None
    for slot, rule, picks in plan.rules:
        part: Tensor = apply(rule, picks, _stretched(tangents[slot], out._shape), kept)
        total = part if total is None else total + part
    return total


def _stretched(tangent: Tensor, shape: tuple[int, ...]) -> Tensor:
    return tangent if tangent._shape == shape else CALLS["broadcast_to"](tangent, shape=shape)


def transposed(
    op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...], params: dict[str, Any], tangents: list[Any]
) -> list[Tensor | None]:
    """For any other op: its rule is linear in the upstream gradient, so the transpose of the rule moves tangents."""
    plan = op.plans[_mask(tangents)]
    values = named(op, inputs, outputs[0], inputs[0].spec, params)
    kept = tuple(values[name] for name in plan.names)
    with GradientTape() as tape:
        upstream = [wrap(np.zeros(out._shape, out.array.dtype)) for out in outputs]
        tape.watch([u for u in upstream if u.array.dtype.kind in "fc"])
        g = upstream if op.many else upstream[0]
        joint = None if plan.joint is None else plan.joint(g, *kept)
        grads = dict(enumerate(joint)) if joint is not None else {s: apply(r, p, g, kept) for s, r, p in plan.rules}
    met = [
        (grads[slot], tangent)
        for slot, tangent in enumerate(tangents)
        if tangent is not None and grads.get(slot) is not None
    ]
    if not met:
        return [None] * len(outputs)
    moved: list[Tensor | None] = tape.gradient([g for g, _ in met], upstream, [tangent for _, tangent in met])
    return moved


def _mask(tangents: list[Any]) -> int:
    return sum(1 << slot for slot, tangent in enumerate(tangents) if tangent is not None)

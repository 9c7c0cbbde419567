"""Who says what the gradient is: `custom_gradient` and `recompute_grad`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import nest
from .errors import say
from .jacobian import stack
from .listeners import here
from .marks import leave, mark
from .ops.composed import convert_to_tensor
from .ops.elementwise import identity
from .primitive import Primitive, front
from .record import Note, emit, reads, traced
from .slices import dense
from .tape import GradientTape, log
from .tensor import Operand, Tensor, wrap
from .variable import Variable


def custom_gradient(f: Callable[..., Any] | None = None, grad: Callable[..., Any] | None = None) -> Any:
    """Give a function your own backward rule (`tf.custom_gradient`).

    As a decorator, f returns (value, rule): the rule takes the upstream gradient of each output and returns a gradient
    for each positional argument. With two arguments, f returns the value alone and `grad(dy, *args)` is the rule.
    Where f reads a trainable Variable that is no argument, the rule takes `variables=` and returns
    (gradients of the arguments, gradients of the variables). Recording is not stopped while f runs.

    >>> import minitape as tf
    >>> @tf.custom_gradient
    ... def clip_grad(x):
    ...     return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)
    >>> x = tf.constant([1.0, 2.0])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.reduce_sum(clip_grad(x) * 5.0)
    >>> print(y, tape.gradient(y, x))
    tf.Tensor(15.0, shape=(), dtype=float32) tf.Tensor([1. 1.], shape=(2,), dtype=float32)
    """
    if f is None:
        return functools.partial(custom_gradient, grad=grad)
    op = _primitive(f, "custom_gradient")

    def call(owner: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with _inside(op), reads() as read:
            result = f(*owner, *args, **kwargs)
        if grad is None:
            value, rule = _pair(f, result)
        else:
            value, rule = result, lambda *dys, **more: grad(*dys, *args, **more)
        op.rule = getattr(inspect.unwrap(grad or rule), "__code__", None)
        return _record(op, args, kwargs, value, rule, read)

    return Bind(op, call, grad)


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Run a function without keeping its inner values, and run it again on the way back (`tf.recompute_grad`).

    The tape keeps the inputs alone: less memory, for one more run. Side effects of f happen twice. Gradients reach the
    positional arguments and the trainable variables that f reads. `__wrapped__` is f itself.

    >>> import minitape as tf
    >>> @tf.recompute_grad
    ... def block(x):
    ...     return tf.sin(tf.sin(x))
    >>> x = tf.constant(0.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = block(x)
    >>> len(tape.entries)
    1
    >>> print(tape.gradient(y, x))
    tf.Tensor(1.0, shape=(), dtype=float32)
    """
    op = _primitive(f, "recompute_grad")

    def call(owner: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if here.now.plain:
            return f(*owner, *args, **kwargs)
        runs = 1

        def again(*dys: Tensor, variables: list[Variable] | None = None) -> Any:
            nonlocal runs
            runs += 1
            # Fresh tensors, so that one tensor given twice has two gradients that add up outside.
            inputs = nest.map_structure(lambda x: _fresh(x) if isinstance(x, Operand) else x, args)
            sources = [x for x in nest.flatten(inputs) if isinstance(x, Operand)]
            with _run(op, runs), GradientTape() as tape:
                tape.watch(sources)
                tape.watch(variables or [])
                value = f(*owner, *inputs, **kwargs)
            grads = _pull(tape, nest.flatten(value), [*sources, *(variables or [])], dys)
            slots = iter(grads[: len(sources)])
            inner = [next(slots) if isinstance(x, Operand) else None for x in nest.flatten(args)]
            return (inner, grads[len(sources) :]) if variables else inner

        with _run(op, runs), _mute(), reads() as read:
            value = f(*owner, *args, **kwargs)
        return _record(op, args, kwargs, value, again, read)

    return Bind(op, call)


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Run a function forward, and pass the gradient through it untouched on the way back (`tf.grad_pass_through`).

    >>> import minitape as tf
    >>> x = tf.constant(1.7)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.grad_pass_through(tf.round)(x) * 3.0
    >>> print(y, tape.gradient(y, x))
    tf.Tensor(6.0, shape=(), dtype=float32) tf.Tensor(3.0, shape=(), dtype=float32)
    """

    def with_rule(*args: Any, **kwargs: Any) -> Any:
        def rule(*dys: Tensor, variables: list[Variable] | None = None) -> Any:
            return (dys, [None] * len(variables)) if variables else dys

        return f(*args, **kwargs), rule

    functools.update_wrapper(with_rule, f, updated=())
    passed: Callable[..., Any] = custom_gradient(with_rule)
    return passed


class Bind:
    """A function with another way to call it, usable as a method too: `self` is then no input of the rule."""

    def __init__(self, op: Primitive, call: Callable[..., Any], grad: Callable[..., Any] | None = None) -> None:
        functools.update_wrapper(self, op.forward, updated=())
        self._call = call
        # What an explanation needs: the op, the rule where it was given apart, and the line that made this.
        self.op, self.grad, self.made = op, grad, mark(op.kind)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function: its value, and one entry on the tape."""
        return self._call((), args, kwargs)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return (
            self if owner is None else functools.wraps(self)(lambda *args, **kwargs: self._call((owner,), args, kwargs))
        )


def _pull(tape: GradientTape, values: list[Any], sources: list[Operand], dys: Sequence[Tensor]) -> list[Tensor]:
    """The sources' gradients from those of the values, which may carry a whole jacobian's rows in front."""
    targets = [value for value in values if isinstance(value, Operand)]
    seeds: dict[int, Tensor] = {}
    for value, dy in zip(values, dys, strict=True):
        if isinstance(value, Operand):
            seeds[value.id] = seeds[value.id] + dy if value.id in seeds else dy
    grads = tape.read(seeds, targets, sources)
    lead = front(dys[0], len(targets[0]._shape)) if targets else ()

    def answer(x: Operand) -> Tensor:
        grad = dense(grads[x.id]) if x.id in grads else np.zeros(lead + x._shape, x.array.dtype)
        return grad if isinstance(grad, Tensor) else wrap(grad)

    return [answer(x) for x in sources]


def _fresh(x: Operand) -> Tensor:
    """The same value under a new id; an outer tape that records sees where it came from."""
    return identity(x) if traced() else wrap(x._read(), x.origin)


# --- the one road by which both reach the tape -----------------------------------------------------------------------


def _primitive(f: Callable[..., Any], kind: str) -> Primitive:
    name = getattr(f, "__name__", type(f).__name__)
    return Primitive(name, f, {}, joint=lambda g, rule: rule(g), kind=kind, many=True, one_dtype=False)


def _record(
    op: Primitive,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    value: Any,
    rule: Callable[..., Any],
    read: dict[int, Variable],
) -> Any:
    """One entry for the whole call: its inputs are the arguments and the variables read, its rule the learner's."""
    slots = nest.flatten(args)
    inputs = [x for x in slots if isinstance(x, Operand)]
    given = [*slots, *nest.flatten(kwargs)]  # what comes by keyword gets no gradient, as in TensorFlow
    variables = [v for v in read.values() if all(v is not x for x in given)]
    if variables and not _takes_variables(rule):
        raise TypeError(
            say(
                f"{op.name} reads the variable {variables[0].name!r}, and its rule has no `variables` argument",
                "def grad(dy, variables=None): return input_gradients, variable_gradients",
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
                f"{variables}",
            )
        )
    for thing in (*inputs, *variables):
        thing._read()  # each live tape watches a variable now, if it did not while f ran
    outputs = tuple(wrap(convert_to_tensor(leaf).array) for leaf in nest.flatten(value))
    # The tape holds the rule below: it knows shapes, and keeps no array alive that the learner's rule does not.
    is_tensor = [isinstance(slot, Operand) for slot in slots]
    likes = [(x._shape, x.array.dtype) for x in (*inputs, *variables)]
    rank = len(outputs[0]._shape)

    def on_tensors(parts: list[Any]) -> list[Any]:
        dys = [part if isinstance(part, Operand) else wrap(part) for part in parts]
        if variables:
            grads, of_variables = rule(*dys, variables=variables)
            _same_number(op, "variables", list(of_variables), len(variables))
        else:
            grads, of_variables = rule(*dys), []
        grads = nest.flatten(grads)
        _same_number(op, "arguments", grads, len(is_tensor))
        wanted = [grad for grad, keep in zip(grads, is_tensor, strict=True) if keep] + list(of_variables)
        found = [None if grad is None else convert_to_tensor(grad) for grad in wanted]
        if op.kind == "custom_gradient":
            _like_inputs(op, found, likes)
        return found if isinstance(parts[0], Operand) else [None if grad is None else grad.array for grad in found]

    if here.now.accumulators:
        from .forward import carry

        carry(nest.flatten(value), outputs)
    by_row = functools.partial(_row_by_row, on_tensors, rank)
    emit(op, (*inputs, *variables), outputs, {"rule": on_tensors if op.kind == "recompute_grad" else by_row})
    _join(op, value, outputs)
    named = [x.id for x in nest.flatten(kwargs) if isinstance(x, Operand)]
    if named:
        leave("keyword", *named)
    return nest.pack_as(value, outputs)


def _join(op: Primitive, value: Any, outputs: tuple[Tensor, ...]) -> None:
    """Note for an explanation which values inside the function became its outputs."""
    inner = tuple(leaf.id for leaf in nest.flatten(value) if isinstance(leaf, Operand))
    for tape in here.now.tapes:
        tape.notes.append(Note(outputs[0].origin, inner, tuple(out.id for out in outputs), "own rule"))


def _row_by_row(rule: Callable[[list[Any]], list[Any]], rank: int, parts: list[Any]) -> list[Any]:
    """A learner's rule knows nothing of a whole jacobian's rows: it is called once for each."""
    lead = front(parts[0], rank)
    if not lead:
        return rule(parts)
    rows = [rule([part[number] for part in parts]) for number in range(lead[0])]
    columns = [list(column) for column in zip(*rows, strict=True)]
    return [None if any(grad is None for grad in column) else stack(column) for column in columns]


def _pair(f: Callable[..., Any], result: Any) -> tuple[Any, Callable[..., Any]]:
    name = getattr(f, "__name__", "f")
    try:
        value, rule = result
    except (TypeError, ValueError) as error:
        raise type(error)(
            say(
                f"{name} must return its value and its rule, and it returned something else",
                "return value, grad",
                str(error).rpartition("TensorFlow: ")[2],
            )
        ) from None
    if not callable(rule):
        what = f"the second thing {name} returns must be a function, its rule"
        raise TypeError(say(what, "return value, grad", "unsupported callable"))
    return value, rule


def _same_number(op: Primitive, what: str, grads: list[Any], wanted: int) -> None:
    if len(grads) == wanted:
        return
    raise ValueError(
        say(
            f"the rule of {op.name} returned {len(grads)} gradients, and there are {wanted} {what}",
            f"return {', '.join(['g'] * wanted) or '()'}  # one for each of the {what}; None where there is none",
            "Must return gradient for each variable from @custom_gradient grad_fn."
            if what == "variables"
            else f"custom_gradient function expected to return {wanted} gradients, but returned {len(grads)} instead.",
        )
    )


def _like_inputs(op: Primitive, grads: list[Tensor | None], likes: list[tuple[Any, Any]]) -> None:
    """A gradient of another shape or dtype than its input passes, as in TensorFlow; the rule is logged, once."""
    for number, (grad, (shape, dtype)) in enumerate(zip(grads, likes, strict=True), 1):
        if grad is None or op.warned or dtype.kind not in "fc" or (grad._shape, grad.array.dtype) == (shape, dtype):
            continue
        op.warned = True
        log(
            f"the rule of {op.name} returned a gradient of shape {grad._shape}, {grad.dtype.name} for input {number}, "
            f"which has shape {shape}, {dtype.name}\n"
            "fix: return a gradient of the input's own shape and dtype: tf.reshape(g, x.shape), tf.cast(g, x.dtype)"
        )


def _takes_variables(rule: Callable[..., Any]) -> bool:
    parameters = inspect.signature(rule).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


@contextmanager
def _mute() -> Iterator[None]:
    """Every tape of this thread paused, and every tape that is opened meanwhile."""
    stopped = [tape for tape in here.now.tapes if tape.paused is None]
    here.now.muted += 1
    for tape in stopped:
        tape.paused = "recompute_grad"
    try:
        yield
    finally:
        here.now.muted -= 1
        for tape in stopped:
            tape.paused = None


@contextmanager
def _inside(op: Primitive) -> Iterator[None]:
    """Tell an observer that the ops from here on run inside a function with its own rule."""
    seen = here.now.observer
    if seen is not None:
        seen.began_inside(f"{op.kind} {op.name}")
    try:
        yield
    finally:
        if seen is not None:
            seen.ended_inside()


@contextmanager
def _run(op: Primitive, number: int) -> Iterator[None]:
    """Tell an observer that a recomputed block runs, for the first time or again."""
    seen = here.now.observer
    if seen is not None:
        seen.run(op.name, number)
    try:
        yield
    finally:
        if seen is not None:
            seen.rested(op.name, number)

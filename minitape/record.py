"""The hot path: run an op, and append an entry to each live tape that must know of it.

This is the file that every op of every program goes through, so it is written for speed: one function per arity,
no argument lists, no dictionaries. `unary`, `binary` and `general` build such functions from a primitive.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from sys import _getframe
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .dtypes import OF_NUMPY
from .errors import InvalidArgumentError, OpError, say
from .marks import next_id
from .nest import flatten
from .place import INTERNAL, Origin
from .slices import IndexedSlices, Rows
from .tensor import Operand, Tensor, one_of, to_array, wrap

if TYPE_CHECKING:
    from .forward import ForwardAccumulator
    from .observer import Observer
    from .primitive import Plan, Primitive
    from .tape import GradientTape
    from .variable import Variable


class TapeEntry(NamedTuple):
    """One recorded op, as data. It holds no array: those lie beside it, in the tape's `saved`, until they are used.

    The tape keeps entries as plain tuples, in this order: a tuple is made in a fifth of a named one's time.
    """

    op: Primitive
    plan: Plan  # which inputs are tracked, their rules, and what the rules asked to keep
    inputs: tuple[int, ...]  # the inputs' ids
    out: Any  # the output's id; a tuple of ids for an op with several outputs
    shape: Any  # the output's shape; a tuple of (shape, dtype) for several
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


class Listeners:
    """Who listens on one thread (TensorFlow's rule: another thread's ops are not heard)."""

    __slots__ = ("accumulators", "muted", "observer", "plain", "reads", "tapes")

    def __init__(self) -> None:
        self.tapes: list[GradientTape] = []  # entered and not left, outermost first; some may be paused
        self.muted = 0  # how many recompute_grad blocks are running forward: a tape opened in one is paused
        self.observer: Observer | None = None
        self.accumulators: list[ForwardAccumulator] = []  # forward mode, outermost first
        self.reads: list[dict[int, Variable]] = []  # who wants to know which trainable variables are read
        self.plain = False  # run recompute_grad's functions as they are, to compare


class Here(threading.local):
    """This thread's listeners, in one place: `here.now`."""

    def __init__(self) -> None:
        self.now = Listeners()


here = Here()
#: How many listeners are at work, in all threads, and how many of them are no tapes. While the first is 0 an op has
#: nobody to tell.
live = others = 0


def listen(change: int, tape: bool = False) -> None:
    """One listener more (+1) or less (-1)."""
    global live, others
    live += change
    others += 0 if tape else change


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
    return recording() or bool(here.now.accumulators)


# --- one function an arity ---------------------------------------------------------------------------------------


def unary(op: Primitive) -> Callable[..., Tensor]:
    """The function of an elementwise op with one input."""
    forward, title, floats, differentiable, plan = op.forward, op.name, op.floats, op.differentiable, op.plans[1]
    home: CodeType | None = None  # the learner's code that called last: most calls come from there again

    def call(x: Any, name: str | None = None) -> Tensor:
        nonlocal home
        if type(x) is not Tensor:
            x = operand(x)
        a = x.array
        try:
            z = forward(a)
        except RuntimeWarning:
            z = quietly(op, x)
        except Exception as error:
            raise failed(op, error, x) from None
        if floats and z.dtype is not a.dtype:  # NumPy would turn integers into floats
            raise refused(op, x)
        frame: Any = _getframe(1)
        code = frame.f_code
        if code is not home:
            while code.co_filename in INTERNAL:
                frame = frame.f_back
                code = frame.f_code
            home = code
        out = Tensor()
        out.array = z
        out.id = id = next_id()
        out._shape = x._shape
        out.op = title
        out.code = code
        out.at = at = frame.f_lasti
        if live:
            for tape in here.now.tapes:
                known = tape.known
                if x.id in known and differentiable and tape.paused is None:
                    tape.rows.append((op, plan, (x.id,), id, x._shape, None, code, at))
                    tape.saved.append(plan.keep(a, None, z))
                    known.add(id)
                else:
                    tape.skip(op, (x,), out)
            if others:
                tell(op, (x,), (out,), {})
        return out

    return call


def binary(op: Primitive) -> Callable[..., Tensor]:
    """The function of an elementwise op with two inputs, which broadcast."""
    forward, title, floats, differentiable = op.forward, op.name, op.floats, op.differentiable
    of_x, of_y, of_both = op.plans[1], op.plans[2], op.plans[3]
    home: CodeType | None = None

    def call(x: Any, y: Any, name: str | None = None) -> Tensor:
        nonlocal home
        if type(x) is not Tensor:
            x = operand(x, y)
        if type(y) is not Tensor:
            y = operand(y, x)
        a = x.array
        b = y.array
        if a.dtype is not b.dtype and a.dtype != b.dtype:
            raise mismatched(op, x, y)
        try:
            z = forward(a, b)
        except RuntimeWarning:
            z = quietly(op, x, y)
        except Exception as error:
            raise failed(op, error, x, y) from None
        if floats and z.dtype is not a.dtype:
            raise refused(op, x)
        frame: Any = _getframe(1)
        code = frame.f_code
        if code is not home:
            while code.co_filename in INTERNAL:
                frame = frame.f_back
                code = frame.f_code
            home = code
        out = Tensor()
        out.array = z
        out.id = id = next_id()
        shape = x._shape
        same = shape is y._shape or shape == y._shape
        if not same:
            shape = one_of(z.shape)
        out._shape = shape
        out.op = title
        out.code = code
        out.at = at = frame.f_lasti
        if live:
            for tape in here.now.tapes:
                known = tape.known
                plan = (of_both if y.id in known else of_x) if x.id in known else of_y if y.id in known else None
                if plan is not None and differentiable and tape.paused is None:
                    shapes = None if same else (x._shape, y._shape)
                    tape.rows.append((op, plan, (x.id, y.id), id, shape, shapes, code, at))
                    tape.saved.append(plan.keep(a, b, z))
                    known.add(id)
                else:
                    tape.skip(op, (x, y), out)
            if others:
                tell(op, (x, y), (out,), {})
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
        arrays = [x.array for x in inputs]
        if op.one_dtype:
            for x, a in zip(inputs, arrays, strict=True):
                if a.dtype is not arrays[0].dtype and a.dtype != arrays[0].dtype:
                    raise mismatched(op, inputs[0], x)
        try:
            z = forward(*arrays, **params)
        except RuntimeWarning:
            z = quietly(op, *inputs, **params)
        except Exception as error:
            raise failed(op, error, *inputs) from None
        if op.floats and arrays[0].dtype.kind not in "fc":
            raise refused(op, inputs[0])
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
    ids = tuple([x.id for x in inputs])
    shapes = tuple([x._shape for x in inputs]) if op.broadcasts else None
    kinds = [out.array.dtype.kind for out in outputs]
    floating = [out.id for out, kind in zip(outputs, kinds, strict=True) if kind in "fc"]
    out_id = tuple([out.id for out in outputs]) if op.many else outputs[0].id
    shape = tuple([(out._shape, out.array.dtype) for out in outputs]) if op.many else outputs[0]._shape
    for tape in here.now.tapes:
        mask = 0
        for slot, id in enumerate(ids):
            if id in tape.known:
                mask |= 1 << slot
        if mask and floating and op.differentiable and tape.paused is None:
            plan = op.plans[mask]
            tape.rows.append((op, plan, ids, out_id, shape, shapes, code, at))
            tape.saved.append(plan.keep_from(inputs, outputs, params))
            tape.known.update(floating)
            tape.complex = tape.complex or "c" in kinds
        else:
            tape.skip(op, inputs, *outputs)
    if others:
        tell(op, inputs, outputs, params)


def tell(op: Primitive, inputs: tuple[Operand, ...], outputs: tuple[Tensor, ...], params: dict[str, Any]) -> None:
    """Tell those of this thread who listen and are no tapes: forward mode and the observer."""
    if here.now.accumulators:
        from .forward import push

        push(op, inputs, outputs, params)
    if here.now.observer is not None:
        here.now.observer.ran(op, inputs, outputs)


# --- off the hot path: operands that are not tensors, and what goes wrong ------------------------------------------


def operands(inputs: tuple[Any, ...]) -> tuple[Operand, ...]:
    """An op's arguments as tensors or variables; numbers take the dtype of the first that is one."""
    like = next((x for x in inputs if isinstance(x, Operand)), None)
    return tuple([x if type(x) is Tensor else operand(x, like) for x in inputs])


def operand(x: Any, like: Any = None) -> Operand:
    """An op's argument as a tensor or variable; Python's and NumPy's numbers take the dtype of the other operand."""
    if isinstance(x, Operand):
        x._read()
        return x
    if isinstance(x, IndexedSlices):
        return x.to_tensor()
    if isinstance(x, Rows):
        whole: Operand = x.dense()  # on the way back, a few rows meet a whole gradient
        return whole
    if isinstance(x, list | tuple) and any(isinstance(leaf, Operand) for leaf in flatten(x)):
        from .ops.join import stacked

        return stacked(x, like)  # a list of tensors and numbers
    if isinstance(like, Operand):
        return wrap(adapt(x, like.array.dtype))
    return wrap(to_array(x))


def adapt(x: Any, dtype: np.dtype[Any]) -> Any:
    """A number or array beside a tensor, in that tensor's dtype; TypeError where it would lose its kind."""
    if type(x) in (float, int) and dtype.kind in "fc":
        return np.array(x, dtype)  # by far the most frequent: x * 2.0
    given = isinstance(x, np.ndarray | np.generic)
    array: Any = x if given else to_array(x)
    kinds = "biufc"
    loses = array.dtype.kind not in kinds or kinds.index(array.dtype.kind) > max(kinds.index(dtype.kind), 2)
    if dtype.kind in kinds and loses and not isinstance(x, np.ndarray):
        raise TypeError(
            say(
                f"{x!r} is {OF_NUMPY[array.dtype].name}, and the tensor beside it is {dtype.name}",
                f"tf.cast(t, tf.{OF_NUMPY[array.dtype].name})" if array.dtype.kind in kinds else "a number",
                f"Cannot convert {x!r} to EagerTensor of dtype {dtype.name}",
            )
        )
    if not given and array.dtype.kind == "f" and dtype.kind in "fc":
        return np.array(x, dtype)  # from Python's own digits, not by way of float32
    return array if array.dtype is dtype else array.astype(dtype)


def mismatched(op: Primitive, x: Operand, y: Operand) -> InvalidArgumentError:
    """The error where two dtypes meet: TensorFlow never promotes one tensor to another's."""
    return InvalidArgumentError(
        say(
            f"{op.name}: {called(x, 'the first input')} is {x.dtype.name}, "
            f"and {called(y, 'the second')} is {y.dtype.name}",
            f"tf.cast({called(y, 'y')}, tf.{x.dtype.name})",
            f"cannot compute {op.kernel} as input #1(zero-based) was expected to be a {x.dtype.word} tensor "
            f"but is a {y.dtype.word} tensor [Op:{op.kernel}]",
        )
    )


def refused(op: Primitive, x: Operand) -> InvalidArgumentError:
    """The error of a float function that was given integers."""
    return InvalidArgumentError(
        say(
            f"{op.name} works on floats, and {called(x, 'its input')} is {x.dtype.name}",
            f"tf.cast({called(x, 'x')}, tf.float32)",
            f"Value for attr 'T' of {x.dtype.word} is not in the list of allowed values: "
            f"bfloat16, half, float, double, complex64, complex128 [Op:{op.kernel}]",
        )
    )


def quietly(op: Primitive, *inputs: Operand, **params: Any) -> Any:
    """The op again where a learner has turned NumPy's warnings into errors: TensorFlow is silent about inf and nan."""
    with np.errstate(all="ignore"):
        return op.forward(*(x.array for x in inputs), **params)


def failed(op: Primitive, error: Exception, *inputs: Operand) -> Exception:
    """What NumPy raised, in our words; an error that is ours already stays as it is."""
    if isinstance(error, OpError):
        return error
    shapes = " and ".join(f"{called(x, 'an input')} has shape {x._shape}" for x in inputs)
    dims = " vs. ".join("[" + ",".join(map(str, x._shape)) + "]" for x in inputs)
    broadcast = "broadcast" in str(error)
    return InvalidArgumentError(
        say(
            f"{op.name} cannot be computed: {shapes}" if broadcast else f"{op.name}: {error} ({shapes})",
            op.hint,
            f"Incompatible shapes: {dims} [Op:{op.kernel}] name: " if broadcast else None,
        )
    )


def called(x: Operand, otherwise: str) -> str:
    """The learner's own name for a tensor."""
    from .place import learner_frame, name_of

    return name_of(x, learner_frame()) or otherwise

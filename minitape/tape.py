"""`GradientTape`: watch, record, pause, forget, and read the record backwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

import numpy as np

from . import place, record
from .backward import Unfinished, backward
from .errors import say
from .listeners import here
from .marks import Mark, Reading, mark, readings
from .nest import flatten, pack_as
from .primitive import Primitive
from .record import Note, TapeEntry, id_of, recording
from .slices import IndexedSlices, Rows
from .spec import Spec
from .tensor import Operand, Tensor, wrap
from .variable import Variable


def log(message: str) -> None:
    """A warning through `logging`, under the name `minitape`."""
    import logging  # here, since few programs are warned

    logging.getLogger("minitape").warning(message)


class UnconnectedGradients(Enum):
    """What `gradient` gives for a source that no road on the tape leads to (`tf.UnconnectedGradients`)."""

    NONE = "none"
    ZERO = "zero"


#: By themselves, since an Enum is slow to look things up in.
NONE, ZERO = UnconnectedGradients.NONE, UnconnectedGradients.ZERO


class GradientTape:
    """Records the ops that run in its `with` block, and reads them backwards for gradients (`tf.GradientTape`).

    persistent: keep the record after `gradient`, so that it can be read again.
    watch_accessed_variables: watch every trainable Variable when it is first read.

    >>> import minitape as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> print(tape.gradient(y, x))
    tf.Tensor(6.0, shape=(), dtype=float32)
    """

    __slots__ = (
        "__weakref__", "active", "complex", "entered", "known", "marks", "notes", "outer", "paused", "paused_by",
        "persistent", "readings", "rows", "saved", "unfinished", "used", "variables", "watch_accessed_variables",
        "watched",
    )  # fmt: skip

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent = bool(persistent)
        self.watch_accessed_variables = bool(watch_accessed_variables)
        self.entered = False  # was its block ever begun?
        self.active = False  # is its block running? (It may be paused all the same.)
        self.used = False  # has `gradient` used it up?
        self.outer: GradientTape | None = None  # the tape around it on its thread, while its block runs
        self.paused: str | None = None  # why it does not record just now
        self.paused_by: place.Origin | None = None  # the line that paused it
        self.rows: list[tuple[Any, ...]] = []  # the record: entries as plain tuples, no arrays
        self.saved: list[tuple[Any, ...]] = []  # the arrays, one tuple an entry; they go as they are used
        self.notes: list[Note] = []  # ops it heard and did not record, with the reason
        self.known: set[int] = set()  # ids of all that is watched or was computed from it
        self.watched: set[int] = set()  # ids of what is watched itself
        self.variables: dict[int, Variable] = {}
        self.complex = False  # does it follow complex numbers?
        self.unfinished: Unfinished | None = None  # a way back that a rule broke off
        self.marks: list[Mark] = [] if watch_accessed_variables else [mark("made")]  # enter, exit, watch, pause, reset
        self.readings: list[Reading] = []  # the calls of gradient, jacobian and batch_jacobian

    @property
    def entries(self) -> list[TapeEntry]:
        """The record, entry by entry; it stays when `gradient` has used the tape up."""
        return [TapeEntry._make(row) for row in self.rows]

    # --- recording ----------------------------------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        if self.active:
            raise ValueError(
                say(
                    "this tape is recording already: its block is not over",
                    "with tf.GradientTape() as another: ...",
                    "Tape is still recording, This can happen if you try to re-enter an already-active tape.",
                )
            )
        if self.used:
            self._forget()
            self.used = False
            self.marks[:] = [mark for mark in self.marks if mark.what == "made"]
            self.readings.clear()
        self.marks.append(mark("enter"))
        now = here.now
        self.entered = self.active = True
        self.paused = "recompute_grad" if now.muted else None
        self.outer, now.tape = now.tape, self
        record.live += 1
        if now.observer is not None:
            now.observer.entered(self)
        return self

    def __exit__(self, *error: object) -> None:
        left = self.active
        self.marks.append(mark("exit"))
        self._stop()
        if left and here.now.observer is not None:
            here.now.observer.left(self)

    def _stop(self) -> None:
        here.now.leave(self)
        if self.active:
            self.active = False
            record.live -= 1

    def watch(self, tensor: Any) -> None:
        """Follow a tensor, a variable, or every one in a nested structure, from here on.

        Only ops that run after the call are recorded for it. An integer tensor has no gradient: that is logged.
        Raises ValueError for anything that is not a tensor. Ignored, as in TensorFlow, while no tape is recording.
        """
        if not self.entered or (self.used and not self.active):
            raise AttributeError(
                say(
                    "this tape is not recording: "
                    + (f"{self._read_by()} used it up" if self.used else "its block never began"),
                    "with tf.GradientTape() as tape: tape.watch(x)",
                    "'NoneType' object has no attribute '_tape'",
                )
            )
        leaves = flatten(tensor)
        self.marks.append(mark("watch", *(leaf.id for leaf in leaves if isinstance(leaf, Operand))))
        for leaf in leaves:
            if not isinstance(leaf, Operand):
                raise ValueError(
                    say(
                        f"tape.watch follows tensors, and {leaf!r} is a {type(leaf).__name__}",
                        "x = tf.constant(3.0); tape.watch(x)",
                        f"Passed in object {leaf} of type {type(leaf).__name__!r}, "
                        "not tf.Tensor or tf.Variable or ExtensionType.",
                    )
                )
            if leaf.array.dtype.kind not in "fc":
                warn_integer(leaf, "tensor")
            if recording() and leaf.id not in self.variables:
                if isinstance(leaf, Variable):
                    self.variables[leaf.id] = leaf
                self.follow(leaf, asked=True)

    def follow(self, thing: Operand, asked: bool = False) -> None:
        """Follow a tensor, or a variable: that is done by itself when a trainable one is read."""
        if not thing.spec.floating:
            return
        self.known.add(thing.id)
        self.watched.add(thing.id)
        if not thing.spec.real:
            self.complex = True
        if here.now.observer is not None:
            here.now.observer.watched(self, thing, asked)

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables this tape follows, in the order in which they were made."""
        return tuple(self.variables[id] for id in sorted(self.variables))

    def skip(self, op: Primitive, inputs: tuple[Operand, ...], *outputs: Tensor) -> None:
        """Note an op that is not recorded: no arrays, only what it was and why."""
        out = tuple(out.id for out in outputs) if op.many else outputs[0].id
        self.notes.append(Note(outputs[0].origin, tuple(x.id for x in inputs), out, self.reason(op, inputs)))

    def reason(self, op: Primitive, inputs: tuple[Operand, ...]) -> str:
        """Why an op is not recorded here."""
        if self.paused is not None:
            return self.paused
        if any(x.id in self.known for x in inputs):
            return "not differentiable" if not op.differentiable else "integer"
        return "unwatched" if any(x.array.dtype.kind in "fc" for x in inputs) else "integer"

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Pause this tape for a block: its ops run, and leave no trace here (`tf.GradientTape.stop_recording`).

        Other tapes go on recording. Raises ValueError where this tape is not recording.

        >>> import minitape as tf
        >>> x = tf.constant(2.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     with tape.stop_recording():
        ...         z = x * x
        >>> print(tape.gradient(z, x))
        None
        """
        if not self.entered or (self.used and not self.active):
            raise RuntimeError(
                say(
                    "this tape is not recording: "
                    + (f"{self._read_by()} used it up" if self.used else "its block never began"),
                    "with tf.GradientTape() as tape:\n         with tape.stop_recording(): ...",
                    "Trying to stop recording a tape which is not recording.",
                )
            )
        self._must_record("stop_recording")
        self.marks.append(mark("pause"))
        before, self.paused, self.paused_by = self.paused, "stop_recording", place.here("stop_recording")
        if here.now.observer is not None:
            here.now.observer.paused(self)
        try:
            yield
        finally:
            self.paused, self.paused_by = before, None
            if self.used:  # gradient() inside the block used the record up: a new one begins, as in TensorFlow
                self._forget()
                self.used = False
            if here.now.observer is not None:
                here.now.observer.resumed(self)

    def reset(self) -> None:
        """Forget everything recorded and watched; the block goes on (`tf.GradientTape.reset`)."""
        self._must_record("reset")
        self.marks.append(mark("reset", *self.watched))
        if here.now.observer is not None:
            here.now.observer.cleared(self)
        self._forget()

    def _must_record(self, what: str) -> None:
        if not self.active or self.paused == "stop_recording":
            raise ValueError(
                say(
                    f"{what} needs a tape that is recording, and this one is not"
                    + (": it is paused" if self.active else ": its block is over"),
                    f"call tape.{what}() inside `with tf.GradientTape() as tape:`",
                    "Tape is not recording.",
                )
            )

    def _forget(self) -> None:
        for part in (self.rows, self.saved, self.notes, self.known, self.watched, self.variables):
            part.clear()
        self.unfinished = None

    # --- reading it backwards -----------------------------------------------------------------------------------------

    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: Any = NONE
    ) -> Any:
        """The gradient of the target (the sum of all its numbers) for each source, in the sources' structure.

        output_gradients: the gradient of the target itself, where it is not ones (a tensor, or a list, one a target).
        unconnected_gradients: "none" or "zero", for a source that no road on the tape leads to.
        Raises RuntimeError when a tape that is not persistent is asked again.
        """
        mode = self._check_call(target, unconnected_gradients)
        targets, leaves = self._tensors(target, "target"), self._tensors(sources, "source")
        call = self.reading("gradient", targets, leaves, output_gradients)
        grads = self.read(self._seeds(targets, output_gradients), targets, leaves)
        found: Iterable[Any] = map(grads.get, call.sources)
        if mode is ZERO:
            found = [np.zeros_like(leaf._read()) if g is None else g for g, leaf in zip(found, leaves, strict=True)]
        return pack_as(sources, self.answered(call, found))

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The gradient of every number of one target for each source: shape target.shape + source.shape.

        The whole of it is one way back, with a row for each number of the target (a custom rule is called row by row).
        experimental_use_pfor=False: one way back a number, which needs a persistent tape.

        >>> import minitape as tf
        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        from .jacobian import jacobian

        return jacobian(self, target, sources, unconnected_gradients, experimental_use_pfor)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """The jacobian of each example for itself: target [b, y...] and source [b, x...] give [b, y..., x...].

        Where one example's result depends on another example, their jacobians are added up, as in TensorFlow.

        >>> import minitape as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).numpy().tolist()
        [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]
        """
        from .jacobian import batch_jacobian

        return batch_jacobian(self, target, source, unconnected_gradients, experimental_use_pfor)

    def read(self, seeds: dict[int, Tensor], targets: list[Operand], sources: list[Operand]) -> dict[int, Any]:
        """One way back: from the gradients of the targets to those of the sources, by id. It may use the tape up."""
        seen = here.now.observer
        if self.active and self.paused is None:
            if self.persistent:
                warn_inefficient()
            else:
                self._stop()
        if seen is not None:
            seen.asked(self, targets, sources, seeds)
        try:
            grads = backward(self, seeds, set(map(id_of, sources)))
            if seen is not None:
                seen.answered(self, sources, grads)
        except BaseException as error:
            place.hide_internal(error)
            raise
        finally:
            if seen is not None:
                seen.turned()
            if not self.persistent:
                self.used = True
                if self.unfinished is None:
                    self.saved.clear()
                    self.known.clear()
        return grads

    def reading(self, how: str, targets: list[Operand], sources: list[Operand], seeds: Any = None) -> Reading:
        """Note a call of `gradient` or one of its kin, as it begins."""
        to, of = tuple(map(id_of, targets)), tuple(map(id_of, sources))
        shapes = () if seeds is None else tuple(np.shape(seed) for seed in flatten(seeds))
        began, recording = mark(how), self.active and self.paused is None
        return Reading(how, to, of, [], shapes, recording, began.code, began.at, began.when)

    def answered(self, call: Reading, found: Iterable[Any]) -> list[Any]:
        """What such a call returns; a gradient that no op of the learner's made bears the call's own line."""
        how, code, at, ids = call.how, call.code, call.at, call.answers
        answers: list[Any] = []
        for grad in found:
            if type(grad) is Rows:
                grad, id = IndexedSlices.of(grad), 0
            elif grad is None:
                id = None
            else:
                grad = grad if isinstance(grad, Operand) else wrap(grad)
                id = grad.id
                if grad.code is None:
                    grad.op, grad.code, grad.at = how, code, at
            answers.append(grad)
            ids.append(id)
        self.readings.append(call)
        readings.append(call)
        return answers

    def _read_by(self) -> str:
        """The call that used this tape up, and its line."""
        if not self.readings:
            return "gradient()"
        call = self.readings[-1]
        spot, frame = place.Spot(call.code, call.at), place.learner_frame()
        same = frame is not None and frame.f_code.co_filename == call.code.co_filename
        return f"{call.how}() on line {spot.line}" if same else f"{call.how}() on {spot}"

    def _check_call(self, target: Any, unconnected_gradients: Any, gap: str = " ") -> UnconnectedGradients:
        if (self.used and self.unfinished is None) or not self.entered:
            raise RuntimeError(
                say(
                    f"this tape was used up by {self._read_by()}, and it is not persistent: its record is gone"
                    if self.used
                    else "this tape never recorded: its block never began",
                    "tf.GradientTape(persistent=True)" if self.used else "with tf.GradientTape() as tape: ...",
                    f"A non-persistent GradientTape can only be used to{gap}compute one set of "
                    "gradients (or jacobians)",
                )
            )
        if target is None:
            raise TypeError(
                say(
                    "the target is None: there is nothing to differentiate",
                    "tape.gradient(loss, sources)",
                    "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors "
                    "to be differentiated, but received None.",
                )
            )
        return NONE if unconnected_gradients is NONE else unconnected(unconnected_gradients)

    @staticmethod
    def _tensors(structure: Any, role: str) -> list[Operand]:
        """The leaves of a target or of the sources: tensors and variables, or an error that says what else it is."""
        if isinstance(structure, Operand):
            return [structure]
        leaves = flatten(structure)
        for leaf in leaves:
            if not isinstance(leaf, Operand):
                raise no_tensor(leaf, role)
        return leaves

    def _seeds(self, targets: list[Operand], output_gradients: Any) -> dict[int, Tensor]:
        """The gradient of each target for itself, by id; a target listed twice counts twice."""
        given = [] if output_gradients is None else _given(output_gradients)
        seeds: dict[int, Tensor] = {}
        for number, target in enumerate(targets):
            if target.spec.dtype.kind == "O":
                continue  # strings have no gradient
            seed = _fitting_seed(given[number], target) if number < len(given) else wrap(_ones(target.spec))
            seeds[target.id] = seeds[target.id] + seed if target.id in seeds else seed
        return seeds


def _absent(name: str, method: str) -> Any:
    """An attribute that a tape does not have (a `__getattr__` would make every attribute of every tape slower)."""

    def refuse(tape: GradientTape) -> None:
        text = f"'GradientTape' object has no attribute {name!r}"
        raise AttributeError(say(f"a tape has no .{name}", f"tape.{method}(target, sources)", text))

    return property(refuse)


for _name in ("gradients", "grad", "grads", "backward", "hessian", "jacobians"):
    setattr(GradientTape, _name, _absent(_name, "jacobian" if _name in ("hessian", "jacobians") else "gradient"))


def no_tensor(leaf: Any, role: str) -> Exception:
    """A target or a source that has no gradient, whatever else it is."""
    if leaf is None:
        return TypeError(
            say(
                f"a {role} is None, and only a tensor has a gradient",
                f"leave the None out of the {role}s",
                "Cannot convert the argument `type_value`: None to a TensorFlow DType.",
            )
        )
    kind = type(leaf)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return AttributeError(
        say(
            f"a {role} must be a tensor or a variable, and {leaf!r} is a {kind.__name__}",
            "x = tf.constant(...); tape.watch(x)",
            f"{name!r} object has no attribute {'_id' if isinstance(leaf, np.ndarray) else 'dtype'!r}",
        )
    )


def unconnected(mode: Any, tensorflow: str = "Unknown value for unconnected_gradients: {!r}") -> UnconnectedGradients:
    """The mode by its value; ValueError for any other."""
    try:
        return UnconnectedGradients(mode)
    except ValueError:
        raise ValueError(
            say(
                f"unconnected_gradients is {mode!r}, and only 'none' and 'zero' are known",
                'unconnected_gradients="zero"',
                tensorflow.format(mode),
            )
        ) from None


def _given(output_gradients: Any) -> list[Tensor]:
    """The gradients of the targets that the learner hands in, as tensors."""
    from .ops.composed import convert_to_tensor

    return [convert_to_tensor(part) for part in flatten(output_gradients)]


def _ones(spec: Spec) -> Any:
    return np.ones(spec.shape, spec.dtype) if spec.shape else spec.dtype.type(1)


def _fitting_seed(seed: Tensor, target: Operand) -> Tensor:
    """An `output_gradients` in its target's shape; InvalidArgumentError where shape or dtype do not fit."""
    from .errors import InvalidArgumentError
    from .ops.linear import broadcast_to

    if seed.array.dtype != target.array.dtype:
        raise InvalidArgumentError(
            say(
                f"output_gradients is {seed.dtype.name}, and the target is {target.dtype.name}",
                f"output_gradients=tf.cast(..., tf.{target.dtype.name})",
                f"cannot compute Mul as input #1(zero-based) was expected to be a {seed.dtype.word} tensor "
                f"but is a {target.dtype.word} tensor [Op:Mul]",
            )
        )
    if seed._shape == target._shape:
        return seed
    try:
        both = np.broadcast_shapes(seed._shape, target._shape)
    except ValueError:
        both = None
    if both == target._shape:
        return broadcast_to(seed, both)
    dims = " vs. ".join("[" + ",".join(map(str, shape)) + "]" for shape in (seed._shape, target._shape))
    values = seed.array.size if both is None else int(np.prod(both))
    raise InvalidArgumentError(
        say(
            f"output_gradients has shape {seed._shape}, and the target {target._shape}",
            f"output_gradients=tf.ones({list(target._shape)})",
            f"Incompatible shapes: {dims} [Op:Mul]"
            if both is None
            else f"Input to reshape is a tensor with {values} values, but the requested shape has {target.array.size}",
        )
    )


#: How often each calling line may log the same warning.
_LIMITS = {"integer": 5, "inefficient": 1}
_logged: dict[tuple[str, str, int], int] = {}


def _warn(kind: str, message: str) -> None:
    line = place.locate(*place.here(kind)[1:])
    key = (kind, line.file, line.line)
    _logged[key] = _logged.get(key, 0) + 1
    if _logged[key] <= _LIMITS[kind]:
        log(message)


def warn_integer(tensor: Operand, role: str) -> None:
    """Log that an integer was watched: it has no gradient."""
    _warn("integer", f"The dtype of the watched {role} must be floating (e.g. tf.float32), got {tensor.dtype!r}")


def warn_inefficient() -> None:
    """Log that a persistent tape was read inside its own block, which records the reading."""
    _warn(
        "inefficient",
        "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient than "
        "calling it outside the context (it causes the gradient ops to be recorded on the tape, leading to increased "
        "CPU and memory usage). Only call GradientTape.gradient inside the context if you actually want to trace the "
        "gradient in order to compute higher order derivatives.",
    )

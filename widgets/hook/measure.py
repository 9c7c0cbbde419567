"""A custom rule beside the true derivative: what it returns for a dy, what finite differences say, and its contract."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import minitape as tf
from minitape import nest

from .. import words
from ..rerun import undone

ENTRIES = 1024  # of a larger input so many entries are nudged, spread evenly
CHECKS = ("one gradient per input", "same shape as the input", "dy = 0 gives 0")
FLAT = 8  # entries that are shown one by one


@dataclass
class Input:
    """One input of the rule's function, and its gradients: by the rule, and by finite differences."""

    name: str
    array: np.ndarray
    rule: np.ndarray | None = None
    slope: np.ndarray | None = None  # nan where it was not measured


@dataclass
class Measured:
    """All that a HookLab draws of one call."""

    name: str  # of the function
    text: str  # the call, as the learner wrote it
    inputs: list[Input]
    value: np.ndarray
    dy: np.ndarray
    checks: list[bool | None]  # in the order of CHECKS; None: not reached
    fault: str = ""  # what is wrong with a broken contract, in one sentence
    fault_name: str = ""  # the same in two or three words
    returned: list[np.ndarray] = field(default_factory=list)  # all that the rule returned, where that is too many
    purpose: str = ""
    advice: str = ""  # what else was found, in one sentence
    fix: str = ""  # as code

    @property
    def broken(self) -> bool:
        """Whether the rule breaks its contract."""
        return False in self.checks

    @property
    def rule(self) -> np.ndarray:
        """The gradients by the rule, all inputs in a row; a missing one counts as 0."""
        return _row([each.rule if each.rule is not None else np.zeros_like(each.array) for each in self.inputs])

    @property
    def slope(self) -> np.ndarray:
        """The gradients by finite differences, all inputs in a row."""
        return _row([each.slope if each.slope is not None else each.array * np.nan for each in self.inputs])

    @property
    def measured(self) -> bool:
        """Whether any slope could be measured."""
        return bool(np.isfinite(self.slope).any())

    @property
    def unlike(self) -> np.ndarray:
        """Which entries differ, as far as they were measured."""
        rule, slope = self.rule.astype(float), self.slope.astype(float)
        single = any(each.array.dtype.itemsize < 8 for each in self.inputs)
        near = np.isclose(rule, slope, rtol=2e-3 if single else 1e-5, atol=2e-3 if single else 1e-6)
        return np.asarray(~near & ~np.isnan(slope))

    @property
    def verdict(self) -> str:
        """ "broken", "unmeasured", "agrees", "differs" or "on purpose"."""
        if self.broken:
            return "broken"
        if not self.measured:
            return "unmeasured"
        if not self.unlike.any():
            return "agrees"
        return "on purpose" if self.purpose else "differs"

    @property
    def labels(self) -> list[str]:
        """What each entry is called: "t[0]"."""
        return [label for each in self.inputs for label in _labels(each)]


def _row(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.ravel(array) for array in arrays]) if arrays else np.zeros(0)


def _labels(each: Input) -> Iterator[str]:
    for index in np.ndindex(each.array.shape):
        yield f"{each.name}[{','.join(map(str, index))}]" if index else each.name


def measure(hook: Callable[..., Any], args: Sequence[Any], dy: Any, names: Sequence[str], text: str = "") -> Measured:
    """Run a function with its own rule, forward and back, and nudge its inputs."""
    args = [_tensor(arg) for arg in args]
    places = [place for place, arg in enumerate(args) if _differentiable(arg)]
    inputs = [Input(names[place], np.asarray(args[place].numpy())) for place in places]
    name = getattr(hook, "__name__", "rule")
    with undone(_reach(hook)):
        value = np.asarray(_first(hook(*args)).numpy())
        given = np.ones_like(value) if dy is None else np.asarray(dy.numpy() if hasattr(dy, "numpy") else dy)
        came = np.broadcast_to(given, value.shape).astype(value.dtype)
        found = Measured(name, text or f"{name}({', '.join(names)})", inputs, value, came, [None, None, None])
        _contract(hook, args, places, found)
        _advise(hook, args, found)
        if found.checks[1]:
            _slopes(hook, args, places, found)
    return found


def _reach(hook: Callable[..., Any]) -> dict[str, Any]:
    """What a function reads from outside, by name: Variables among it are put back afterwards."""
    try:
        read = inspect.getclosurevars(inspect.unwrap(hook))
    except TypeError:
        return {}
    return {**read.globals, **read.nonlocals}


def _tensor(arg: Any) -> Any:
    """Numbers with a point, lists and arrays become tensors; whole numbers and all else stay what they are."""
    if isinstance(arg, float | list | tuple) or (isinstance(arg, np.ndarray) and arg.dtype.kind == "f"):
        return tf.constant(np.asarray(arg, np.float32 if not isinstance(arg, np.ndarray) else arg.dtype))
    return arg


def _differentiable(arg: Any) -> bool:
    return hasattr(arg, "numpy") and np.asarray(arg.numpy()).dtype.kind == "f"


def _first(value: Any) -> Any:
    """The first output; a rule's lab looks at one."""
    return nest.flatten(value)[0]


def back(hook: Callable[..., Any], args: Sequence[Any], places: Sequence[int], dy: np.ndarray) -> list[Any]:
    """The gradients that the rule gives to the inputs at these places; None where it gives none."""
    xs = [tf.constant(args[place].numpy()) for place in places]
    full = list(args)
    for place, x in zip(places, xs, strict=True):
        full[place] = x
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = _first(hook(*full))
    grads = tape.gradient(y, xs, output_gradients=tf.constant(dy))
    return [None if grad is None else np.asarray(tf.convert_to_tensor(grad).numpy()) for grad in grads]


def _contract(hook: Callable[..., Any], args: Sequence[Any], places: Sequence[int], found: Measured) -> None:
    """The three checks, in order; the first that fails ends them."""
    inputs = words.count(len(args), "input")
    try:
        grads = back(hook, args, places, found.dy)
    except ValueError as error:
        returned = _returned(hook, args, found.dy)
        if returned is None or len(returned) == len(args):
            raise
        found.returned, found.checks[0] = returned, False
        found.fault_name = "wrong count"
        called = words.listed([each.name for each in found.inputs])
        found.fault = (
            f"The rule returned {words.count(len(returned), 'gradient')}; {found.name} has {inputs}, {called}."
            if returned
            else str(error).splitlines()[0]
        )
        return
    found.checks[0] = True
    for each, grad in zip(found.inputs, grads, strict=True):
        each.rule = grad
        if grad is not None and grad.shape != each.array.shape:
            found.checks[1] = False
            found.fault_name = "wrong shape"
            found.fault = f"The rule returned shape {grad.shape}; {each.name} has shape {each.array.shape}."
            return
    found.checks[1] = True
    for grad in back(hook, args, places, np.zeros_like(found.dy)):
        if grad is not None and np.any(grad != 0):
            found.checks[2] = False
            found.fault_name = "dy was forgotten"
            found.fault = f"With dy = 0 a rule must return 0; this one returns {short(grad)}."
            return
    found.checks[2] = True


def _advise(hook: Callable[..., Any], args: Sequence[Any], found: Measured) -> None:
    """What `check_custom_gradient` says: the fix of a broken contract, or what will go wrong elsewhere."""
    try:
        said = tf.check_custom_gradient(hook, at=list(args))
    except Exception:
        return  # advice is not worth an error
    said = next((one for one in (said, *said.also) if not one.works), None)
    if said is not None:
        found.fix = said.fix if "lambda" not in said.fix else ""  # a rule in one line is not mended in one line
        found.advice = "" if found.broken else said.what


def _returned(hook: Callable[..., Any], args: Sequence[Any], dy: np.ndarray) -> list[np.ndarray] | None:
    """What the rule itself returns, before anybody looks at it; None where it cannot be reached."""
    apart = getattr(hook, "grad", None)
    made = inspect.unwrap(hook)(*args)
    if apart is not None:
        grads = nest.flatten(apart(tf.constant(dy), *args))
    elif isinstance(made, tuple) and len(made) == 2 and callable(made[1]):
        grads = nest.flatten(made[1](tf.constant(dy)))
    else:
        return None
    return [np.asarray(grad.numpy() if hasattr(grad, "numpy") else grad) for grad in grads if grad is not None]


def _slopes(hook: Callable[..., Any], args: Sequence[Any], places: Sequence[int], found: Measured) -> None:
    """Finite differences of sum(dy * f), in float64 where the function bears it."""
    full = [tf.constant(arg.numpy().astype(np.float64)) if place in places else arg for place, arg in enumerate(args)]
    double = True
    try:
        double = _first(hook(*full)).numpy().dtype == np.float64
    except Exception:
        double = False
    if not double:
        full = list(args)
    if not np.isfinite(found.dy).any():
        return
    for each, place in zip(found.inputs, places, strict=True):
        each.slope = slopes(hook, full, place, found.dy)


def slopes(hook: Callable[..., Any], args: Sequence[Any], place: int, dy: np.ndarray) -> np.ndarray:
    """The gradient of sum(dy * f) for one argument by nudging its entries up and down; nan where it was not nudged."""
    x = np.array(args[place].numpy())
    found = np.full(x.shape, np.nan)
    nudged = np.unique(np.linspace(0, max(x.size - 1, 0), min(x.size, ENTRIES)).astype(int))
    step = np.cbrt(np.finfo(x.dtype).eps)

    def at(index: Any, value: Any) -> float:
        moved = x.copy()
        moved[index] = value
        full = [*args[:place], tf.constant(moved), *args[place + 1 :]]
        return float(np.nansum(_first(hook(*full)).numpy().astype(np.float64) * dy))

    for flat in nudged:
        index = np.unravel_index(flat, x.shape)
        if not np.isfinite(x[index]):
            continue
        h = step * max(1.0, abs(float(x[index])))
        up, down = x.dtype.type(x[index] + h), x.dtype.type(x[index] - h)
        found[index] = (at(index, up) - at(index, down)) / float(up - down)
    return found


@contextlib.contextmanager
def setting(hook: Callable[..., Any], values: Mapping[str, Any]) -> Iterator[None]:
    """Give numbers that a function reads other values, for a while.

    Raises:
        ValueError: the function reads no such name.
    """
    function = inspect.unwrap(hook)
    undo: list[Callable[[], None]] = []
    try:
        for name, value in values.items():
            undo.append(_set(function, name, value))
        yield
    finally:
        for back in reversed(undo):
            back()


def _set(function: Any, name: str, value: Any) -> Callable[[], None]:
    free = function.__code__.co_freevars
    if name in free:
        cell = function.__closure__[free.index(name)]
        before = cell.cell_contents
        cell.cell_contents = value
        return lambda: setattr(cell, "cell_contents", before)
    if name in function.__globals__ and name in _reads(function.__code__):
        before = function.__globals__[name]
        function.__globals__[name] = value
        return lambda: function.__globals__.__setitem__(name, before)
    raise ValueError(
        f"{function.__name__} reads no number that is called {name!r}\n"
        f"{name} = 1.0  # before the function, and use {name} in its rule"
    )


def _reads(code: Any) -> set[str]:
    inner = [const for const in code.co_consts if hasattr(const, "co_names")]
    return {*code.co_names, *(name for part in inner for name in _reads(part))}


def short(array: Any) -> str:
    """An array in a few characters: its numbers where they are few, else its shape."""
    array = np.asarray(array)
    if array.ndim == 0:
        said = f"{float(array):.4g}"
        return said + ".0" * said.lstrip("-").isdigit()
    if array.ndim == 1 and array.size <= FLAT:
        return " ".join(np.array2string(array, precision=3, suppress_small=True).split()).replace("[ ", "[")
    return f"{array.shape}"

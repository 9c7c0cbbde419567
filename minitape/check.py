"""`check_gradients`: the tape's gradient against differences, and the op or rule that is wrong where they disagree."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .causes import quoted, returned, titled
from .control import Bind
from .diagnosis import Diagnosis
from .errors import say
from .nest import flatten
from .ops.composed import convert_to_tensor
from .place import Spot, learner_frame
from .primitive import Primitive
from .probe import Listening, apart
from .scope import Scope
from .slices import IndexedSlices
from .tape import GradientTape
from .tensor import Operand, Tensor, wrap
from .why import Case

#: Ops that are flat between their steps: a rule that says otherwise is meant to.
FLAT = {
    "round", "rint", "floor", "ceil", "sign", "argmax", "argmin", "cast", "stop_gradient",
    "greater", "less", "greater_equal", "less_equal", "equal", "not_equal",
}  # fmt: skip
#: How far apart the tape and differences may be, by dtype: relative, absolute.
TOLERANCE = {"float64": (1e-5, 1e-7), "float32": (2e-2, 2e-3), "float16": (1e-1, 5e-2)}
MOST = 40  # numbers in the inputs, above which a few random directions stand for all


@dataclass(frozen=True)
class Slopes:
    """The figures of a check, one a direction: the tape's slope, and that of differences, from each side and in all."""

    tape: np.ndarray
    differences: np.ndarray
    left: np.ndarray
    right: np.ndarray
    step: float
    dtype: str

    @property
    def wrong(self) -> np.ndarray:
        """In which directions do the two disagree?"""
        relative, absolute = TOLERANCE[self.dtype]
        return np.asarray(~np.isclose(self.tape, self.differences, rtol=relative, atol=absolute, equal_nan=True))

    @property
    def kinked(self) -> np.ndarray:
        """In which directions do the slopes from the left and from the right part?"""
        return _apart(self.left, self.right, self.step, self.dtype)


class Run(Listening):
    """One run of the function, op by op, with the constants it made."""

    def __init__(self) -> None:
        super().__init__()
        self.constants: list[Operand] = []
        self.sources: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.tape = GradientTape(persistent=True)

    def made(self, thing: Operand, how: str) -> None:
        """Keep a constant."""
        self.constants.append(thing)

    def results(self) -> list[list[Tensor]]:
        """The float results of each op, and last those of the function."""
        floats = [[out for out in outputs if out.array.dtype.kind == "f"] for _, _, outputs in self.ops]
        return [*floats, self.outputs]

    def slope(self, results: list[Tensor], way: list[np.ndarray], uneven: bool) -> float:
        """The tape's slope of some results, added up, along a direction."""
        if not results:
            return 0.0
        seeds = [wrap(weights(out, uneven).astype(out.array.dtype)) for out in results]
        with apart():
            grads = self.tape.gradient(results, self.sources, output_gradients=seeds)
        return sum(float(np.sum(_array(g) * w)) for g, w in zip(grads, way, strict=True) if g is not None)


def check_gradients(
    f: Callable[..., Any],
    at: Any,
    *,
    step: float | None = None,
    intended: bool = False,
    raises: bool = False,
) -> Diagnosis:
    """Does the tape's gradient of f agree with central differences, in float64 where f can take it?

    at: the positional inputs, a list of tensors. step: the step of the differences, else one that suits the dtype.
    intended=True: the rule is meant to differ (straight-through, clipping). raises=True: AssertionError on a fault.
    At a kink any slope between the left and the right one is right, and that is said. `data` holds the figures.

    >>> import minitape as tf
    >>> print(tf.check_gradients(tf.sin, at=[tf.constant([0.5, 1.0])]))
    the gradient agrees with differences: no two slopes are further apart than 1e-09
    nothing to mend
    """
    scope = Scope(learner_frame(sys._getframe(1)))
    found = Check(f, list(at) if isinstance(at, list | tuple) else [at], scope).found(step, intended)
    if raises and found.cause not in ("works", "differs-on-purpose", "fd-not-trusted"):
        raise AssertionError(str(found))
    return found


class Check:
    """One function at one point."""

    def __init__(self, f: Callable[..., Any], at: list[Any], scope: Scope) -> None:
        self.f, self.at, self.scope = f, at, scope
        self.uneven = False  # are a result's numbers weighed unevenly?
        self.places = [i for i, x in enumerate(at) if isinstance(x, Operand) and x.array.dtype.kind == "f"]
        if not self.places:
            raise ValueError(say("none of these inputs is a float tensor", "at=[tf.constant([1.0, 2.0])]"))
        self.given = [np.asarray(at[i].array) for i in self.places]
        try:  # a constant or variable of the function's own may forbid float64
            self.arrays = [array.astype(np.float64) for array in self.given]
            self.here = self.run(self.arrays)
            self.here.slope(self.here.outputs, self.arrays, False)
        except Exception:
            self.arrays = self.given
            self.here = self.run(self.arrays)
        self.dtype = self.arrays[0].dtype
        size = max([1.0, *(float(np.max(np.abs(array), initial=0.0)) for array in self.arrays)])
        self.step = float(np.finfo(self.dtype).eps) ** (1 / 3) * size

    def run(self, arrays: list[np.ndarray]) -> Run:
        """Run the function at some point, on a tape of its own."""
        inputs, run = list(self.at), Run()
        run.sources = [wrap(array.copy()) for array in arrays]
        for place, source in zip(self.places, run.sources, strict=True):
            inputs[place] = source
        with apart(run), run.tape:
            run.tape.watch(run.sources)
            outputs = [convert_to_tensor(out) for out in flatten(self.f(*inputs))]
        run.outputs = [out for out in outputs if out.array.dtype.kind == "f"]
        return run

    def found(self, step: float | None, intended: bool) -> Diagnosis:
        """What the comparison says."""
        drawn = self._random()
        if drawn is not None:
            return drawn
        ways = self._ways()
        slopes = self._slopes(ways, self.arrays, self.step)
        if not slopes.wrong.any():  # once more with uneven weights: a rule that forgets its upstream is caught
            self.uneven = True
            uneven = self._slopes(ways, self.arrays, self.step)
            slopes = uneven if uneven.wrong.any() else slopes
        if step is not None and not slopes.wrong.any():
            given = self._slopes(ways, self.given, float(step))
            if given.wrong.any():
                return self._noisy(given, slopes)
        clear = slopes.wrong & ~slopes.kinked
        if clear.any():
            return self._guilty(ways[int(np.argmax(clear))], slopes, intended)
        if slopes.kinked.any():
            return self._kink(ways, slopes)
        error = float(np.max(np.abs(slopes.tape - slopes.differences), initial=0.0))
        bound = 10.0 ** np.ceil(np.log10(max(error, 1e-9)))
        what = f"the gradient agrees with differences: no two slopes are further apart than {bound:.0e}"
        return Diagnosis("works", what, "", data=slopes)

    def _ways(self) -> list[list[np.ndarray]]:
        """One direction for each number of the inputs; where they are many, a few random ones."""
        sizes = [array.size for array in self.arrays]
        many = sum(sizes) > MOST
        rows = np.random.default_rng(0).choice([-1.0, 1.0], (8, sum(sizes))) if many else np.eye(sum(sizes))
        cuts = np.cumsum(sizes)[:-1]
        shapes = [array.shape for array in self.arrays]
        return [[part.reshape(s) for part, s in zip(np.split(row, cuts), shapes, strict=True)] for row in rows]

    def _moved(self, arrays: list[np.ndarray], way: list[np.ndarray], step: float) -> Run:
        return self.run([np.asarray(a + np.asarray(step * w, a.dtype)) for a, w in zip(arrays, way, strict=True)])

    def _value(self, results: list[Tensor]) -> float:
        """Some results' numbers, added up."""
        return sum(float(np.sum(np.asarray(out.array, np.float64) * weights(out, self.uneven))) for out in results)

    def _slopes(self, ways: list[list[np.ndarray]], arrays: list[np.ndarray], step: float) -> Slopes:
        """The slopes of the whole function in each direction."""
        here = self.run(arrays)
        value = self._value(here.outputs)
        said = [here.slope(here.outputs, way, self.uneven) for way in ways]
        ups = np.array([self._value(self._moved(arrays, way, step).outputs) for way in ways])
        downs = np.array([self._value(self._moved(arrays, way, -step).outputs) for way in ways])
        left, right = (value - downs) / step, (ups - value) / step
        return Slopes(np.array(said), (ups - downs) / (2 * step), left, right, step, arrays[0].dtype.name)

    # --- what differences cannot tell ---------------------------------------------------------------------------------

    def _random(self) -> Diagnosis | None:
        """Two runs at one point that differ: the function draws random numbers."""
        again = self.run(self.arrays)
        pairs = zip([*self.here.constants, *self.here.outputs], [*again.constants, *again.outputs], strict=False)
        first = next((one for one, other in pairs if not np.array_equal(one.array, other.array, equal_nan=True)), None)
        if first is None:
            return None
        spot = Spot(first.code, first.at) if first.code is not None else None
        what = f"{spot}{quoted(spot)}: two runs at the same point differ, so differences of them say nothing"
        fix = "tf.random.stateless_normal(shape, seed=[1, 2])  # the same numbers at every run"
        return Diagnosis("fd-not-trusted", what, fix, spot.line if spot else None)

    def _noisy(self, given: Slopes, slopes: Slopes) -> Diagnosis:
        """The step that was asked for drowns in rounding."""
        what = (
            f"a step of {given.step:g} drowns in the rounding of {given.dtype}: differences say "
            f"{_few(given.differences)}, and the gradient {_few(given.tape)} is right"
        )
        fix = f"check_gradients(f, at=...)  # chooses {slopes.step:.0e} in {slopes.dtype}"
        return Diagnosis("fd-not-trusted", what, fix, data=given)

    def _sweep(self, way: list[np.ndarray]) -> list[tuple[int, float, float, float]]:
        """For each op in turn: its number, and its slope from the left, from the right and in all."""
        step = self.step
        runs = [self._moved(self.arrays, way, -step), self.here, self._moved(self.arrays, way, step)]
        found = []
        for number, (down, here, up) in enumerate(zip(*(run.results() for run in runs), strict=False)):
            if [out._shape for out in down] == [out._shape for out in up]:
                low, mid, high = self._value(down), self._value(here), self._value(up)
                found.append((number, (mid - low) / step, (high - mid) / step, (high - low) / (2 * step)))
        return found

    def _kink(self, ways: list[list[np.ndarray]], slopes: Slopes) -> Diagnosis:
        """The slopes from the left and from the right part, and the gradient may be any between them."""
        at = int(np.argmax(slopes.kinked))
        spot, op = None, ""
        for number, left, right, _ in self._sweep(ways[at]):
            if number < len(self.here.ops) and _apart(left, right, self.step, slopes.dtype).any():
                out = self.here.ops[number][2][0]
                spot, op = _spot(out), self.here.ops[number][0].name
                break
        low, high = sorted((slopes.left[at], slopes.right[at]))
        what = (
            f"{spot}{quoted(spot)}: {op} has a kink here: from the left the slope is {slopes.left[at]:.4g}, from the "
            f"right {slopes.right[at]:.4g}; the tape says {slopes.tape[at]:.4g}"
        )
        between = low - 1e-3 <= slopes.tape[at] <= high + 1e-3
        fix = "check_gradients(f, at=[x + 0.1])  # beside the kink; at it, any slope between the two is right"
        return Diagnosis(
            "fd-not-trusted",
            what,
            fix if between else "check_gradients(f, at=[x + 0.1])  # beside the kink",
            spot.line if spot else None,
            data=slopes,
        )

    # --- what is wrong ------------------------------------------------------------------------------------------------

    def _guilty(self, way: list[np.ndarray], slopes: Slopes, intended: bool) -> Diagnosis:
        """The first op whose slope the tape has wrong, or what the tape did not see."""
        at = int(np.argmax(slopes.wrong))
        figures = f"the tape says {slopes.tape[at]:.4g}, differences say {slopes.differences[at]:.4g}"
        results = self.here.results()
        relative, absolute = TOLERANCE[slopes.dtype]
        for number, _, _, seen in self._sweep(way):
            if number == len(self.here.ops):
                break
            op = self.here.ops[number][0]
            known = [out for out in results[number] if out.id in self.here.tape.known]
            if known and not np.isclose(self.here.slope(known, way, self.uneven), seen, rtol=relative, atol=absolute):
                missing = None if op.kind == "custom_gradient" else self._unseen(figures, slopes)
                return missing or self._wrong_op(op, number, figures, slopes, seen, intended)
        what = f"the gradient is wrong: {figures}"
        return self._unseen(figures, slopes) or Diagnosis("wrong-rule", what, "check_gradients(part_of_f, at=...)")

    def _wrong_op(
        self, op: Primitive, number: int, figures: str, slopes: Slopes, seen: float, intended: bool
    ) -> Diagnosis:
        call = _spot(self.here.ops[number][2][0])
        spot = returned(op) or call
        name = titled(op)
        if op.kind == "custom_gradient" and (intended or self._on_purpose(op, number, seen)):
            what = f"{spot}: the rule of {name} is not the derivative, and seems to be meant so: {figures}"
            return Diagnosis(
                "differs-on-purpose",
                what,
                "check_gradients(..., intended=True)  # to say so",
                spot.line if spot else None,
                data=slopes,
            )
        if op.kind == "custom_gradient" and isinstance(self.f, Bind) and self.f.op is op:
            from .contract import Contract

            found = Contract(self.f, self.at, {}, self.scope).found(1)
            if found[0].cause != "works":
                return found[0]
        what = f"{spot}: the rule of {name} is wrong: {figures}"
        return Diagnosis(
            "wrong-rule", what, f"work out the derivative of {name} again", spot.line if spot else None, data=slopes
        )

    def _on_purpose(self, op: Primitive, number: int, seen: float) -> bool:
        """Is the function flat in itself, or does it hand its input on: then its rule can only be meant to differ."""
        inputs, outputs = self.here.ops[number][1:]
        before = [self.here.ops[i][0].name for i in range(number)]
        same = any(x._shape == out._shape and np.array_equal(x.array, out.array) for x in inputs for out in outputs)
        flat = abs(seen) < 1e-6 and any(name in FLAT for name in before)
        return same or flat or op.forward.__name__ == "with_rule" or any(name in FLAT for name in before[-3:])

    def _unseen(self, figures: str, slopes: Slopes) -> Diagnosis | None:
        """A part of the road that is not on the tape."""
        for source in self.here.sources:
            for target in self.here.outputs:
                found = Case(self.here.tape, target, source, self.scope).diagnosis()
                if not found.works:
                    cause = "differs-on-purpose" if found.cause == "stop-gradient" else found.cause
                    return Diagnosis(cause, found.what, found.fix, found.line, (figures, *found.detail), data=slopes)
        return None


def slopes_of(f: Callable[[Any], Any], x: Operand) -> tuple[np.ndarray, float]:
    """The slope of the sum of f's numbers along each number of x, by differences; and how far they can be trusted."""
    for dtype in (np.dtype(np.float64), x.array.dtype):
        array = np.asarray(x.array).astype(dtype)
        step = float(np.finfo(dtype).eps) ** (1 / 3) * max(1.0, float(np.max(np.abs(array), initial=0.0)))
        slopes = np.zeros(array.shape)
        try:
            for at in np.ndindex(array.shape):
                moved = [array.copy(), array.copy()]
                moved[0][at] += dtype.type(step)
                moved[1][at] -= dtype.type(step)
                up, down = (float(np.sum(_array(f(wrap(part))), dtype=np.float64)) for part in moved)
                slopes[at] = (up - down) / (2 * step)
        except Exception:
            if dtype == x.array.dtype:
                raise
            continue
        return slopes, 10 * step
    raise AssertionError("unreachable")


def weights(out: Tensor, uneven: bool) -> np.ndarray:
    """How much each number of a result counts."""
    random = np.random.default_rng(out.array.size)
    return random.uniform(0.5, 1.5, out._shape) if uneven else np.ones(out._shape)


def _apart(left: Any, right: Any, step: float, dtype: str) -> np.ndarray:
    """Do one-sided slopes part by more than the curve's bend over one step?"""
    relative, absolute = TOLERANCE[dtype]
    return np.asarray(~np.isclose(left, right, rtol=30 * relative, atol=300 * absolute + 10 * step, equal_nan=True))


def _array(g: Any) -> np.ndarray:
    return np.asarray((convert_to_tensor(g) if isinstance(g, IndexedSlices) else g).array)


def _spot(out: Operand) -> Spot | None:
    return Spot(out.code, out.at) if out.code is not None else None


def _few(numbers: np.ndarray) -> str:
    return ", ".join(f"{n:.4g}" for n in numbers[:3]) + (", ..." if len(numbers) > 3 else "")

"""An exercise as plain data, and the one way to mark an answer to it."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np

from ..tensor import Operand

#: What can be said of an answer, by name: {"the metric": 2.0, "entries it left on the tape": 0}.
Facts = dict[str, Any]

#: Two numbers are the same up to this: enough for float32 and finite differences, too little for a wrong rule.
RELATIVE, ABSOLUTE = 1e-3, 1e-5


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that learners give, and the hint that fits the idea behind it."""

    answer: Any
    hint: str


@dataclass(frozen=True)
class Exercise:
    """What is asked, how the truth is found, one right answer, and the wrong ones we know.

    Nothing here is the answer that `check` compares with: `truth` runs the real program each time.

    >>> import minitape as tf
    >>> slope = Exercise(
    ...     key="demo.slope",
    ...     asks="a number: the gradient of x * x at 3",
    ...     truth=lambda: slope_of(lambda x: x * x, 3.0),
    ...     solution=6.0,
    ...     wrong=(Wrong(9.0, "That is the value x * x. How fast does it grow?"),),
    ...     hint="Nudge x by a little: how much does x * x move?",
    ... )
    >>> def slope_of(f, at):
    ...     x = tf.constant(at)
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = f(x)
    ...     return tape.gradient(y, x)
    >>> print(mark(slope, 9.0).text)
    ✗ demo.slope: you say 9.0. That is the value x * x. How fast does it grow?
    """

    key: str  # the lesson's name, a dot, the exercise's own: "stop_recording.metric"
    asks: str  # what the learner is to give: "a number: the gradient of cost"
    truth: Callable[[], Any]  # the right value; where there is `look`, the right facts
    solution: Any  # an answer that is right
    wrong: tuple[Wrong, ...]
    hint: str  # for a wrong answer that nobody has recorded yet
    look: Callable[[Any], Facts] | None = None  # runs the learner's function, and says what it did


@dataclass(frozen=True)
class Verdict:
    """How an answer was marked, and the words for it."""

    mark: str  # "✓" right, "✗" wrong, "○" not yet answered
    text: str

    @property
    def right(self) -> bool:
        """Is the answer right?"""
        return self.mark == "✓"


class UnansweredError(Exception):
    """The answer still holds the `...` that it started with."""


def mark(exercise: Exercise, answer: Any) -> Verdict:
    """Mark an answer: compare what can be said of it with the truth, which is computed now.

    The learner's function may print, warn or fail; the verdict is words in any case.
    """
    truth = _facts(exercise.truth())
    refused = refuse(exercise, answer)
    if refused is not None:
        return refused
    try:
        facts = _look(exercise, answer)
    except UnansweredError:
        return _not_yet(exercise)
    where = _first_difference(facts, truth)
    if where is None:
        seen = f" ({', '.join(truth)})" if exercise.look else f", {show(answer)}"
        return Verdict("✓", f"✓ {exercise.key}: right{seen}")
    got = _got(facts, truth, where)
    for wrong in exercise.wrong:
        same = _look(exercise, wrong.answer)
        if _first_difference(same, truth) == where and _close(facts[where], same[where]):
            return Verdict("✗", f"✗ {exercise.key}: {got}. {wrong.hint}")
    if where == FAILED:
        return _two_lines("✗", exercise, got, exercise.hint)
    return Verdict("✗", f"✗ {exercise.key}: {got}. {exercise.hint}")


def prove(exercise: Exercise) -> None:
    """See that an exercise teaches: the stub is "not yet", the solution right, each wrong answer gets its own hint.

    Raises AssertionError with what went wrong; put it in a test of yours.
    """
    for stub in (..., lambda *args: ...) if exercise.look else (...,):
        verdict = mark(exercise, stub)
        assert verdict.mark == "○", f"{exercise.key}: the stub is not taken for one: {verdict.text}"
    verdict = mark(exercise, exercise.solution)
    assert verdict.right, f"{exercise.key}: the solution is not right: {verdict.text}"
    assert exercise.wrong, f"{exercise.key}: record a wrong answer, with its hint"
    for wrong in exercise.wrong:
        verdict = mark(exercise, wrong.answer)
        assert verdict.mark == "✗", f"{exercise.key}: a wrong answer is not wrong: {verdict.text}"
        assert verdict.text.endswith(wrong.hint), f"{exercise.key}: another hint came first: {verdict.text}"


def refuse(exercise: Exercise, answer: Any) -> Verdict | None:
    """The verdict on what cannot be an answer: the stub's `...`, or another kind of thing than is wanted."""
    if answer is Ellipsis or (isinstance(answer, list | tuple) and any(part is Ellipsis for part in answer)):
        return _not_yet(exercise)
    if exercise.look is not None:
        wanted, fits = "a function", callable(answer)
    else:
        wanted = _kind(exercise.solution)
        fits = _kind(answer) in {wanted, *(_kind(wrong.answer) for wrong in exercise.wrong)}
    if fits:
        return None
    return _two_lines("✗", exercise, f"{wanted} is wanted, and this is {_kind(answer)}", f"give {exercise.asks}")


def _not_yet(exercise: Exercise) -> Verdict:
    return _two_lines("○", exercise, "not yet", f"give {exercise.asks}")


def _two_lines(mark: str, exercise: Exercise, what: str, then: str) -> Verdict:
    return Verdict(mark, f"{mark} {exercise.key}: {what}\n  next: {then}")


# --- looking at an answer --------------------------------------------------------------------------------------------

FAILED = "it failed"  # the fact about a function that raised an error
ANSWER = "the answer"  # the one fact about an answer that is a plain value


def _facts(truth: Any) -> Facts:
    return truth if isinstance(truth, dict) else {ANSWER: truth}


def _look(exercise: Exercise, answer: Any) -> Facts:
    """What can be said of an answer. What a learner's function prints or warns of meanwhile is not shown."""
    if exercise.look is None:
        return {ANSWER: answer}
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return exercise.look(_watched_for_stub(answer))
        except UnansweredError:
            raise
        except (Exception, SystemExit) as error:
            said = str(error).strip().splitlines()
            return {FAILED: f"{type(error).__name__}: {said[0]}" if said else type(error).__name__}


def _watched_for_stub(f: Callable[..., Any]) -> Callable[..., Any]:
    """The learner's function, and UnansweredError where it still gives nothing."""

    @wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            result = f(*args, **kwargs)
        except NotImplementedError:
            raise UnansweredError from None
        if _is_stub(result):
            raise UnansweredError
        return _watched_for_stub(result) if callable(result) else result

    return call


def _is_stub(answer: Any) -> bool:
    return answer is None or answer is Ellipsis or (isinstance(answer, list | tuple) and any(map(_is_stub, answer)))


def _kind(value: Any) -> str:
    """What sort of answer this is, in words."""
    if value is None:
        return "None"
    if isinstance(value, bool | np.bool_):
        return "True or False"
    if isinstance(value, str) or _name_of_error(value):
        return "a word"
    numbers = _numbers(value)
    if numbers is None:
        name = type(value).__name__
        return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
    if numbers.ndim == 1:
        return f"a list of {len(numbers)} number{'s' * (len(numbers) != 1)}"
    return f"an array of shape {numbers.shape}" if numbers.ndim else "a number"


def _numbers(value: Any) -> np.ndarray | None:
    """The numbers of an answer, as an array; None where it is something else."""
    if not isinstance(value, int | float | list | tuple | np.ndarray | np.generic | Operand):
        return None
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None


def _name_of_error(value: Any) -> str:
    """An error class or an error may be given in place of its name: "RuntimeError"."""
    kind = value if isinstance(value, type) else type(value)
    return kind.__name__ if issubclass(kind, BaseException) else ""


# --- comparing, and saying it ----------------------------------------------------------------------------------------


def _first_difference(facts: Facts, truth: Facts) -> str | None:
    if FAILED in facts:
        return FAILED
    return next((name for name, wanted in truth.items() if not _close(facts.get(name), wanted)), None)


def _close(got: Any, wanted: Any) -> bool:
    """The same word, the same None, or numbers of the same shape that differ by rounding alone."""
    got, wanted = _name_of_error(got) or got, _name_of_error(wanted) or wanted
    if _kind(got) != _kind(wanted):
        return False
    if isinstance(got, str):
        return got.strip().lower() == str(wanted).strip().lower()
    if got is None or isinstance(got, bool | np.bool_):
        return bool(got == wanted)
    numbers, right = _numbers(got), _numbers(wanted)
    if numbers is None or right is None:
        return False
    return numbers.shape == right.shape and bool(np.allclose(numbers, right, RELATIVE, ABSOLUTE, equal_nan=True))


def _got(facts: Facts, truth: Facts, where: str) -> str:
    if where == ANSWER:
        return f"you say {show(facts[ANSWER])}"
    if where == FAILED:
        return f"your function failed with {facts[FAILED]}"
    return f"{where}: {show(facts.get(where))}, and it should be {show(truth[where])}"


def show(value: Any) -> str:
    """A value in a few characters, the same on every machine.

    >>> show(3), show(0.1 + 0.2), show([1.0, -2.5]), show(None), show(True), show("RuntimeError")
    ('3', '0.3', '[1.0, -2.5]', 'None', 'yes', 'RuntimeError')
    """
    if value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if _name_of_error(value):
        return _name_of_error(value)
    numbers = _numbers(value)
    if numbers is None:
        return _kind(value)
    if numbers.ndim:
        return f"[{', '.join(map(show, numbers[:6]))}{', ...' * (len(numbers) > 6)}]"
    if np.asarray(value).dtype.kind in "iu":
        return str(int(numbers))
    digits = f"{float(numbers):.4g}"
    return digits + ".0" * digits.lstrip("-").isdigit()

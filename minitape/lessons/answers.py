"""What a learner calls: `predict` before a program runs, `check` after it, `report` at the end."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from .exercise import Exercise, Verdict, mark, refuse, show

_exercises: dict[str, Exercise] = {}
_predictions: dict[str, Any] = {}
_verdicts: dict[str, Verdict] = {}  # the last one for each exercise that was asked in this session
_PREDICTED = object()


def add(exercise: Exercise) -> None:
    """Make an exercise known to `predict`, `check` and `report`; one with the same key takes the old one's place."""
    _exercises[exercise.key] = exercise


def known() -> tuple[Exercise, ...]:
    """Every exercise that `check` knows, in the lessons' order."""
    return tuple(_exercises.values())


def predict(key: str, answer: Any) -> None:
    """Say what you think a program gives, before you run it. Your answer is kept; `check(key)` compares it later.

    >>> predict("stop_recording.cost", 45.0)
    · stop_recording.cost: you say 45.0. Run the program, then check it.
    """
    exercise = _find(key)
    if exercise is not None:
        _predictions[key] = answer
        _note(exercise, lambda: refuse(exercise, answer) or _kept(key, answer))


def _kept(key: str, answer: Any) -> Verdict:
    return Verdict("·", f"· {key}: you say {show(answer)}. Run the program, then check it.")


def check(key: str, answer: Any = _PREDICTED) -> None:
    """Mark an answer, and say in one line what is right or what went wrong. It never raises an error.

    Left out, the answer is the one that `predict` kept. A function is run, and what it does is compared.

    >>> check("stop_recording.cost", 39.0)  # doctest: +ELLIPSIS
    ✗ stop_recording.cost: you say 39.0. ...
    """
    exercise = _find(key)
    if exercise is not None:
        given = _predictions.get(key, ...) if answer is _PREDICTED else answer
        _note(exercise, lambda: mark(exercise, given))


def report() -> None:
    """Print how many answers are right, in the lessons that you have worked on.

    >>> report()  # doctest: +ELLIPSIS
    stop_recording: ... of ... correct
    ...
    """
    lessons = dict.fromkeys(key.partition(".")[0] for key in _verdicts)
    if not lessons:
        _say('nothing answered yet\nnext: check("stop_recording.cost", 45.0)')
    for lesson in lessons:
        keys = [key for key in _exercises if key.partition(".")[0] == lesson]
        marks = {key: _verdicts[key].mark if key in _verdicts else "○" for key in keys}
        right = sum(mark == "✓" for mark in marks.values())
        lines = [f"{lesson}: {right} of {len(keys)} correct"]
        lines += [f"  {mark} {key.partition('.')[2]:<12} {_WORDS[mark]}" for key, mark in marks.items()]
        _say("\n".join(lines))


_WORDS = {"✓": "right", "✗": "wrong", "○": "not yet", "·": "not checked"}


def _find(key: Any) -> Exercise | None:
    """The exercise with this key; where there is none, that is said."""
    if isinstance(key, str) and key in _exercises:
        return _exercises[key]
    near = get_close_matches(str(key), _exercises, 1) or list(_exercises)[:1]
    _say(f"✗ no exercise is called {key!r}\n  next: check({near[0]!r}, ...)".replace("'", '"'))
    return None


def _note(exercise: Exercise, judge: Callable[[], Verdict]) -> None:
    """Say a verdict and keep it for the report, also where finding it has failed."""
    try:
        verdict = judge()
    except Exception as error:
        what = f"this answer cannot be marked ({type(error).__name__})"
        verdict = Verdict("✗", f"✗ {exercise.key}: {what}\n  next: give {exercise.asks}")
    _verdicts[exercise.key] = verdict
    _say(verdict.text)


def _say(words: str) -> None:
    try:
        print(words)
    except UnicodeEncodeError:  # a Windows console that knows no ✓
        for mark, plain in (("✓", "[ok]"), ("✗", "[no]"), ("○", "[  ]"), ("·", "[..]")):
            words = words.replace(mark, plain)
        print(words.encode("ascii", "replace").decode())

"""What a learner calls: `predict` before a program runs, `check` after it, `report` at the end."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from .exercise import Exercise, NotYet, Verdict, mark, must_be_answered, show

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
    try:
        exercise = _find(key)
        if exercise is None:
            return
        _predictions[key] = answer
        must_be_answered(answer)
        _note(key, Verdict("·", f"· {key}: you say {show(answer)}. Run the program, then check it."))
    except NotYet:
        _note(key, Verdict("○", f"○ {key}: not yet\n  next: give {exercise.asks}"))
    except Exception as error:
        _say(f"✗ {key}: this answer cannot be kept ({type(error).__name__})\n  next: give {exercise.asks}")


def check(key: str, answer: Any = _PREDICTED) -> None:
    """Mark an answer, and say in one line what is right or what went wrong. It never raises an error.

    Left out, the answer is the one that `predict` kept. A function is run, and what it does is compared.

    >>> check("stop_recording.cost", 39.0)  # doctest: +ELLIPSIS
    ✗ stop_recording.cost: you say 39.0. ...
    """
    exercise = _find(key)
    if exercise is None:
        return
    if answer is _PREDICTED:
        answer = _predictions.get(key, ...)
    try:
        _note(key, mark(exercise, answer))
    except Exception as error:
        _note(key, Verdict("✗", f"✗ {key}: this answer cannot be marked ({type(error).__name__})\n  next: give {exercise.asks}"))


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


def _note(key: str, verdict: Verdict) -> None:
    _verdicts[key] = verdict
    _say(verdict.text)


def _say(words: str) -> None:
    try:
        print(words)
    except UnicodeEncodeError:  # a Windows console that knows no ✓
        for mark, plain in (("✓", "[ok]"), ("✗", "[no]"), ("○", "[  ]"), ("·", "[..]")):
            words = words.replace(mark, plain)
        print(words.encode("ascii", "replace").decode())

"""Exercises for the notebooks: say what you expect, run it, have it checked.

    from minitape.lessons import check, predict, report

Each lesson has one file here with its exercises. To write one of your own: `Exercise`, `Wrong`, `add`, `prove`.
"""

from . import custom_gradient, digits, recompute_grad, stop_recording
from .answers import add, check, known, predict, report
from .exercise import Exercise, Wrong, prove

__all__ = ["Exercise", "Wrong", "add", "check", "known", "predict", "prove", "report"]

for _lesson in (stop_recording, custom_gradient, recompute_grad, digits):
    for _exercise in _lesson.EXERCISES:
        add(_exercise)

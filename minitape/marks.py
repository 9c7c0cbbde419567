"""Light marks of what happened beside the ops: values that left to NumPy or Python, assigns, watches, `gradient` calls.

A mark holds ids and a place in the learner's code, never an array, so it keeps nothing alive. `explain` reads them.
"""

import itertools
import os
from collections import deque
from functools import lru_cache
from sys import _getframe
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from .place import INTERNAL, Origin, learner_frame

#: Numbers for tensors and marks, never reused (Python's `id()` is); they only grow, so they order things in time.
serial = itertools.count(1)


class Mark:
    """One thing that happened to some tensors, and where."""

    __slots__ = ("at", "code", "ids", "what", "when")

    what: str  # "numpy", "float", "int", "bool", "assign", "copy", "keyword"; on a tape "enter", "watch", ...
    ids: tuple[int, ...]
    code: CodeType
    at: int
    when: int  # a number from the counter that ids come from

    @property
    def origin(self) -> Origin:
        """What happened, and where."""
        return Origin(self.what, self.code, self.at)


class Reading(NamedTuple):
    """One call of `gradient`, `jacobian` or `batch_jacobian`."""

    how: str
    targets: tuple[int, ...]
    sources: tuple[int, ...]
    answers: list[int | None]  # the ids of the gradients, one a source; empty until the call returns
    seeds: tuple[tuple[int, ...], ...]  # the shapes of output_gradients, where it was given
    recording: bool  # was the tape recording at the time?
    code: CodeType
    at: int
    when: int

    @property
    def origin(self) -> Origin:
        """What was called, and where."""
        return Origin(self.how, self.code, self.at)


#: What values outside of a tape's own business went through; the oldest marks go first.
marks: deque[Mark] = deque(maxlen=2000)
#: The calls of `gradient` and its kin, of all tapes; the oldest go first.
readings: deque[Reading] = deque(maxlen=500)


#: Where Python's own modules and installed packages live: their lines are never the learner's.
LIBRARIES = os.__file__.removesuffix("os.py"), np.__file__.rpartition("numpy")[0]


@lru_cache(maxsize=1024)
def foreign(file: str) -> bool:
    """Does a file belong to minitape, to Python or to an installed package?"""
    return file in INTERNAL or file.startswith(LIBRARIES)


#: The learner's code that made a mark last: most come from there again.
home: CodeType | None = None


def mark(what: str, *ids: int) -> Mark:
    """A mark of what the learner's code does right now."""
    global home
    frame: Any = _getframe(2)
    code = frame.f_code
    while code is not home and foreign(code.co_filename):
        frame = frame.f_back
        if frame is None:  # nothing but libraries: then the one that called minitape
            frame = learner_frame()
            code = frame.f_code
            break
        code = frame.f_code
    else:
        home = code
    made = Mark()  # (no __init__: a training step makes eight of them)
    made.what = what
    made.ids = ids
    made.code = code
    made.at = frame.f_lasti
    made.when = next(serial)
    return made


def leave(what: str, *ids: int) -> None:
    """Note that the value of a tensor left the tape's sight, to NumPy, to Python or into a Variable."""
    marks.append(mark(what, *ids))

"""Who listens to the ops of a thread: tapes, forward mode, an observer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .forward import ForwardAccumulator
    from .observer import Observer
    from .tape import GradientTape
    from .variable import Variable


class Listeners:
    """Who listens on one thread (TensorFlow's rule: another thread's ops are not heard)."""

    __slots__ = ("accumulators", "muted", "observer", "plain", "reads", "tape")

    def __init__(self) -> None:
        self.tape: GradientTape | None = None  # the one entered last; the one around it is its `outer`, and so on
        self.muted = 0  # how many recompute_grad blocks are running forward: a tape opened in one is paused
        self.observer: Observer | None = None
        self.accumulators: list[ForwardAccumulator] = []  # forward mode, outermost first
        self.reads: list[dict[int, Variable]] = []  # who wants to know which trainable variables are read
        self.plain = False  # run recompute_grad's functions as they are, to compare

    @property
    def tapes(self) -> list[GradientTape]:
        """The tapes that were entered and not left, outermost first; some may be paused."""
        tapes, tape = [], self.tape
        while tape is not None:
            tapes.append(tape)
            tape = tape.outer
        return tapes[::-1]

    def leave(self, tape: GradientTape) -> None:
        """One tape less, in whatever order they are left; nothing where it was entered on another thread."""
        if self.tape is tape:
            self.tape, tape.outer = tape.outer, None
            return
        for inner in self.tapes:
            if inner.outer is tape:
                inner.outer, tape.outer = tape.outer, None


class Here(threading.local):
    """This thread's listeners, in one place: `here.now`."""

    def __init__(self) -> None:
        self.now = Listeners()


here = Here()

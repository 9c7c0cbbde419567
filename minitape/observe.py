"""`observe()`: listen to a block of code, and turn what happens in it into a `Trace`."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

from . import place
from .listeners import here
from .record import listen

if TYPE_CHECKING:
    from .trace import Trace


def observe(*, buggy: bool = False) -> Observation:
    """Listen to a block: what was recorded, what was skipped and why, the way back, the bytes held after each event.

    `with minitape.observe() as seen:` gives a `Trace`, which is complete when the block has ended.

    With `buggy=True` the way back makes the classic mistake, to be looked at: what comes to a value is written over
    what came before (`=`), and not added to it (`+=`). The gradients of values that are used twice are then wrong.

    >>> import minitape as tf
    >>> with tf.observe() as seen:
    ...     x = tf.constant(3.0)
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         with tape.stop_recording():
    ...             z = x + x
    ...         y = x * x
    >>> [(op.text, op.skipped[0].why) for op in seen.skipped]
    [('x + x', 'line 4 stopped the recording')]
    >>> [op.text for op in seen.recorded]
    ['x * x']
    >>> with tf.observe(buggy=True), tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    ...     print(float(tape.gradient(y, x)), "and not 6.0")
    3.0 and not 6.0
    """
    return Observation(buggy)


class Observation:
    """A block that is listened to; `observe()` makes one."""

    def __init__(self, buggy: bool = False) -> None:
        from .trace import Trace  # here, since few programs are observed and all import minitape

        self.trace, self.buggy = Trace(), buggy

    def __enter__(self) -> Trace:
        from .mistaken import Mistaken
        from .observer import Observer

        frame = place.learner_frame(sys._getframe(1))
        self.before = here.now.observer
        here.now.observer = self.observer = (Mistaken if self.buggy else Observer)(frame)
        listen(+1)
        return self.trace

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        here.now.observer = self.before
        listen(-1)
        self.trace.hear(self.observer.finish())
        del self.observer

    def follow(self, file: str, lines: tuple[str, ...], first: int = 1) -> None:
        """Take these lines of a file for the program, from the first of them; else it is the text of the block."""
        from .program import Program

        self.observer.program = Program(file, first, first + len(lines) - 1, lines)

"""The bytes that an observed block's tapes held, over time: who held them, from when until when."""

from __future__ import annotations

import html
from typing import NamedTuple

from .trace import Cleared, Event, Passed, Ran, Trace, Value, Walked


class Moment(NamedTuple):
    """The bytes held after one event."""

    line: int | None
    what: str  # "y = x * x", "back through entry 1"
    held: int


class Life(NamedTuple):
    """How long a value was held: from the entry that saved it until it was freed."""

    name: str
    bytes: int
    saved: str  # "entry 1 (x * x), line 3"
    freed: str | None  # "on the way back, entry 1"; None: it is held to the end
    start: int  # numbers of moments, from 0
    end: int | None


class History(NamedTuple):
    """All moments, and all lives."""

    moments: tuple[Moment, ...]
    lives: tuple[Life, ...]

    @property
    def peak(self) -> int:
        """The most bytes held at any moment."""
        return max((moment.held for moment in self.moments), default=0)

    @property
    def at_peak(self) -> tuple[Life, ...]:
        """What was held at the peak, oldest first."""
        top = next((n for n, moment in enumerate(self.moments) if moment.held == self.peak), 0)
        return tuple(life for life in self.lives if life.start <= top and (life.end is None or top < life.end))

    def __str__(self) -> str:
        who = ", ".join(life.name for life in self.at_peak) or "nothing"
        lines = [f"{self.peak} bytes held at the peak, by {who}"]
        for moment in self.moments:
            at = f"line {moment.line}" if moment.line is not None else ""
            lines.append(f"  {at:<8} {moment.what:<30} {moment.held:>10} bytes")
        for life in self.lives:
            until = f"freed {life.freed}" if life.freed else "held to the end"
            lines.append(f"  {life.name}: {life.bytes} bytes, saved by {life.saved}; {until}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def history(seen: Trace) -> History:
    """The bytes held after each op and each step back, and the life of each saved value.

    >>> import minitape as tf
    >>> x = tf.ones([1000])
    >>> with tf.observe() as seen:
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         h = tf.sin(x)
    ...         y = h * h
    ...     grad = tape.gradient(y, x)
    >>> print(tf.ledger(seen))
    8000 bytes held at the peak, by x, h
      line 3   h = tf.sin(x)                        4000 bytes
      line 4   y = h * h                            8000 bytes
      line 5   back through entry 2                 4000 bytes
      line 5   back through entry 1                    0 bytes
      x: 4000 bytes, saved by entry 1 (tf.sin(x)), line 3; freed on the way back, entry 1
      h: 4000 bytes, saved by entry 2 (h * h), line 4; freed on the way back, entry 2
    """
    moments: list[Moment] = []
    lives: list[Life] = []
    living: dict[int, int] = {}  # by a value's id: its life under way
    for event in seen.events:
        if isinstance(event, Ran) and event.recorded:
            for value in event.saves:
                if value.id not in living:
                    living[value.id] = len(lives)
                    saved = f"entry {event.recorded[0][1]} ({event.text}), line {event.line}"
                    lives.append(Life(value.name, value.bytes, saved, None, len(moments), None))
            moments.append(Moment(event.line, _told(event), event.held))
        elif isinstance(event, Walked | Passed):
            for value in event.freed:
                _end(lives, living, value, f"on the way back, entry {event.entry}", len(moments))
            how = "back through" if isinstance(event, Walked) else "passed over"
            moments.append(Moment(event.line, f"{how} entry {event.entry}", event.held))
        elif isinstance(event, Cleared) or (moments and event.held < moments[-1].held):
            how = "by reset()" if isinstance(event, Cleared) else "with its tape"
            for life in list(living.values()) if not event.held else ():
                lives[life] = lives[life]._replace(freed=how, end=len(moments))
            living = living if event.held else {}
            moments.append(Moment(event.line, "reset" if isinstance(event, Cleared) else "a tape is gone", event.held))
    return History(tuple(moments), tuple(lives))


def _end(lives: list[Life], living: dict[int, int], value: Value, how: str, moment: int) -> None:
    if value.id in living:
        life = living.pop(value.id)
        lives[life] = lives[life]._replace(freed=how, end=moment)


def _told(event: Event) -> str:
    assert isinstance(event, Ran)
    name = event.outputs[0].name
    return event.text if name in (event.text, "") else f"{name} = {event.text}"

"""The bytes held, in words: sizes in a unit, names in a row, who holds the peak, and the table."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from minitape.trace import Trace, Value

from .held import Memory, measure

MOST_STEPS = 200  # of each way; a table prints no more
LONGEST = 40  # letters in a row of names
UNITS = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"), (1, "B"))


def memory_table(seen: Trace, other: Trace | None = None, *, other_name: str = "store-all") -> str:
    """The numbers behind `plot_memory`, as text to print: the peak and who holds it, the extra runs, every step.

    >>> import minitape as tf
    >>> x = tf.Variable([1.0, 2.0])
    >>> with tf.observe() as seen:
    ...     with tf.GradientTape() as tape:
    ...         y = tf.tanh(x)
    ...         z = tf.tanh(y)
    ...     grad = tape.gradient(z, x)
    >>> print(memory_table(seen))
    peak: 16 B
      2 values kept: y z
    extra runs: 0
    held after each step, in B:
      forward   8 16
      backward  8 0
    """
    memory = measure(seen)
    second = measure(other) if other is not None else None
    scale = common_unit(memory, second)
    beside = f" ({other_name} {size(second.peak, scale)})" if second else ""
    lines = [f"peak: {size(memory.peak, scale)}{beside}"]
    lines += [f"  {words}: {names}" for _, words, names in holders(memory)]
    lines += [f"extra runs: {memory.extra_runs}"]
    lines += [f"held after each step, in {scale[1]}:", *_rows(memory, scale)]
    if second:
        lines += [f"{other_name}, held after each step, in {scale[1]}:", *_rows(second, scale)]
    return "\n".join(lines)


def _rows(memory: Memory, scale: tuple[int, str]) -> list[str]:
    rows = []
    for way, first, end in memory.ways:
        numbers = [size(held, scale, name=False) for held in memory.held[first : min(end, first + MOST_STEPS)]]
        more = [f"... {end - first - MOST_STEPS} more"] if end - first > MOST_STEPS else []
        head = f"  {way:8}  "
        rows += textwrap.wrap(" ".join(numbers + more), 100, initial_indent=head, subsequent_indent=" " * len(head))
    return rows or ["  nothing: no tape heard an op"]


def holders(memory: Memory, most: int = 4) -> list[tuple[str, str, str]]:
    """Who holds the peak: for each kind its key ("block", "kept", "again"), its words with a count, and the names."""
    lives = memory.at_peak
    kinds = (
        ("block", "block input", "block inputs", [life for life in lives if not life.again and life.input_of]),
        ("kept", "value kept", "values kept", [life for life in lives if not life.again and not life.input_of]),
        ("again", "value kept by the rerun", "values kept by the rerun", [life for life in lives if life.again]),
    )
    return [
        (key, f"{len(group)} {one if len(group) == 1 else many}", names([life.value for life in group], most))
        for key, one, many, group in kinds
        if group
    ]


def names(values: Sequence[Value], most: int = 4) -> str:
    """The values' names in a row: a repeated name once with its count, the middle left out where there are many."""
    counts = Counter(short(value.name) for value in values)
    shown = [name if count == 1 else f"{name} ({count})" for name, count in counts.items()]
    row = " ".join(shown)
    return row if len(shown) <= most and len(row) <= LONGEST else f"{shown[0]} … {shown[-1]}"


def short(name: str) -> str:
    """A name with its end left out where it is long: some values only have the expression that made them."""
    return name if len(name) <= 16 else name[:15] + "…"


def common_unit(memory: Memory, second: Memory | None = None) -> tuple[int, str]:
    """The unit for all sizes of one picture, in bytes and by name (1 MB = 1 000 000 B); it suits the first peak."""
    most = max(memory.peak, second.peak // 1000 if second else 0)
    return next(((in_bytes, name) for in_bytes, name in UNITS if most >= in_bytes), UNITS[-1])


def size(held: float, scale: tuple[int, str], *, name: bool = True) -> str:
    """A size in a unit, to three digits or to the whole unit: "7 MB", "1.25 MB", "1024 MB"."""
    amount = held / scale[0]
    number = f"{amount:.0f}" if amount >= 100 else f"{round(float(f'{amount:.3g}'), 3):g}"
    return f"{number} {scale[1]}" if name else number

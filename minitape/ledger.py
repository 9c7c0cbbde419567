"""Which bytes a tape holds: every array its entries saved, counted once however often it was saved."""

import contextlib
import functools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .tensor import Operand, Tensor


class Buffer(NamedTuple):
    """One piece of memory that an entry keeps."""

    name: str  # the learner's name for the value, where there is one
    bytes: int
    use: str  # what the way back needs it for: "dL/dx"
    key: int  # which piece of memory it is: the same number in two entries is the same memory


class Holding(NamedTuple):
    """One entry's share: what it keeps alive until the way back has used it."""

    entry: int
    op: str
    bytes: int
    arrays: int
    line: int | None
    buffers: tuple[Buffer, ...]


class Ledger(NamedTuple):
    """The bytes a tape holds, and the entries that hold them; an array that several entries keep counts once."""

    bytes: int
    holdings: tuple[Holding, ...]

    def of(self, value: Any) -> tuple[Holding, ...]:
        """The entries that hold this tensor's numbers: `del` frees nothing while there is one."""
        key = id(base(value.array if isinstance(value, Operand) else value))
        return tuple(one for one in self.holdings if any(buffer.key == key for buffer in one.buffers))

    def __str__(self) -> str:
        first: dict[int, int] = {}
        lines = [f"the tape holds {self.bytes} bytes"]
        for held in self.holdings:
            for buffer in held.buffers:
                entry = first.setdefault(buffer.key, held.entry)
                much = f"{buffer.bytes} bytes" if entry == held.entry else f"the same as entry {entry}"
                at = f"line {held.line}" if held.line is not None else ""
                lines.append(f"  entry {held.entry:<4} {at:<8} {held.op:<14} {buffer.name}: {much}, for {buffer.use}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"


def ledger(held: Any) -> Any:
    """The bytes that a tape holds now, entry by entry; or, of an observed block's `Trace`, over time.

    `ledger(tape).of(x)` says which entries hold the numbers of x, `ledger(seen).peak` how much was held at most.

    >>> import minitape as tf
    >>> x = tf.ones([1000])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.sin(x) * tf.cos(x)
    >>> print(tf.ledger(tape))
    the tape holds 12000 bytes
      entry 1    line 3   sin            x: 4000 bytes, for dL/dx
      entry 2    line 3   cos            x: the same as entry 1, for dL/dx
      entry 3    line 3   multiply       (sin): 4000 bytes, for dL/d(cos)
      entry 3    line 3   multiply       (cos): 4000 bytes, for dL/d(sin)
    >>> [one.entry for one in tf.ledger(tape).of(x)]
    [1, 2]
    """
    from .trace import Trace

    if isinstance(held, Trace):
        from .lifetimes import history

        return history(held)
    from .holdings import holdings

    rows = holdings(held)
    pieces = {buffer.key: buffer.bytes for row in rows for buffer in row.buffers}
    return Ledger(sum(pieces.values()), rows)


class Held:
    """The bytes that tapes hold from moment to moment: every piece of memory once, however many entries hold it."""

    def __init__(self) -> None:
        self.bytes = 0
        self.holders: dict[int, int] = {}  # by piece of memory: how many entries hold it

    def hold(self, pieces: dict[int, int]) -> None:
        """Count what an entry keeps: the bytes of each piece of memory."""
        for key, size in pieces.items():
            self.bytes += 0 if key in self.holders else size
            self.holders[key] = self.holders.get(key, 0) + 1

    def drop(self, pieces: dict[int, int]) -> list[int]:
        """Let go of what an entry kept; the pieces of memory that no entry holds any more."""
        gone = []
        for key, size in pieces.items():
            self.holders[key] -= 1
            if not self.holders[key]:
                del self.holders[key]
                self.bytes -= size
                gone.append(key)
        return gone


def base(array: Any) -> Any:
    """The array that owns the memory: a view holds its whole base alive."""
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array


def arrays(kept: Iterable[Any], depth: int = 5) -> Iterator[Any]:
    """The arrays in what an entry keeps; a custom rule keeps what its function has captured."""
    for part in kept:
        if isinstance(part, np.ndarray | np.generic):
            yield part
        elif isinstance(part, Tensor):
            yield part.array
        elif depth and isinstance(part, list | tuple):
            yield from arrays(part, depth - 1)
        elif depth and isinstance(part, dict):
            yield from arrays(part.values(), depth - 1)
        elif depth and isinstance(part, functools.partial):
            yield from arrays((part.func, *part.args), depth - 1)
        elif depth and callable(part) and getattr(part, "__closure__", None):
            yield from arrays(_captured(part), depth - 1)


def _captured(function: Any) -> Iterator[Any]:
    """What a function has captured from around it (a cell that is not filled yet holds nothing)."""
    for cell in function.__closure__:
        with contextlib.suppress(ValueError):
            yield cell.cell_contents

"""Which bytes a tape holds: every array its entries saved, counted once however often it was saved."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .tensor import Tensor

if TYPE_CHECKING:
    from .tape import GradientTape


class Holding(NamedTuple):
    """One entry's share: what it keeps alive until the way back has used it."""

    entry: int
    op: str
    bytes: int
    arrays: int


class Ledger(NamedTuple):
    """The bytes a tape holds, and the entries that hold them; an array that several entries keep counts once."""

    bytes: int
    holdings: tuple[Holding, ...]

    def __str__(self) -> str:
        lines = [f"the tape holds {self.bytes} bytes"]
        lines += [f"  entry {h.entry:<4} {h.op:<20} {h.bytes} bytes in {h.arrays} arrays" for h in self.holdings]
        return "\n".join(lines)


def ledger(tape: GradientTape) -> Ledger:
    """The bytes that a tape holds now, entry by entry.

    >>> import minitape as tf
    >>> x = tf.ones([1000])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.sin(x) + tf.cos(x)
    >>> print(tf.ledger(tape))
    the tape holds 4000 bytes
      entry 1    sin                  4000 bytes in 1 arrays
      entry 2    cos                  4000 bytes in 1 arrays
    """
    rows: list[Holding] = []
    seen: dict[int, int] = {}
    for number, (entry, kept) in enumerate(zip(tape.entries, tape.saved, strict=False), 1):
        buffers = {id(buffer): buffer.nbytes for buffer in map(base, arrays(kept))}
        if buffers:
            rows.append(Holding(number, entry.op.name, sum(buffers.values()), len(buffers)))
        seen |= buffers
    return Ledger(sum(seen.values()), tuple(rows))


class Held:
    """The bytes that tapes hold from moment to moment: every piece of memory once, however many entries hold it."""

    def __init__(self) -> None:
        self.bytes = 0
        self.holders: dict[int, int] = {}  # by piece of memory: how many entries hold it

    def hold(self, kept: Iterable[Any]) -> dict[int, Any]:
        """Count what an entry keeps; the pieces of memory it holds, by id."""
        pieces = {id(array): array for array in map(base, arrays(kept))}
        for key, array in pieces.items():
            self.bytes += 0 if key in self.holders else array.nbytes
            self.holders[key] = self.holders.get(key, 0) + 1
        return pieces

    def drop(self, kept: Iterable[Any]) -> list[int]:
        """Let go of what an entry kept; the pieces of memory that no entry holds any more."""
        gone = []
        for key, array in {id(array): array for array in map(base, arrays(kept))}.items():
            holders = self.holders.pop(key, 0)
            if holders > 1:
                self.holders[key] = holders - 1
            elif holders:
                self.bytes -= array.nbytes
                gone.append(key)
        return gone

    def drop_all(self, saved: Iterable[Iterable[Any]]) -> None:
        """Let go of all that a tape saved."""
        for kept in saved:
            self.drop(kept)


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

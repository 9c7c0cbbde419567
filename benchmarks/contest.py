"""A contest: one piece of work done by several sides, and what came of it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .agree import agree
from .measure import LEAST, clock, ratio, rounds

BY_HAND = "NumPy by hand"
BESIDE = "NumPy beside the peers"  # the same, measured in the process that has loaded them all
OURS = "minitape"


class Side(NamedTuple):
    """Who does the work, how, and how its result is read as NumPy's arrays."""

    name: str
    run: Callable[[], Any]
    numbers: Callable[[Any], Sequence[np.ndarray]]


@dataclass(frozen=True)
class Contest:
    """One piece of work; its first side is measured against all others."""

    row: str  # the row's name: "chain"
    what: str
    sides: tuple[Side, ...]
    absent: dict[str, str] = field(default_factory=dict)  # who cannot take part, and why
    ops: int | None = None  # how many ops the work is, where the time of one says something
    truth: Side | None = None  # who is right, where that is not the last side

    def check(self) -> None:
        """Raise DisagreementError unless every side computes the same as the one that is right."""
        truth = self.truth or self.sides[-1]
        right = truth.numbers(truth.run())
        for side in self.sides:
            if side is not truth:
                agree(f"{side.name} ({self.what})", side.numbers(side.run()), truth.name, right)


class Finding(NamedTuple):
    """One number of the tables: minitape's, or the ratio of minitape's to another's."""

    row: str
    what: str
    against: str  # "" where the number stands for itself
    value: float | None  # None where it could not be had
    low: float | None = None  # the rounds' quartiles; None for what is counted, not timed
    high: float | None = None
    note: str = ""  # why there is none; or what else is to be known
    took: float | None = None  # the first side's CPU seconds
    per_op: bool = False  # are they those of one op?


def spaced(number: int) -> str:
    """A large number, easy to read.

    >>> spaced(100_000)
    '100 000'
    """
    return f"{number:,}".replace(",", " ")


def plain(values: Sequence[Any]) -> list[np.ndarray]:
    """NumPy's own results as arrays, single numbers too."""
    return [np.asarray(value) for value in values]


def timed(contest: Contest, count: int, least: float = LEAST) -> dict[str, list[float]]:
    """Check a contest, and run its rounds: the CPU seconds of each, by side."""
    contest.check()
    return rounds({side.name: clock(side.run, least) for side in contest.sides}, count)


def findings(contest: Contest, said: dict[str, list[float]]) -> list[Finding]:
    """What the first side took, against each of the others that the clocks speak of."""
    first, *others = said
    took = statistics.median(said[first]) / (contest.ops or 1)
    return [
        Finding(contest.row, contest.what, name, *ratio(said[first], said[name]), took=took, per_op=bool(contest.ops))
        for name in others
    ]


def absent(contest: Contest) -> list[Finding]:
    """Who takes no part, and why."""
    return [Finding(contest.row, contest.what, name, None, note=why) for name, why in contest.absent.items()]

"""The clock: CPU seconds in one process, the sides of a contest taking turns, and the ratios of each round.

A ratio of two times that were taken one right after the other says more than the times: a busy machine slows both. So
every round times every side once, and what is told is the median of the rounds' ratios, with the quartiles.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

#: A side is run so often that one look at the clock sees this many CPU seconds, or more.
LEAST = 0.02


class Ratio(NamedTuple):
    """How many times as long one side took as another: the median of the rounds, and their quartiles."""

    middle: float
    low: float
    high: float


def settle() -> None:
    """Modules are no part of anybody's work: from here on the collector need not look at what was loaded so far."""
    gc.collect()
    gc.freeze()


def clock(run: Callable[[], Any], least: float = LEAST) -> Callable[[], float]:
    """A function that gives the CPU seconds of one call of `run`, from as many calls as fill `least` seconds."""
    calls = 1
    while (spent := seconds(run, calls)) < least:
        calls = max(2 * calls, round(calls * least / spent) if spent else 0)
    return lambda: seconds(run, calls) / calls


def seconds(run: Callable[[], Any], calls: int) -> float:
    """The CPU seconds of so many calls. The garbage collector runs, as it does for a learner, and starts out clean.

    That it has just looked at everything there is empties the caches, so of many calls the first does not count.
    """
    gc.collect()
    if calls > 1:
        run()
    start = time.process_time()
    for _ in range(calls):
        run()
    return time.process_time() - start


def rounds(clocks: Mapping[str, Callable[[], float]], count: int) -> dict[str, list[float]]:
    """What every clock says in each of `count` rounds; every second round goes through the sides backwards.

    A round before them does not count: Python makes code quicker that has run for a while.
    """
    said: dict[str, list[float]] = {name: [] for name in clocks}
    for first in clocks.values():
        first()
    for number in range(count):
        for name in list(clocks)[:: -1 if number % 2 else 1]:
            said[name].append(clocks[name]())
    return said


def ratio(above: list[float], below: list[float]) -> Ratio:
    """The rounds' ratios of one side to another, in one number and its quartiles.

    >>> ratio([2.0, 4.0, 9.0], [1.0, 2.0, 3.0])
    Ratio(middle=2.0, low=2.0, high=2.5)
    """
    each = [a / b for a, b in zip(above, below, strict=True)]
    if len(each) == 1:
        return Ratio(each[0], each[0], each[0])
    low, middle, high = statistics.quantiles(each, n=4, method="inclusive")
    return Ratio(middle, low, high)

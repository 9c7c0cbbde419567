"""Numbers as lengths: a bar for each of a few, a strip of columns for many, all of one picture in one scale."""

from __future__ import annotations

import math

import numpy as np

from ..player.svg import Element, path, rect, text
from .measure import Measured, short

COLUMNS, STRIP = 64, 200  # of a strip, and how wide it is
UNIT, LONGEST = 20.0, 100.0  # pixels of 1.0 in a bar; the longest bar


class Bars:
    """The scale for the dy, the gradients and the slopes of one call."""

    def __init__(self, found: Measured) -> None:
        shown = [found.dy.ravel(), found.rule, found.slope] if found.checks[1] else [found.dy.ravel()]
        every = np.concatenate([part.astype(float) for part in shown])
        every = every[np.isfinite(every)]
        self.low = float(np.min(every, initial=0.0))
        self.most = float(np.max(np.abs(every), initial=0.0))
        if self.low < 0:
            self.unit = LONGEST / (float(np.max(every, initial=0.0)) - self.low)
        else:
            self.unit = UNIT if 1.0 <= self.most <= LONGEST / UNIT or not self.most else LONGEST / self.most

    def bar(self, x: float, y: float, height: float, value: float, cls: str) -> Element:
        """A bar for a number, from a zero line that leaves room for negative ones."""
        zero = x - self.low * self.unit
        wide = self._long(value)
        return rect(zero - wide if value < 0 else zero, y, wide, height, cls)

    def number(self, x: float, y: float, value: float, cls: str) -> Element:
        """The number behind its bar; behind the longest one, where some bars go to the left."""
        if not math.isfinite(value):
            return text(x + 10, y, "nan", cls)
        return text(x + (LONGEST if self.low < 0 else self._long(value)) + 6, y, short(value), cls)

    def strip(self, x: float, y: float, values: np.ndarray, cls: str) -> list[Element]:
        """Many numbers as columns; of several in one column the largest."""
        each = per_column(values.size)
        parts = [values[place : place + each].astype(float) for place in range(0, values.size, each)]
        step, d = STRIP / max(len(parts), 1), []
        for place, part in enumerate(parts):
            part = part[np.isfinite(part)]
            if part.size:
                value = part[np.argmax(np.abs(part))] / (self.most or 1.0) * 19
                d.append(f"M{x + place * step:.4g} {y + 20:g}h{step - 0.8:.3g}v{-value:.3g}h{0.8 - step:.3g}z")
        return [path(f"M{x:g} {y + 20.5:g}h{STRIP}", "hair"), path("".join(d), cls)]

    def _long(self, value: float) -> float:
        return max(abs(value) * self.unit, 1.5) if math.isfinite(value) else 1.5


def per_column(size: int) -> int:
    """How many of so many numbers share a column of a strip."""
    return math.ceil(size / COLUMNS)

"""Before the clock starts: did all sides compute the same numbers?

Every number is compared at its own scale, so that one gradient of a thousandth of the others' size is not lost beside
them. The dtype is compared as well: a side in float64 would do another work.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: How far a number may be from its twin, in itself. float32 keeps seven digits, and 200 steps cost some of them.
RELATIVE = 1e-3
#: Beside that, how far in the root mean square of its array: for numbers that others cancelled out to almost nothing.
ABSOLUTE = 1e-5


class DisagreementError(Exception):
    """Two sides of a contest computed different numbers, so their times cannot be compared."""


def agree(who: str, found: Sequence[np.ndarray], other: str, truth: Sequence[np.ndarray]) -> None:
    """Raise DisagreementError unless two sides have computed the same arrays, and these say something."""
    if len(found) != len(truth):
        raise DisagreementError(f"{who} computed {len(found)} arrays and {other} {len(truth)}")
    for number, (mine, theirs) in enumerate(zip(found, truth, strict=True)):
        where = f"array {number} of {who} and {other}"
        if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
            raise DisagreementError(f"{where}: {mine.dtype} {mine.shape} against {theirs.dtype} {theirs.shape}")
        scale = float(np.sqrt(np.mean(np.square(theirs, dtype=np.float64))))
        if not np.isfinite(scale) or scale < 1e-10:
            raise DisagreementError(f"{where}: numbers of size {scale} would hide a wrong one")
        off = np.abs(mine.astype(np.float64) - theirs) / (RELATIVE * np.abs(theirs) + ABSOLUTE * scale)
        if not off.max() <= 1:
            raise DisagreementError(f"{where}: off by {off.max():.3g} times what rounding explains")

"""The classic mistake of a first tape, made on purpose: contributions written over each other, not added up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .observer import Heard, Observer

if TYPE_CHECKING:
    from .tape import GradientTape


class Mistaken(Observer):
    """An observer that undoes each sum of the way back: `=` in place of `+=`."""

    def walked(
        self, tape: GradientTape, number: int, g: Any, gifts: list[tuple[int, Any]], kept: Any, grads: dict[int, Any]
    ) -> None:
        """The way back went through an entry, and added up what it gave: only the last gift stays."""
        ids = tape.rows[number][2]
        for slot, gift in gifts:
            if gift is not None:
                grads[ids[slot]] = gift
        super().walked(tape, number, g, gifts, kept, grads)

    def finish(self) -> Heard:
        """What was noted, and that sums are not to be worked out from it."""
        return super().finish()._replace(buggy=True)

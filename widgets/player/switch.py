"""A switch in a drawing: on or off, by a click or a key."""

from __future__ import annotations

from .picture import chooser
from .svg import Element, element, rect


def switch(choice: int, on: bool, y: float, *, id: str, label: str, words: Element | None = None) -> Element:
    """A switch at the left edge, at the height `y`, which leads to the variant `choice`; `words` stand beside it."""
    box = rect(0.5, y - 6.5, 25, 13, "switch on" if on else "switch off", rx=6.5)
    knob = element("circle", cls="knob" if on else "knob off", cx=19 if on else 7, cy=y, r=4)
    hit = rect(-4, y - 12, 34, 24, "hit")
    return chooser(choice, hit, box, knob, *([words] if words else []), id=id, label=label, on=on)

"""A picture that can be played: what is drawn, the steps it goes through, and the look of each part at each step.

This is all that the player in the browser knows, whatever the picture shows. Python draws everything once; to play is
to give the parts (the elements with an id) other classes. A part's timeline says from which moment on it has which
state. A moment is a step and a phase: within a step, phases come one after the other when the picture plays slowly,
and all at once when it plays fast or a person steps.

States are classes of `picture.css`: `is-future` (not there yet), `is-current` (the ring), `is-done` (there, no ring),
`is-dimmed` (grey), `is-used` (a thin ring: read at this step), `is-gone` (its content was freed).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .svg import Element

FUTURE, CURRENT, DONE, DIMMED, USED, GONE = "is-future", "is-current", "is-done", "is-dimmed", "is-used", "is-gone"


class Code(str):
    """A piece of a caption that is set in the code font."""

    __slots__ = ()


Caption = tuple[str, ...]  # plain pieces and Code pieces


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the shape of its tick on the track, and the sentence that says what happens."""

    kind: str  # "rec", "skip", "back", "pass", "redo", "none": see picture.css
    caption: Caption

    @property
    def words(self) -> str:
        """The caption as plain text."""
        return "".join(self.caption)


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything the player needs. Sizes are in CSS pixels; the wide layout is 1000 px, the narrow one 560 px."""

    name: str  # "tape": the kind of picture, for its class on the page
    title: str  # one sentence: what the picture shows
    drawing: tuple[Element, ...]
    wide: float  # the height of the wide layout
    narrow: float  # the height of the narrow one
    steps: tuple[Step, ...]
    timelines: dict[str, tuple[tuple[int, int, str], ...]]  # by id: (step, phase, state), in order
    text: str  # the same as a text table, for eyes and ears that have no picture

    def states(self, step: int) -> dict[str, str]:
        """The state of each part when a step is complete."""
        return {
            id: next((state for at, _, state in reversed(timeline) if at <= step), FUTURE)
            for id, timeline in self.timelines.items()
        }

    def svg(self, step: int) -> str:
        """The `<svg>` as it looks when a step is complete; the player's CSS gives it one of its two heights."""
        return frame(self, self.drawing, step, {"class": "mt-pic"})

    def to_data(self) -> dict[str, Any]:
        """What is sent to the browser, once: plain lists and dictionaries."""
        return {
            "name": self.name,
            "title": self.title,
            "svg": self.svg(1),
            "text": self.text,
            "steps": [
                {
                    "kind": step.kind,
                    "caption": [{"code": piece} if isinstance(piece, Code) else piece for piece in step.caption],
                }
                for step in self.steps
            ],
            "timelines": {id: [list(moment) for moment in moments] for id, moments in self.timelines.items()},
        }


def frame(picture: Picture, drawing: tuple[Element, ...], step: int, attributes: dict[str, object]) -> str:
    """An `<svg>` around a drawing, with the hatch that skipped ops are filled with; `--hatch` is what CSS calls it."""
    hatch = Element("path", attributes={"d": "M0 0v5", "class": "hatch"})
    pattern = {"id": "mt-hatch", "width": 5, "height": 5, "patternUnits": "userSpaceOnUse"}
    defs = Element("defs", (Element("pattern", (hatch,), None, {**pattern, "patternTransform": "rotate(45)"}),))
    style = f"--hatch:url(#mt-hatch);--wide:{picture.wide:g}px;--narrow:{picture.narrow:g}px"
    head = {**attributes, "style": style, "role": "img", "aria-label": picture.title}
    return Element("svg", (defs, *drawing), None, head).render(picture.states(step))


@dataclass
class Storyboard:
    """Notes down who changes when; a part that is noted at all is `is-future` until its first moment."""

    moments: dict[str, dict[tuple[int, int], str]] = field(default_factory=dict)

    def set(self, id: str, state: str, step: int, phase: int = 0) -> None:
        """From this moment on, the part has this state."""
        self.moments.setdefault(id, {})[step, phase] = state

    def show(self, id: str, step: int, phase: int = 0) -> None:
        """The part appears."""
        self.set(id, DONE, step, phase)

    def ring(self, id: str, step: int, phase: int = 0, state: str = CURRENT) -> None:
        """The part has the ring during this step, and loses it with the next."""
        self.set(id, state, step, phase)
        self.moments[id].setdefault((step + 1, 0), DONE)

    def flash(self, id: str, step: int, phase: int = 0) -> None:
        """The part is there during this step only."""
        self.set(id, DONE, step, phase)
        self.moments[id].setdefault((step + 1, 0), FUTURE)

    def timelines(self) -> dict[str, tuple[tuple[int, int, str], ...]]:
        """The finished timelines, in order of time."""
        return {
            id: tuple((step, phase, state) for (step, phase), state in sorted(moments.items()))
            for id, moments in self.moments.items()
        }

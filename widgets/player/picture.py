"""A picture that can be played: what is drawn, the steps it goes through, and the look of each part at each step.

This is all that the player in the browser knows, whatever the picture shows. Python draws everything once; to play is
to give the parts (the elements with an id) other classes. A part's timeline says from which moment on it has which
state. A moment is a step and a phase: within a step, phases come one after the other when the picture plays slowly,
and all at once when it plays fast or a person steps.

States are classes of `picture.css`: `is-future` (not there yet), `is-current` (the ring), `is-done` (there, no ring),
`is-dimmed` (grey), `is-used` (a thin ring: read at this step), `is-gone` (its content was freed).

A picture may have variants: the same program under other choices, each a picture of its own. A part drawn by `chooser`
leads to one of them, like a switch; a `dial` around several is a slider.

Where time is an axis of the drawing, a part of the class `travels` goes along it: `--axis` is how far, in its style.

Where rows are too many to draw, a picture has a `window` on them; `--first` is the first row in view. `gauges` are
numbers that parts of the class `gauged` are moved and stretched by, one for each step; `texts` are words that change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .svg import Element, group

if TYPE_CHECKING:
    from .window import Window

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
    row: int | None = None  # the row of the picture's window that has the ring

    @property
    def words(self) -> str:
        """The caption as plain text."""
        return "".join(self.caption)

    @property
    def pieces(self) -> list[str]:
        """The caption as plain text and code in turn, which begins with plain text, be it empty."""
        pieces = [""]
        for piece in self.caption:
            if isinstance(piece, Code) == len(pieces) % 2:
                pieces.append("")
            pieces[-1] += piece
        return pieces


@dataclass(frozen=True, slots=True)
class Knob:
    """A value that a person may change above the picture; the kernel then makes the picture anew."""

    name: str  # its key in `Player.knobs`
    label: str  # what is written before it
    value: Any  # the one that the picture shows
    choices: tuple[Any, ...]  # all of them, in order: a button goes down, another one up
    words: tuple[str, ...] = ()  # given for two choices: one button, which says what a press would do

    def to_data(self) -> dict[str, Any]:
        """The knob as plain data."""
        data = {"name": self.name, "label": self.label, "value": self.value, "choices": list(self.choices)}
        return {**data, "words": list(self.words)} if self.words else data


@dataclass(frozen=True, slots=True)
class Head:
    """The line above the controls: a heading, the knobs, and at the right the sum of it all."""

    title: str
    sum: str = ""
    knobs: tuple[Knob, ...] = ()


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
    head: Head | None = None
    chosen: bool = False  # whether the drawing has switches or a dial
    variants: tuple[Picture, ...] = ()  # the pictures to choose from, this one the first; none: nothing to choose
    axis: tuple[float, float] | None = None  # the length of the drawing's time axis, wide and narrow: the track's, too
    least: float = 0  # the width of a drawing that is broader than the page, which then scrolls
    window: Window | None = None  # rows that are too many to draw
    gauges: Mapping[str, Sequence[float]] = field(default_factory=dict)  # by name, a number for each step: `--name`
    texts: dict[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)  # by id: from this step on, these words

    def states(self, step: int) -> dict[str, str]:
        """The state of each part when a step is complete."""
        return {
            id: next((state for at, _, state in reversed(timeline) if at <= step), FUTURE)
            for id, timeline in self.timelines.items()
        }

    def svg(self, step: int) -> str:
        """The `<svg>` as it looks when a step is complete; the player's CSS gives it one of its two heights."""
        return frame(self, self.drawn(step), step, {"class": "mt-pic"})

    def drawn(self, step: int) -> tuple[Element, ...]:
        """The drawing with the rows in view and the words of a step."""
        inside: dict[str, Sequence[Element | str]] = {
            id: [next((words for at, words in reversed(said) if at <= step), "")] for id, said in self.texts.items()
        }
        if self.window:
            inside[self.window.id] = self.window.rows_at(self.steps, step)
            inside[self.window.place] = [self.window.place_at(self.steps, step)]
        return tuple(_filled(part, inside) for part in self.drawing) if inside else self.drawing

    def to_data(self) -> dict[str, Any]:
        """What is sent to the browser, once: plain lists and dictionaries, and few of them for each step."""
        variants = {"variants": [variant.to_data() for variant in self.variants]} if self.variants else {}
        states: dict[str, int] = {}
        return {
            **variants,
            "name": self.name,
            "title": self.title,
            "svg": self.svg(1),
            "text": self.text,
            "steps": [
                {"kind": step.kind, "caption": step.pieces, **({} if step.row is None else {"row": step.row})}
                for step in self.steps
            ],
            "timelines": {
                id: [
                    part
                    for step, phase, state in moments
                    for part in (step, phase, states.setdefault(state, len(states)))
                ]
                for id, moments in self.timelines.items()
            },
            "states": list(states),
            **({"head": self._head(self.head)} if self.head else {}),
            **({"axis": list(self.axis)} if self.axis else {}),
            **({"window": self.window.to_data()} if self.window else {}),
            **({"gauges": {name: list(numbers) for name, numbers in self.gauges.items()}} if self.gauges else {}),
            **({"texts": {id: list(said) for id, said in self.texts.items()}} if self.texts else {}),
        }

    @staticmethod
    def _head(head: Head) -> dict[str, Any]:
        return {"title": head.title, "sum": head.sum, "knobs": [knob.to_data() for knob in head.knobs]}


def frame(picture: Picture, drawing: tuple[Element, ...], step: int, attributes: dict[str, object]) -> str:
    """An `<svg>` around a drawing, with the hatch that skipped ops are filled with; `--hatch` is what CSS calls it."""
    hatch = Element("path", attributes={"d": "M0 0v5", "class": "hatch"})
    pattern = {"id": "mt-hatch", "width": 5, "height": 5, "patternUnits": "userSpaceOnUse"}
    defs = Element("defs", (Element("pattern", (hatch,), None, {**pattern, "patternTransform": "rotate(45)"}),))
    style = f"--hatch:url(#mt-hatch);--wide:{picture.wide:g}px;--narrow:{picture.narrow:g}px"
    if picture.least:
        style += f";--least:{picture.least:g}px"
    if picture.axis:
        style += f";--at:{step / max(len(picture.steps), 1):.5f}"
    if picture.window and picture.steps:
        style += f";--first:{picture.window.first(row_at(picture.steps, step))}"
    for name, numbers in picture.gauges.items():
        style += f";--{name}:{numbers[step - 1]:g}"
    role = "group" if picture.chosen else "img"  # an image has no switches inside
    head = {**attributes, "style": style, "role": role, "aria-label": picture.title}
    return Element("svg", (defs, *drawing), None, head).render(picture.states(step))


def row_at(steps: Sequence[Step], step: int) -> int:
    """The row that a window is around: the last one that had the ring."""
    return next((shown.row for shown in reversed(steps[:step]) if shown.row is not None), 0)


def _filled(element: Element, inside: Mapping[str, Sequence[Element | str]]) -> Element:
    """An element with other children in the parts that are named."""
    if element.id is not None and element.id in inside:
        return replace(element, children=tuple(inside[element.id]))
    children = tuple(_filled(child, inside) if isinstance(child, Element) else child for child in element.children)
    return replace(element, children=children)


def chooser(choice: int, *children: Element, id: str, label: str, on: bool | None = None) -> Element:
    """A part that leads to a variant (they count from 0) by click, Enter or Space: a switch, or a button."""
    role: dict[str, object] = {"role": "button"} if on is None else {"role": "switch", "aria_checked": str(on).lower()}
    return group(children, cls="chooser", id=id, data_choice=choice, tabindex=0, aria_label=label, **role)


def dial(stops: list[tuple[int, Element]], at: int, *children: Element, id: str, label: str, says: str) -> Element:
    """A slider whose stops lead to variants; it stands at stop number `at`, and `says` is the value there."""
    parts = [group(part, cls="stop-at", data_choice=choice) for choice, part in stops]
    value = {"aria_valuemin": 0, "aria_valuemax": len(stops) - 1, "aria_valuenow": at, "aria_valuetext": says}
    return group(
        [*children, *parts], cls="chooser", id=id, data_dial=at, tabindex=0, role="slider", aria_label=label, **value
    )


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
        """The finished timelines, in order of time; where nothing changes there is no moment."""
        return {id: tuple(_changes(moments)) for id, moments in self.moments.items()}


def _changes(moments: Mapping[tuple[int, int], str]) -> Iterator[tuple[int, int, str]]:
    before = ""
    for (step, phase), state in sorted(moments.items()):
        if state != before:
            yield step, phase, state
        before = state

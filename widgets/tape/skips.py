"""The ops beside the tape: they ran, and the tape did not grow."""

from __future__ import annotations

from .. import words
from ..player.picture import Storyboard
from ..player.svg import CODE, WORD, Element, columns, cut, group, rect, text
from .layout import RIGHT, Layout
from .story import Row

#: Why an op was skipped, where there is room for two or three words.
SHORT = {
    "stop_recording": "recording stopped",
    "recompute_grad": "it can run again",
    "unwatched": "inputs unwatched",
    "not differentiable": "no derivative",
    "integer": "integers",
}


def skipped(layout: Layout, row: Row) -> Element:
    """The box of a skipped op: dashed, hatched, off the spine, with the word and the reason."""
    y, height, roomy = layout.tops[row.id], layout.heights[row.id], layout.roomy
    x, pad = (48, 0) if roomy else (layout.left, 4)
    top, tall = y + pad, height - 2 * pad
    return group(
        rect(x + 0.5, top + 0.5, 16 if roomy else 8, tall - 1, "k-skip bare"),
        rect(x + 0.5, top + 0.5, RIGHT - x, tall - 1, "off", rx=4),
        _box(layout, row, top) if roomy else _line(layout, row, top),
        rect(x - 2, top - 2, RIGHT - x + 5, tall + 4, "cur", rx=6),
        id=row.id,
        cls="entry",
    )


def _reason(row: Row) -> tuple[str, str]:
    """The word for it, and why."""
    assert row.skip is not None
    word = "not kept" if row.skip.reason == "recompute_grad" else "skipped"
    return word, " ".join(row.skip.why.split())


def _box(layout: Layout, row: Row, y: float) -> list[Element]:
    """Two lines: the op with its values, and the reason."""
    x, spell = 80, layout.story.words
    said, flow, room = spell.statement(row.ran), spell.flow(row.ran), int((RIGHT - 8 - x) // CODE)
    if columns(said) + columns(flow) + 3 > room:
        flow = f"→ {spell.outputs(row.ran)}"
    shown = cut(said, room - min(columns(flow), 24) - 3)
    word, why = _reason(row)
    return [
        text(x, y + 24, shown, "c", full=f"{said}: {words.flow(row.ran)}"),
        text(x + columns(shown) * CODE + 26, y + 24, flow, "c", most=room - columns(shown) - 3),
        _worded(x, y + 44, word, f"it ran, but {why}" if word == "skipped" else why, why),
    ]


def _line(layout: Layout, row: Row, y: float) -> list[Element]:
    """One line: the op, its value, and the reason in short."""
    x = layout.left + 16
    said, room, value, most = layout.line(row, x)
    assert row.skip is not None
    word, why = _reason(row)
    short = f"line {row.skip.line} stopped it" if row.skip.line else SHORT.get(row.skip.reason, why)
    return [
        text(x, y + 16, said, "c", most=room, full=f"{words.statement(row.ran)}: {words.flow(row.ran)}"),
        text(layout.value, y + 16, value, "c e", most=most),
        _worded(layout.saved, y + 16, word, short, why),
    ]


def _worded(x: float, y: float, word: str, said: str, why: str) -> Element:
    """A reason behind its word, which is bold."""
    shown = cut(f": {said}", int((RIGHT - 8 - x) // WORD) - len(word))
    tip = Element("title", (f"{word}: {why}",))
    return Element("text", (tip, Element("tspan", (word,), None, {"class": "b"}), shown), None, {"x": x, "y": y})


def ghost(layout: Layout, board: Storyboard, row: Row) -> Element:
    """At the skip only: the number that the next entry will still have."""
    y = layout.tops[row.id] + layout.heights[row.id] + layout.gap
    id = f"ghost{row.id.removeprefix('skip')}"
    board.flash(id, row.step, 2)
    made = ", ".join(words.name(out) for out in row.ran.outputs) or words.expression(row.ran)
    said = f"next entry: {cut(made, 24)} did not use up a place"
    boxes = []
    for tape in row.skips:
        x, number = layout.story.lane(tape).column * layout.lane, 1 + _last(layout, row, tape)
        boxes += [rect(x + 3.5, y + 0.5, 17, 23, "hair", rx=2), text(x + 12, y + 17, str(number), "q m")]
    return group(boxes, text(layout.left, y + 17, said, "q"), id=id)


def _last(layout: Layout, row: Row, tape: int) -> int:
    """The number of a tape's last entry when an op was skipped."""
    before = [other for other in layout.story.rows if other.step < row.step]
    standing = [other for other in before if not other.cleared or other.cleared > row.step]
    return max((other.numbers.get(tape, 0) for other in standing), default=0)

"""The gradient that comes in at the right of a lens: from where, and its numbers, as bars or as a strip."""

from __future__ import annotations

from ..player.svg import CODE, WORD, Element, columns, cut, path, text
from .bars import Bars, per_column
from .lens import DY, Lens
from .measure import FLAT

ROW = 24  # the pitch of the bars


def comes_in(lens: Lens, bars: Bars, y: float) -> tuple[list[Element], float]:
    """The column from the height `y`, and how far down it reaches."""
    x, dy = lens.at.dy, lens.found.dy.ravel()
    drawn = [lens.show("in", DY, _head(lens, y))]
    if dy.size <= FLAT:
        for place, value in enumerate(dy):
            top = y + 16 + place * ROW
            bar = [bars.bar(x, top, 10, float(value), "k-back"), bars.number(x, top + 10, float(value), "c")]
            drawn.append(lens.show(f"dy-{place}", DY, bar, ring=True))
        return drawn, y + 16 + dy.size * ROW
    each = per_column(dy.size)
    said = f"{dy.size} entries" if each == 1 else f"each column = {each} entries, the largest shown"
    drawn.append(lens.show("dy-0", DY, bars.strip(x, y + 36, dy, "k-back")))
    drawn.append(lens.show("dy-of", DY, [text(x, y + 74, said, "s q")]))
    return drawn, y + 80


def _head(lens: Lens, y: float) -> list[Element]:
    """Where dy comes from, and the arrow from it to the line that it enters."""
    at, size = lens.at, lens.found.dy.size
    x = at.dy
    source = f"dy, from {lens.call.after[0]}" if lens.call.after else "dy, as given"
    head: list[Element] = [text(x, y, source, "b gi", most=int((at.width - x) // WORD) - (10 if at.wide else 0))]
    if at.wide:
        entered = lens.y(lens.source.entered) - 4
        head.append(text(at.width, y, "backward", "gi e"))
        reach = max(y + 14 + (max(size, 2) * ROW if size <= FLAT else 60), entered + 6)
        right = at.edges[1]
        head.append(path(f"M{x - 7.5:g} {y + 14:g}V{reach:g}M{x - 8:g} {entered:g}H{right + 6:g}", "back-line"))
        head.append(path(f"M{right + 2:g} {entered:g}l6 -3.6v7.2z", "k-back"))
        head += _way_back(lens)
    else:
        head.append(path(f"M{x + 60:g} {y - 15:g}V{y - 26:g}", "back-line"))
        head.append(path(f"M{x + 60:g} {y - 30:g}l-3.6 6h7.2z", "k-back"))
    return head


def _way_back(lens: Lens) -> list[Element]:
    """The gradients of the two ops after the rule's function, below them in the forward lane."""
    at, call, y = lens.at, lens.call, lens.at.top - 16
    if len(call.back) != 2:
        return []
    (x1, w1), (x2, w2) = at.after
    first, second = (cut(said, 11) for said in call.back)
    middle = x2 + w2 / 2
    half = columns(first) * CODE / 2 + 6
    drawn = [
        text(middle, y + 4, first, "c gi m"),
        path(f"M{middle - half:g} {y:g}H{x1 + w1 + 2:g}", "back-line"),
        path(f"M{x1 + w1:g} {y:g}l6 -3.6v7.2z", "k-back"),
        path(f"M{at.end - 2:g} {y:g}H{middle + half + 2:g}", "back-line"),
        path(f"M{middle + half:g} {y:g}l6 -3.6v7.2z", "k-back"),
    ]
    return drawn if call.more else [*drawn, text(at.end + 14, y + 4, second, "c gi m")]

"""The forward lane over a lens: the input, the function, what came after it, and the lens from it to its source."""

from __future__ import annotations

from ..player.svg import CODE, Element, columns, cut, group, path, rect, text
from .lens import FORWARD, Lens
from .measure import short


def forward(lens: Lens) -> list[Element]:
    """The lane on top, and the two edges of the lens from the op to its source."""
    at, call, found = lens.at, lens.call, lens.found
    top, y = at.top, at.top - 48
    x, wide = at.hook
    left, right = at.edges
    drawn = [
        path(f"M{x} {y + 16}L{left} {top}V{lens.foot}H{right}V{top}L{x + wide} {y + 16}Z", "lens"),
        path(f"M{x} {y + 16}L{left} {top}M{x + wide} {y + 16}L{right} {top}", "hair"),
        text(0, y - 32, "forward", "ri"),
    ]
    name = ", ".join(each.name for each in found.inputs) or "x"
    value = ", ".join(short(each.array) for each in found.inputs)
    room = int(at.value // CODE)
    named = cut(name, max(room - columns(value) - 1, 4))
    drawn.append(text(0, y + 4, named, "c b", full=name))
    drawn.append(text((columns(named) + 1) * CODE, y + 4, value, "c", most=max(room - columns(named) - 1, 3)))
    stops = [
        (at.hook, call.name, True),
        *((place, said, False) for place, said in zip(at.after, call.after, strict=False)),
    ]
    last = at.value + 4
    for place, (stop, said, lit) in enumerate(stops):
        drawn.append(_arrow(last + (4 if place else 0), stop[0] - 4, y))
        drawn.append(_box(lens, stop, y, said, lit))
        last = stop[0] + stop[1]
    end = call.end if call.after else short(found.value)
    to = at.end if len(call.after) == 2 else last + 40
    drawn.append(_arrow(last + 4, to - 8, y))
    more = "\N{HORIZONTAL ELLIPSIS} " if call.more else ""
    drawn.append(text(to, y + 4, more + end, "c b", most=int((at.width - to) // CODE)))
    return drawn


def _box(lens: Lens, place: tuple[float, float], y: float, said: str, lit: bool) -> Element:
    x, wide = place
    said = said.removeprefix("reduce_") if columns(said) > int((wide - 6) // CODE) else said
    words_ = text(x + wide / 2, y + 4.5, said, "c b m" if lit else "c m", most=int((wide - 6) // CODE))
    box = rect(x + 0.5, y - 15.5, wide, 31, "node", rx=4)
    if not lit:
        return group(box, words_)
    id = lens.at.prefix + "hook"
    lens.board.ring(id, FORWARD)
    return group(box, words_, rect(x + 0.5, y - 15.5, wide, 31, "cur", rx=4), id=id)


def _arrow(x: float, to: float, y: float) -> Element:
    return group(path(f"M{x:g} {y:g}H{to - 4:g}", "fore-line"), path(f"M{to:g} {y:g}l-6 -3.6v7.2z", "k-rec"))

"""The gradients that leave a lens at the left, with the true slope below each, or what a broken rule returned."""

from __future__ import annotations

import math

import numpy as np

from ..player.svg import CODE, Element, columns, path, rect, text
from .bars import STRIP, Bars, per_column
from .lens import OUT, SLOPE, Lens
from .measure import FLAT, short

PAIR = 36  # the pitch of the pairs of bars


def leaves(lens: Lens, bars: Bars, y: float) -> tuple[list[Element], float]:
    """The column from the height `y`, and how far down it reaches."""
    found = lens.found
    head = lens.show("out", OUT, _head(lens, y), ring=True)
    if not found.checks[1]:
        drawn, foot = _fault(lens, y + 36)
        return [head, *drawn], foot
    measured = [rect(88.5, y + 12.5, 11, 7, "true"), text(105, y + 20, "finite differences")]
    legend = [lens.show("measured", SLOPE, measured)] if found.measured else []
    drawn, foot = _pairs(lens, bars, y + 36) if found.rule.size <= FLAT else _strips(lens, bars, y + 40)
    return [head, *legend, *drawn], foot


def _head(lens: Lens, y: float) -> list[Element]:
    """Whose gradient it is, and the arrow to it from the line that returns it."""
    size = lens.found.rule.size
    head: list[Element] = [
        text(0, y, f"gradient of {', '.join(each.name for each in lens.found.inputs)}", "b gi", most=28),
        rect(0, y + 12, 12, 8, "k-back"),
        text(17, y + 20, "the rule"),
    ]
    if lens.at.wide:
        returned = lens.y(lens.source.returned) - 4
        low = max(lens.foot, y + 30 + (size * PAIR if size <= FLAT else 100), returned + 8)
        left = lens.at.edges[0]
        head.append(path(f"M209.5 {y + 34:g}V{low:g}M{left - 2:g} {returned:g}H215", "back-line"))
        head.append(path(f"M212 {returned:g}l6 -3.6v7.2z", "k-back"))
    else:
        head.append(path(f"M60 {lens.foot:g}V{y - 20:g}", "back-line"))
        head.append(path(f"M60 {y - 14:g}l-3.6 -6h7.2z", "k-back"))
    return head


def _pairs(lens: Lens, bars: Bars, y: float) -> tuple[list[Element], float]:
    """One pair of bars an entry."""
    found, drawn = lens.found, list[Element]()
    indent = min(max((columns(label) for label in found.labels), default=0), 8) * CODE + 8
    for place, (label, rule, slope) in enumerate(zip(found.labels, found.rule, found.slope, strict=True)):
        top = y + place * PAIR
        bar = [
            bars.bar(indent, top, 10, float(rule), "k-back"),
            bars.number(indent, top + 9.5, float(rule), "c gi"),
        ]
        drawn.append(lens.show(f"of-{place}", OUT, [text(0, top + 16, label, "c q", most=8)]))
        drawn.append(lens.show(f"g-{place}", OUT, bar, ring=True))
        if math.isfinite(slope):
            true = [
                bars.bar(indent, top + 14, 9, float(slope), "true"),
                bars.number(indent, top + 23, float(slope), "c"),
            ]
            drawn.append(lens.show(f"num-{place}", SLOPE, true, ring=True))
    return drawn, y + max(len(found.labels), 1) * PAIR


def _strips(lens: Lens, bars: Bars, y: float) -> tuple[list[Element], float]:
    """Two strips of columns, with ticks between them where they differ."""
    found = lens.found
    drawn = [lens.show("g-0", OUT, bars.strip(0, y, found.rule, "k-back"))]
    if not found.measured:
        return drawn, y + 60
    drawn.append(lens.show("num-0", SLOPE, bars.strip(0, y + 58, found.slope, "true")))
    each = per_column(found.rule.size)
    shown = math.ceil(found.rule.size / each)
    step = STRIP / shown
    apart = [place for place in range(shown) if found.unlike[place * each : (place + 1) * each].any()]
    ticks = "".join(f"M{place * step + step / 2:.4g} {y + 42:g}v6" for place in apart)
    many, known = int(found.unlike.sum()), int(np.isfinite(found.slope).sum())
    said = f"\N{NOT EQUAL TO} at the {many} marked entries of {known}" if many else f"all {known} entries agree"
    parts = ([path(ticks, "rule")] if ticks else []) + [text(0, y + 116, said)]
    drawn.append(lens.show("apart", SLOPE, parts))
    return drawn, y + 122


def _fault(lens: Lens, y: float) -> tuple[list[Element], float]:
    """What a broken rule returned, where it is not what the inputs need."""
    found, parts = lens.found, list[Element]()
    miscounted = found.fault_name == "wrong count"
    entries = min(max((each.array.size for each in found.inputs), default=1), 3)
    for place in range(entries):
        top = y + place * PAIR
        parts.append(text(0, top + 14, found.labels[place] if place < len(found.labels) else "", "c q", most=6))
        if miscounted:
            for turn, array in enumerate(found.returned[:2]):
                numbers = array.ravel()
                value = numbers[place if place < numbers.size else 0] if numbers.size else 0.0
                x = 40 + 84 * turn
                parts.append(rect(x, top + 4, 38, 10, "k-skip" if turn >= len(found.inputs) else "k-back"))
                parts.append(text(x + 43, top + 13, short(value), "c gi", most=5))
        else:
            first = next((each.rule for each in found.inputs if each.rule is not None), np.zeros(()))
            said = f"{short(first.ravel()[0])} ?" if place == 0 and first.size else "?"
            parts.append(rect(40.5, top + 2.5, 100, 14, "off"))
            parts.append(text(46, top + 14, said, "c gi"))
    foot = y + entries * PAIR
    if miscounted and len(found.returned) > len(found.inputs):
        parts.append(text(124, foot + 2, "for no input", "q"))
    elif miscounted:
        parts.append(text(40, foot + 2, "and nothing for the others", "q"))
    return [lens.show("g-0", OUT, parts)], foot + 8

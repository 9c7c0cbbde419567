"""Draws a rule under the lens: forward on top, its source below, dy in from the right, gradients out to the left."""

from __future__ import annotations

from collections.abc import Sequence

from ..player.picture import chooser
from ..player.svg import CODE, Element, columns, cut, path, rect, text
from .bars import Bars
from .charts import Charts, Right
from .dy import comes_in
from .forward import forward
from .lens import VERDICT, Lens
from .lines import lines
from .out import leaves
from .verdict import verdict

Tab = tuple[str, int, bool]  # another call: its name, its variant, whether it is this one


def draw(lens: Lens, charts: Charts, tabs: Sequence[Tab] = ()) -> tuple[list[Element], float]:
    """One layout, and how far down it reaches."""
    at, bars = lens.at, Bars(lens.found)
    column = at.top + 4 if at.wide else lens.foot + 32
    entering, right_foot = comes_in(lens, bars, column)
    leaving, left_foot = leaves(lens, bars, column)
    rule = max(lens.foot, right_foot, left_foot) + 32
    judged, judged_foot = verdict(lens, rule + 16)
    right = Right(charts, lens.board, at.wide, at.prefix, VERDICT, lens.found.broken)
    charted, chart_foot = right.draw(rule + 16 if at.wide else judged_foot + 16)
    drawn = [
        *_title(lens, tabs),
        *forward(lens),
        *lines(lens, charts.label),
        *entering,
        *leaving,
        path(f"M0 {rule - 7.5:g}H{at.width:g}", "hair"),
        judged,
        *charted,
    ]
    return drawn, max(judged_foot, chart_foot)


def _title(lens: Lens, tabs: Sequence[Tab]) -> list[Element]:
    """The heading, the line that made the call, and a button for each of the other calls."""
    at = lens.at
    drawn = [text(0, 16, "A backward rule under the lens", "b")]
    x, taken = (256.0, 36 if tabs else 0) if at.wide else (0.0, 0)
    said = lens.call.line or lens.found.text
    drawn.append(text(x, 16 if at.wide else 36, said, "c q", most=int((at.width - x) // CODE) - taken))
    right = at.width
    for name, variant, here in reversed(tabs):
        wide = columns(cut(name, 16)) * CODE + 16
        right -= wide + 8
        box = rect(right + 0.5, 5.5, wide, 21, "button here" if here else "button", rx=4)
        label = text(right + 8, 20, name, "c b" if here else "c", most=16)
        id = f"{at.prefix}rule-{variant}"
        drawn.append(chooser(variant, box, label, id=id, label=f"the rule of {name}", on=here))
    return drawn

"""The verdict on a rule: its mark, its sentence and why, and below it the three checks of the contract."""

from __future__ import annotations

import numpy as np

from ..player.svg import CODE, WORD, Element, element, text
from .lens import VERDICT, Lens
from .measure import CHECKS, Measured, short

MARKS = {
    "agrees": "=",
    "differs": "\N{NOT EQUAL TO}",
    "on purpose": "\N{NOT EQUAL TO}",
    "broken": "\N{MULTIPLICATION X}",
    "unmeasured": "?",
}
CHECKED = {True: "\N{CHECK MARK}", False: "\N{MULTIPLICATION X}", None: "\N{MIDDLE DOT}"}


def verdict(lens: Lens, y: float) -> tuple[Element, float]:
    """The verdict as it is drawn from the height `y`, and how far down it reaches."""
    found, room = lens.found, int((528 if lens.at.wide else lens.at.width) - 40)
    title, why = sentence(found)
    parts: list[Element] = [
        element("circle", cls="verdict bad" if found.broken else "verdict", cx=12, cy=y + 8, r=12),
        text(12, y + 13, MARKS[found.verdict], "b m inverse" if found.broken else "b m"),
        text(36, y + 13, title, "caption b", most=room // 8),
        text(36, y + 35, why, "q", most=int(room // (WORD - 0.4))),
    ]
    for place, (said, ok) in enumerate(zip(CHECKS, found.checks, strict=True)):
        row = y + 64 + place * 20
        parts.append(text(36, row, CHECKED[ok], "b" if ok is False else ""))
        parts.append(text(56, row, said + (" (not reached)" if ok is None else ""), "b" if ok is False else "q"))
    row = y + 68 + len(CHECKS) * 20
    if found.advice:
        parts.append(text(36, row, found.advice, "q", most=int(room // (WORD - 0.4))))
        row += 20
    if found.fix:
        parts += [text(36, row, "fix", "s q"), text(60, row, found.fix, "c", most=int((room - 24) // CODE))]
        row += 20
    return lens.show("verdict", VERDICT, parts), row - 4


def sentence(found: Measured) -> tuple[str, str]:
    """The verdict, and why."""
    if found.broken:
        return f"broken contract: {found.fault_name}", found.fault
    if found.verdict == "unmeasured":
        return (
            "the true derivative was not measured",
            "There is nothing to nudge here, or the function did not bear it.",
        )
    if found.verdict == "agrees":
        return "agrees with the true derivative", "At this input, with this dy, the rule returns the slope."
    if found.verdict == "on purpose":
        name, _, reason = found.purpose.partition(": ")
        return f"differs, on purpose: {name}", reason or _difference(found)
    return "differs from the true derivative: is that on purpose?", _difference(found)


def _difference(found: Measured) -> str:
    unlike = found.unlike
    many, known = int(unlike.sum()), int(np.isfinite(found.slope).sum())
    rule, slope = found.rule[unlike], found.slope[unlike]
    who = (
        "The one entry"
        if known == 1
        else f"All {known} entries"
        if many == known
        else f"{many} of {known} entries differ"
    )
    if np.ptp(rule) == 0 and np.ptp(slope) < 1e-4:
        return f"{who}: the rule passes on {short(rule[0])} where the slope is {short(round(float(slope[0]), 6))}."
    who = f"{who} differ" if many == known > 1 else who
    most = float(np.max(np.abs(found.rule)))
    if found.dy.size == unlike.size and np.array_equal(np.abs(found.dy.ravel()) > most * 1.0001, unlike):
        return (
            f"{who}, all where |dy| is above {short(most)}." if many < known else f"{who}: |dy| is above {short(most)}."
        )
    return f"{who}, by at most {short(np.max(np.abs(rule - slope)))}."

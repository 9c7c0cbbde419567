"""The verdict on a rule: its mark, its sentence, and why."""

from __future__ import annotations

import numpy as np

from .hook_measure import Measured, short

MARKS = {
    "agrees": "=",
    "differs": "\N{NOT EQUAL TO}",
    "on purpose": "\N{NOT EQUAL TO}",
    "broken": "\N{MULTIPLICATION X}",
    "unmeasured": "?",
}


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

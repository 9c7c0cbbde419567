"""A rule under the lens in words: the captions, the title, and the text table."""

from __future__ import annotations

import numpy as np

from .. import words
from ..player.picture import Caption, Code
from ..player.svg import cut
from .calls import Call
from .measure import CHECKS, FLAT, Measured, short
from .source import Source
from .verdict import sentence

MOST = 40


def _gradients(found: Measured) -> str:
    return ", ".join(short(each.rule) if each.rule is not None else "None" for each in found.inputs)


def _slopes(found: Measured) -> str:
    return ", ".join(short(np.round(each.slope, 4) + 0.0) for each in found.inputs if each.slope is not None)


def _names(found: Measured) -> str:
    return words.listed([each.name for each in found.inputs])


def verdict(found: Measured) -> str:
    """The verdict in two or three words."""
    return {
        "broken": f"broken contract: {found.fault_name}",
        "unmeasured": "not measured",
        "agrees": "agrees",
        "differs": "differs",
        "on purpose": f"differs, on purpose: {found.purpose.partition(': ')[0]}",
    }[found.verdict]


def title(call: Call, found: Measured) -> str:
    """One sentence: what came in, what left, and the verdict."""
    left = f"{_gradients(found)} left" if not found.broken else "what left is wrong"
    return f"HookLab: the rule of {call.name}: dy = {short(found.dy)} came in, {left}; {sentence(found)[0]}"


def captions(call: Call, found: Measured) -> list[Caption]:
    """The six sentences."""
    name, source = Code(cut(call.name, MOST)), Code(call.after[0]) if call.after else None
    came = Code(f"dy = {short(found.dy)}")
    hands = (source, " hands ", came, " back to ", name) if source else (came, " comes back to ", name)
    inputs = Code(cut(_names(found), MOST))
    slope: Caption = ("the slope measured by nudging each entry of ", inputs, f" is {cut(_slopes(found), MOST)}")
    if found.broken:
        returned = ", ".join(short(each) for each in found.returned) or _gradients(found)
        out: Caption = (cut(returned, MOST), " leaves the rule")
        slope = slope if found.measured else ("the slope is not measured: the rule breaks its contract",)
        last: Caption = (". ".join(part.rstrip(".") for part in sentence(found)) + ".",)
    else:
        out = (cut(_gradients(found), MOST), " leaves the rule and becomes the gradient of ", inputs)
        last = (f"the rule returned {cut(_gradients(found), MOST)}, ", f"the slope is {cut(_slopes(found), MOST)}: it ")
        said = {"agrees": "agrees with the true derivative", "differs": "differs from the true derivative"}
        last = (*last, said.get(found.verdict, verdict(found)))
        if found.rule.size > FLAT and found.verdict in ("differs", "on purpose"):
            known = int(np.isfinite(found.slope).sum())
            last = (f"{int(found.unlike.sum())} of {known} entries differ from the true derivative",)
            last = (*last, f", {found.verdict}" if found.purpose else "")
        if not found.measured:
            slope = last = ("the true derivative was not measured",)
    return [
        (Code(cut(call.text, MOST)), " ran and was recorded, together with its own backward rule"),
        hands,
        ("the rule runs its return line: ", _effect(found)),
        out,
        slope,
        last,
    ]


def _effect(found: Measured) -> str:
    """What the rule does to dy, where that can be told from the numbers."""
    dy, g = found.dy.ravel().astype(float), found.rule.astype(float)
    if found.broken or g.shape != dy.shape or not dy.size:
        return f"it returns {found.fault_name}" if found.broken and found.returned else "it makes the gradients"
    if np.allclose(g, dy):
        return "it passes dy on as it is"
    if np.allclose(g, 0):
        return "it lets nothing through"
    most = float(np.max(np.abs(g)))
    over = np.abs(dy) > most * 1.0001
    if over.any() and np.allclose(np.abs(g[over]), most) and np.allclose(g[~over], dy[~over]):
        return f"each dy is cut to at most {short(most)}"
    rate = g[dy != 0] / dy[dy != 0]
    if rate.size and np.allclose(rate, rate[0]):
        return f"it multiplies dy by {short(rate[0])}"
    return f"it turns {short(found.dy)} into {_gradients(found)}"


def table(call: Call, found: Measured, source: Source, values: list[str]) -> str:
    """The whole as text: the source, dy, gradients and slopes entry by entry, the verdict, the contract."""
    rows = [title(call, found), "", *(f"  {line}" for line in source.lines), "", f"  dy = {short(found.dy)}"]
    if found.returned:
        rows.append(f"  the rule returned {', '.join(short(each) for each in found.returned)}")
    elif found.checks[1]:
        unlike = found.unlike
        shown = list(zip(found.labels, found.rule, found.slope, unlike, strict=True))
        for label, rule, slope, other in shown[:8]:
            said = f"  {label}: the rule gives {short(rule)}"
            said += f", the slope is {short(round(float(slope), 4) + 0.0)}" if np.isfinite(slope) else ""
            rows.append(said + ("  <- differs" if other else ""))
        if len(shown) > 8:
            known = int(np.isfinite(found.slope).sum())
            nudged = "" if known == len(shown) else f"; {known} of them were nudged"
            rows.append(f"  and {len(shown) - 8} more{nudged}; {int(unlike.sum())} of {known} differ")
    said, why = sentence(found)
    rows += ["", f"{said}{'' if said.endswith('?') else '.'} {why}"]
    marks = {True: "yes", False: "NO", None: "not reached"}
    rows += [f"  {check}: {marks[ok]}" for check, ok in zip(CHECKS, found.checks, strict=True)]
    rows += [f"  also: {found.advice}"] if found.advice else []
    rows += [f"  fix: {found.fix}"] if found.fix else []
    if values:
        rows += ["", *(f"  {value}" for value in values)]
    return "\n".join(row.rstrip() for row in rows)

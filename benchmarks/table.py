"""The findings as tables, and docs/performance.md."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path

from .apart import PROCESSES
from .contest import BESIDE, BY_HAND, Finding
from .libraries import PEERS, Library
from .machine import machine, versions
from .targets import TARGETS

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

TEXT = """\
# Performance

Made by `python -m benchmarks --write`: do not edit it by hand.

{when}, on {machine}; {versions}.

All sides of a row run in one process, on one thread, and take turns: every round times each side once, in CPU time,
and a ratio is the median of {rounds} rounds' ratios. A busy machine slows both, though not quite alike. Before a row is
timed, all its sides must have computed the same numbers in the same dtype. A ratio below 1 means that minitape is the
faster one.

Against NumPy by hand there are two rounds or more in each of {processes} processes that hold nothing else, as a
learner's does: chance puts the code of each process elsewhere. The peers share one process, and what NumPy takes there
has a column of its own. The peers run op by op, as a tape does: PyTorch and TensorFlow eagerly, JAX without `jit`,
MyGrad with its memory guard off. Most of them are made for large arrays or for compiled programs, where they do better
than here.

## What is promised

{promised}

## Against hand-written NumPy and the peers

{peers}

A step of the chain is x = tanh(x * w + b), 200 of them; an op is a third of a step. In it NumPy adds in place, into an
array that nobody else holds, where a library of ops takes a new one. For large arrays it depends on how a process comes
by its memory whether that counts: beside the peers it does.

## minitape by itself

{alone}
"""


def page(findings: Sequence[Finding], libraries: list[Library], rounds: int) -> str:
    """The text of docs/performance.md."""
    return TEXT.format(
        when=datetime.date.today().strftime("%d %B %Y").lstrip("0"),
        machine=machine(),
        versions=versions(libraries),
        rounds=rounds,
        processes=PROCESSES,
        promised=promised(findings).strip(),
        peers=(against_peers(findings) + missing(findings)).strip(),
        alone=alone(findings).strip(),
    )


def tables(findings: Sequence[Finding]) -> str:
    """All that there is to say of these findings, without the page around it."""
    parts = promised(findings), against_peers(findings) + missing(findings), alone(findings)
    return "\n".join(part for part in parts if part)


def promised(findings: Sequence[Finding]) -> str:
    """The targets beside what was found: the number, the quartiles of its rounds, and whether it was reached."""
    rows, reasons = [], []
    for target in TARGETS:
        for finding in filter(target.meets, findings):
            verdict = "" if finding.value is None else target.verdict(finding.value)
            bounds = digits(target.must), digits(target.goal)
            rows.append((target.what, target.against, cell(finding), quartiles(finding), *bounds, verdict))
            if verdict in ("must", "no") and target.why:
                reasons.append(f"- {target.what}, against {target.against}: {target.why}\n")
    table = markdown(("what", "against", "measured", "half of the rounds", "must", "goal", "reached"), rows)
    return "\n".join([table, *reasons]) if reasons else table


def against_peers(findings: Sequence[Finding]) -> str:
    """One line a contest, one column for each who took part in any."""
    took_part = {finding.against for finding in findings if finding.value is not None}
    columns = [name for name in (BY_HAND, *PEERS.values(), BESIDE) if name in took_part]
    lines: dict[str, dict[str, Finding]] = {}
    for finding in findings:
        if finding.took is not None or finding.value is None:
            lines.setdefault(finding.what, {})[finding.against] = finding
    rows = [
        (what, took(found), *(cell(found.get(column)) for column in columns))
        for what, found in lines.items()
        if BY_HAND in found
    ]
    return markdown(("minitape's time", "itself", *(f"to {column}" for column in columns)), rows)


def missing(findings: Sequence[Finding]) -> str:
    """Who took no part in anything, and why."""
    here = {finding.against for finding in findings if finding.value is not None}
    away = {finding.against: finding.note for finding in findings if finding.against not in here}
    return "".join(f"\n{name}: {why}.\n" for name, why in away.items())


def alone(findings: Sequence[Finding]) -> str:
    """The rest: a line each."""
    others = {BY_HAND, BESIDE, *PEERS.values()}
    rows = [
        (finding.what, finding.against, cell(finding), quartiles(finding), finding.note)
        for finding in findings
        if finding.against not in others or (finding.value is not None and finding.took is None)
    ]
    return markdown(("what", "by, or against", "measured", "half of the rounds", "note"), rows)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown that reads well as text, too; nothing where there are no rows."""
    lines = [tuple(head), *map(tuple, rows)]
    if len(lines) == 1:
        return ""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    first, *rest = ["| " + " | ".join(map(str.ljust, line, widths)) + " |\n" for line in lines]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|\n"
    return "".join([first, rule, *rest])


def cell(finding: Finding | None) -> str:
    """A number, or why there is none."""
    if finding is None:
        return ""
    return finding.note if finding.value is None else digits(finding.value)


def quartiles(finding: Finding) -> str:
    """The quartiles of the rounds; nothing for what was counted."""
    return "" if finding.low is None or finding.high is None else f"{digits(finding.low)} to {digits(finding.high)}"


def took(found: dict[str, Finding]) -> str:
    """What minitape took itself, in a unit that fits."""
    first = found[BY_HAND]
    if first.took is None:
        return ""
    if first.per_op:
        return f"{digits(first.took * 1e6)} µs an op"
    return f"{digits(first.took * 1e3)} ms"


def digits(value: float) -> str:
    """A number with as many digits as say something.

    >>> digits(0.123), digits(1.234), digits(12.34), digits(1234.5)
    ('0.12', '1.23', '12.3', '1234')
    """
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}" if value >= 1 else f"{value:.2g}"

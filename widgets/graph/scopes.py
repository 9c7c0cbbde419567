"""Which ops belong together: a layer's, a loop's, a range of lines; a scope is drawn as one node until it is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from minitape.trace import Ran

from ..scopes import Scope, layers

MOST = 300  # nodes of one picture
ROOMY = 14  # a loop of fewer ops than this is drawn as it is


def scopes_of(ops: Sequence[Ran], named: Mapping[str, int | tuple[int, int]]) -> list[Scope]:
    """The scopes of a program, in order, none inside another: the named lines, then layers, then loops.

    If more than 300 nodes were left, lines are put together, and at last whatever stands side by side.
    """
    scopes = _lines(ops, named)
    for more in (layers(ops), _loops(ops)):
        scopes = _beside(scopes, more)
    for more in (_runs(ops, lambda at: ops[at].line), _runs(ops, lambda at: at // -(-len(ops) // (MOST // 2)))):
        if _nodes(ops, scopes) > MOST:
            scopes = _beside(scopes, more)
    return sorted(scopes, key=lambda scope: scope.first)


def _nodes(ops: Sequence[Ran], scopes: Sequence[Scope]) -> int:
    return len(ops) - sum(len(scope) - 1 for scope in scopes)


def _beside(scopes: list[Scope], more: Sequence[Scope]) -> list[Scope]:
    """Add scopes that overlap none of those that are there."""
    taken = {number for scope in scopes for number in range(scope.first, scope.last + 1)}
    return scopes + [new for new in more if taken.isdisjoint(range(new.first, new.last + 1))]


def _lines(ops: Sequence[Ran], named: Mapping[str, int | tuple[int, int]]) -> list[Scope]:
    scopes: list[Scope] = []
    for name, lines in named.items():
        first, last = (lines, lines) if isinstance(lines, int) else lines
        inside = [op.line is not None and first <= op.line <= last for op in ops]
        runs = [[at for at, _ in run] for there, run in groupby(enumerate(inside), key=lambda pair: pair[1]) if there]
        scopes = _beside(scopes, [Scope(name, run[0] + 1, run[-1] + 1) for run in runs if len(run) > 1])
    return scopes


def _loops(ops: Sequence[Ran]) -> list[Scope]:
    """The rounds of a loop: from the first op whose line and text come again to the last one of those lines."""
    seen: dict[tuple[object, ...], list[int]] = {}
    for at, op in enumerate(ops):
        if op.line is not None:
            seen.setdefault((op.line, op.text, op.op), []).append(at)
    spans = sorted((places[0], places[-1], len(places)) for places in seen.values() if len(places) > 1)
    merged: list[list[int]] = []
    for first, last, times in spans:
        if merged and first <= merged[-1][1] + 1 and times == merged[-1][2]:
            merged[-1][1] = max(merged[-1][1], last)
        elif not merged or first > merged[-1][1]:
            merged.append([first, last, times])
        else:
            merged[-1][1] = max(merged[-1][1], last)
    found = []
    for first, last, times in merged:
        lines = [op.line for op in ops[first : last + 1] if op.line is not None]
        if last - first + 1 > ROOMY:
            where = f"line {lines[0]}" if min(lines) == max(lines) else f"lines {min(lines)} to {max(lines)}"
            found.append(Scope(f"{where}, {times} rounds", first + 1, last + 1))
    return found


def _runs(ops: Sequence[Ran], key: object) -> list[Scope]:
    """Ops side by side that have the same key."""
    found = []
    for _, run in groupby(range(len(ops)), key=key):  # type: ignore[call-overload]
        at = list(run)
        lines = {ops[place].line for place in at} - {None}
        name = f"line {lines.pop()}" if len(lines) == 1 else f"ops {at[0] + 1} to {at[-1] + 1}"
        found += [Scope(name, at[0] + 1, at[-1] + 1)] if len(at) > 1 else []
    return found

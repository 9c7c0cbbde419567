"""A road map in words: the captions of its last step, its title, and the text table."""

from __future__ import annotations

import math

from minitape.trace import Value

from .. import words
from ..player.picture import Caption, Code
from ..player.svg import cut
from .breaks import Break
from .flips import Flips, Run, change, lines, reason, unlike
from .roads import Roads

MOST = 24  # columns of a number
TERMS = 4  # of a longer sum only the total is told


def title(roads: Roads) -> str:
    """One sentence: the roads from the targets back to the sources."""
    if roads.call is None:
        return "RecordingMap: no gradient was asked for"
    targets = " + ".join(words.name(value) for value in roads.call.asked.targets)
    sources = words.listed([words.name(value) for value, _, _ in roads.sources])
    answer = words.answer([gradient for _, _, gradient in roads.sources])
    return f"RecordingMap: the roads from {targets} back to {sources or 'nothing'}; the gradient is {answer}"


def ended(roads: Roads, ends: list[Break]) -> Caption:
    """The last caption of a map as it was run."""
    assert roads.call is not None
    targets = [Code(cut(words.name(value), MOST)) for value in roads.call.asked.targets]
    target = targets[0] if len(targets) == 1 else Code("the targets")
    if len(roads.sources) == 1:
        value, spot, gradient = roads.sources[0]
        name = Code(cut(words.name(value), MOST))
        if gradient is None:
            return _none(name, ends)
        came = [words.number(each) for each in roads.came(spot)]
        total = cut(words.number(gradient), MOST)
        if len(came) < 2:
            said = "one road leads" if came else "no road leads"
            return (f"{said} from ", target, " back to ", name, ": the gradient is ", total)
        added = f"{' + '.join(came)} = {total}"
        if len(came) > TERMS or len(added) > 64 or not _adds_up(roads.came(spot), gradient):
            added = f"the gradient is {total}"
        return (f"{words.count(len(came), 'road')} lead from ", target, " back to ", name, ": ", added)
    reached = sum(gradient is not None for _, _, gradient in roads.sources)
    whole, broken = len(roads.sources), len(roads.sources) - reached
    if not broken:
        names = [cut(words.name(value), MOST) for value, _, _ in roads.sources]
        return ("roads lead from ", target, " back to ", words.listed(names) if whole <= TERMS else "all the sources")
    at = sorted({end.row for end in ends if end.before == "None"})
    said = f"one road of {words.count(whole)} reaches its source"
    if reached != 1:
        said = f"{words.count(reached)} of {words.count(whole)} sources are reached"
    rest = "the other one ends" if broken == 1 else f"the other {words.count(broken)} end"
    return (f"{said}; {rest} at {lines(at)}",)


def _adds_up(parts: list[Value], whole: Value) -> bool:
    """Whether contributions are all that a gradient is made of."""
    if not whole.numbers or any(len(part.numbers) != len(whole.numbers) for part in parts):
        return False
    sums = [math.fsum(numbers) for numbers in zip(*(part.numbers for part in parts), strict=True)]
    return all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6) for a, b in zip(sums, whole.numbers, strict=True))


def _none(name: Code, ends: list[Break]) -> Caption:
    if not ends:
        return ("no road leads back to ", name, ": its gradient is None")
    end = ends[0]
    if end.road is None:
        return ("no road leads back to ", name, f": {end.what}")
    pieces: list[str] = ["the road to ", name, f" ends at line {end.row}: {end.what}"]
    if end.fix:
        pieces += [" Fix: ", Code(cut(end.fix, 32))]
    if end.after and end.fix:
        pieces += [f". Then: {end.after}"]
    return tuple(pieces)


def flipped(first: Run, run: Run) -> Caption:
    """The last caption once lines have been switched."""
    before, after = change(first, run)
    off = [line for line in run.flipped if first.on(line)]
    said = f"{lines(run.flipped)} {'is' if len(run.flipped) == 1 else 'are'} "
    if len(off) == len(run.flipped):
        said += "off the tape: "
    elif not off:
        said += "on the tape now: "
    else:
        said += "switched: "
    if before == after:
        return (f"{said}the gradient stays {cut(after, MOST)}",)
    spot = run.spot(off[0]) if len(run.flipped) == len(off) == 1 else None
    if spot is not None and not any(target is spot for target in run.roads.targets):
        return (
            said,
            Code(cut(spot.name, MOST)),
            " became a plain number, and the gradient went from ",
            f"{cut(before, MOST)} to {cut(after, MOST)}",
        )
    return (f"{said}the gradient changed from {cut(before, MOST)} to {cut(after, MOST)}",)


def table(flips: Flips, ends: list[Break]) -> str:
    """The whole map as text: the program, the roads, their ends, and what each switch does."""
    first = flips.order[0]
    roads = first.roads
    blocks = [[title(roads)], _program(first), _roads(roads), _ends(ends), _switches(flips, first)]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)


def compared(first: Run, second: Run) -> str:
    """Two runs as text: the programs, and the lines in which they differ."""
    before, after = change(first, second)
    rows = [f"  line {line}: {one}, then {two}" for line, one, two in unlike(first, second)]
    rows.append(f"  the gradient: {before} -> {after}")
    blocks = [[title(first.roads)], _program(first), [title(second.roads)], _program(second)]
    return "\n\n".join("\n".join(block) for block in [*blocks, ["Where the runs differ", *rows]] if block)


def _program(run: Run) -> list[str]:
    marks = {"rec": "[on]", "off": "[off]", "gone": "[-]", "idle": "[-]"}
    by = {spot.row: marks.get(spot.kind, "") for spot in run.roads.spots}
    program = run.roads.story.lines
    rows = [f"  {by.get(at, ''):5} {at:>3}  {line.expandtabs(4)}" for at, line in enumerate(program, 1)]
    return ["Program ([on] is on the tape, [off] is not)", *rows] if rows else []


def _roads(roads: Roads) -> list[str]:
    rows = []
    for road in sorted(roads.roads, key=lambda road: (-road.end.row, road.start.row)):
        if road.strands:
            gifts = " + ".join(words.number(strand.value) for strand in road.strands[:TERMS])
            more = " + ..." if len(road.strands) > TERMS else ""
            rows.append(f"  from {cut(road.end.name, MOST)} to {cut(road.start.name, MOST)}: {gifts}{more}")
    return ["The way back, road by road", *rows] if rows else []


def _ends(ends: list[Break]) -> list[str]:
    rows = []
    for number, end in enumerate(ends, 1):
        gain = f"  ({end.before} -> {end.after})" if end.after else ""
        rows.append(f"  {number}. line {end.row}: {end.what}" + (f" Fix: {end.fix}{gain}" if end.fix else ""))
    return ["Where a road ends, why, and the fix", *rows] if rows else []


def _switches(flips: Flips, first: Run) -> list[str]:
    if flips.block.trouble:
        return [f"The block was not run again: {flips.block.trouble}"]
    rows = []
    for line in flips.lines:
        after = flips.after(first, line)
        before, then = change(first, after)
        rows.append(
            f"  line {line} {'off' if first.on(line) else 'on'}: {before} -> {then}  {reason(first, after, line)}"
        )
    return ["Flip one switch (off: inside stop_recording)", *rows] if rows else []

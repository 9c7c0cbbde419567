"""What switching lines on and off does: the runs, one for each set of switches, and the words about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from minitape.trace import Trace

from .. import words
from ..player.svg import cut
from ..rerun import Block, spelled
from ..tape.reader import tell_one
from .roads import Roads, Spot
from .survey import survey

ALL = 3  # up to so many switches every combination is run; of more, each switch alone
MOST = 16  # switches
NAME = 14  # columns of a name


@dataclass
class Run:
    """One run of the block, with these lines switched from what the learner wrote."""

    flipped: frozenset[int]
    roads: Roads

    @property
    def gradients(self) -> list[str]:
        """The gradients as they are spelled."""
        return [spelled(gradient) for _, _, gradient in self.roads.sources]

    @property
    def came(self) -> int:
        """How many contributions reached the sources."""
        return sum(len(self.roads.came(spot)) for _, spot, _ in self.roads.sources)

    def spot(self, line: int) -> Spot | None:
        """What a line made in this run."""
        return next((spot for spot in self.roads.spots if spot.row == line), None)

    def on(self, line: int) -> bool:
        """Whether the tape recorded a line in this run."""
        spot = self.spot(line)
        return spot is not None and spot.kind == "rec"


class Flips:
    """All runs; the first is the one that was observed."""

    def __init__(self, seen: Trace, block: Block, tape: str | int | None) -> None:
        story = tell_one(seen, tape)
        self.block = block
        first = Run(frozenset(), survey(story, seen))
        self.runs = {first.flipped: first}
        self.lines: list[int] = []
        if block.trouble or first.roads.call is None:
            return
        self.lines = [
            spot.row
            for spot in first.roads.spots
            if spot.row in block.inside and (spot.kind == "rec" or spot.why == "stop_recording")
        ][:MOST]
        alone = [frozenset([line]) for line in self.lines]
        every = [frozenset(some) for size in range(1, ALL + 1) for some in combinations(self.lines, size)]
        for flipped in every if len(self.lines) <= ALL else alone:
            again = block.run(flipped)
            self.runs[flipped] = Run(flipped, survey(tell_one(again, story.name if again.events else None), again))

    @property
    def order(self) -> list[Run]:
        """The runs, in the order of the picture's variants."""
        return list(self.runs.values())

    def choice(self, flipped: frozenset[int]) -> int:
        """The number of a run's variant."""
        return list(self.runs).index(flipped)

    def after(self, run: Run, line: int) -> Run:
        """The run that flipping one more switch leads to; where that was not run, the one with this switch alone."""
        return self.runs.get(run.flipped ^ {line}) or self.runs[frozenset([line])]


def change(before: Run, after: Run) -> tuple[str, str]:
    """The gradient before and after; of several sources, the first that changes."""
    pairs = list(zip(before.gradients, after.gradients, strict=False))
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0] if pairs else ("None", "None"))


def reason(before: Run, after: Run, line: int) -> str:
    """Why flipping a line changes the gradient as it does, in one clause."""
    spot = before.spot(line) or after.spot(line)
    targets = words.listed([cut(target.name, NAME) for target in before.roads.targets])
    if spot is None:
        return "nothing ran there"
    name = cut(spot.name, NAME)
    if before.gradients == after.gradients:
        reads = _reaches(before.roads, spot)
        return "no change in the gradient" if reads else f"no change: {targets} never reads {name}"
    if after.on(line):
        return f"{name} would be on the tape: {_roads(after.came)} instead of {words.count(before.came)}"
    if any(target.row == line for target in before.roads.targets):
        return f"{name} itself would be off the tape: no road at all"
    scalar = spot.value is not None and not spot.value.shape
    plain = f"a plain {words.brief(spot.value, NAME)}" if scalar and spot.value else "plain numbers"
    left = words.count(after.came)
    if after.came == 0:
        return f"{name} would be {plain}: no road is left"
    verb = "is" if after.came == 1 else "are"
    return f"{name} would be {plain}: {left} of {words.count(before.came)} roads {verb} left"


def _roads(many: int) -> str:
    return words.count(many, "road")


def _reaches(roads: Roads, spot: Spot) -> bool:
    """Whether a value is read on the way to a target, on the tape or off it."""
    leads = {id(target) for target in roads.targets}
    for road in sorted(roads.roads, key=lambda road: -road.end.row):
        if id(road.end) in leads:
            leads.add(id(road.start))
    return id(spot) in leads


def lines(numbers: Iterable[int]) -> str:
    """Lines in words: "line 4", "lines 4 and 6"."""
    said = [str(number) for number in sorted(numbers)]
    return f"line{'s' * (len(said) > 1)} {words.listed(said)}"


def unlike(first: Run, second: Run) -> list[tuple[int, str, str]]:
    """The lines that differ between two runs, each with what happened there in the first and in the second."""
    before, after = first.roads.story.lines, second.roads.story.lines
    found = []
    for line in range(1, max(len(before), len(after)) + 1):
        one = before[line - 1].strip() if line <= len(before) else ""
        two = after[line - 1].strip() if line <= len(after) else ""
        if one != two:
            found.append((line, one or "nothing", two or "nothing"))
        elif _state(first, line) != _state(second, line):
            found.append((line, _state(first, line), _state(second, line)))
    return found


def _state(run: Run, line: int) -> str:
    spot = run.spot(line)
    kinds = {"rec": "recorded", "off": "skipped", "idle": "not heard", "gone": "off the tape", "plain": "made"}
    return kinds[spot.kind] if spot else "no op"

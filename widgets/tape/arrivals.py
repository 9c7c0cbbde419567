"""The sums of many sources: names in groups, W1 … W50, and how many of each group have their gradient by now."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from minitape.trace import Value, Walked

from .. import words
from ..player.svg import CODE, Element, columns, cut, group, text
from ..words import Words
from .story import Call

MANY = 8  # more sources than this are told in groups
GROUPS = 8  # more groups than this are told as the first seven and the others
PITCH, HALF, SIDE, WIDTH = 24, 252, 96, 528  # a group's height; the second column; where its words begin; the panel
NUMBER = 15  # columns of a number
RANGE = " … "
_STEM = re.compile(r"[\d₀-₉]+$")

Said = tuple[tuple[int, str], ...]


@dataclass
class Group:
    """Sources whose names differ in a number at the end."""

    sources: list[Value] = field(default_factory=list)
    stem: str | None = None  # what their names have in common; None for the others


class Arrivals:
    """The groups of one call of `gradient`; `texts` are the words that change, by part."""

    def __init__(self, call: Call, spell: Words, suffix: str) -> None:
        self.call, self.spell, self.suffix = call, spell, suffix
        self.texts: dict[str, Said] = {}
        self.arrived, self.totals = _arrivals(call)
        self.bottom = 0.0

    def draw(self, y: float) -> list[Element]:
        """A line for each group, two side by side where their names are short."""
        groups = _groups(self.call.asked.sources, self.spell)
        wide = max(map(self._wide, groups))
        side = max(float(SIDE), wide * CODE + 24)
        beside = side + 140 <= HALF
        drawn: list[Element] = []
        for place, each in enumerate(groups):
            x, row = (HALF * (place % 2), place // 2) if beside else (0, place)
            at = y + PITCH * row
            drawn.append(self._line(place + 1, each, x, at, min(side, 300.0)))
            self.bottom = at
        return drawn

    def _wide(self, each: Group) -> int:
        """The columns that its longest label can take."""
        longest = max(columns(self.spell.name(source)) for source in each.sources)
        range_ = 2 * longest + len(RANGE) if len(each.sources) > 1 and each.stem is not None else longest
        return max(range_, columns(self._label(each, 0, len(each.sources))))

    def _line(self, place: int, each: Group, x: float, y: float, side: float) -> Element:
        name, count = f"names-{place}{self.suffix}", f"arrived-{place}{self.suffix}"
        self.texts[name], self.texts[count] = self._told(each)
        most = int((side - 12) // CODE)
        self.texts[name] = tuple((step, cut(said, most)) for step, said in self.texts[name])
        return group(text(x, y, "", "c b", id=name), text(x + side, y, "", id=count))

    def _told(self, each: Group) -> tuple[Said, Said]:
        """The names that have arrived, as a range where they are one, and how many they are; step by step."""
        all_ = len(each.sources)
        came = sorted(
            (self.arrived[source.id], at) for at, source in enumerate(each.sources) if source.id in self.arrived
        )
        names, counts = [(0, self._label(each, 0, all_))], [(0, f"0 of {all_} arrived" if all_ > 1 else "not yet")]
        low, high = all_, 0
        for many, (step, at) in enumerate(came, 1):
            low, high = min(low, at), max(high, at + 1)
            whole = high - low == many
            names.append((step, self._label(each, low, high) if whole else self._label(each, 0, all_)))
            counts.append((step, self._count(each, many)))
        if self.call.end and len(came) < all_:
            none = all_ - len(came)
            counts.append((self.call.end, "None" if all_ == 1 else f"{counts[-1][1]}, {none} None"))
        return _last(names), _last(counts)

    def _count(self, each: Group, many: int) -> str:
        if len(each.sources) > 1:
            return f"{many} of {len(each.sources)} arrived"
        return words.brief(self.totals[each.sources[0].id], NUMBER)

    def _label(self, each: Group, low: int, high: int) -> str:
        if each.stem is None:
            return words.count(len(each.sources), "other value")
        first, last = self.spell.name(each.sources[low]), self.spell.name(each.sources[high - 1])
        return first if high - low == 1 else f"{first}{RANGE}{last}"


def _arrivals(call: Call) -> tuple[dict[int, int], dict[int, Value]]:
    """By id of a value: the step that brings its last contribution, and the sum that it then has."""
    steps: dict[int, int] = {}
    totals: dict[int, Value] = {}
    for target, seed in zip(call.asked.targets, call.asked.seeds, strict=False):
        steps[target.id], totals[target.id] = call.step, seed
    for walk in call.walks:
        for gift in walk.event.gifts if isinstance(walk.event, Walked) else ():
            steps[gift.to.id], totals[gift.to.id] = walk.step, gift.total
    return steps, totals


def _groups(sources: tuple[Value, ...], spell: Words) -> list[Group]:
    """By what their names have in common, in the order of the first of each; those beyond the eighth together."""
    found: dict[str, Group] = {}
    for source in sources:
        stem = _STEM.sub("", spell.name(source))
        found.setdefault(stem, Group(stem=stem)).sources.append(source)
    groups = list(found.values())
    if len(groups) <= GROUPS:
        return groups
    others = Group([source for each in groups[GROUPS - 1 :] for source in each.sources])
    return [*groups[: GROUPS - 1], others]


def _last(said: list[tuple[int, str]]) -> Said:
    """What one step says twice it says the second time; what does not change is not said again."""
    by_step = dict(said)
    kept: list[tuple[int, str]] = []
    for step in sorted(by_step):
        if not kept or kept[-1][1] != by_step[step]:
            kept.append((step, by_step[step]))
    return tuple(kept)

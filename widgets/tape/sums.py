"""The sums below the tape: one equation for each value, growing as contributions come in, until it is the gradient."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from minitape.trace import Value, Walked

from .. import words
from ..player.picture import DIMMED, DONE, FUTURE, USED, Storyboard
from ..player.svg import CODE, WORD, Element, columns, cut, group, path, rect, text
from .arrivals import MANY, Arrivals, Said
from .layout import NUMBER, Phase
from .story import Call, Story

WIDTH, PITCH, TOP, GRID = 528, 56, 48, 32
LABEL = 6.6  # the advance of a label's letter, at 11 px
NAME = 12  # columns of a value's name
ALL = 8  # on tapes with more entries only the sums that were asked for are shown
FOLD = 8  # of more terms than this the first five and the last are shown
PLUS, READ, RUNNING = 28, 56, 56  # room for a plus, for "read as g", and between a total and the running sum


@dataclass(frozen=True, slots=True)
class Term:
    """One contribution: its number, where it came from, and when."""

    value: Value
    source: str
    step: int
    phase: int


@dataclass
class Sum:
    """The contributions to one value."""

    value: Value
    terms: list[Term] = field(default_factory=list)
    totals: list[Value] = field(default_factory=list)
    read: int | None = None  # the step that reads it as g
    asked: bool = False  # a target or a source


class Sums:
    """The panel: a heading, and for each call of `gradient` its sums, laid out for their final size."""

    def __init__(self, story: Story, board: Storyboard) -> None:
        self.story, self.board, self.spell = story, board, story.words
        self.texts: dict[str, Said] = {}  # of sources that are told in groups: the words that change
        self.bottom = TOP + 8.0
        self.drawn = self._head()
        for turn, call in enumerate(story.calls, 1):
            self.drawn.append(self._call(turn, call))

    def _head(self) -> list[Element]:
        calls = self.story.calls
        if not calls:
            return [text(0, 16, "Gradients", "b"), text(0, TOP, "none: nothing asked for a gradient", "q")]
        asked = calls[0].asked
        sources = ", ".join(self.spell.name(value) for value in asked.sources)
        sources = sources if len(asked.sources) == 1 else f"[{sources}]"
        if len(asked.sources) > MANY:
            sources = f"{len(asked.sources)} values"
        called = f"{calls[0].name}.gradient({self._targets(calls[0])}, {sources})"
        nothing = f"nothing yet: filled when {called} walks the tape from its end"
        if columns(nothing) > WIDTH // WORD:
            nothing = f"nothing yet: filled by {cut(called, 44)}"
        drawn = [text(0, TOP, nothing, "q", id="sums-nothing")]
        self.board.set("sums-nothing", DONE, 0)
        self.board.set("sums-nothing", FUTURE, calls[0].step)
        for turn, call in enumerate(calls, 1):
            id = _turned("sums-head", turn)
            drawn.append(text(0, 16, f"Gradients of {self._targets(call)} so far", "b", most=56, id=id))
            self.board.set(id, DONE, 0 if turn == 1 else call.step)
            if turn < len(calls):
                self.board.set(id, FUTURE, calls[turn].step)
        return drawn

    def _targets(self, call: Call) -> str:
        return " + ".join(self.spell.name(target) for target in call.asked.targets)

    def _call(self, turn: int, call: Call) -> Element:
        """The sums of one call, side by side where they are short; of many sources, how many have come."""
        id = _turned("sums-of", turn)
        self.board.show(id, call.step)
        if turn < len(self.story.calls):
            self.board.set(id, FUTURE, self.story.calls[turn].step)
        if len(call.asked.sources) > MANY:
            arrivals = Arrivals(call, self.spell, _turned("", turn))
            parts = arrivals.draw(TOP)
            self.texts |= arrivals.texts
            self.bottom = max(self.bottom, arrivals.bottom + 24)
            return group(parts, id=id)
        x, y, parts = 0.0, float(TOP), []
        taken: Counter[str] = Counter()
        for sum in self._sums(call):
            name = "".join(
                letter if letter.isalnum() or letter in "_.#" else "-" for letter in self.spell.name(sum.value)
            )
            taken[name] += 1
            suffix = name + (f"-{taken[name]}" if taken[name] > 1 else "")
            block = _Block(sum, self.spell.name(sum.value), _turned(suffix, turn), self.board, call, self.story.buggy)
            if x and x + block.width > WIDTH:
                x, y = 0.0, y + PITCH
            parts.append(block.draw(x, y))
            y = block.bottom
            x += -(-block.width // GRID) * GRID
            self.bottom = max(self.bottom, y + 24)
        return group(parts, id=id)

    def _sums(self, call: Call) -> list[Sum]:
        """The sums of one call, in the order in which their first contributions come."""
        sums: dict[int, Sum] = {}
        one, more = [cut(call.name, NAME)] * 2 if self.story.several else ("entry", "entries")
        for target, seed in zip(call.asked.targets, call.asked.seeds, strict=False):
            sum = sums.setdefault(target.id, Sum(target, asked=True))
            sum.terms.append(Term(seed, "start", call.step, 0))
            sum.totals.append(seed)
        for walk in call.walks:
            if not isinstance(walk.event, Walked):
                continue
            for output in walk.event.outputs:
                if output.id in sums:
                    sums[output.id].read = walk.step
            for slot, gift in enumerate(walk.event.gifts):
                sum = sums.setdefault(gift.to.id, Sum(gift.to))
                where = f"{one if walk.row.many == 1 else more} {walk.row.span(walk.event.entry)}"
                sum.terms.append(Term(gift.value, where, walk.step, Phase.term(slot)))
                sum.totals.append(gift.total)
        for source in call.asked.sources:
            sums.setdefault(source.id, Sum(source)).asked = True
        every = len(call.walks) <= ALL
        return [sum for sum in sums.values() if sum.asked or every]


class _Block:
    """One sum: its name, its terms, its total. A long one goes on in the next line."""

    def __init__(self, sum: Sum, name: str, suffix: str, board: Storyboard, call: Call, buggy: bool) -> None:
        self.sum, self.name, self.suffix, self.board, self.call = sum, name, suffix, board, call
        self.buggy = buggy
        self.indent = max(40.0, min(columns(name), NAME) * CODE + 16)
        terms = sum.terms
        folded = terms[5:-1] if len(terms) > FOLD else []
        shown = terms[:5] + terms[-1:] if folded else terms
        self.cells = [([term], words.brief(term.value, NUMBER), term.source) for term in shown]
        if folded:
            self.cells.insert(5, (folded, "…", f"{len(folded)} more"))
        self.total = words.brief(sum.totals[-1], NUMBER) if len(terms) > 1 else ""
        self.bottom = 0.0

    @property
    def width(self) -> float:
        """The width of the whole on one line."""
        if not self.cells:
            return self.indent + 168
        if len(self.cells) == 1:
            return self.indent + _wide(self.cells[0]) + READ
        terms = sum(_wide(cell) + PLUS for cell in self.cells)
        return self.indent + terms + 8 + max(RUNNING, _number(self.total) + 24)

    def _id(self, part: str) -> str:
        return f"{part}-{self.suffix}"

    def draw(self, x: float, y: float) -> Element:
        """The sum with its name at x, y."""
        start = x + self.indent
        parts = [text(x, y, self.name, "c b", most=NAME)]
        if not self.cells:
            self.board.show(self._id("sum"), self.call.end or self.call.step)
            parts += [text(start, y, "None", "c b gi"), text(start, y + 16, "no road on the tape leads here", "s q")]
        else:
            first = self.sum.terms[0]
            self.board.show(self._id("sum"), first.step, first.phase)
        at = start
        for place, cell in enumerate(self.cells):
            if place and at + PLUS + _wide(cell) > WIDTH:
                at, y = start - PLUS, y + PITCH
            at += PLUS if place else 0
            parts.append(self._term(place, cell, at, y))
            at += _wide(cell)
        if self.total:
            at += 36
            if at + _number(self.total) > WIDTH:
                at, y = start, y + PITCH
            parts.append(self._whole(at, y))
            after = at + max(RUNNING, _number(self.total) + 24)
            parts += self._running(after, y)
            if self.sum.read:
                parts.append(self._read(at, y, _number(self.total) + 10, 27))
        elif self.sum.read:
            wide = max(_number(self.cells[0][1]), 38) + 10
            parts.append(self._read(start, y, wide, 37, text(at, y, "read as g", "s q")))
        self.bottom = y
        return group(parts, id=self._id("sum"))

    def _term(self, place: int, cell: tuple[list[Term], str, str], x: float, y: float) -> Element:
        id = f"{self._id('term')}-{place + 1}"
        terms, number, source = cell
        for term in terms:
            self.board.ring(id, term.step, term.phase)
        if self.buggy and place < len(self.cells) - 1:
            over = self.cells[place + 1][0][0]  # what is written over it
            self.board.set(id, DIMMED, over.step, over.phase)
            self.board.set(id, DIMMED, over.step + 1)
        plus = [text(x - PLUS, y, "→" if self.buggy else "+", "c")] if place else []
        ring = rect(x - 6, y - 17, max(_number(number), 38, len(source) * LABEL) + 10, 38, "cur", rx=4)
        return group(plus, text(x, y, number, "c struck", most=NUMBER), text(x, y + 16, source, "s q"), ring, id=id)

    def _whole(self, x: float, y: float) -> Element:
        """The total with its double rule, once all has come."""
        last, id = self.sum.terms[-1], self._id("total")
        self.board.show(id, last.step, last.phase)
        wide = _number(self.total) + 5
        rule = path(f"M{x - 2:g} {y + 6.5:g}h{wide:g}m0 3h-{wide:g}", "rule")
        return group(text(x - 32, y, "=", "c"), text(x, y, self.total, "c b gi", most=NUMBER), rule, id=id)

    def _running(self, x: float, y: float) -> list[Element]:
        """How the sum grew, beside the total; left out where there is no room."""
        totals = [words.number(total) for total in self.sum.totals[: WIDTH // 8]]  # more have no room anyway
        if self.buggy or x + columns(" → ".join(totals)) * CODE > WIDTH:
            return []
        spans = []
        for place, total in enumerate(totals):
            id = f"{self._id('running')}-{place + 1}"
            term = self.sum.terms[max(place, 1)]
            self.board.show(id, term.step, term.phase)
            spans.append(Element("tspan", ((" → " if place else "") + total,), id))
        second, label = self.sum.terms[1], self._id("running")
        self.board.show(label, second.step, second.phase)
        grown = Element("text", tuple(spans), None, {"x": x, "y": y, "class": "c q"})
        return [grown, text(x, y + 16, "running sum", "s q", id=label)]

    def _read(self, x: float, y: float, wide: float, tall: float, *more: Element) -> Element:
        """The thin ring of the step that reads this sum as g."""
        assert self.sum.read is not None
        id = self._id("read")
        self.board.set(id, USED, self.sum.read, Phase.SUM)
        self.board.set(id, FUTURE, self.sum.read + 1)
        return group(rect(x - 5.5, y - 16.5, wide, tall, "thin", rx=4), more, id=id)


def _number(number: str) -> float:
    """The width of a number as it is shown."""
    return min(columns(number), NUMBER) * CODE


def _wide(cell: tuple[list[Term], str, str]) -> float:
    """The width of a term with the space after it."""
    return max(_number(cell[1]), len(cell[2]) * LABEL, 40) + 12


def _turned(id: str, turn: int) -> str:
    return id if turn == 1 else f"{id}.{turn}"

"""The sums below the tape: one equation for each value, growing as contributions come in, until it is the gradient."""

from __future__ import annotations

from dataclasses import dataclass, field

from minitape.trace import Value, Walked

from . import words
from .picture import DONE, FUTURE, USED, Storyboard
from .svg import CODE, SMALL, Element, columns, group, path, rect, text
from .tape_story import Call, Story

WIDTH, PITCH, TOP = 528, 56, 48
NAME, NUMBER = 12, 15  # the columns of a value's name and of a number in a sum
FOLD = 8  # more terms than this are folded: the first five, a gap, the last
PHASES = {"sum": 1, "g": 2, "chip": 3, "rule": 4, "term": 5}  # the order within one step of the way back


@dataclass
class Sum:
    """The contributions to one value."""

    value: Value
    made_by: int | None = None  # the entry that made the value, where its name alone does not say which value it is
    terms: list[tuple[Value, str, int, int]] = field(default_factory=list)  # number, from where, step, phase
    totals: list[Value] = field(default_factory=list)
    read: int | None = None  # the step that reads it as g
    asked: bool = False  # the learner asked for it: a target or a source


class Sums:
    """The panel: heading, and for each call of `gradient` its sums, laid out for their final size."""

    def __init__(self, story: Story, board: Storyboard, *, only_asked: bool) -> None:
        self.story, self.board, self.only_asked = story, board, only_asked
        self.bottom = TOP + 8.0
        self.drawn: list[Element] = []
        self._head()
        for turn, call in enumerate(story.calls, 1):
            self._call(turn, call)

    def _head(self) -> None:
        calls, tape = self.story.calls, self.story.name
        if not calls:
            self.drawn.append(text(0, 16, "Gradients", "b"))
            self.drawn.append(text(0, TOP, "none: nothing asked for a gradient", "q"))
            return
        asked = calls[0].asked
        sources = ", ".join(words.name(value) for value in asked.sources)
        sources = sources if len(asked.sources) == 1 else f"[{sources}]"
        said = f"nothing yet: filled when {tape}.gradient({_targets(calls[0])}, {sources}) walks the tape from its end"
        self.drawn.append(text(0, TOP, said, "q", most=72, id="sums-nothing"))
        self.board.set("sums-nothing", DONE, 0)
        self.board.set("sums-nothing", FUTURE, calls[0].step)
        for turn, call in enumerate(calls, 1):
            id = _id("sums-head", turn)
            self.drawn.append(text(0, 16, f"Gradients of {_targets(call)} so far", "b", most=56, id=id))
            self.board.set(id, DONE, 0 if turn == 1 else call.step)
            if turn < len(calls):
                self.board.set(id, FUTURE, calls[turn].step)

    def _call(self, turn: int, call: Call) -> None:
        until = self.story.calls[turn].step if turn < len(self.story.calls) else None
        x, y, parts = 0.0, float(TOP), []
        for sum in self._sums(call):
            block = _Block(sum, self._id(sum, turn), self.board, call)
            if x and x + block.width > WIDTH:
                x, y = 0.0, y + PITCH
            elements, height = block.draw(x, y)
            parts.extend(elements)
            x += -(-block.width // 32) * 32
            if height:
                x, y = 0.0, y + height
            self.bottom = max(self.bottom, y + 24 - (PITCH if height and not x else 0))
        id = _id("sums-of", turn)
        self.board.show(id, call.step)
        if until:
            self.board.set(id, FUTURE, until)
        self.drawn.append(group(parts, id=id))

    def _id(self, sum: Sum, turn: int) -> str:
        plain = "".join(letter if letter.isalnum() or letter in "_." else "-" for letter in words.name(sum.value))
        taken = getattr(self, "_taken", None)
        if taken is None:
            taken = self._taken = {}
        key = (plain, turn)
        taken[key] = taken.get(key, 0) + 1
        return _id(f"sum-{plain}" + (f"-{taken[key]}" if taken[key] > 1 else ""), turn)

    def _sums(self, call: Call) -> list[Sum]:
        """The sums of one call, in the order in which their first contributions come."""
        sums: dict[int, Sum] = {}
        for target, seed in zip(call.asked.targets, call.asked.seeds, strict=False):
            sum = sums.setdefault(target.id, Sum(target, asked=True))
            sum.terms.append((seed, "start", call.step, 0))
            sum.totals.append(seed)
        for walk in call.walks:
            if not isinstance(walk.event, Walked):
                continue
            for output in walk.event.outputs:
                if output.id in sums:
                    sums[output.id].read = walk.step
                    sums[output.id].made_by = walk.row.number
            for slot, gift in enumerate(walk.event.gifts):
                sum = sums.setdefault(gift.to.id, Sum(gift.to))
                sum.terms.append((gift.value, f"entry {walk.row.number}", walk.step, PHASES["term"] + 2 * slot))
                sum.totals.append(gift.total)
        for source in call.asked.sources:
            sums.setdefault(source.id, Sum(source)).asked = True
        kept = [sum for sum in sums.values() if sum.asked or not self.only_asked]
        names = [words.name(sum.value) for sum in kept]
        for sum in kept:
            if names.count(words.name(sum.value)) < 2:
                sum.made_by = None
        return kept

    def draw(self) -> list[Element]:
        """The panel's elements."""
        return self.drawn


def _targets(call: Call) -> str:
    return " + ".join(words.name(target) for target in call.asked.targets)


def _id(name: str, turn: int) -> str:
    return name if turn == 1 else f"{name}.{turn}"


class _Block:
    """One sum: its name, its terms, its total."""

    def __init__(self, sum: Sum, id: str, board: Storyboard, call: Call) -> None:
        self.sum, self.id, self.board, self.call = sum, id, board, call
        self.name = words.name(sum.value)
        self.indent = max(40.0 if not board else 40.0, min(columns(self.name), NAME) * CODE + 16)
        if sum.made_by:
            self.indent = max(self.indent, len(f"of entry {sum.made_by}") * SMALL + 12)
        self.cells = self._cells()
        self.width = self.indent + self._room()

    def _cells(self) -> list[tuple[list[int], str, str]]:
        """The terms as they are shown: which contributions, number, from where; a folded one stands for several."""
        terms = self.sum.terms
        cells = [([at], words.number(value), source) for at, (value, source, _, _) in enumerate(terms)]
        if len(terms) > FOLD:
            middle = list(range(5, len(terms) - 1))
            cells[5:-1] = [(middle, "…", f"{len(middle)} more")]
        return cells

    def _wide(self, cell: tuple[list[int], str, str]) -> float:
        return max(min(columns(cell[1]), NUMBER) * CODE, len(cell[2]) * 5.6, 40) + 12

    def _room(self) -> float:
        """The width of what comes after the name, on one line."""
        if len(self.cells) < 2:
            return (self._wide(self.cells[0]) if self.cells else 168.0) + 56
        total = min(columns(words.number(self.sum.totals[-1])), NUMBER) * CODE
        return sum(self._wide(cell) + 28 for cell in self.cells) + 24 + max(56.0, total + 24)

    def draw(self, x: float, y: float) -> tuple[list[Element], float]:
        """The elements with the name at x, y; and, for a sum that takes whole lines, their height."""
        sum, board = self.sum, self.board
        shown = sum.terms[0][2] if sum.terms else self.call.end or self.call.step
        board.show(self.id, shown, sum.terms[0][3] if sum.terms else 0)
        parts = [text(x, y, self.name, "c b", most=NAME)]
        if sum.made_by:
            parts.append(text(x, y + 16, f"of entry {sum.made_by}", "s q"))
        start = x + self.indent
        if not sum.terms:
            parts += [text(start, y, "None", "c b gi"), text(start, y + 16, "no road on the tape leads here", "s q")]
            return [group(parts, id=self.id)], 0.0
        at, top = start, y
        for place, cell in enumerate(self.cells):
            wide = self._wide(cell)
            if place and at + 28 + wide > WIDTH:
                at, top = start - 28, top + PITCH
            if place:
                at += 28
            parts.append(self._term(place, cell, at, top))
            at += wide
        if len(self.cells) == 1:
            if sum.read:
                parts += self._read(start, y, self.cells[0][1], at)
            return [group(parts, id=self.id)], 0.0
        elements, top = self._total(at, top, start)
        return [group([*parts, *elements], id=self.id)], top - y + PITCH

    def _term(self, place: int, cell: tuple[list[int], str, str], x: float, y: float) -> Element:
        id = f"{self.id.replace('sum-', 'term-', 1)}-{place + 1}"
        for at in cell[0]:
            _, _, step, phase = self.sum.terms[at]
            self.board.ring(id, step, phase)
        wide = max(min(columns(cell[1]), NUMBER) * CODE, 38, len(cell[2]) * 5.6) + 10
        parts = [
            text(x, y, cell[1], "c", most=NUMBER),
            text(x, y + 16, cell[2], "s q"),
            rect(x - 6, y - 17, wide, 38, "cur", rx=4),
        ]
        if place:
            parts.insert(0, text(x - 28, y, "+", "c"))
        return group(parts, id=id)

    def _total(self, x: float, y: float, start: float) -> tuple[list[Element], float]:
        """The total with its double rule, once all has come; beside it how the sum grew."""
        total = words.number(self.sum.totals[-1])
        wide = min(columns(total), NUMBER) * CODE
        if x + 36 + wide > WIDTH:
            x, y = start - 36, y + PITCH
        _, _, step, phase = self.sum.terms[-1]
        id = f"{self.id.replace('sum-', 'total-', 1)}"
        self.board.show(id, step, phase)
        x += 36
        rule = f"M{x - 2:g} {y + 6.5:g}h{wide + 5:g}m0 3h-{wide + 5:g}"
        parts = [text(x - 32, y, "=", "c"), text(x, y, total, "c b gi", most=NUMBER), path(rule, "rule")]
        elements = [group(parts, id=id), *self._running(x + max(56.0, wide + 24), y)]
        if self.sum.read:
            elements += self._read(x, y, total, x + max(56.0, wide + 24), beside=False)
        return elements, y

    def _running(self, x: float, y: float) -> list[Element]:
        totals = [words.number(total) for total in self.sum.totals]
        if len(totals) > 6:
            return []
        said = " → ".join(totals)
        if x + columns(said) * CODE > WIDTH:
            return []
        spans = []
        for place, total in enumerate(totals):
            id = f"{self.id.replace('sum-', 'running-', 1)}-{place + 1}"
            _, _, step, phase = self.sum.terms[max(place, 1)]
            self.board.show(id, step, phase)
            spans.append(Element("tspan", ((" → " if place else "") + total,), id, {}))
        _, _, step, phase = self.sum.terms[1]
        label = f"{self.id.replace('sum-', 'running-', 1)}-label"
        self.board.show(label, step, phase)
        line = Element("text", tuple(spans), None, {"x": x, "y": y, "class": "c q"})
        return [line, text(x, y + 16, "running sum", "s q", id=label)]

    def _read(self, x: float, y: float, number: str, after: float, *, beside: bool = True) -> list[Element]:
        """The thin ring of the step that reads this sum as g."""
        id = f"{self.id.replace('sum-', 'read-', 1)}"
        assert self.sum.read is not None
        self.board.set(id, USED, self.sum.read, PHASES["sum"])
        self.board.moments[id].setdefault((self.sum.read + 1, 0), FUTURE)
        wide = max(min(columns(number), NUMBER) * CODE, 38 if beside else 0) + 10
        parts = [rect(x - 5.5, y - 16.5, wide, 37 if beside else 28, "thin", rx=4)]
        if beside:
            parts.append(text(after - 0, y, "read as g", "s q"))
        return [group(parts, id=id)]

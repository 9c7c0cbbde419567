"""Where everything on the tape stands: worked out once, for the finished picture, so that nothing moves later.

Two densities: rows of 88 px and more with every rule written out, up to 12 ops; one line of 32 px, up to 30, and where
several tapes stand side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

from minitape.trace import Passed

from .. import words
from ..player.svg import CODE, SMALL, columns, cut
from .story import Call, Row, Story, Walk

SPINE, LEFT, RIGHT, END, RAIL = 24, 40, 504, 516, 520.5  # from the left: the spine, its texts, where they end, the flow
LANE, LANE_MOST, LANE_NAME = 40, 56, 8  # from one spine to the next, for short names and for long; a name's columns
TOP, GAP, PITCH, DENSE, BOX = 40, 8, 24, 32, 56
SPLIT, SPLIT_MOST = 236.0, 300.0  # where the way back begins, right of the forward half
ROOMY = 12  # ops that get a row with every rule
NUMBER = 15  # columns of a number
VALUE, SAVED, BACK = 252, 268, 348  # in a row of one line: where the value ends, where the others begin
NOTE = 32  # a line between rows, before what a way back records and before a new tape
SAVES = 7  # columns before the first chip


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the right half: a rule and its number, or a remark."""

    piece: str  # its part of the id back-N-...: "g", "1", "again-1"
    phase: int  # when it comes within its step
    left: str
    right: str = ""
    kind: str = "rule"  # "g", "rule", "again" or "word"
    full: str = ""  # what the tooltip says, where it is more

    @property
    def wide(self) -> int:
        """The columns that the line takes."""
        return columns(self.left) + (columns(self.right) + 2 if self.right else 0)

    @property
    def broken(self) -> int:
        """The columns that it takes with its number on a line of its own."""
        return max(columns(self.left), columns(self.right))


@dataclass(frozen=True, slots=True)
class Note:
    """A line between two rows."""

    top: float
    step: int  # when it appears
    said: str


class Phase:
    """The order within one step of the way back: the sum is read, g, the saved value, then rule and term in turn."""

    SUM, G, CHIP, RULE = 1, 2, 3, 4

    @staticmethod
    def rule(slot: int) -> int:
        """When an input's rule comes."""
        return Phase.RULE + 2 * slot

    @staticmethod
    def term(slot: int) -> int:
        """When what the rule gave arrives in the sums."""
        return Phase.RULE + 2 * slot + 1


class Layout:
    """The places and sizes of the rows."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.roomy = len(story.rows) <= ROOMY and not story.several
        longest = max((columns(cut(lane.name, LANE_NAME)) for lane in story.lanes), default=0)
        self.lane = min(max(LANE, longest * SMALL + 4), LANE_MOST)
        aside = self.lane * (story.columns - 1)
        self.left = LEFT + aside
        self.value, self.saved, self.back = (place + aside / 3 for place in (VALUE, SAVED, BACK))
        self.backs = [{walk.row.id: (walk, self._lines(walk, call)) for walk in call.walks} for call in story.calls]
        self.split = self._split()
        self.tops: dict[str, float] = {}
        self.heights: dict[str, float] = {}
        self.notes: list[Note] = []
        y = float(TOP)
        for row, before in zip(story.rows, [None, *story.rows], strict=False):
            if said := self._said_before(row, before):
                self.notes.append(Note(y, row.step, said))
                y += NOTE
            self.tops[row.id], self.heights[row.id] = y, self._height(row)
            y += self.heights[row.id] + self.gap
        self.end = y - (self.gap if story.rows else 0)
        self.bottom = self.end + 24

    def _said_before(self, row: Row, before: Row | None) -> str:
        """What stands between two rows: that a way back begins to record, or another tape."""
        if row.born and not (before and before.born and before.born[0] is row.born[0]):
            call = row.born[0]
            heard = words.listed([self.story.lane(tape).name for tape in row.numbers])
            where = f"line {call.asked.line}: " if call.asked.line else ""
            return f"{where}the way back of {call.name} runs these, and {heard} records them"
        if before and not any(tape in before.numbers or tape in before.skips for tape in (*row.numbers, *row.skips)):
            tape = self.story.lane(next(iter((*row.numbers, *row.skips))))
            if any(lane.column == tape.column and lane.gone == tape.began for lane in self.story.lanes):
                names = {lane.name for lane in self.story.lanes if lane.column == tape.column}
                return f"a new tape: {tape.name}" if len(names) > 1 else "a new tape"
        return ""

    @property
    def gap(self) -> int:
        """The space between two rows."""
        return GAP if self.roomy else 0

    @property
    def left_columns(self) -> int:
        """How many columns the forward half shows."""
        return int((self.split - 4 - LEFT) // CODE)

    @property
    def right_columns(self) -> int:
        """How many columns the way back shows."""
        return int((RIGHT - self.split - 16) // CODE)

    def line(self, row: Row, x: float) -> tuple[str, int, str, int]:
        """An op and its value on one line that begins at x, each with the columns it gets: the value at least 8."""
        room, spell = int((self.value - x - 8) // CODE), self.story.words
        value = ", ".join(words.brief(out, 10) for out in row.ran.outputs)
        said = spell.statement(row.ran, room - min(columns(value), 8))
        most = min(columns(value), NUMBER, max(8, room - columns(said)))
        return said, room - most, value, most

    def _split(self) -> float:
        """Where the halves meet: further right than usual where long values need it and the right half can spare it."""
        left = max((columns(line) for row in self.story.rows for line in self._left_needs(row)), default=0)
        most = int((RIGHT - SPLIT - 16) // CODE)
        lines = [line for back in self.backs for _, lines in back.values() for line in lines]
        right = max((line.wide if line.wide <= most else line.broken for line in lines), default=0)
        return max(SPLIT, min(LEFT + left * CODE + 8, RIGHT - 16 - right * CODE, SPLIT_MOST))

    def _left_needs(self, row: Row) -> list[str]:
        saved = ", ".join(self.story.words.saves(row.ran))
        return (
            []
            if row.number is None
            else [self.story.words.statement(row.ran), self.story.words.flow(row.ran), " " * SAVES + saved]
        )

    def _height(self, row: Row) -> float:
        if not self.roomy:
            return DENSE
        if row.number is None:
            return BOX
        left = 1 + len(self.flow(row)) + len(self.chips(row)) + (row.ran.custom == "recompute_grad")
        right = [len(self.fit(back[row.id][1])) for back in self.backs if row.id in back]
        return PITCH * max(3, left, *right) + 16

    def flow(self, row: Row) -> list[str]:
        """In and out, in one line or two."""
        return self.story.words.brief(row.ran, self.left_columns)

    def chips(self, row: Row) -> list[str]:
        """What is saved, in one chip; one for each value where one is too narrow."""
        saved = self.story.words.saves(row.ran)
        if columns(", ".join(saved)) <= self.left_columns - SAVES:
            return [", ".join(saved)]
        return list(saved) if len(saved) <= 3 else [*saved[:2], f"and {len(saved) - 2} more"]

    def fit(self, lines: list[Line]) -> list[Line]:
        """The lines of a right half; a number that has no room beside its rule gets a line of its own."""
        fitted: list[Line] = []
        for line in lines:
            if line.kind == "g" or line.wide <= self.right_columns:
                fitted.append(line)
            else:
                fitted.append(Line(line.piece, line.phase, line.left, "", line.kind, line.full))
                fitted.append(Line(f"{line.piece}b", line.phase, "", line.right, line.kind))
        return fitted

    def _lines(self, walk: Walk, call: Call) -> list[Line]:
        """What the right half of an entry says in one call of `gradient`."""
        event, spell, targets = walk.event, self.story.words, call.asked.targets
        if isinstance(event, Passed):
            return [Line("g", 0, passed(walk), kind="word")]
        lines = []
        letter = "dy" if event.custom == "custom_gradient" else "g"
        for place, (output, came) in enumerate(zip(event.outputs, event.upstream, strict=False), 1):
            many = str(place) if len(event.upstream) > 1 else ""
            start = any(output.id == target.id for target in targets) and not call.came(output.id)
            came_to = "the last at" if self.story.buggy else "the sum at"
            note = "the start" if start else f"{came_to} {cut(spell.name(output), 12)}"
            said = f"{letter}{many} = {spell.derivative(targets, output)} = {words.number(came)}"
            lines.append(Line(f"g{many}", Phase.G, said, note, "g"))
        for place, (ran, _) in enumerate(walk.again, 1):
            run = walk.runs[-1].run if walk.runs else 2
            value = ", ".join(words.number(out) for out in ran.outputs)
            lines.append(Line(f"again-{place}", place, f"run {run}: {spell.statement(ran)}", value, "again"))
        for slot, gift in enumerate(event.gifts):
            rule, calc, value = " ".join(gift.rule.split()), " ".join(gift.calc.split()), words.number(gift.value)
            said = "its rule" if event.custom else spell.shortened(rule, (*walk.row.ran.inputs, *event.outputs))
            left = f"{spell.derivative(targets, gift.to)} {self.story.sign} {said}"
            right = f"{calc} = {value}" if calc and calc != value else value
            full = f"{words.derivative(targets, gift.to)} {self.story.sign} {rule} = {right}"
            lines.append(Line(str(slot + 1), Phase.rule(slot), left, right, full=full))
        return lines if event.gifts else [*lines, Line("1", Phase.RULE, "no source needs it", kind="word")]


def passed(walk: Walk) -> str:
    """Why an entry was passed over."""
    return f"nothing came for {words.listed([words.name(value) for value in walk.row.ran.outputs], 'or')}"

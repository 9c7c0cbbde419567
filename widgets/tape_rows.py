"""The tape: a spine of two rails, an entry a piece of it; skipped ops beside it; the way back up its right side.

Two densities: 88 px a row with every rule written out, up to 12 ops; one line of 32 px, up to 30.
"""

from __future__ import annotations

from dataclasses import dataclass

from minitape.trace import Passed, Value, Walked

from . import words
from .picture import DIMMED, DONE, FUTURE, GONE, USED, Storyboard
from .svg import CODE, WORD, Element, columns, cut, group, path, rect, text
from .tape_story import Call, Row, Story, Walk
from .tape_sums import PHASES

SPINE, LEFT, RIGHT, END, RAIL = 24, 40, 504, 516, 520.5  # from the left: the spine, its texts, where they end, the flow
TOP, GAP, PITCH, DENSE, BOX = 40, 8, 24, 32, 56
ROOMY = 12  # ops that get 88 px each
NUMBER = 15  # columns of a number


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the right half: a rule and its number, or a remark."""

    piece: str  # "g", "1": its part of the id back-N-...
    phase: int
    left: str
    right: str = ""
    kind: str = "rule"  # "g", "rule", "again", "word"


class Rows:
    """All rows, laid out for their final size, and the places that the hairlines go to."""

    def __init__(self, story: Story, board: Storyboard) -> None:
        self.story, self.board = story, board
        self.roomy = len(story.rows) <= ROOMY
        self.backs = [
            {id(walk.row): (walk, right_lines(walk, call)) for walk in call.walks if walk.row.drawn} for call in story.calls
        ]
        self.split = self._split() if self.roomy else 236.0
        self.tops: dict[str, float] = {}
        self.heights: dict[str, float] = {}
        y = float(TOP)
        for row in story.drawn:
            self.tops[row.id], self.heights[row.id] = y, self._height(row)
            y += self.heights[row.id] + (GAP if self.roomy else 0)
        self.end = y - (GAP if self.roomy and story.drawn else 0)
        self.hidden = len(story.rows) - len(story.drawn)
        self.bottom = self.end + (48 if self.hidden else 24)

    # --- sizes ---------------------------------------------------------------------------------------------------

    def _split(self) -> float:
        """Where the two halves meet: 236 as drawn, further right where long values need it and the right can spare it."""
        left = max((columns(line) for row in self.story.drawn for line in self._left_needs(row)), default=0)
        lines = [line for back in self.backs for _, lines in back.values() for line in lines]
        right = max((columns(line.left) + columns(line.right) + 2 * bool(line.right) for line in lines), default=0)
        most = min(RIGHT - 16 - right * CODE, 300.0)
        return max(236.0, min(LEFT + left * CODE + 8, most))

    def _left_needs(self, row: Row) -> list[str]:
        saved = ", ".join(words.saves(row.ran))
        return [] if row.number is None else [words.statement(row.ran), words.flow(row.ran), " " * 6 + saved]

    @property
    def left_columns(self) -> int:
        """How many columns the left half shows."""
        return int((self.split - 4 - LEFT) // CODE)

    @property
    def right_columns(self) -> int:
        """How many columns the right half shows."""
        return int((RIGHT - self.split - 16) // CODE)

    def _height(self, row: Row) -> float:
        if not self.roomy:
            return DENSE
        if row.number is None:
            return BOX
        left = 1 + len(self._flow(row)) + len(self._saved(row)) + (row.ran.custom == "recompute_grad")
        right = [len(self._fit(back[id(row)][1])) for back in self.backs if id(row) in back]
        return PITCH * max(3, left, *right) + 16

    def _flow(self, row: Row) -> list[str]:
        """In and out on one line; on two where one is too short."""
        flow = words.flow(row.ran)
        if columns(flow) <= self.left_columns or not row.ran.inputs:
            return [flow]
        return [words.inputs(row.ran), f"→ {words.outputs(row.ran)}"]

    def _saved(self, row: Row) -> list[str]:
        """The chips: all that is saved in one; one for each value where one is too narrow."""
        saved = words.saves(row.ran)
        room = self.left_columns - 7
        if columns(", ".join(saved)) <= room:
            return [", ".join(saved)]
        if len(saved) <= 3:
            return list(saved)
        return [*saved[:2], f"and {len(saved) - 2} more: {', '.join(saved[2:])}"]

    def _fit(self, lines: list[Line]) -> list[Line]:
        """The lines of a right half; a number that has no room beside its rule gets a line of its own."""
        fitted: list[Line] = []
        for line in lines:
            if line.kind == "g" or columns(line.left) + columns(line.right) + 2 * bool(line.right) <= self.right_columns:
                fitted.append(line)
            else:
                fitted.append(Line(line.piece, line.phase, line.left, "", line.kind))
                fitted.append(Line(f"{line.piece}b", line.phase, "", line.right, line.kind))
        return fitted

    # --- what moves ----------------------------------------------------------------------------------------------

    def draw(self) -> list[Element]:
        """The panel's elements."""
        drawn = [*self._heads(), path(f"M.5 32V{self.bottom:g}M23.5 32V{self.bottom:g}", "spine")]
        if self.story.drawn:
            drawn.append(path(f"M{RAIL} {self.end:g}V{TOP}", "rail"))
        for row in self.story.drawn:
            drawn.append((self._entry if self.roomy else self._entry_line)(row) if row.number is not None else self._skip(row))
            if row.number is None:
                drawn.append(self._ghost(row))
        if self.hidden:
            said = f"{words.count(self.hidden, 'more op')}: this picture shows the first {len(self.story.drawn)}"
            drawn.append(text(LEFT, self.end + 28, said, "q"))
        for turn, call in enumerate(self.story.calls, 1):
            drawn.append(self._flows(turn, call))
        return drawn

    def _heads(self) -> list[Element]:
        board, calls = self.board, self.story.calls
        many = bool(self.story.others)
        name = cut(self.story.name, 12) if many else "Tape"
        x = max(LEFT, columns(name) * WORD + 12) if many else LEFT
        drawn = [text(0, 16, name, "b")]
        if self.roomy:
            drawn.append(text(x, 16, "forward, written downwards ↓", "", id="head-forward"))
            drawn.append(text(self.split + 16, 16, "the way back, read upwards ↑", "", id="head-back"))
        else:
            drawn += [text(x, 16, "op and its value", "", id="head-forward"), text(268, 16, "saves", "q")]
            drawn.append(text(348, 16, "the way back ↑", "", id="head-back"))
        board.set("head-forward", DONE, 0)
        board.set("head-back", DIMMED, 0)
        for call in calls:
            board.set("head-forward", DIMMED, call.step)
            board.set("head-back", DONE, call.step)
            if call.end:
                board.set("head-forward", DONE, call.end)
        if many:
            said = f"{words.listed(self.story.others)}: not drawn here"
            drawn.append(text(LEFT, self.end + 18 if not self.hidden else self.end + 46, said, "s q", most=60))
        return drawn

    def _appear(self, row: Row) -> None:
        """When the row comes, has the ring, and is forgotten."""
        self.board.ring(row.id, row.step, 2)
        for call in self.story.calls:
            for walk in call.walks:
                if walk.row is row:
                    self.board.ring(row.id, walk.step)
                    for _, step in walk.again:
                        self.board.ring(row.id, step)
        if row.cleared:
            self.board.set(row.id, DIMMED, row.cleared)

    def _entry(self, row: Row) -> Element:
        """One recorded entry: the forward half on the left, the way back on the right."""
        self._appear(row)
        y, height = self.tops[row.id], self.heights[row.id]
        parts = [*self._piece(row), path(f"M{SPINE} {y + 0.5:g}H{END}M{SPINE} {y + height - 0.5:g}H{END}", "hair")]
        parts.append(text(LEFT, y + 24, words.statement(row.ran), "c b", most=self.left_columns))
        at = y + 48
        for line in self._flow(row):
            parts.append(text(LEFT, at, line, "c", most=self.left_columns, full=words.flow(row.ran)))
            at += PITCH
        if row.ran.custom == "recompute_grad":
            parts += [rect(LEFT, at - 10, 10, 10, "k-redo"), text(LEFT + 16, at, "will run again on the way back", "", most=28)]
            at += PITCH
        parts.append(self._chips(row, at))
        for turn, back in enumerate(self.backs, 1):
            if id(row) in back:
                parts.append(self._back(row, turn, *back[id(row)]))
        parts.append(rect(-1, y - 1, 530, height + 2, "cur", rx=4))
        return group(parts, id=row.id, cls="entry")

    def _piece(self, row: Row) -> list[Element]:
        """The entry's piece of the spine, with its number."""
        y, height = self.tops[row.id], self.heights[row.id] - (0 if self.roomy else 1)
        drawn = [rect(0, y, SPINE, height, "k-rec")]
        if row.ran.custom == "recompute_grad":
            drawn.append(rect(SPINE, y, 4, height, "k-redo"))
        return [*drawn, text(SPINE / 2, y + (24 if self.roomy else 20), str(row.number), "num" + (" s" if row.number > 99 else ""))]

    def _chips(self, row: Row, y: float) -> Element:
        saved = self._saved(row)
        chip = f"chip{row.id.removeprefix('entry')}"
        if not row.ran.saves:
            return text(LEFT, y, "saves nothing", "q")
        parts = [text(LEFT, y, "saves", "q held"), text(LEFT, y, "freed", "q gone")]
        for place, said in enumerate(saved):
            shown = cut(said, self.left_columns - 7)
            parts.append(rect(80.5, y - 14.5 + PITCH * place, columns(shown) * CODE + 16, 21, "box", rx=4))
            parts.append(text(88, y + PITCH * place, said, "c", most=self.left_columns - 7))
        self._chip_life(row, chip)
        return group(parts, id=chip, cls="chip")

    def _chip_life(self, row: Row, chip: str) -> None:
        board = self.board
        board.show(chip, row.step, 2)
        for call in self.story.calls:
            for walk in call.walks:
                if walk.row is not row:
                    continue
                if isinstance(walk.event, Walked):
                    board.set(chip, USED, walk.step, PHASES["chip"])
                board.set(chip, GONE if call.frees else DONE, walk.step + 1)

    def _back(self, row: Row, turn: int, walk: Walk, lines: list[Line]) -> Element:
        """The right half, for one call of `gradient`."""
        y, height, x = self.tops[row.id], self.heights[row.id], self.split + 16
        id = self._back_id(row, turn)
        parts = [path(f"M{self.split + 0.5:g} {y + 8:g}V{y + height - 8:g}", "hair")]
        first = walk.again[0][1] if walk.again else walk.step
        self.board.show(id, first)
        self._until_next(id, turn)
        room = self.right_columns
        for place, line in enumerate(self._fit(lines)):
            at, piece = y + 24 + PITCH * place, f"{id}-{line.piece}"
            self.board.show(piece, first if line.kind == "again" else walk.step, line.phase)
            inside = []
            if line.kind == "again":
                inside += [rect(x, at - 10, 10, 10, "k-redo"), text(x + 16, at, line.left, "c", most=room - 2 - len(line.right))]
                inside.append(text(RIGHT, at, line.right, "c e"))
            elif line.kind == "word":
                inside.append(text(x, at, line.left, "q", most=room))
            elif line.kind == "g":
                fits = columns(line.left) * CODE + len(line.right) * 6.2 + 8 <= RIGHT - x
                inside.append(text(x, at, line.left, "c", most=room))
                inside += [text(RIGHT, at, line.right, "q s e")] if fits else []
            else:
                beside = columns(line.right) + 2 * bool(line.right)
                inside += [text(x, at, line.left, "c", most=room - min(beside, room))] if line.left else []
                inside += [text(RIGHT, at, line.right, "c e gi b", most=room)] if line.right else []
            parts.append(group(inside, id=piece))
        return group(parts, id=id)

    def _back_id(self, row: Row, turn: int) -> str:
        return f"back{row.id.removeprefix('entry')}" + (f".{turn}" if turn > 1 else "")

    def _until_next(self, id: str, turn: int) -> None:
        """What one call drew goes when the next call begins."""
        if turn < len(self.story.calls):
            self.board.set(id, FUTURE, self.story.calls[turn].step)

    # --- one line a row ------------------------------------------------------------------------------------------

    def _entry_line(self, row: Row) -> Element:
        """One recorded entry on one line of 32 px."""
        self._appear(row)
        y = self.tops[row.id]
        saved, chip = ", ".join(map(words.name, row.ran.saves)), f"chip{row.id.removeprefix('entry')}"
        value = ", ".join(words.number(out) for out in row.ran.outputs)
        room = 26 - min(columns(value), NUMBER)
        parts = [*self._piece(row), path(f"M{SPINE} {y + DENSE - 0.5:g}H{END}", "hair")]
        parts.append(text(LEFT, y + 20, words.statement(row.ran), "c b", most=room, full=f"{words.statement(row.ran)}: {words.flow(row.ran)}"))
        parts.append(text(252, y + 20, value, "c e", most=NUMBER))
        if row.ran.saves:
            self._chip_life(row, chip)
            parts.append(group(text(268, y + 20, saved, "c q", most=9, full=", ".join(words.saves(row.ran))), id=chip, cls="chip"))
        for turn, back in enumerate(self.backs, 1):
            if id(row) in back:
                parts.append(self._back_line(row, turn, back[id(row)][0]))
        parts.append(rect(-1, y - 1, 530, DENSE + 1, "cur", rx=4))
        return group(parts, id=row.id, cls="entry")

    def _back_line(self, row: Row, turn: int, walk: Walk) -> Element:
        y, id = self.tops[row.id], self._back_id(row, turn)
        self.board.show(id, walk.step)
        self._until_next(id, turn)
        if isinstance(walk.event, Passed):
            return group(text(348, y + 20, passed(walk), "q", most=22), id=id)
        said = "  ".join(f"{words.name(gift.to)} += {words.number(gift.value)}" for gift in walk.event.gifts)
        if columns(said) > 19:
            said = "  ".join(f"{words.name(gift.to)} +=" for gift in walk.event.gifts)
        full = ", ".join(f"{words.name(gift.to)} += {gift.rule} = {words.number(gift.value)}" for gift in walk.event.gifts)
        again = [rect(336, y + 10, 8, 10, "k-redo")] if walk.runs else []
        return group(text(348, y + 20, said, "c gi", most=20, full=full), again, id=id)

    # --- off the tape --------------------------------------------------------------------------------------------

    def _skip(self, row: Row) -> Element:
        """An op beside the spine: it ran, and the tape did not grow."""
        self._appear(row)
        assert row.skip is not None
        y, ran = self.tops[row.id], row.ran
        word = "not kept" if row.skip.reason == "recompute_grad" else "skipped"
        why = " ".join(row.skip.why.split())
        if not self.roomy:
            return self._skip_line(row, word, why)
        parts = [rect(48.5, y + 0.5, 16, BOX - 1, "k-skip bare"), rect(48.5, y + 0.5, RIGHT - 48, BOX - 1, "off", rx=4)]
        said, flow = words.statement(ran), words.flow(ran)
        if columns(said) + columns(flow) + 3 > 52:
            flow = f"→ {words.outputs(ran)}"
        room = 52 - min(columns(flow), 24) - 3
        shown = cut(said, room)
        parts.append(text(80, y + 24, said, "c", most=room, full=f"{said}: {words.flow(ran)}"))
        parts.append(text(80 + columns(shown) * CODE + 26, y + 24, flow, "c", most=52 - columns(shown) - 3))
        parts.append(_worded(80, y + 44, word, f": it ran, but {why}", int(424 / WORD)))
        parts.append(rect(46, y - 2, RIGHT - 43, BOX + 4, "cur", rx=6))
        return group(parts, id=row.id, cls="entry")

    def _skip_line(self, row: Row, word: str, why: str) -> Element:
        y = self.tops[row.id] + 4
        value = ", ".join(words.number(out) for out in row.ran.outputs)
        said = words.statement(row.ran)
        parts = [rect(40.5, y + 0.5, 8, 23, "k-skip bare"), rect(40.5, y + 0.5, RIGHT - 40, 23, "off", rx=4)]
        parts.append(text(56, y + 16, said, "c", most=24 - min(columns(value), NUMBER), full=f"{said}: {words.flow(row.ran)}"))
        parts.append(text(252, y + 16, value, "c e", most=NUMBER))
        parts.append(_worded(268, y + 16, word, f": {why}", int(232 / WORD)))
        parts.append(rect(38, y - 2, RIGHT - 35, 28, "cur", rx=6))
        return group(parts, id=row.id, cls="entry")

    def _ghost(self, row: Row) -> Element:
        """At the skip only: the number that the next entry will still have."""
        y = self.tops[row.id] + self.heights[row.id] + (GAP if self.roomy else 0)
        number = 1 + max((other.number or 0 for other in self.story.rows if other.step < row.step), default=0)
        id = f"ghost{row.id.removeprefix('skip')}"
        self.board.flash(id, row.step, 2)
        made = ", ".join(words.name(out) for out in row.ran.outputs)
        parts = [rect(3.5, y + 0.5, 17, 23, "hair", rx=2), text(12, y + 17, str(number), "q m")]
        parts.append(text(LEFT, y + 17, f"next entry: {cut(made, 24)} did not use up a place", "q"))
        return group(parts, id=id)

    # --- the way back --------------------------------------------------------------------------------------------

    def _flows(self, turn: int, call: Call) -> Element:
        """The orange line, which grows upwards with each entry that is walked; an arrowhead for each row it serves."""
        drawn, last = [], self.end - 4
        rows = self.story.drawn
        for walk in call.walks:
            row = walk.row
            if not row.drawn:
                continue
            y = self.tops[row.id]
            top = y + (8 if self.roomy else 4)
            id = f"rail{row.id.removeprefix('entry')}" + (f".{turn}" if turn > 1 else "")
            self.board.show(id, walk.step)
            parts = [path(f"M{RAIL} {min(last, y + self.heights[row.id] - 4) if not drawn else last:g}V{top:g}", "flow")]
            heads = [] if isinstance(walk.event, Passed) else [y + (40 if self.roomy else 8)]
            if drawn:
                between = [other for other in rows if top < self.tops[other.id] < last and other.number is None]
                heads += [self.tops[other.id] + 24 for other in between if self.roomy]
            parts += [path(f"M{RAIL} {head:g}l6 10h-12z", "flowhead") for head in heads]
            drawn.append(group(parts, id=id))
            last = top
        id = f"flow.{turn}" if turn > 1 else "flow"
        self.board.show(id, call.step)
        self._until_next(id, turn)
        return group(drawn, id=id)


def _worded(x: float, y: float, word: str, rest: str, most: int) -> Element:
    shown = cut(rest, most - len(word))
    tip = (Element("title", (word + rest,)),) if shown != rest else ()
    return Element("text", (*tip, Element("tspan", (word,), None, {"class": "b"}), shown), None, {"x": x, "y": y})


def right_lines(walk: Walk, call: Call) -> list[Line]:
    """What the right half of an entry says in one call of `gradient`."""
    event = walk.event
    if isinstance(event, Passed):
        return [Line("g", 0, passed(walk), kind="word")]
    lines = []
    custom = event.custom == "custom_gradient"
    for place, (output, came) in enumerate(zip(event.outputs, event.upstream, strict=False)):
        many = len(event.upstream) > 1
        letter = ("dy" if custom else "g") + (str(place + 1) if many else "")
        start = any(output.id == target.id for target in call.asked.targets) and not call.came(output.id)
        whole = f"{letter} = {words.derivative(call.asked.targets, output)} = {words.number(came)}"
        note = "the start" if start else f"the sum at {cut(words.name(output), 12)}"
        piece = "g" if not place else f"g{place + 1}"
        lines.append(Line(piece, PHASES["g"], whole, note, "g"))
    for place, (ran, _) in enumerate(walk.again, 1):
        run = walk.runs[-1].run if walk.runs else 2
        value = ", ".join(words.number(out) for out in ran.outputs)
        lines.append(Line(f"again-{place}", place, f"run {run}: {words.statement(ran)}", value, "again"))
    for slot, gift in enumerate(event.gifts):
        left = f"{words.derivative(call.asked.targets, gift.to)} += {' '.join(gift.rule.split())}"
        calc = " ".join(gift.calc.split())
        right = f"{calc} = {words.number(gift.value)}" if calc and calc != words.number(gift.value) else words.number(gift.value)
        lines.append(Line(str(slot + 1), PHASES["rule"] + 2 * slot, left, right))
    if not event.gifts:
        lines.append(Line("1", PHASES["rule"], "no input asked for a gradient", kind="word"))
    return lines


def passed(walk: Walk) -> str:
    """Why an entry was passed over."""
    outputs: tuple[Value, ...] = walk.row.ran.outputs
    return f"nothing came for {words.listed([cut(words.name(out), 20) for out in outputs], 'or')}"

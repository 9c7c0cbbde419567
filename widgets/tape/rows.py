"""The tape: a spine of two rails, an entry a piece of it; skipped ops beside it; the way back up its right side."""

from __future__ import annotations

from minitape.trace import Passed, Walked

from .. import words
from ..player.picture import DIMMED, DONE, FUTURE, GONE, USED, Storyboard
from ..player.svg import CODE, SMALL, WORD, Element, columns, cut, group, path, rect, text
from .layout import (
    DENSE,
    END,
    LEFT,
    PITCH,
    RAIL,
    RIGHT,
    SAVES,
    SPINE,
    TOP,
    Layout,
    Line,
    Phase,
    passed,
)
from .skips import ghost, skipped
from .spines import away, lane_names, spines
from .story import Call, Row, Story, Walk


class Tape:
    """Draws the panel and notes down when each of its parts changes."""

    def __init__(self, story: Story, board: Storyboard, layout: Layout) -> None:
        self.story, self.board, self.layout, self.spell = story, board, layout, story.words

    def draw(self) -> list[Element]:
        """The panel's elements."""
        layout, rows = self.layout, self.story.rows
        drawn = [*self._heads(), *spines(self.story, self.board, layout)]
        if rows:
            drawn.append(path(f"M{RAIL} {layout.end:g}V{TOP}", "rail"))
        for row in rows:
            self._appear(row)
            drawn.append(self._entry(row) if row.number is not None else skipped(layout, row))
            if row.number is None:
                drawn.append(ghost(layout, self.board, row))
        if not rows:
            said = "no tape listened" if self.story.tape is None else "nothing was written on it"
            drawn.append(text(LEFT, layout.end + 16, said, "q"))
        if self.story.others:
            said = f"{words.listed(self.story.others)}: not drawn here"
            drawn.append(text(layout.left, layout.end + 18, said, "s q", most=60))
        for place, note in enumerate(layout.notes, 1):
            self.board.show(f"note-{place}", note.step, 2)
            drawn.append(text(layout.left, note.top + 20, note.said, "s q", most=72, id=f"note-{place}"))
        return [*drawn, *(self._flows(turn, call) for turn, call in enumerate(self.story.calls, 1))]

    def _heads(self) -> list[Element]:
        board, layout = self.board, self.layout
        drawn, x = lane_names(self.story, board, layout), layout.left
        if not drawn:
            name = cut(self.story.name, 12) if self.story.others else "Tape"
            x = max(LEFT, columns(name) * WORD + 12) if self.story.others else LEFT
            drawn = [text(0, 16, name, "b")]
        if layout.roomy:
            drawn.append(text(x, 16, "forward, written downwards ↓", id="head-forward"))
            drawn.append(text(layout.split + 16, 16, "the way back, read upwards ↑", id="head-back"))
        else:
            drawn += [text(x, 16, "op and its value", id="head-forward"), text(layout.saved, 16, "saves", "q")]
            drawn += self._whose()
        board.set("head-forward", DONE, 0)
        board.set("head-back", DIMMED, 0)
        for call in self.story.calls:
            board.set("head-forward", DIMMED, call.step)
            board.set("head-back", FUTURE if self.story.several else DONE, call.step)
            if call.end:
                board.set("head-forward", DONE, call.end)
        return drawn

    def _whose(self) -> list[Element]:
        """Above what the way back adds: of which tape it is, where there are several."""
        x, board = self.layout.back, self.board
        drawn = [text(x, 16, "the way back adds to ↑", id="head-back")]
        for turn, call in enumerate(self.story.calls if self.story.several else (), 1):
            id = _turned("head-of", turn)
            board.show(id, call.step)
            self._until_next(id, turn)
            drawn.append(text(x, 16, f"{cut(call.name, 10)}'s way back ↑", id=id))
        return drawn

    # --- when rows change --------------------------------------------------------------------------------------------

    def _appear(self, row: Row) -> None:
        """A row comes, has the ring when it is walked or when its block runs again, and may be forgotten."""
        self.board.ring(row.id, row.step, 2)
        for step, beat in enumerate(self.story.beats, 1):
            if beat.at is row or (beat.walk is not None and beat.row is row):
                self.board.ring(row.id, step)
        if row.cleared:
            self.board.set(row.id, DIMMED, row.cleared)

    def _chip_life(self, row: Row, id: str) -> None:
        """What an entry saved comes with it, is used on the way back, and then freed if the tape is not persistent."""
        self.board.show(id, row.step, 2)
        if row.cleared:
            self.board.set(id, GONE, row.cleared)
        for call in self.story.calls:
            for walk in call.walks:
                if walk.row is row:
                    if isinstance(walk.event, Walked):
                        self.board.set(id, USED, walk.step, Phase.CHIP)
                    self.board.set(id, GONE if call.frees else DONE, walk.step + 1)

    def _until_next(self, id: str, turn: int, row: Row | None = None) -> None:
        """What one call of `gradient` drew goes when the next call begins, of a tape that has the row."""
        for call in self.story.calls[turn:]:
            if row is None or call.asked.tape in row.numbers:
                self.board.set(id, FUTURE, call.step)
                return

    # --- an entry ----------------------------------------------------------------------------------------------------

    def _entry(self, row: Row) -> Element:
        """A recorded op: the forward half on the left, the way back on the right."""
        layout, y = self.layout, self.layout.tops[row.id]
        height = layout.heights[row.id]
        parts = self._forward(row, y) if layout.roomy else self._forward_line(row, y)
        for turn, back in enumerate(layout.backs, 1):
            if row.id in back:
                walk, lines = back[row.id]
                id = _turned(_part("back", row), turn)
                self.board.show(id, walk.again[0][1] if walk.again else walk.step)
                self._until_next(id, turn, row)
                parts.append(
                    group(self._back(id, row, walk, lines) if layout.roomy else self._back_line(id, walk, y), id=id)
                )
        ring = rect(-1, y - 1, 530, height + (2 if layout.roomy else 1), "cur", rx=4)
        return group(self._piece(row), parts, ring, id=row.id, cls="entry")

    def _piece(self, row: Row) -> list[Element]:
        """The entry's piece of each spine, with its number there."""
        layout, y, height = self.layout, self.layout.tops[row.id], self.layout.heights[row.id]
        tall, at, drawn = height - (not layout.roomy), y + (24 if layout.roomy else 20), []
        for lane in self.story.lanes:
            x = lane.column * layout.lane
            if lane.tape in row.numbers:
                drawn.append(rect(x, y, SPINE, tall, "k-rec"))
                drawn += self._number(row, row.numbers[lane.tape], x + SPINE / 2, at)
            elif lane.tape in row.skips:
                drawn.append(away(x, y, row.skips[lane.tape]))
            elif row.born and row.born[0].asked.tape == lane.tape:
                drawn.append(text(x + SPINE / 2, at, f"from {row.born[1]}", "q s m"))
        if row.ran.custom == "recompute_grad":
            drawn.append(rect(layout.left - LEFT + SPINE, y, 4, tall, "k-redo"))
        return drawn

    def _number(self, row: Row, number: int, x: float, y: float) -> list[Element]:
        """An entry's number; the first and the last of a folded layer, one below the other where there is room."""
        if row.many == 1:
            return [text(x, y, str(number), "num")]
        if not self.layout.roomy:
            return [text(x, y, str(number), "num", full=row.span(number))]
        last, foot = number + row.many - 1, y + self.layout.heights[row.id] - 40
        between = path(f"M{x:g} {y + 8:g}V{foot - 16:g}", "between")
        return [text(x, y, str(number), "num"), between, text(x, foot, str(last), "num")]

    def _forward(self, row: Row, y: float) -> list[Element]:
        """What ran, what went in and came out, what is saved."""
        room, height = self.layout.left_columns, self.layout.heights[row.id]
        parts = [path(f"M{SPINE} {y + 0.5:g}H{END}M{SPINE} {y + height - 0.5:g}H{END}", "hair")]
        said = self.spell.statement(row.ran)
        parts.append(text(LEFT, y + 24, said, "c b", most=room))
        at = y + 48
        for line in self.layout.flow(row):
            parts.append(text(LEFT, at, line, "c", most=room, full=words.flow(row.ran)))
            at += PITCH
        if row.ran.custom == "recompute_grad":
            parts.append(self._again(row, at))
            at += PITCH
        return [*parts, self._chips(row, at)]

    def _again(self, row: Row, y: float) -> Element:
        """The mark of a recomputed block: it will run again; then, it ran again."""
        id = _part("redo", row)
        self.board.show(id, row.step, 2)
        for step, beat in enumerate(self.story.beats, 1):
            if beat.at is row:
                self.board.set(id, GONE, step)
                break
        words_ = [text(LEFT + 16, y, "will run again", "held"), text(LEFT + 16, y, "ran again", "gone")]
        return group(rect(LEFT, y - 10, 10, 10, "k-redo"), words_, id=id, cls="swap")

    def _chips(self, row: Row, y: float) -> Element:
        """What the entry saves; once freed, hollow, with the word."""
        if not row.ran.saves:
            return text(LEFT, y, "saves nothing", "q")
        id, room = _part("chip", row), self.layout.left_columns - SAVES
        parts = [text(LEFT, y, "saves", "q held"), text(LEFT, y, "freed", "q gone")]
        for place, said in enumerate(self.layout.chips(row)):
            wide = columns(cut(said, room)) * CODE + 16
            parts.append(rect(84.5, y - 14.5 + PITCH * place, wide, 21, "box", rx=4))
            parts.append(text(92, y + PITCH * place, said, "c", most=room, full=", ".join(words.saves(row.ran))))
        self._chip_life(row, id)
        return group(parts, id=id, cls="swap")

    def _back(self, id: str, row: Row, walk: Walk, lines: list[Line]) -> list[Element]:
        """The right half: the sum that is read as g, then a rule for each input."""
        y, height, x = self.layout.tops[row.id], self.layout.heights[row.id], self.layout.split + 16
        parts = [path(f"M{x - 15.5:g} {y + 8:g}V{y + height - 8:g}", "hair")]
        for place, line in enumerate(self.layout.fit(lines)):
            piece = f"{id}-{line.piece}"
            self.board.show(piece, walk.again[line.phase - 1][1] if line.kind == "again" else walk.step, line.phase)
            parts.append(group(self._right(line, x, y + 24 + PITCH * place), id=piece))
        return parts

    def _right(self, line: Line, x: float, y: float) -> list[Element]:
        room = self.layout.right_columns
        if line.kind == "word":
            return [text(x, y, line.left, "q", most=room)]
        if line.kind == "g":
            fits = columns(line.left) * CODE + columns(line.right) * SMALL + 8 <= RIGHT - x
            note = [text(RIGHT, y, line.right, "q s e")] if fits else []
            return [text(x, y, line.left, "c", most=room, full=line.full), *note]
        swatch = [rect(x, y - 10, 10, 10, "k-redo")] if line.kind == "again" and line.left else []
        indent = 2 if swatch else 0
        beside = columns(line.right) + 2 if line.right and line.left else 0
        drawn = [*swatch]
        if line.left:
            drawn.append(text(x + 8 * indent, y, line.left, "c", most=room - indent - beside, full=line.full))
        if line.right:
            drawn.append(text(RIGHT, y, line.right, "c e" if line.kind == "again" else "c e gi b", most=room))
        return drawn

    # --- an entry on one line ----------------------------------------------------------------------------------------

    def _forward_line(self, row: Row, y: float) -> list[Element]:
        layout = self.layout
        said, room, value, most = layout.line(row, layout.left)
        parts = [path(f"M{layout.left - LEFT + SPINE:g} {y + DENSE - 0.5:g}H{END}", "hair")]
        parts.append(
            text(layout.left, y + 20, said, "c b", most=room, full=f"{words.statement(row.ran)}: {words.flow(row.ran)}")
        )
        parts.append(text(layout.value, y + 20, value, "c e", most=most))
        if row.ran.saves:
            id = _part("chip", row)
            self._chip_life(row, id)
            names = ", ".join(map(self.spell.name, row.ran.saves))
            parts.append(
                group(text(layout.saved, y + 20, names, "c", most=9, full=", ".join(words.saves(row.ran))), id=id)
            )
        return parts

    def _back_line(self, id: str, walk: Walk, y: float) -> list[Element]:
        x = self.layout.back
        most = int((RIGHT - x) // CODE)
        if isinstance(walk.event, Passed):
            said = passed(walk)
            return [text(x, y + 20, said if columns(said) <= most else "nothing came", "q")]
        gifts = walk.event.gifts
        said = "  ".join(f"{self.spell.name(gift.to)} {words.brief(gift.value, 12)}" for gift in gifts)
        if columns(said) > most:
            said = ", ".join(self.spell.name(gift.to) for gift in gifts)
        sign = self.story.sign
        full = ", ".join(f"{words.name(gift.to)} {sign} {gift.rule} = {words.number(gift.value)}" for gift in gifts)
        again = [rect(x - 12, y + 10, 6, 10, "k-redo")] if walk.runs else []
        self.board.show(f"{id}-1", walk.step)
        return [*again, text(x, y + 20, said, "c gi", most=most, full=full, id=f"{id}-1")]

    # --- the way back ------------------------------------------------------------------------------------------------

    def _flows(self, turn: int, call: Call) -> Element:
        """The orange line, which grows upwards with each entry that is walked; an arrowhead for each row it serves."""
        layout, drawn, last = self.layout, [], 0.0
        for walk in call.walks:
            row = walk.row
            y, roomy = layout.tops[row.id], layout.roomy
            top = y + (8 if roomy else 4)
            last = last or y + layout.heights[row.id] - 4
            heads = [] if isinstance(walk.event, Passed) else [y + (40 if roomy else 8)]
            if roomy:
                beside = [other for other in self.story.rows if other.number is None]
                heads += [layout.tops[other.id] + 24 for other in beside if top < layout.tops[other.id] < last]
            id = _turned(_part("rail", row), turn)
            self.board.show(id, walk.step)
            line = path(f"M{RAIL} {last:g}V{top:g}", "flow")
            drawn.append(group(line, [path(f"M{RAIL} {head:g}l6 10h-12z", "flowhead") for head in heads], id=id))
            last = top
        id = _turned("flow", turn)
        self.board.show(id, call.step)
        self._until_next(id, turn)
        return group(drawn, id=id)


def _part(name: str, row: Row) -> str:
    """The id of a part of an entry: "chip-1" for entry-1."""
    return name + row.id.removeprefix("entry")


def _turned(id: str, turn: int) -> str:
    """The id in a later call of `gradient`: "back-1.2"."""
    return id if turn == 1 else f"{id}.{turn}"

"""The rows of a long tape, for the window: number, op, what it saves, shape or value, what its way back adds to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from minitape.trace import Passed, Skip, Walked

from .. import words
from ..player.picture import DIMMED, DONE
from ..player.svg import CODE, SMALL, WORD, Element, columns, element, group, path, rect, text
from ..player.window import SAID, Cell, Moment, Window, cell
from ..player.window import Row as Shown
from .program import TIMES
from .skips import SHORT
from .story import Row, Story, Walk

SIZE, PITCH = 13, 24
LEFT, EDGE, ARROW = 84, 512, 504  # of a row: where its number begins, its end, the arrow of the way back
_LIBRARY = re.compile(r"\btf\.(?:\w+\.)*")
_BELOW = re.compile("[₀-₉]")
MONO, BELOW = 6.63, 4.4  # the advance at 11 px of the code font; of a subscript of the other, on the safe side
OP, ADDS = (16, 26), (7, 13)  # columns of an op, and of what it adds to: a fair part, and the most
VALUE, SKIPPED = 15, (14, 30)  # of a value at most; of a skipped op at least, and with its reason at most
SAVES = 72  # pixels of what is saved at least
FREED, BACK, PASSED = "is-freed", "is-back", "is-passed"  # what the way back did to a row, beside DONE


class _Texts(NamedTuple):
    """What a row says, whole."""

    said: str
    value: str
    saves: str


class Rows:
    """The columns, shared out for all rows at once, so that nothing moves when the window does; then the rows."""

    def __init__(self, story: Story) -> None:
        self.story, self.spell = story, story.words
        self.frees = [call.frees for call in story.calls]
        self.texts = [_Texts(self._said(row), self._value(row), self._saves(row)) for row in story.rows]
        kept = [texts for texts, row in zip(self.texts, story.rows, strict=True) if row.number is not None]
        self.columns = {lane.tape: lane.column for lane in story.lanes}
        most = max((len(row.span(number)) for row in story.rows for number in row.numbers.values()), default=0)
        self.number = max(28.0, 7.0 * most + 8)
        self.numbers = self.number + (self.number + 2) * (story.columns - 1)
        self.op = LEFT + self.numbers + 10
        self.adds_most = max(ADDS[0], _usual(map(self._adds, _walked(story)), ADDS[1]))
        self.adds = ARROW - 12 - self.adds_most * CODE
        self.value = self.adds - 12
        values = min(max((columns(texts.value) for texts in kept), default=0), VALUE) * MONO
        room = self.value - values - 6 - self.op
        # The op has what the names of the saved values leave, and never less than a fair part.
        saves = _share([_fine(f"saves {texts.saves}") for texts in kept if texts.saves])
        full, least = (saves + 8, min(saves, SAVES) + 8) if saves else (0, 0)
        most = max(int((room - full) // CODE), min(OP[0], int((room - least) // CODE)))
        self.op_most = min(_usual((texts.said for texts in kept), OP[1]), most)
        self.saves = self.op + self.op_most * CODE + 8
        self.saves_room = self.value - values - 6 - self.saves
        skips = [(texts.said, row.skip) for texts, row in zip(self.texts, story.rows, strict=True) if row.skip]
        reason = _usual((f"{_word(skip)}: {_short(skip)}" for _, skip in skips), SKIPPED[1]) * WORD
        self.skip_most = min(
            _usual((said for said, _ in skips), SKIPPED[1]),
            max(SKIPPED[0], int((ARROW - self.op - 32 - reason) // CODE)),
        )

    def window(self) -> Window:
        """All of them, and how each kind is drawn."""
        rows, number = self.story.rows, {id(row): at for at, row in enumerate(self.story.rows)}
        walks: list[list[tuple[int, Walk]]] = [[] for _ in rows]
        for turn, call in enumerate(self.story.calls):
            for walk in call.walks:
                walks[number[id(walk.row)]].append((turn, walk))
        shown = tuple(self._row(row, self.texts[at], walks[at]) for at, row in enumerate(rows))
        kinds = dict.fromkeys(row.kind for row in shown)
        templates = {kind: self._template(kind) for kind in kinds}
        what = "ops" if all(row.many == 1 for row in rows) else "rows"
        return Window("rows", templates, shown, SIZE, PITCH, "place", f"{what} {{first}} to {{last}} of {len(rows)}")

    # --- what a row says ---------------------------------------------------------------------------------------------

    def _said(self, row: Row) -> str:
        """The expression, without the library's name, which would be most of what there is room for."""
        return _LIBRARY.sub("", self.spell.statement(row.ran, OP[0]))

    def _saves(self, row: Row) -> str:
        return ", ".join(map(self.spell.name, row.ran.saves))

    def _adds(self, event: Walked) -> str:
        """The values that get something; one that gets it twice is named once."""
        names = [self.spell.name(gift.to) for gift in event.gifts]
        if len(set(names)) == len(names):
            return ", ".join(names)
        times = Counter(names)
        return ", ".join(name if many == 1 else f"{name} {TIMES}{many}" for name, many in times.items())

    def _value(self, row: Row) -> str:
        return ", ".join(words.brief(out, VALUE) for out in row.ran.outputs)

    def _row(self, row: Row, texts: _Texts, walks: list[tuple[int, Walk]]) -> Shown:
        if row.skip is not None:
            word, why = _word(row.skip), " ".join(row.skip.why.split())
            room = int((ARROW - self._reason) // WORD) - len(word)
            reason = f": {why}" if columns(why) + 2 <= room else cell(f": {_short(row.skip)}", room)
            cells: tuple[Cell, ...] = (cell(texts.said, self.skip_most), word, reason)
            return Shown("skip", cells, tuple(self._moments(row, [])))
        heard = {self.columns[tape]: row.span(number) for tape, number in row.numbers.items()}
        kind = ("again" if row.ran.custom == "recompute_grad" else "rec") + (" saves" if texts.saves else "")
        kind += "".join(f" {column}" for column in heard) if self.story.several else ""
        fits = _fine(f"saves {texts.saves}") <= self.saves_room
        saves = texts.saves if fits else cell(texts.saves, int(self.saves_room / SMALL) - len("saves "))
        kept = (saves,) if texts.saves else ()
        cells = (cell(texts.said, self.op_most), cell(texts.value, VALUE), *(kept or ("",)), *heard.values())
        return Shown(kind, cells, tuple(self._moments(row, walks)))

    def _moments(self, row: Row, walks: list[tuple[int, Walk]]) -> Iterable[Moment]:
        """It comes; each way back through it says what it adds to; the next call of `gradient` takes that away."""
        calls, state = self.story.calls, DONE
        said: Cell
        yield row.step, state, ""
        for turn, walk in walks:
            event = walk.event
            if isinstance(event, Passed):
                came, said = PASSED, "nothing came"
            elif event.gifts:
                came, said = BACK, cell(self._adds(event), self.adds_most)
            else:
                came, said = PASSED, "no source"
            state = f"{DONE} {FREED}" if self.frees[turn] else DONE
            yield walk.step, f"{state} {came}", said
            if turn + 1 < len(calls) and not (row.cleared and row.cleared < calls[turn + 1].step):
                yield calls[turn + 1].step, state, ""
        if row.cleared:
            yield row.cleared, f"{state} {DIMMED}", ""

    # --- how it is drawn ---------------------------------------------------------------------------------------------

    @property
    def _reason(self) -> float:
        """Where the word of a skipped op stands."""
        return self.op + 16 + self.skip_most * CODE + 16

    def _template(self, kind: str) -> Element:
        ring = rect(LEFT - 1, -1, EDGE - LEFT + 2, PITCH + 1, "cur", rx=4)
        return group(self._skip() if kind == "skip" else self._entry(kind), ring)

    def _skip(self) -> list[Element]:
        x = self.op
        word = element("tspan", cls="b", data_cell=1)
        return [
            rect(x + 0.5, 2, 8, 19, "k-skip bare"),
            rect(x + 0.5, 1.5, EDGE - x, 20, "off", rx=4),
            element("text", x=x + 16, y=16, cls="c", data_cell=0),
            element("text", word, element("tspan", data_cell=2), x=self._reason, y=16),
        ]

    def _entry(self, kind: str) -> list[Element]:
        name, *more = kind.split()
        left, again = LEFT + self.numbers, name == "again"
        parts = []
        for at, column in enumerate([int(word) for word in more if word.isdigit()] or [0]):
            x = LEFT + (self.number + 2) * column
            parts.append(rect(x, 0, self.number, PITCH - 1, "k-rec"))
            parts.append(element("text", x=x + self.number / 2, y=16, cls="num s", data_cell=3 + at))
        if again:
            parts.append(rect(left, 0, 4, PITCH - 1, "k-redo"))
        parts += [
            path(f"M{left + 4 * again:g} {PITCH - 0.5}H{EDGE}", "hair"),
            element("text", x=self.op, y=16, cls="c b", data_cell=0),
            element("text", x=self.value, y=16, cls="c s q e", data_cell=1),
        ]
        if "saves" in more:
            parts += [
                element("text", word, " ", element("tspan", data_cell=2), x=self.saves, y=16, cls=f"s {cls}")
                for word, cls in (("saves", "held"), ("freed", "q freed"))
            ]
        rise = [path(f"M{ARROW} 18V8", "flow slim"), path(f"M{ARROW} 4l4 6h-8z", "flowhead")]
        said = element("text", x=self.adds, y=16, cls="c gi", data_cell=SAID)
        return [*parts, group(said, group(rise, cls="rise"), cls="came")]

    def heads(self) -> list[Element]:
        """What stands above the columns: which rows are in view, and what the way back does."""
        return [
            text(LEFT, 62, "", "s q", id="place"),
            text(self.adds, 62, "writes to" if self.story.buggy else "adds to", "s q"),
        ]


def _walked(story: Story) -> Iterable[Walked]:
    return (walk.event for call in story.calls for walk in call.walks if isinstance(walk.event, Walked))


def _word(skip: Skip) -> str:
    return "not kept" if skip.reason == "recompute_grad" else "skipped"


def _short(skip: Skip) -> str:
    """Why, in two or three words."""
    return f"line {skip.line} stopped it" if skip.line else SHORT.get(skip.reason, " ".join(skip.why.split()))


def _fine(words: str) -> float:
    """About how many pixels wide small print is."""
    below = len(_BELOW.findall(words))
    return (columns(words) - below) * SMALL + below * BELOW


def _usual(texts: Iterable[str], most: int) -> int:
    """The columns that nine in ten of the texts need, and at most so many."""
    return min(int(_share([columns(words) for words in texts])), most)


def _share(needs: Sequence[float]) -> float:
    """What is enough for nine in ten."""
    return sorted(needs)[len(needs) * 9 // 10] if needs else 0

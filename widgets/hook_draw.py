"""Draws a rule under the lens: forward on top, its source below, dy in from the right, gradients out to the left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .hook_calls import Call
from .hook_charts import Charts, Right
from .hook_measure import CHECKS, FLAT, Measured, short
from .hook_source import Source
from .hook_verdict import MARKS, sentence
from .picture import DIMMED, DONE, FUTURE, Storyboard, chooser
from .svg import CODE, WORD, Element, columns, cut, element, group, path, rect, text

COLUMNS, UNIT, LONGEST = 64, 20.0, 100.0  # of a strip; pixels of 1.0 in a bar; the longest bar
ROW, PAIR, LINE = 24, 36, 24
FORWARD, DY, RETURN, OUT, SLOPE, VERDICT = 1, 2, 3, 4, 5, 6  # the steps


@dataclass(frozen=True)
class Places:
    """Where things stand in one of the two layouts."""

    wide: bool
    width: float
    lens: tuple[float, float]  # the left and the right edge of the source
    value: float  # where the input's value ends
    hook: tuple[float, float]  # x and width of the boxes of the forward lane
    after: tuple[tuple[float, float], ...]
    end: float
    dy: float  # where the dy column begins

    @property
    def prefix(self) -> str:
        """What the ids of this layout begin with."""
        return "" if self.wide else "n-"


WIDE = Places(True, 936, (228, 664), 124, (372, 144), ((688, 68), (772, 92)), 888, 688)
NARROW = Places(False, 528, (0, 528), 132, (160, 100), ((284, 60), (368, 64)), 456, 312)


@dataclass
class Lens:
    """One layout of the picture; notes down when its parts change."""

    call: Call
    found: Measured
    source: Source
    charts: Charts
    board: Storyboard
    at: Places
    tabs: Sequence[tuple[str, int, bool]] = ()  # the other calls: name, variant, whether it is this one
    dial: tuple[str, str] | None = None  # the parameter's name and its value
    bottom: float = field(default=0.0, init=False)

    def draw(self) -> list[Element]:
        """All of it."""
        at, rows = self.at, len(self.source.lines)
        lens = 128.0 if at.wide else 144.0
        foot = lens + LINE * rows + 24
        drawn = [*self._title(), *self._forward(lens, foot), *self._code(lens)]
        column = lens + 4 if at.wide else foot + 32
        low = max(foot, *(part for part in (self._dy(drawn, column, lens), self._out(drawn, column, lens, foot))))
        line = low + 32
        drawn.append(path(f"M0 {line - 7.5:g}H{at.width:g}", "hair"))
        drawn += self._verdict(line + 16)
        checked = line + 16 + 64 + 20 * (len(CHECKS) + bool(self.found.advice) + bool(self.found.fix))
        right = Right(self.charts, self.board, at.wide, at.prefix, VERDICT, self.found.broken)
        charts, chart_foot = right.draw(line + 16 if at.wide else checked + 16)
        drawn += charts
        self.bottom = max(checked, chart_foot)
        return drawn

    def _show(self, name: str, step: int, *parts: Element | list[Element], ring: bool = False) -> Element:
        id = self.at.prefix + name
        if ring:
            self.board.ring(id, step)
        else:
            self.board.show(id, step)
        return group(*parts, id=id, cls="bars" if ring else "")

    def _title(self) -> list[Element]:
        at = self.at
        drawn = [text(0, 16, "A backward rule under the lens", "b")]
        x, tabs = (256.0, 36 if self.tabs else 0) if at.wide else (0.0, 0)
        said = self.call.line or self.found.text
        drawn.append(text(x, 16 if at.wide else 36, said, "c q", most=int((at.width - x) // CODE) - tabs))
        right = at.width
        for name, variant, here in reversed(self.tabs):
            wide = columns(cut(name, 16)) * CODE + 16
            right -= wide + 8
            box = rect(right + 0.5, 5.5, wide, 21, "button here" if here else "button", rx=4)
            label = text(right + 8, 20, name, "c b" if here else "c", most=16)
            id = f"{at.prefix}rule-{variant}"
            drawn.append(chooser(variant, box, label, id=id, label=f"the rule of {name}", on=here))
        return drawn

    # --- forward -----------------------------------------------------------------------------------------------------

    def _forward(self, lens: float, foot: float) -> list[Element]:
        """The lane on top, and the two edges of the lens from the op to its source."""
        at, y = self.at, lens - 48
        x, wide = at.hook
        left, right = at.lens
        drawn = [
            path(f"M{x} {y + 16}L{left} {lens}V{foot}H{right}V{lens}L{x + wide} {y + 16}Z", "lens"),
            path(f"M{x} {y + 16}L{left} {lens}M{x + wide} {y + 16}L{right} {lens}", "hair"),
            text(0, y - 32, "forward", "ri"),
        ]
        name = ", ".join(each.name for each in self.found.inputs) or "x"
        value = ", ".join(short(each.array) for each in self.found.inputs)
        room = int(at.value // CODE)
        named = cut(name, max(room - columns(value) - 1, 4))
        drawn.append(text(0, y + 4, named, "c b", full=name))
        drawn.append(text((columns(named) + 1) * CODE, y + 4, value, "c", most=max(room - columns(named) - 1, 3)))
        stops = [
            (at.hook, self.call.name, True),
            *((place, said, False) for place, said in zip(at.after, self.call.after, strict=False)),
        ]
        last = at.value + 4
        for place, (stop, said, lit) in enumerate(stops):
            drawn.append(_arrow(last + (4 if place else 0), stop[0] - 4, y))
            drawn.append(self._box(stop, y, said, lit))
            last = stop[0] + stop[1]
        end = self.call.end if self.call.after else short(self.found.value)
        to = at.end if len(self.call.after) == 2 else last + 40
        drawn.append(_arrow(last + 4, to - 8, y))
        more = "\N{HORIZONTAL ELLIPSIS} " if self.call.more else ""
        drawn.append(text(to, y + 4, more + end, "c b", most=int((at.width - to) // CODE)))
        return drawn

    def _box(self, place: tuple[float, float], y: float, said: str, lit: bool) -> Element:
        x, wide = place
        said = said.removeprefix("reduce_") if columns(said) > int((wide - 6) // CODE) else said
        words_ = text(x + wide / 2, y + 4.5, said, "c b m" if lit else "c m", most=int((wide - 6) // CODE))
        box = rect(x + 0.5, y - 15.5, wide, 31, "node", rx=4)
        if not lit:
            return group(box, words_)
        id = self.at.prefix + "hook"
        self.board.ring(id, FORWARD)
        return group(box, words_, rect(x + 0.5, y - 15.5, wide, 31, "cur", rx=4), id=id)

    # --- the source --------------------------------------------------------------------------------------------------

    def _code(self, lens: float) -> list[Element]:
        """The rule's lines; the one that matters is lit."""
        left, right = self.at.lens
        drawn: list[Element] = []
        lit = {FORWARD: self.source.made, DY: self.source.entered, RETURN: self.source.returned}
        for step, line in lit.items():
            id = f"{self.at.prefix}lit-{step}"
            self.board.show(id, step)
            if step < RETURN:
                self.board.set(id, FUTURE, step + 1)
            y = self._y(lens, line)
            cls = "lit fw" if step == FORWARD else "lit"
            drawn.append(group(rect(left, y - 16, right - left, 24, cls), rect(left, y - 16, 3, 24, "k-ink"), id=id))
        for line, said in enumerate(self.source.lines):
            id = f"{self.at.prefix}source-{line + 1}"
            self.board.set(id, DIMMED, 0)
            for step in range(1, VERDICT + 1):
                self.board.set(id, DONE if lit.get(min(step, RETURN)) == line else DIMMED, step)
            most = int((right - left - 28) // CODE)
            drawn.append(text(left + 16, self._y(lens, line), said, "c", most=most, id=id))
        if self.dial is not None:
            drawn += self._marked(lens)
        return drawn

    def _marked(self, lens: float) -> list[Element]:
        """Dots below the parameter that the slider moves, and its value."""
        assert self.dial is not None
        name, line, drawn = self.dial[0], self.source.returned, []
        left = self.at.lens[0] + 16
        said = cut(self.source.lines[line], int((self.at.lens[1] - left - 12) // CODE))
        at = said.find(name)
        while at >= 0:
            x = left + at * CODE
            drawn.append(path(f"M{x:g} {self._y(lens, line) + 4.5:g}h{len(name) * CODE:g}", "dots"))
            at = said.find(name, at + len(name))
        return drawn

    def _y(self, lens: float, line: int) -> float:
        return lens + 12 + LINE * line + 16

    # --- dy in, gradients out ----------------------------------------------------------------------------------------

    @property
    def _all(self) -> np.ndarray:
        found = self.found
        shown = [found.dy.ravel(), found.rule, found.slope] if found.checks[1] else [found.dy.ravel()]
        every: np.ndarray = np.concatenate([part.astype(float) for part in shown])
        finite: np.ndarray = every[np.isfinite(every)]
        return finite

    @property
    def _unit(self) -> float:
        """Pixels of 1.0: the same for all bars of the picture."""
        most = float(np.max(np.abs(self._all), initial=0.0))
        return UNIT if 1.0 <= most <= LONGEST / UNIT or not most else LONGEST / most

    def _bar(self, x: float, y: float, height: float, value: float, cls: str) -> Element:
        """A bar for a number, from a zero line that leaves room for negative ones."""
        low = float(np.min(self._all, initial=0.0))
        high = float(np.max(self._all, initial=0.0))
        unit = self._unit if low >= 0 else LONGEST / (high - low)
        zero = x - low * unit
        wide = max(abs(value) * unit, 1.5) if math.isfinite(value) else 1.5
        return rect(zero - wide if value < 0 else zero, y, wide, height, cls)

    @property
    def _end(self) -> float:
        """Where the numbers behind the bars stand, from where the bars begin, if some are negative; else 0."""
        return LONGEST if float(np.min(self._all, initial=0.0)) < 0 else 0.0

    def _number(self, x: float, y: float, value: float, cls: str) -> Element:
        shift = self._end or max(abs(value) * self._unit, 1.5) if math.isfinite(value) else 4
        return text(x + shift + 6, y, short(value) if math.isfinite(value) else "nan", cls)

    def _dy(self, drawn: list[Element], y: float, lens: float) -> float:
        """The gradient that comes in; returns how far down it reaches."""
        at, dy = self.at, self.found.dy.ravel()
        x = at.dy
        source = f"dy, from {self.call.after[0]}" if self.call.after else "dy, as given"
        head: list[Element] = [text(x, y, source, "b gi", most=int((at.width - x) // WORD) - (10 if at.wide else 0))]
        if at.wide:
            entered = self._y(lens, self.source.entered) - 4
            head.append(text(at.width, y, "backward", "gi e"))
            reach = max(y + 14 + (max(dy.size, 2) * ROW if dy.size <= FLAT else 60), entered + 6)
            head.append(
                path(f"M{x - 7.5:g} {y + 14:g}V{reach:g}M{x - 8:g} {entered:g}H{at.lens[1] + 6:g}", "back-line")
            )
            head.append(path(f"M{at.lens[1] + 2:g} {entered:g}l6 -3.6v7.2z", "k-back"))
            head += self._way_back(lens)
        else:
            head.append(path(f"M{x + 60:g} {y - 15:g}V{y - 26:g}", "back-line"))
            head.append(path(f"M{x + 60:g} {y - 30:g}l-3.6 6h7.2z", "k-back"))
        drawn.append(self._show("in", DY, head))
        if dy.size <= FLAT:
            for place, value in enumerate(dy):
                top = y + 16 + place * ROW
                bar = [self._bar(x, top, 10, float(value), "k-back"), self._number(x, top + 10, float(value), "c")]
                drawn.append(self._show(f"dy-{place}", DY, bar, ring=True))
            return y + 16 + dy.size * ROW
        drawn.append(self._show("dy-0", DY, self._strip(x, y + 36, dy, "k-back")))
        drawn.append(self._show("dy-of", DY, [text(x, y + 74, self._per_column(dy.size), "s q")]))
        return y + 80

    def _way_back(self, lens: float) -> list[Element]:
        """The gradients of the ops after it, below them."""
        back, y, drawn = self.call.back, lens - 16, []
        if len(back) == 2 and self.at.wide:
            (x1, w1), (x2, w2) = self.at.after
            shown = [cut(said, 11) for said in back[:2]]
            middle = x2 + w2 / 2
            drawn = [text(middle, y + 4, shown[0], "c gi m")]
            half = columns(shown[0]) * CODE / 2 + 6
            drawn += [
                path(f"M{middle - half:g} {y:g}H{x1 + w1 + 2:g}", "back-line"),
                path(f"M{x1 + w1:g} {y:g}l6 -3.6v7.2z", "k-back"),
                path(f"M{self.at.end - 2:g} {y:g}H{middle + half + 2:g}", "back-line"),
                path(f"M{middle + half:g} {y:g}l6 -3.6v7.2z", "k-back"),
            ]
            if not self.call.more:
                drawn.append(text(self.at.end + 14, y + 4, shown[1], "c gi m"))
        return drawn

    def _out(self, drawn: list[Element], y: float, lens: float, foot: float) -> float:
        """The gradients that leave, and below each of them the true slope; returns how far down they reach."""
        at, found = self.at, self.found
        names = ", ".join(each.name for each in found.inputs)
        head: list[Element] = [
            text(0, y, f"gradient of {names}", "b gi", most=28),
            rect(0, y + 12, 12, 8, "k-back"),
            text(17, y + 20, "the rule"),
        ]
        if at.wide:
            returned = self._y(lens, self.source.returned) - 4
            low = max(foot, y + 30 + (min(found.rule.size, FLAT) * PAIR if found.rule.size <= FLAT else 100))
            head.append(
                path(f"M209.5 {y + 34:g}V{max(low, returned + 8):g}M{at.lens[0] - 2:g} {returned:g}H215", "back-line")
            )
            head.append(path(f"M212 {returned:g}l6 -3.6v7.2z", "k-back"))
        else:
            head.append(path(f"M60 {foot:g}V{y - 20:g}", "back-line"))
            head.append(path(f"M60 {y - 14:g}l-3.6 -6h7.2z", "k-back"))
        drawn.append(self._show("out", OUT, head, ring=True))
        if found.checks[1]:
            measured = [rect(88.5, y + 12.5, 11, 7, "true"), text(105, y + 20, "finite differences")]
            if found.measured:
                drawn.append(self._show("measured", SLOPE, measured))
            return self._pairs(drawn, y + 36) if found.rule.size <= FLAT else self._strips(drawn, y + 40)
        return self._fault(drawn, y + 36)

    def _pairs(self, drawn: list[Element], y: float) -> float:
        """One pair of bars an entry."""
        labels = self.found.labels
        indent = min(max((columns(label) for label in labels), default=0), 8) * CODE + 8
        for place, (label, rule, slope) in enumerate(zip(labels, self.found.rule, self.found.slope, strict=True)):
            top = y + place * PAIR
            bar = [
                self._bar(indent, top, 10, float(rule), "k-back"),
                self._number(indent, top + 9.5, float(rule), "c gi"),
            ]
            drawn.append(self._show(f"of-{place}", OUT, [text(0, top + 16, label, "c q", most=8)]))
            drawn.append(self._show(f"g-{place}", OUT, bar, ring=True))
            if math.isfinite(slope):
                true = [
                    self._bar(indent, top + 14, 9, float(slope), "true"),
                    self._number(indent, top + 23, float(slope), "c"),
                ]
                drawn.append(self._show(f"num-{place}", SLOPE, true, ring=True))
        return y + max(len(labels), 1) * PAIR

    def _strips(self, drawn: list[Element], y: float) -> float:
        """Two strips of columns, with ticks between them where they differ."""
        found = self.found
        drawn.append(self._show("g-0", OUT, self._strip(0, y, found.rule, "k-back")))
        if not found.measured:
            return y + 60
        drawn.append(self._show("num-0", SLOPE, self._strip(0, y + 58, found.slope, "true")))
        each = self._each(found.rule.size)
        step = 200 / math.ceil(found.rule.size / each)
        apart = [
            place
            for place in range(math.ceil(found.rule.size / each))
            if found.unlike[place * each : (place + 1) * each].any()
        ]
        ticks = "".join(f"M{place * step + step / 2:.4g} {y + 42:g}v6" for place in apart)
        many, known = int(found.unlike.sum()), int(np.isfinite(found.slope).sum())
        said = f"\N{NOT EQUAL TO} at the {many} marked entries of {known}" if many else f"all {known} entries agree"
        parts = ([path(ticks, "rule")] if ticks else []) + [text(0, y + 116, said)]
        drawn.append(self._show("apart", SLOPE, parts))
        return y + 122

    @staticmethod
    def _each(size: int) -> int:
        return math.ceil(size / COLUMNS)

    def _per_column(self, size: int) -> str:
        each = self._each(size)
        return f"{size} entries" if each == 1 else f"each column = {each} entries, the largest shown"

    def _strip(self, x: float, y: float, values: np.ndarray, cls: str) -> list[Element]:
        """Many numbers as columns, 200 px wide; of several in one column the largest."""
        most = float(np.max(np.abs(self._all), initial=0.0)) or 1.0
        each = self._each(values.size)
        parts = [values[place : place + each].astype(float) for place in range(0, values.size, each)]
        step, d = 200 / max(len(parts), 1), []
        for place, part in enumerate(parts):
            part = part[np.isfinite(part)]
            if part.size:
                value = part[np.argmax(np.abs(part))] / most * 19
                d.append(f"M{x + place * step:.4g} {y + 20:g}h{step - 0.8:.3g}v{-value:.3g}h{0.8 - step:.3g}z")
        return [path(f"M{x:g} {y + 20.5:g}h200", "hair"), path("".join(d), cls)]

    def _fault(self, drawn: list[Element], y: float) -> float:
        """What a broken rule returned, where it is not what the inputs need."""
        found = self.found
        parts: list[Element] = []
        entries = min(max((each.array.size for each in found.inputs), default=1), 3)
        for place in range(entries):
            top = y + place * PAIR
            parts.append(text(0, top + 14, found.labels[place] if place < len(found.labels) else "", "c q", most=6))
            if found.fault_name == "wrong count":
                for turn, array in enumerate(found.returned[:2]):
                    over = turn >= len(found.inputs)
                    value = (
                        array.ravel()[place]
                        if array.ndim and place < array.size
                        else array.ravel()[0]
                        if array.size
                        else 0.0
                    )
                    x = 40 + 84 * turn
                    parts.append(rect(x, top + 4, 38, 10, "k-skip" if over else "k-back"))
                    parts.append(text(x + 43, top + 13, short(value), "c gi", most=5))
            else:
                parts.append(rect(40.5, top + 2.5, 100, 14, "off"))
                first = next((each.rule for each in found.inputs if each.rule is not None), np.zeros(()))
                parts.append(
                    text(46, top + 14, f"{short(first.ravel()[0])} ?" if place == 0 and first.size else "?", "c gi")
                )
        foot = y + entries * PAIR
        if found.fault_name == "wrong count" and len(found.returned) > len(found.inputs):
            parts.append(text(124, foot + 2, "for no input", "q"))
        elif found.fault_name == "wrong count":
            parts.append(text(40, foot + 2, "and nothing for the others", "q"))
        drawn.append(self._show("g-0", OUT, parts))
        return foot + 8

    # --- the verdict -------------------------------------------------------------------------------------------------

    def _verdict(self, y: float) -> list[Element]:
        """The mark, the sentence, why, and the contract."""
        found = self.found
        bad = found.broken
        room = int((528 if self.at.wide else self.at.width) - 40)
        title, why = sentence(found)
        parts: list[Element] = [
            element("circle", cls="verdict bad" if bad else "verdict", cx=12, cy=y + 8, r=12),
            text(12, y + 13, MARKS[found.verdict], "b m inverse" if bad else "b m"),
            text(36, y + 13, title, "caption b", most=room // 8),
            text(36, y + 35, why, "q", most=int(room // (WORD - 0.4))),
        ]
        for place, (said, ok) in enumerate(zip(CHECKS, found.checks, strict=True)):
            row = y + 64 + place * 20
            mark = {True: "\N{CHECK MARK}", False: "\N{MULTIPLICATION X}", None: "\N{MIDDLE DOT}"}[ok]
            parts.append(text(36, row, mark, "b" if ok is False else ""))
            parts.append(text(56, row, said + (" (not reached)" if ok is None else ""), "b" if ok is False else "q"))
        row = y + 68 + len(CHECKS) * 20
        if found.advice:
            parts.append(text(36, row, found.advice, "q", most=int(room // (WORD - 0.4))))
            row += 20
        if found.fix:
            parts += [text(36, row, "fix", "s q"), text(60, row, found.fix, "c", most=int((room - 24) // CODE))]
        return [self._show("verdict", VERDICT, parts)]


def _arrow(x: float, to: float, y: float) -> Element:
    return group(path(f"M{x:g} {y:g}H{to - 4:g}", "fore-line"), path(f"M{to:g} {y:g}l-6 -3.6v7.2z", "k-rec"))

"""The program pane: the learner's lines with a mark for what each did, the ring, and the results below their lines."""

from __future__ import annotations

from collections import Counter

from minitape.trace import Ran

from . import words
from .picture import FUTURE, Storyboard
from .svg import CODE, Element, columns, group, path, rect, text
from .tape_story import Story

LINE, TOP, MOST = 24, 32, 36  # a line's pitch, where the first begins, the columns that are shown
NONE_SHOWN = "the program's text is not at hand"


class Program:
    """The pane, and where its lines are (`middle`, `edge`) for the hairlines that start there."""

    def __init__(self, story: Story, board: Storyboard) -> None:
        self.story, self.board = story, board
        self.lines = [line.expandtabs(4).rstrip() for line in story.lines]
        self.width = max(302.0, max((min(columns(line), MOST) for line in self.lines), default=0) * CODE + 50)
        self.results = self._results()
        self.tops, y = {}, TOP
        for number in range(1, len(self.lines) + 1):
            self.tops[number] = y
            y += LINE * (2 if number in self.results else 1)
        self.bottom = max(y, TOP + LINE)
        self.repeats = self._repeats()
        self.marks = self._marks()
        self._play()

    def _results(self) -> dict[int, list[tuple[int, str]]]:
        """By line: what its calls of `gradient` returned, each with the step that shows it."""
        found: dict[int, list[tuple[int, str]]] = {}
        for call in self.story.calls:
            if call.answered and call.end and call.answered.line and call.answered.line <= len(self.lines):
                shown = f"# {words.answer(call.answered.gradients)}"
                found.setdefault(call.answered.line, []).append((call.end, shown))
        return found

    def _repeats(self) -> dict[int, int]:
        """By line: how often it ran, where one of its ops ran more than once."""
        ran = [event for beat in self.story.beats for event in beat.events if isinstance(event, Ran) and not event.again]
        often = Counter((event.line, event.text, event.op) for event in ran if event.line)
        most: dict[int, int] = {}
        for (line, _, _), times in often.items():
            most[line] = max(most.get(line, 0), times)
        return {line: times for line, times in most.items() if times > 1}

    def _marks(self) -> dict[int, dict[str, int]]:
        """By line: the marks in its gutter, each with the step at which it appears."""
        marks: dict[int, dict[str, int]] = {}
        for step, beat in enumerate(self.story.beats, 1):
            line = self.story.line_of(beat)
            if line is None or beat.walk is not None or beat.kind == "redo":
                continue
            idle = beat.row is None and not beat.hidden and any(isinstance(event, Ran) for event in beat.events)
            marks.setdefault(line, {}).setdefault("idle" if idle else "none" if beat.call else beat.kind, step)
        for kinds in marks.values():
            if len(kinds) > 1:
                kinds.pop("none", None)
        return marks

    def _play(self) -> None:
        board, reached = self.board, 0
        for step, beat in enumerate(self.story.beats, 1):
            line = self.story.line_of(beat)
            if line is None:
                continue
            for passed in range(reached + 1, line):
                board.show(f"line-{passed}", step)
            reached = max(reached, line)
            board.ring(f"line-{line}", step)
        for rest in range(reached + 1, len(self.lines) + 1):
            board.show(f"line-{rest}", max(len(self.story.beats), 1))
        for call in self.story.calls:
            if call.asked.line:
                board.show(f"caller-{call.asked.line}", call.step + 1)
                if call.end:
                    board.set(f"caller-{call.asked.line}", FUTURE, call.end)

    def middle(self, line: int) -> float:
        """The height at which a line's hairline leaves the pane."""
        return self.tops[line] + LINE / 2

    def edge(self, line: int) -> float:
        """Where, from the left, a line's hairline begins."""
        return 12 + self.width + 2 + (8 + 7 * len(f"×{self.repeats[line]}") if line in self.repeats else 0)

    def draw(self) -> list[Element]:
        """The pane's elements."""
        drawn = [text(0, 16, "Program", "b")]
        if not self.lines:
            drawn.append(text(0, TOP + 16, NONE_SHOWN, "q"))
        for number, line in enumerate(self.lines, 1):
            drawn.append(self._line(number, line))
        callers = sorted({call.asked.line for call in self.story.calls if call.asked.line in self.tops})
        for number in callers:
            drawn.append(path(f"M12 {self.tops[number] + 7:g}l6 5l-6 5z", "k-ink", id=f"caller-{number}"))
        for number, results in self.results.items():
            drawn.extend(self._result(number, results))
        return [*drawn, *self._legend()]

    def _line(self, number: int, line: str) -> Element:
        y = self.tops[number]
        parts = [text(36, y + 16, str(number), "c q e"), text(48, y + 16, line, "c", most=MOST)]
        if number in self.repeats:
            parts.append(text(12 + self.width + 6, y + 16, f"×{self.repeats[number]}", "c s q"))
        parts.append(rect(12, y, self.width, LINE, "cur", rx=4))
        marks = []
        for place, (kind, step) in enumerate(self.marks.get(number, {}).items()):
            id = f"mark-{number}-{kind}"
            self.board.show(id, step)
            marks.append(group(mark(kind, y, 6 * place if len(self.marks[number]) > 1 else 0), id=id))
        return group(group(parts, id=f"line-{number}", cls="line"), marks)

    def _result(self, number: int, results: list[tuple[int, str]]) -> list[Element]:
        drawn = []
        for turn, (step, shown) in enumerate(results):
            id = f"result-{number}" if not turn else f"result-{number}.{turn + 1}"
            self.board.show(id, step)
            if turn:
                self.board.set(f"result-{number}" if turn == 1 else f"result-{number}.{turn}", FUTURE, step)
            y = self.tops[number] + LINE + 16
            drawn.append(text(48, y, shown, "c gi b", most=MOST, id=id))
        return drawn

    @property
    def legend(self) -> float:
        """The baseline of the legend."""
        return self.bottom + 32

    def _legend(self) -> list[Element]:
        shown = {"rec": "recorded", "skip": "skipped", "none": "not an op"}
        kinds = {kind for marks in self.marks.values() for kind in marks}
        if "idle" in kinds:
            shown["idle"] = "no tape heard it"
        if any(row.ran.custom == "recompute_grad" for row in self.story.rows):
            shown["redo"] = "run again"
        drawn, x = [], 0.0
        for kind, said in shown.items():
            drawn.append(mark(kind, self.legend - 16, x))
            drawn.append(text(x + (14 if kind == "skip" else 12), self.legend, said, "s"))
            x += {"rec": 80, "skip": 76, "none": 80, "idle": 112}.get(kind, 80)
        return [group(drawn, id="legend")]


def mark(kind: str, y: float, x: float = 0) -> Element:
    """A gutter mark, for a line that begins at `y`."""
    if kind in ("rec", "redo"):
        return rect(x, y + 3, 4, 18, f"k-{kind}")
    if kind == "skip":
        return rect(x - 0.5, y + 3.5, 6, 17, "k-skip")
    return Element("circle", (), None, {"class": f"k-{kind}", "cx": x + 2, "cy": y + 12, "r": 1.5 if kind == "none" else 2.5})

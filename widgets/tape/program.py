"""The program pane: the learner's lines with a mark for what each did, the ring, and the results below their lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from minitape.trace import Ran

from .. import words
from ..player.picture import DONE, FUTURE, Storyboard
from ..player.svg import CODE, Element, columns, group, path, rect, text
from ..player.switch import switch
from .story import Beat, Call, Story
from .views import Switch

LINE, TOP, MOST, PANE = 24, 32, 36, 376  # a line's pitch, where the first begins, the columns shown, the width
REPEAT = 5  # columns kept for "x 50" behind a line that ran more than once
BAR = 5.5  # from one bar to the next, where several tapes recorded a line
TIMES = "\N{MULTIPLICATION SIGN}"
ANSWERS = 4  # a call with more sources shows three of its gradients, and how many more there are
LEGEND = {
    "rec": "recorded",
    "skip": "skipped",
    "none": "not an op",
    "idle": "no tape heard it",
    "rule": "on the way back",
}


class Program:
    """The pane, and where its lines are, for the hairlines that start there."""

    def __init__(self, story: Story, board: Storyboard, switches: Sequence[Switch] = ()) -> None:
        self.story, self.board, self.switches = story, board, switches
        self.lines = [line.expandtabs(4).rstrip() for line in story.lines]
        self.results = self._results()
        self.repeats = self._repeats()
        wide = [columns(line) + (REPEAT if number in self.repeats else 0) for number, line in enumerate(self.lines, 1)]
        self.width = max(302.0, min(max(wide, default=0), MOST) * CODE + 50)
        self.marks = self._marks()
        self.heard: dict[int, int] = {}  # by line: how many tapes recorded one of its ops
        for row in story.rows:
            if row.ran.line and row.numbers:
                self.heard[row.ran.line] = max(self.heard.get(row.ran.line, 0), len(row.numbers))
        self.tops: dict[int, float] = {}
        y = float(TOP)
        for number in range(1, len(self.lines) + 1):
            self.tops[number] = y
            y += LINE * (1 + max((len(shown) for _, shown in self.results.get(number, [])), default=0))
        self.bottom = max(y, TOP + LINE)
        self.under = self.bottom + 2 * LINE  # below the legend; `draw` knows whether that takes a second line

    @property
    def edge(self) -> float:
        """Where, from the left, a line's hairline begins."""
        return 12 + self.width + 2

    @property
    def legend(self) -> float:
        """The baseline of the legend."""
        return self.bottom + 32

    def middle(self, line: int) -> float:
        """The height at which a line's hairline leaves the pane."""
        return self.tops[line] + LINE / 2

    # --- what the story says about lines -----------------------------------------------------------------------------

    def _results(self) -> dict[int, list[tuple[int, list[str]]]]:
        """By line: what its calls of `gradient` returned, each with the step that shows it."""
        found: dict[int, list[tuple[int, list[str]]]] = {}
        for call in self.story.calls:
            line = call.answered.line if call.answered else None
            if call.end and line and line <= len(self.lines):
                found.setdefault(line, []).append((call.end, _answers(call)))
        return found

    def _repeats(self) -> dict[int, int]:
        """By line: how often it ran, where one of its ops ran more than once."""
        told = [event for beat in self.story.beats if not (beat.row or beat.call) for event in beat.events]
        ran = [event for event in (*told, *(row.ran for row in self.story.rows)) if isinstance(event, Ran)]
        often = Counter(
            (event.line, event.text, event.op) for event in ran if event.line and event.within != "gradient"
        )
        times: dict[int, int] = {}
        for (line, _, _), many in often.items():
            times[line] = max(times.get(line, 0), many)
        return {line: many for line, many in times.items() if many > 1}

    def _marks(self) -> dict[int, dict[str, int]]:
        """By line: the marks in its gutter, each with the step at which it appears."""
        marks: dict[int, dict[str, int]] = {}
        for step, beat in enumerate(self.story.beats, 1):
            line = self.story.line_of(beat)
            if line is None or beat.walk is not None:
                continue
            if beat.call is None or line != beat.call.asked.line or step in (beat.call.step, beat.call.end):
                marks.setdefault(line, {}).setdefault(_kind(beat), step)
        for kinds in marks.values():
            if len(kinds) > 1:
                kinds.pop("none", None)
            if "rec" in kinds or "skip" in kinds:
                kinds.pop("rule", None)
        return marks

    # --- drawing -----------------------------------------------------------------------------------------------------

    def draw(self) -> list[Element]:
        """The pane's elements."""
        self._play()
        drawn = [text(0, 16, "Program", "b")]
        if not self.lines:
            drawn.append(text(0, TOP + 16, "the program's text is not at hand", "q"))
        drawn += [self._line(number, line) for number, line in enumerate(self.lines, 1)]
        for number in sorted({call.asked.line for call in self.story.calls if call.asked.line in self.tops}):
            drawn.append(path(f"M12 {self.tops[number] + 7:g}l6 5l-6 5z", "k-ink", id=f"caller-{number}"))
        for number, results in self.results.items():
            drawn += self._result(number, results)
        return [*drawn, self._legend(), *self._switches()]

    def _play(self) -> None:
        """Lines are grey until the program reaches them; the ring goes with the steps; a triangle marks the caller."""
        light(self.story, self.board, len(self.lines))
        for step, beat in enumerate(self.story.beats, 1):
            caller = beat.call.asked.line if beat.call else None
            if beat.call and caller:
                away = self.story.line_of(beat) != caller and step != beat.call.end
                self.board.set(f"caller-{caller}", DONE if away else FUTURE, step)

    def _line(self, number: int, line: str) -> Element:
        y = self.tops[number]
        room = MOST - (REPEAT if number in self.repeats else 0)
        parts = [text(36, y + 16, str(number), "c q e"), text(48, y + 16, line, "c", most=room)]
        if number in self.repeats:
            parts.append(text(12 + self.width - 8, y + 16, f"{TIMES}{self.repeats[number]}", "c s q e"))
        parts.append(rect(12, y, self.width, LINE, "cur", rx=4))
        kinds = sorted(self.marks.get(number, {}).items(), key=lambda kind: kind[0] == "rec")
        marks = []
        for place, (kind, step) in enumerate(kinds[-2:]):
            self.board.show(f"mark-{number}-{kind}", step)
            bars = self.heard.get(number, 1) if kind == "rec" else 1
            x = 6 * place if len(kinds) > 1 else 0
            drawn = [mark(kind, y, x + BAR * bar) for bar in range(bars)]
            marks.append(group(drawn, id=f"mark-{number}-{kind}"))
        return group(group(parts, id=f"line-{number}", cls="line"), marks)

    def _result(self, number: int, results: list[tuple[int, list[str]]]) -> list[Element]:
        """What stands below a line once its call has returned; a later call writes over an earlier one."""
        drawn = []
        for turn, (step, shown) in enumerate(results):
            id = f"result-{number}" + (f".{turn + 1}" if turn else "")
            self.board.show(id, step)
            if turn + 1 < len(results):
                self.board.set(id, FUTURE, results[turn + 1][0])
            y = self.tops[number] + LINE + 16
            drawn.append(
                group([text(48, y + LINE * at, said, "c gi b", most=MOST) for at, said in enumerate(shown)], id=id)
            )
        return drawn

    def _switches(self) -> list[Element]:
        """Below the legend: what leads to the other views."""
        drawn = []
        for turn in self.switches:
            y = self.under + LINE / 2
            said = text(36, y + 4, turn.said)
            drawn.append(switch(turn.choice, turn.on, y, id=f"switch-{turn.name}", label=turn.said, words=said))
            self.under += LINE
        self.under += LINE / 3 * bool(drawn)
        return drawn

    def _legend(self) -> Element:
        kinds = {kind for marks in self.marks.values() for kind in marks}
        shown = {kind: said for kind, said in LEGEND.items() if kind in ("rec", "skip", "none") or kind in kinds}
        again = sum(beat.kind == "redo" and isinstance(beat.events[-1], Ran) for beat in self.story.beats)
        blocks = sum(len(walk.runs) for call in self.story.calls for walk in call.walks)
        if again or any(row.ran.custom == "recompute_grad" for row in self.story.rows):
            shown["redo"] = f"run again {TIMES}{blocks}" if blocks else "run again"
        x, y = 0.0, self.legend
        drawn: list[Element] = []
        for kind, said in shown.items():
            indent = 14 if kind == "skip" else 12
            if x + indent + 6 * len(said) > PANE:
                x, y = 0.0, y + LINE
            drawn += [mark(kind, y - 16, x), text(x + indent, y, said, "s")]
            x += indent + 6 * len(said) + 20
        self.under = y + LINE
        return group(drawn, id="legend")


def light(story: Story, board: Storyboard, lines: int) -> None:
    """Lines are grey until the program reaches them; the ring goes with the steps."""
    reached = 0
    for step, beat in enumerate(story.beats, 1):
        line = story.line_of(beat)
        if line is not None:
            for passed in range(reached + 1, line):
                board.show(f"line-{passed}", step)
            reached = max(reached, line)
            board.ring(f"line-{line}", step)
    for rest in range(reached + 1, lines + 1):
        board.show(f"line-{rest}", max(len(story.beats), 1))


def _kind(beat: Beat) -> str:
    """The mark that a step leaves on its line."""
    if beat.kind == "redo" or beat.at is not None:
        return "rule"
    if beat.call is None and beat.row is None and any(isinstance(event, Ran) for event in beat.events):
        return "idle"
    return "none" if beat.kind == "back" else beat.kind


def _answers(call: Call) -> list[str]:
    """What a call returned, as comments: one line for each source where there are several."""
    assert call.answered is not None
    gradients, sources = call.answered.gradients, call.answered.sources
    if len(gradients) < 2:
        return [f"# {words.answer(gradients)}"]
    each = [
        f"# {words.name(source)}: {words.answer([gradient])}"
        for source, gradient in zip(sources, gradients, strict=False)
    ]
    return each if len(each) <= ANSWERS else [*each[: ANSWERS - 1], f"# and {len(each) - ANSWERS + 1} more"]


def mark(kind: str, y: float, x: float = 0) -> Element:
    """A gutter mark, for a line that begins at `y`."""
    if kind in ("rec", "redo"):
        return rect(x, y + 3, 4, 18, f"k-{kind}")
    if kind == "skip":
        return rect(x - 0.5, y + 3.5, 6, 17, "k-skip")
    if kind == "rule":
        return path(f"M{x + 2:g} {y + 8:g}l4 8h-8z", "k-back")
    radius = 1.5 if kind == "none" else 2.5
    return Element("circle", (), None, {"class": f"k-{kind}", "cx": x + 2, "cy": y + 12, "r": radius})

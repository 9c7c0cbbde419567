"""The drawing of a MemoryTimeline: stairs of bytes, and below them who holds them, once for each layout.

All of time is drawn from the start. A veil lies over what is still to come, and travels away to the right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

from ..player.picture import DONE, FUTURE, Storyboard
from ..player.svg import WORD, Element, element, group, path, rect, text
from .held import Step
from .layout import HELD, LABEL, MARKS, TICK, WORDS, Layout, long
from .rows import Rows, aside
from .story import Story


class Chart:
    """Draws one layout; `suffix` ends the ids of its parts, and the storyboard hears when they change."""

    def __init__(self, story: Story, layout: Layout, board: Storyboard, suffix: str = "") -> None:
        self.story, self.at, self.board, self.suffix = story, layout, board, suffix
        self.memory = story.memory

    def draw(self) -> list[Element]:
        """All of it, from the back to the front."""
        at = self.at
        if not self.memory.steps:
            return [text(at.left, WORDS, "nothing to draw: no tape heard an op", "q")]
        rows = Rows(self.story, at, self.board, self.suffix)
        parts = [
            *self._filled(),
            *rows.draw(),
            self._veil(),
            *self._phases(),
            *self._marks(),
            *self._outline(),
            *self._theory(),
            *self._axis(),
            *self._peak(),
            *self._cursor(rows.caps),
        ]
        return sorted(parts, key=_says)  # lines go behind all words, the cursor's too: a halo keeps letters clear

    # --- the stairs --------------------------------------------------------------------------------------------------

    def _stairs(self, steps: Sequence[Step], height: Callable[[Step], float]) -> str:
        """The top of the stairs, from left to right."""
        d, each, before = "", self.story.each, None
        for place, step in enumerate(steps):
            y = self.at.y(height(step))
            if not d:
                d = f"M{self.at.x(0):g} {y:.1f}"
            elif y != before:
                d += f"H{self.at.x(place * each):.1f}V{y:.1f}"
            before = y
        return f"{d}H{self.at.x(len(steps) * each):.1f}"

    def _filled(self) -> list[Element]:
        """Blue is kept, and on top of it orange is held because an op ran again."""
        steps, base = self.story.highest(self.memory), self.at.base
        all_ = self._stairs(steps, lambda step: step.held)
        kept = self._stairs(steps, lambda step: step.kept)
        foot = f"V{base:g}H{self.at.left:g}z"
        return [path(all_ + foot, "k-redo crisp"), path(kept + foot, "k-rec crisp")]

    def _outline(self) -> list[Element]:
        """The other run, and its name at its peak."""
        second, at = self.story.second, self.at
        if not second or not second.steps:
            return []
        stairs = self._stairs(self.story.highest(second), lambda step: step.held)
        line = group(path(stairs, "outline under"), path(stairs, "outline"))  # so that it is seen on the filled stairs
        top, name = at.x(second.peak_step), self.story.other_name
        y, room = at.y(second.peak) + 4, top - at.left - 12
        if long(name) <= room:
            return [line, text(top - 6, y, name, "rec-ink halo e")]
        return [line, text(at.x(second.peak_step + 1) + 6, y, name, "rec-ink halo", most=int((at.axis - room) // WORD))]

    def _theory(self) -> list[Element]:
        story, at = self.story, self.at
        if story.theory is None:
            return []
        y = at.y(story.theory)
        words = f"{story.theory_name} = {story.size(story.theory)}"
        return [
            path(f"M{at.left:g} {y:.1f}H{at.right:g}", "theory"),
            text(at.right, y - 6, words, "q halo e", most=int(at.axis // WORD)),
        ]

    def _axis(self) -> list[Element]:
        """The only numbers at the axis are those that the runs have: nothing, and the two peaks."""
        story, at = self.story, self.at
        drawn, free = [path(f"M{at.left:g} {at.base:g}H{at.right:g}", "soft")], list[float]()
        for held, cls in ((self.memory.peak, ""), (0, "q"), (story.second.peak if story.second else 0, "q")):
            y = at.y(held)
            if all(abs(y - other) > 15 for other in free):
                free.append(y)
                drawn.append(aside(at, y + 4, story.size(held), cls))
        return drawn

    def _peak(self) -> list[Element]:
        """A dot on the first highest stair and who holds it, from the moment it is reached."""
        memory, at, note = self.memory, self.at, self.at.note
        if not memory.peak:
            return []
        x, y = at.x(memory.peak_step + 0.5), at.y(memory.peak)
        edge = note.left - 6 if note.on_right else note.left + long(note.lines[0][0]) + 6
        leader = path(f"M{x:.1f} {y - 3:.1f}V{note.top - 4:.1f}H{edge:.1f}", "soft")
        dot = element("circle", cls="k-ink", cx=x, cy=y, r=3.5)
        lines = [text(note.left, note.top + TICK * row, said, c) for row, (said, c) in enumerate(note.lines)]
        # its own background: lines that pass behind it leave no crumbs between its words
        back = rect(note.left - 4, note.top - 14, note.width + 8, TICK * len(lines) + 2, "panel-back")
        self.board.show(f"peak{self.suffix}", self.story.when(memory.peak_step))
        return [group(back, leader, dot, lines, id=f"peak{self.suffix}")]

    # --- the phases --------------------------------------------------------------------------------------------------

    def _phases(self) -> list[Element]:
        """Which way the program runs, in words, and a rule wherever the way back begins."""
        at, drawn = self.at, []
        again = " (and run blocks again)" if self.memory.extra_runs else ""
        forward = ("forward: run, keep what is needed", "forward: keep", "forward")
        back = (f"backward: use it, release it{again}", "backward: use, release", "backward")
        for way, first, end in self.memory.ways:
            indent = LABEL if first else 0
            last = at.end if end == len(self.memory.steps) else at.x(end)
            room = last - at.x(first) - indent - LABEL
            said = next((words for words in (back if way == "backward" else forward) if long(words) <= room), "")
            drawn.append(text(at.x(first) + indent, WORDS, said, "gi" if way == "backward" else "rec-ink"))
        for first, _ in self.memory.backs:
            drawn.append(path(f"M{at.x(first):.1f} 4V{at.bottom:.1f}", "soft"))
        return drawn

    def _marks(self) -> list[Element]:
        """A band below the axis: thin for a run and for the way back, thick where a block runs again."""
        at, memory, drawn, runs, start = self.at, self.memory, [], [], 0
        style = {"forward": ("k-rec", 7, 2), "backward": ("k-back", 7, 2), "again": ("k-redo", 5, 6)}
        for (phase, block), steps in groupby(memory.steps, key=lambda step: (step.phase, step.block)):
            end = start + len(list(steps))
            x, width = at.x(start), (end - start) * at.step
            cls, down, height = style.get(phase, ("k-none", 7, 2))
            gap = min(1.0, width / 4)
            drawn.append(rect(x + gap, at.base + down, width - 2 * gap, height, cls))
            if phase == "again":
                runs.append((x + width / 2, memory.block_name(block)))
            start = end
        room = min((b - a for (a, _), (b, _) in pairwise(runs)), default=at.axis) - LABEL
        named = [name for _, name in runs]
        forms = [" ".join(filter(None, ("run", name, "again"))) for name in named], named
        fitting = next((form for form in forms if all(long(words) <= room for words in form)), ())
        y = at.base + MARKS
        for (middle, _), words in zip(runs, fitting, strict=False):
            drawn.append(text(middle, y, words, "redo-ink halo m"))
        if runs and fitting is not forms[0]:
            drawn.append(aside(at, y, "run again", "redo-ink"))
        return drawn

    # --- what travels ------------------------------------------------------------------------------------------------

    def _travelling(self, *parts: Element | list[Element]) -> Element:
        return group(*parts, cls="travels", style=f"--axis:{self.at.axis:g}px")

    def _veil(self) -> Element:
        at = self.at
        return self._travelling(rect(at.left, at.top - 2, at.axis + 2, at.bottom - at.top + 4, "veil"))

    def _cursor(self, caps: list[Element]) -> list[Element]:
        """A line through the step that is shown, with the caps of the rows held there, and how many bytes that is."""
        at, story = self.at, self.story
        x, y = at.left - at.axis / story.count / 2, at.base + HELD
        said: dict[tuple[str, bool], str] = {}
        held = [step.held for step in story.highest(self.memory)]
        held += held[-1:] * (story.count - len(held))
        before = None
        for number, bytes_ in enumerate(held, 1):
            words = story.size(bytes_)
            key = (words, at.left + at.axis * number / story.count + long(words) + LABEL > at.end)
            if key != before:
                id = said.setdefault(key, f"now-{len(said) + 1}{self.suffix}")
                self.board.set(id, DONE, number)
                if before is not None:
                    self.board.set(said[before], FUTURE, number)
            before = key
        texts = [
            text(x - 6 if left else x + 6, y, words, "b halo e" if left else "b halo", id=id)
            for (words, left), id in said.items()
        ]
        line = path(f"M{x:.1f} {WORDS + 8}V{at.bottom:.1f}", "cursor")
        return [self._travelling(line, caps), self._travelling(texts), aside(at, y, "held by", "q")]


def _says(part: Element | str) -> bool:
    """Whether a part has words."""
    return isinstance(part, Element) and (part.tag == "text" or any(map(_says, part.children)))

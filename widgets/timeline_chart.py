"""The drawing of a MemoryTimeline: stairs of bytes, and below them who holds them, once for each layout.

All of time is drawn from the start. A veil lies over what is still to come, and travels away to the right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

from .held import Life, Step
from .held_words import names, short
from .picture import CURRENT, DONE, FUTURE, Storyboard
from .svg import WORD, Element, columns, element, group, path, rect, text
from .timeline_layout import HELD, LABEL, LETTER, MARKS, NOBODY, TICK, WORDS, Group, Layout, long
from .timeline_story import Story

NARROW = 6.7  # the advance of a code character at 11 px


class Chart:
    """Draws one layout; `suffix` ends the ids of its parts, and the storyboard hears when they change."""

    def __init__(self, story: Story, layout: Layout, board: Storyboard, suffix: str = "") -> None:
        self.story, self.at, self.board, self.suffix = story, layout, board, suffix
        self.memory = story.memory
        self.number = {id(life): number for number, life in enumerate(self.memory.lives, 1)}
        self.caps: list[Element] = []  # which rows are held, where the cursor stands

    def draw(self) -> list[Element]:
        """All of it, from the back to the front."""
        at = self.at
        if not self.memory.steps:
            return [text(at.left, WORDS, "nothing to draw: no tape heard an op", "q")]
        return [
            *self._filled(),
            *(part for rows in at.groups for part in self._bars(rows)),
            *self._nobody(),
            self._veil(),
            *self._skipped(),
            *self._phases(),
            *self._marks(),
            *self._outline(),
            *self._theory(),
            *self._axis(),
            *self._peak(),
            *(part for rows in at.groups for part in self._names(rows)),
            self._cursor(),
        ]

    # --- helpers -----------------------------------------------------------------------------------------------------

    def id(self, name: str) -> str:
        """The id of a part in this layout."""
        return name + self.suffix

    def when(self, step: int) -> int:
        """The step of the picture in which an op runs."""
        return step // self.story.each + 1

    def aside(self, y: float, words: str, cls: str, edge: float | None = None, **more: object) -> Element:
        """Words in the column at the left."""
        x = min(self.at.left if edge is None else edge, self.at.left) - LABEL
        return text(x, y, words, f"{cls} e", most=int(x // LETTER), **more)

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
        drawn, free = [path(f"M{at.left:g} {at.base:g}H{at.right:g}", "soft")], []
        for held, cls in ((self.memory.peak, ""), (0, "q"), (story.second.peak if story.second else 0, "q")):
            y = at.y(held)
            if all(abs(y - other) > 15 for other in free):
                free.append(y)
                drawn.append(self.aside(y + 4, story.size(held), cls))
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
        lines = [text(note.left, note.top + TICK * row, said, f"{c} halo") for row, (said, c) in enumerate(note.lines)]
        self.board.show(self.id("peak"), self.when(memory.peak_step))
        return [group(leader, dot, lines, id=self.id("peak"))]

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
            cls, y, height = style.get(phase, ("k-none", 7, 2))
            gap = min(1.0, width / 4)
            drawn.append(rect(x + gap, at.base + y, width - 2 * gap, height, cls))
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
            drawn.append(self.aside(y, "run again", "redo-ink"))
        return drawn

    # --- who holds them ----------------------------------------------------------------------------------------------

    def _nobody(self) -> list[Element]:
        """The outputs that nothing holds: hatched, for they were skipped."""
        memory, at = self.memory, self.at
        if not memory.nobody:
            return []
        y = at.base + NOBODY
        runs, gap = _stretches(memory.nobody, apart=at.step > 8), 1 if at.step > 3 else 0
        boxes = [rect(at.x(a) + gap, y - 7, (b - a) * at.step - 2 * gap, 7, "k-skip") for a, b in runs]
        return [group(boxes), self.aside(y, "nobody", "q")]

    def _skipped(self) -> list[Element]:
        """How many they are."""
        memory, at = self.memory, self.at
        if not memory.nobody:
            return []
        y, count = at.base + NOBODY, len(memory.nobody)
        x = at.x(next((first for first, _ in memory.backs if first > memory.nobody[-1]), memory.nobody[-1] + 1)) + LABEL
        outputs = f"{count} output{'' if count == 1 else 's'} skipped"
        can = "it can be computed again" if count == 1 else "they can be computed again"
        said = next((w for w in (f"{outputs}: {can}", outputs, f"{count}") if long(w) <= at.end - x), "")
        return [text(x, y, said, "q halo")]

    def _bars(self, rows: Group) -> list[Element]:
        """How long each value is held: an orange cap where the way back lets it go, a ring while it is held.

        Where rows are too thin for a ring, a black piece travels along.
        """
        at, drawn = self.at, []
        cls = "k-redo" if rows.kind == "again" else "k-rec"
        for life, top in zip(rows.lives, rows.rows, strict=True):
            x, end = at.x(life.start), at.x(len(self.memory.steps) if life.end is None else life.end)
            y, ring = at.base + top, self.id(f"life-{self.number[id(life)]}")
            drawn.append(rect(x, y, end - x, at.bar, cls))
            if at.many:
                self.caps.append(rect(at.left - 5, y, 5, at.bar, "k-ink", id=ring))
            else:
                drawn.append(rect(x, y, end - x, at.bar, "holds", id=ring))
            self.board.set(ring, CURRENT, self.when(life.start))
            if life.end is not None:
                self.board.set(ring, FUTURE, max(self.when(life.end), self.when(life.start) + 1))
                drawn.append(rect(end - 1, y - 1, 3, at.bar + 2, "k-back"))
        return drawn

    def _names(self, rows: Group) -> list[Element]:
        """What the values are called, and at the left the group's name, bold while one of them is held."""
        at, drawn, edge = self.at, [], None
        ink = "redo-ink" if rows.kind == "again" else "rec-ink"
        if not at.many and rows.kind == "again":
            named = [(rows.lives[0], rows.middle, names([life.value for life in rows.lives], 2), "q")]
        elif not at.many:
            each = zip(rows.lives, rows.rows, strict=True)
            named = [(life, top + 9, short(life.value.name), ink) for life, top in each]
        else:
            named = []
        for life, y, said, cls in named:
            x = at.x(life.start) - 6
            beside = 2 * LABEL + long(rows.label) if abs(y - rows.middle) < 14 else 0  # the group's own name
            most = int((x - LABEL - beside) // NARROW)
            if most < 2:
                continue
            drawn.append(text(x, at.base + y, said, f"c s {cls} halo e", most=most))
            if beside:
                edge = min(edge or at.left, x - NARROW * min(columns(said), most))
        id = self.id(f"group-{at.groups.index(rows) + 1}")
        for start, end in _spells(rows.lives):
            self.board.set(id, CURRENT, self.when(start))
            if end is not None:
                self.board.set(id, DONE, max(self.when(end), self.when(start) + 1))
        self.board.moments.setdefault(id, {}).setdefault((1, 0), DONE)
        return [*drawn, self.aside(at.base + rows.middle, rows.label, ink, edge, id=id)]

    # --- what travels ------------------------------------------------------------------------------------------------

    def _travelling(self, *parts: Element | list[Element]) -> Element:
        return group(*parts, cls="travels", style=f"--axis:{self.at.axis:g}px")

    def _veil(self) -> Element:
        at = self.at
        return self._travelling(rect(at.left, at.top - 2, at.axis + 2, at.bottom - at.top + 4, "veil"))

    def _cursor(self) -> Element:
        """A line through the step that is shown, and the bytes held there."""
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
                id = said.setdefault(key, self.id(f"now-{len(said) + 1}"))
                self.board.set(id, DONE, number)
                if before is not None:
                    self.board.set(said[before], FUTURE, number)
            before = key
        texts = [
            text(x - 6 if left else x + 6, y, words, "b halo e" if left else "b halo", id=id)
            for (words, left), id in said.items()
        ]
        line = path(f"M{x:.1f} {WORDS + 8}V{at.bottom:.1f}", "cursor")
        return group(self._travelling(line, texts, self.caps), self.aside(y, "held by", "q"))


def _stretches(steps: Sequence[int], apart: bool) -> list[tuple[int, int]]:
    """Steps as (first, end): one each where there is room to see them, else one for all that touch."""
    if apart:
        return [(step, step + 1) for step in steps]
    touching = groupby(enumerate(steps), key=lambda pair: pair[1] - pair[0])
    runs = [[step for _, step in run] for _, run in touching]
    return [(run[0], run[-1] + 1) for run in runs]


def _spells(lives: Sequence[Life]) -> list[tuple[int, int | None]]:
    """From when to when at least one of them is held."""
    spells: list[tuple[int, int | None]] = []
    for life in sorted(lives, key=lambda life: life.start):
        if spells and (spells[-1][1] is None or life.start < spells[-1][1]):
            start, end = spells[-1]
            spells[-1] = (start, None if end is None or life.end is None else max(end, life.end))
        else:
            spells.append((life.start, life.end))
    return spells

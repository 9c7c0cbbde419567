"""Where everything in a MemoryTimeline stands: the axes of the chart, and the rows of those who hold the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from ..player.svg import columns
from .held import Life, Memory
from .held_words import holders, names
from .story import Story

LETTER = 6.6  # the mean advance of a letter at 13 px, in words of several letters
LABEL = 8  # between a label and what it names
WORDS, TICK = 16, 18  # the baseline of the words over the chart, and a line of words
MARKS, HELD, NOBODY, ROWS = 27, 44, 70, 84  # below the axis: run again, held by, nobody, and the first row
ROW, NAMED, BAR = 8, 14, 6  # the pitch of rows without a name and with one, and how thick they are
SHORT = {"kept": "kept", "again": "run again"}  # who holds the peak, where room is scarce
MANY, MOST = 24, 192  # more rows than this share so many pixels


@dataclass(frozen=True)
class Group:
    """Rows of one kind: values that an op keeps, that a block keeps as its input, or that a rerun keeps."""

    kind: str  # "block", "kept" or "again"
    label: str
    lives: tuple[Life, ...]
    rows: tuple[float, ...]  # the top of each, below the axis

    @property
    def middle(self) -> float:
        """The baseline of the group's name."""
        return (self.rows[0] + self.rows[-1] + BAR) / 2 + 4


@dataclass(frozen=True)
class Note:
    """The note on the peak: its lines with their classes, and where it begins."""

    lines: tuple[tuple[str, str], ...]
    left: float
    on_right: bool  # of the peak
    top: float  # the baseline of the first line
    width: float


class Layout:
    """One of the two layouts: `left` to `right` is the time axis, which stands under the player's track."""

    def __init__(self, story: Story, *, left: float, axis: float, end: float, height: float) -> None:
        self.story, self.left, self.axis, self.end, self.height = story, left, axis, end, height
        self.step = axis / (story.count * story.each)  # the width of an op
        self.pitch = MOST / max(min(len(story.memory.lives), MOST), 1)  # of a row, where there are many
        self.bar = min(BAR, self.pitch * 0.8) if self.many else BAR
        self.groups, bottom = self._groups()
        self.top = 48.0
        self.top += max(0.0, WORDS + 20 - self._note().top)  # as much room above as the note needs
        self.note = self._note()
        self.bottom = self.base + bottom

    @property
    def right(self) -> float:
        """Where the axis ends."""
        return self.left + self.axis

    @property
    def base(self) -> float:
        """The height of the axis."""
        return self.top + self.height

    @property
    def many(self) -> bool:
        """Whether there are too many rows to name each."""
        return len(self.story.memory.lives) > MANY

    def x(self, step: float) -> float:
        """Where an op begins."""
        return self.left + step * self.step

    def y(self, held: float) -> float:
        """Where so many bytes reach."""
        return self.base - held / self.story.top * self.height

    def _groups(self) -> tuple[list[Group], float]:
        memory, groups = self.story.memory, []
        y = float(ROWS if memory.nobody else NOBODY - 6)
        for kind, label, lives in _kinds(memory):
            label, lives = _fewer(label, lives, -(-len(memory.lives) // MOST))
            pitch = self.pitch if self.many else ROW if kind == "again" else NAMED
            rows = tuple(y + pitch * row for row in range(len(lives)))
            groups.append(Group(kind, label, lives, rows))
            y += pitch * len(lives) if self.many else max(pitch * len(lives), NAMED + 2)  # room for the group's name
        return groups, y + 4

    def _note(self) -> Note:
        """Beside the peak, and clear of the stairs and of the theory's line."""
        story, memory = self.story, self.story.memory
        css = {"block": "rec-ink", "kept": "rec-ink", "again": "redo-ink"}
        lines = [(f"peak {story.size(memory.peak)}", "b")]
        narrow = self.axis < 500
        for kind, said, _ in holders(memory):
            lives = [life for life in memory.at_peak if _kind(life) == kind]
            said = f"{len(lives)} {SHORT[kind]}" if narrow and kind in SHORT else said
            lines.append((f"{said}: {names([life.value for life in lives], 2 if narrow else 4)}", css[kind]))
        width = max(long(words) for words, _ in lines)
        x, y = self.x(memory.peak_step + 0.5), self.y(memory.peak)
        last = self.right - 12 - width  # the cursor at the end is clear of it
        if last > x + 24:
            left = max(x + 24, min(last, self.left + 0.68 * self.axis))
        else:
            left = max(self.left, min(x - 24, self.left + 0.32 * self.axis) - width)
        first, end = int((left - self.left) / self.step), int((left + width - self.left) / self.step) + 1
        below = [self.y(held) for run in (memory, story.second) if run for held in run.held[max(first, 0) : end]]
        if story.theory is not None:
            below.append(self.y(story.theory) - TICK)
        clear = min(below, default=self.base) - 12 - TICK * (len(lines) - 1)
        return Note(tuple(lines), left, left > x, min(self.top + 18, y - 10, clear), width)


def _kinds(memory: Memory) -> list[tuple[str, str, tuple[Life, ...]]]:
    """The groups with their names: what blocks keep, what ops keep, and what each rerun keeps."""
    found = []
    for kind in ("block", "kept"):
        lives = tuple(life for life in memory.lives if _kind(life) == kind)
        numbers = sorted({life.input_of for life in lives if life.input_of})
        label = "recorded ops" if kind == "kept" else "the block"
        if len(numbers) > 1:
            label = f"blocks {numbers[0]} to {numbers[-1]}"
        found += [(kind, label, lives)] if lives else []
    again = [life for life in memory.lives if life.again]
    for block, group in groupby(again, key=lambda life: memory.steps[life.start].block):
        found.append(("again", run_again(memory.block_name(block)), tuple(group)))
    return found


def _fewer(label: str, lives: tuple[Life, ...], each: int) -> tuple[str, tuple[Life, ...]]:
    """Of more values than there is room for, one in so many."""
    return (label, lives) if each == 1 else (f"{label} (1/{each})", lives[::each])


def _kind(life: Life) -> str:
    return "again" if life.again else "block" if life.input_of else "kept"


def run_again(name: str) -> str:
    """What a rerun is called: "run 4 again"."""
    return " ".join(filter(None, ("run", name, "again")))


def long(words: str) -> float:
    """About how many pixels wide words are."""
    return LETTER * columns(words)

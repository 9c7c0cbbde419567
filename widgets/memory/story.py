"""What a MemoryTimeline tells: the steps of a measured run, gathered where there are too many to draw one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .. import words
from ..player.picture import Caption, Code
from ..player.svg import cut
from .held import Life, Memory, Step
from .held_words import common_unit, holders, names, size

MOST = 240  # steps that a picture has; a longer run shows several ops as one step
EXPRESSION = 40  # columns


@dataclass(frozen=True)
class Story:
    """One run to draw filled, a second one to draw as an outline, and what is said beside them."""

    memory: Memory
    second: Memory | None = None
    title: str = "The bytes the tape holds"
    other_name: str = "store-all"
    theory: float | None = None
    theory_name: str = "theory"

    @property
    def length(self) -> int:
        """How many ops the longer run has."""
        return max(len(self.memory.steps), len(self.second.steps) if self.second else 0)

    @property
    def each(self) -> int:
        """How many ops one step of the picture stands for."""
        return max(1, -(-self.length // MOST))

    def when(self, step: int) -> int:
        """The step of the picture in which an op runs."""
        return step // self.each + 1

    @property
    def count(self) -> int:
        """How many steps the picture has."""
        return max(1, -(-self.length // self.each))

    @cached_property
    def top(self) -> float:
        """The highest number of bytes in the picture."""
        return max(self.memory.peak, self.second.peak if self.second else 0, self.theory or 0) or 1

    def size(self, held: float) -> str:
        """A number of bytes, in the unit of this picture."""
        return size(held, self._unit)

    @cached_property
    def _unit(self) -> tuple[int, str]:
        return common_unit(self.memory, self.second)

    @cached_property
    def _changes(self) -> dict[int, tuple[list[Life], list[Life]]]:
        """By op: the values that are held from there on, and those that are let go."""
        changes: dict[int, tuple[list[Life], list[Life]]] = {}
        for life in self.memory.lives:
            changes.setdefault(life.start, ([], []))[0].append(life)
            if life.end is not None:
                changes.setdefault(life.end, ([], []))[1].append(life)
        return changes

    def highest(self, memory: Memory) -> list[Step]:
        """For each step of the picture the op with the most bytes."""
        steps = memory.steps
        return [
            max(steps[first : first + self.each], key=lambda step: step.held)
            for first in range(0, len(steps), self.each)
        ]

    @property
    def summary(self) -> str:
        """The sum of it all: the peak, what the other run needs, and what the saving costs."""
        runs = self.memory.extra_runs
        beside = f" ({self.other_name} {self.size(self.second.peak)})" if self.second else ""
        extra = f" · {runs} extra {'run' if runs == 1 else 'runs'}" if runs else ""
        return f"peak {self.size(self.memory.peak)}{beside}{extra}"

    @property
    def sentence(self) -> str:
        """The picture in one sentence."""
        if not self.memory.steps:
            return "MemoryTimeline: no tape heard an op"
        who = " and ".join(f"{said} ({held})" for _, said, held in holders(self.memory))
        return f"MemoryTimeline: {self.summary}" + (f"; the peak is {who}" if who else "")

    # --- one step ----------------------------------------------------------------------------------------------------

    def kind(self, number: int) -> str:
        """The shape of a step's tick: what most changes the bytes there."""
        kinds = [self._kind(at) for at in self._ops(number)]
        return next((kind for kind in ("redo", "back", "rec", "skip") if kind in kinds), "none")

    def caption(self, number: int) -> Caption:
        """What happens in a step of the picture (they count from 0)."""
        ops = self._ops(number)
        if not ops:
            return ("this run is over" if self.memory.steps else "nothing happened here: no tape heard an op",)
        if len(ops) == 1:
            return self._op(ops[0])
        step = max((self.memory.steps[at] for at in ops), key=lambda step: step.held)
        ways = {"again": "run again", "backward": "on the way back", "released": "let go"}
        way = ways.get(self.memory.steps[ops[0]].phase, "run forward")
        return (f"ops {ops[0] + 1} to {ops[-1] + 1}, {way}: the tape holds up to {self.size(step.held)}",)

    def _ops(self, number: int) -> range:
        return range(number * self.each, min((number + 1) * self.each, len(self.memory.steps)))

    def _kind(self, at: int) -> str:
        step = self.memory.steps[at]
        if step.phase == "forward":
            before = self.memory.steps[at - 1].held if at else 0
            return "skip" if step.nobody else "rec" if step.held > before else "none"
        return {"again": "redo", "backward": "back"}.get(step.phase, "none")

    def _op(self, at: int) -> Caption:
        memory, step = self.memory, self.memory.steps[at]
        op, holds = Code(cut(" ".join(step.text.split()), EXPRESSION)), f"the tape holds {self.size(step.held)}"
        born, gone = self._changes.get(at, ([], []))
        match step.phase:
            case "forward" if step.nobody:
                but: Caption = (", but ", *_kept(born, memory)) if born else (": its block can run again",)
                return (op, " ran; its output is not kept", *but, "; ", holds)
            case "forward" if born:
                return (op, " ran; ", *_kept(born, memory), "; ", holds)
            case "forward":
                return (op, " ran and nothing more is kept; ", holds)
            case "again":
                what: Caption = (" for the way back, which needs ", _names(born)) if born else ()
                return (op, " ran again", *what, "; ", holds)
            case "backward":
                over = (step.text,) if step.text == "passed over" else ("back through ", op)
                return (*over, *((": ", _names(gone), " used and released") if gone else ()), "; ", holds)
        return (*(("released: ", _names(gone), "; ") if gone else ()), holds)


def _names(lives: list[Life]) -> Code:
    return Code(names([life.value for life in lives], 3))


def _kept(born: list[Life], memory: Memory) -> Caption:
    """Which values are kept from now on, and what for."""
    inputs = sorted({life.input_of for life in born if life.input_of})
    many = "are" if len(born) > 1 else "is"
    if not inputs or any(life.input_of is None for life in born):
        return (_names(born), f" {many} kept for the way back")
    blocks = words.listed([memory.block_name(block) or "the block" for block in inputs])
    return (_names(born), f" {many} kept to run {blocks if not blocks.isdigit() else f'block {blocks}'} again")

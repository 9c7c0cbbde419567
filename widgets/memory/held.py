"""Which bytes the tape held, step by step, and who held them: a trace read once, for the table and for the plots."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from minitape.trace import Answered, Asked, Cleared, Event, Passed, Ran, Rerun, Trace, Value, Walked

Entry = tuple[int, int]  # a tape, and the entry's number on it


@dataclass(frozen=True, slots=True)
class Step:
    """One op of the program, and the bytes that all tapes together held when it was done."""

    text: str  # the learner's expression
    phase: str  # "forward", "again" (in a recomputed block that ran once more), "backward", "released"
    kept: int  # bytes held since an op's first run
    again: int  # bytes held only because an op ran again
    block: int | None = None  # which recomputed block ran again; they count from 1
    nobody: bool = False  # a recomputed block skipped the op, and nothing holds its output

    @property
    def held(self) -> int:
        """All bytes: kept and run again."""
        return self.kept + self.again


@dataclass(frozen=True, slots=True)
class Life:
    """How long a value was held: from step `start` until step `end` let it go (None: it is held to this day)."""

    value: Value
    again: bool  # held only by an op that ran again
    input_of: int | None  # the recomputed block that holds it as its input
    start: int
    end: int | None = None

    def at(self, step: int) -> bool:
        """Whether the value was held when this step was done."""
        return self.start <= step and (self.end is None or step < self.end)


@dataclass(frozen=True, slots=True)
class Memory:
    """All that the plot draws and the table prints. Steps count from 0, blocks from 1; sizes are in bytes."""

    steps: tuple[Step, ...] = ()
    lives: tuple[Life, ...] = ()  # in the order in which they began
    backs: tuple[tuple[int, int], ...] = ()  # each way back: its first step, and the first step after it
    blocks: tuple[str, ...] = ()  # the recomputed blocks, in the order of their first run

    @property
    def ways(self) -> tuple[tuple[str, int, int], ...]:
        """The ways in their order: "forward" or "backward", the first step, and the first step after it."""
        found, start = [], 0
        for first, end in self.backs:
            found += [("forward", start, first), ("backward", first, end)]
            start = end
        found.append(("forward", start, len(self.steps)))
        return tuple((name, first, end) for name, first, end in found if first < end)

    @property
    def held(self) -> tuple[int, ...]:
        """The bytes held after each step."""
        return tuple(step.held for step in self.steps)

    @property
    def peak(self) -> int:
        """The most bytes held after any step."""
        return max(self.held, default=0)

    @property
    def peak_step(self) -> int:
        """The first step with the most bytes; 0 where there are no steps."""
        held = self.held
        return held.index(max(held)) if held else 0

    @property
    def at_peak(self) -> tuple[Life, ...]:
        """The values held at the peak, oldest first."""
        step = self.peak_step
        return tuple(life for life in self.lives if life.at(step))

    @property
    def extra_runs(self) -> int:
        """How many ops ran again on the way back."""
        return sum(step.phase == "again" for step in self.steps)

    @property
    def nobody(self) -> tuple[int, ...]:
        """The steps whose outputs nothing holds: a recomputed block can compute them again."""
        return tuple(number for number, step in enumerate(self.steps) if step.nobody)

    def block_name(self, block: int | None) -> str:
        """What to call one of several blocks: its function's name, or its number where a function ran several times."""
        if block is None or len(self.blocks) == 1:
            return ""
        name = self.blocks[block - 1]
        return name if len(set(self.blocks)) == len(self.blocks) else str(block)


def measure(seen: Trace) -> Memory:
    """Read from a trace what its tapes held after each op, and how long each value was held.

    The heights are the trace's own measurements. A recomputed block is no op of its own: what its entry keeps or frees
    is counted at the last op inside it, so that a program has the same forward steps with `recompute_grad` and without.

    >>> import minitape as tf
    >>> x = tf.Variable([1.0, 2.0])
    >>> with tf.observe() as seen:
    ...     with tf.GradientTape() as tape:
    ...         y = tf.tanh(tf.tanh(x))
    ...     grad = tape.gradient(y, x)
    >>> measure(seen).held
    (8, 16, 8, 0)
    """
    reader = _Reader()
    for event in seen.events:
        reader.read(event)
    return reader.memory()


@dataclass
class _Reader:
    """Reads a trace's events in order, and keeps the books."""

    kept: int = 0
    again: int = 0
    steps: list[Step] = field(default_factory=list)
    made: list[set[int]] = field(default_factory=list)  # the ids of the values that each step made
    lives: list[Life] = field(default_factory=list)
    living: dict[int, int] = field(default_factory=dict)  # a value's id: the index of its life under way
    same: dict[int, int] = field(default_factory=dict)  # a value's id: the id under which its memory is held already
    holds: dict[Entry, set[int]] = field(default_factory=dict)  # the ids of the values that each entry holds
    reran: set[Entry] = field(default_factory=set)  # the entries of ops that ran again
    blocks: list[str] = field(default_factory=list)
    number: dict[Entry, int] = field(default_factory=dict)  # the block that an entry stands for
    inside: list[tuple[int, str]] = field(default_factory=list)  # blocks under way: the steps before it, and its name
    asked: list[int] = field(default_factory=list)  # calls of `gradient` under way: the steps before each
    backs: list[tuple[int, int]] = field(default_factory=list)

    def read(self, event: Event) -> None:
        change = self.account(event)
        match event:
            case Rerun():
                self.inside.append((len(self.steps), event.name))
            case Asked():
                self.asked.append(len(self.steps))
            case Ran(custom="recompute_grad") | Walked(custom="recompute_grad"):
                self.block(event)
            case Ran() if event.recorded or event.skipped:
                self.step(event.text, "again" if event.again else "forward", event.outputs)
                self.steps[-1] = replace(self.steps[-1], nobody=_left_to_a_block(event))
            case Walked() | Passed():
                self.step(event.text if isinstance(event, Walked) else "passed over", "backward")
            case _ if change:
                self.step(event.kind, "released")
        self.hold(event, change)
        if isinstance(event, Answered) and self.asked:
            start = self.asked.pop()
            self.backs += [] if self.asked else [(start, len(self.steps))]

    def account(self, event: Event) -> int:
        """Add what the event changed to the bytes kept or run again; an array that both hold is counted as kept."""
        change = event.held - self.kept - self.again
        match event:
            case Ran():
                again = event.again
            case Walked() | Passed():
                again = (event.tape, event.entry) in self.reran
            case _:
                again = change < 0
        now = self.again + change if again else self.again + min(0, self.kept + change)
        self.again = min(max(0, now), event.held)
        self.kept = event.held - self.again
        return change

    def step(self, text: str, phase: str, outputs: Iterable[Value] = ()) -> None:
        self.steps.append(Step(text, phase, self.kept, self.again))
        self.made.append({value.id for value in outputs})

    def block(self, event: Ran | Walked) -> None:
        """A recomputed block's own entry: part of the last step inside it."""
        first, name = self.inside.pop() if self.inside else (len(self.steps), event.op)
        if first == len(self.steps):  # nothing ran inside
            self.step(event.text, "backward" if isinstance(event, Walked) else "forward")
        self.steps[-1] = replace(self.steps[-1], kept=self.kept, again=self.again)
        if isinstance(event, Walked):
            block = self.number.get((event.tape, event.entry))
            self.steps[first:] = [replace(step, block=step.block or block) for step in self.steps[first:]]
        else:
            self.made[-1] |= {value.id for value in event.outputs}
            if not event.again:
                self.blocks.append(name)
                self.number |= dict.fromkeys(event.recorded, len(self.blocks))

    def hold(self, event: Event, rise: int) -> None:
        """Begin and end the lives of the values that entries hold."""
        match event:
            case Ran() if event.recorded:
                self.take(event, rise)
            case Walked() | Passed():
                self.release(self.same.get(value.id, value.id) for value in event.freed)
            case Cleared():
                cleared = [entry for entry in self.holds if entry[0] == event.tape]
                gone = set().union(*(self.holds.pop(entry) for entry in cleared))
                self.release(gone - set().union(*self.holds.values()))
        if event.held == 0:
            self.release(list(self.living))

    def take(self, event: Ran, rise: int) -> None:
        """A recorded op holds what it saves; what does not raise the bytes is held already, under another name."""
        ids = {self.same.get(value.id, value.id): value for value in event.saves}
        new = {id: value for id, value in ids.items() if id not in self.living}
        for id, value in list(new.items()):
            twin = self.twin(value) if sum(other.bytes for other in new.values()) > rise else None
            if twin is not None:
                self.same[id] = twin
                del new[id]
        for id, value in new.items():
            self.living[id] = len(self.lives)
            self.lives.append(Life(value, event.again, self.number.get(event.recorded[0]), len(self.steps) - 1))
        for entry in event.recorded:
            self.holds[entry] = {self.same.get(id, id) for id in ids}
            self.reran |= {entry} if event.again else set()

    def twin(self, value: Value) -> int | None:
        """The value held already that has the same numbers: a rerun's inputs are its block's inputs once more."""
        for id, index in reversed(self.living.items()):
            held = self.lives[index].value
            if (held.bytes, held.numbers, held.low, held.high) == (value.bytes, value.numbers, value.low, value.high):
                return id
        return None

    def release(self, ids: Iterable[int]) -> None:
        for id in ids:
            if id in self.living:
                index = self.living.pop(id)
                self.lives[index] = replace(self.lives[index], end=max(0, len(self.steps) - 1))

    def memory(self) -> Memory:
        ever = {life.value.id for life in self.lives}
        steps = [
            replace(step, nobody=step.nobody and not made & ever)
            for step, made in zip(self.steps, self.made, strict=True)
        ]
        unanswered = [(self.asked[0], len(steps))] if self.asked else []
        return Memory(tuple(steps), tuple(self.lives), (*self.backs, *unanswered), tuple(self.blocks))


def _left_to_a_block(event: Ran) -> bool:
    return not event.recorded and any(skip.reason == "recompute_grad" for skip in event.skipped)

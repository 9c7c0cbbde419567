"""What a GraphView tells: a trace as ops, the values that flow between them, and the gradients that flow back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from minitape.trace import Answered, Asked, Entered, Passed, Ran, Rerun, Rested, Skip, Trace, Value, Walked

from ..scopes import Scope
from .scopes import scopes_of

STEPS = 240  # more ops and entries than this are told scope by scope


@dataclass
class Op:
    """An op that a tape recorded or skipped, and what the way back did with it."""

    number: int
    ran: Ran
    entry: int | None
    skip: Skip | None
    step: int = 0
    back: int = 0  # the step of the way back; 0: it never came here
    walk: Walked | Passed | None = None

    @property
    def id(self) -> str:
        """The node's id."""
        return f"op-{self.number}"


@dataclass
class Leaf:
    """A value that no op of the graph made: a constant, a Variable, a number; once for each op that uses it."""

    id: str
    value: Value
    gifts: list[Value] = field(default_factory=list)  # the gradients that this op gives it
    first: bool = True  # the first op that uses it: the whole gradient is written here
    times: int = 1  # how many ops use it
    asked: bool = False  # the way back was asked for its gradient
    gradient: Value | None = None  # the whole of it
    back: int = 0  # the step at which the last part of it came


@dataclass
class Flow:
    """A value on its way into an op, and the gradients that come back for it."""

    value: Value
    source: Op | Leaf
    op: Op
    gifts: list[Value] = field(default_factory=list)
    back: int = 0

    @property
    def cut(self) -> bool:
        """Whether a skipped op ends a road that the way back would have taken."""
        skip = self.source.skip if isinstance(self.source, Op) else None
        return bool(skip and skip.reason != "unwatched" and self.op.back and not self.gifts)


@dataclass
class Beat:
    """One step: the ops that it is about, and whether they run or are walked back through."""

    kind: str
    ops: list[Op]
    back: bool = False
    last: bool = False  # the answer


@dataclass
class Story:
    """All that the picture and its words say."""

    lines: tuple[str, ...]
    tape: int | None = None
    ops: list[Op] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    asked: Asked | None = None
    answered: Answered | None = None
    scopes: list[Scope] = field(default_factory=list)
    beats: list[Beat] = field(default_factory=list)

    @property
    def skipped(self) -> list[Op]:
        """The ops that the tape did not record."""
        return [op for op in self.ops if op.entry is None]

    def maker(self, value: Value) -> Op | None:
        """The op that made a value."""
        return next((op for op in self.ops if any(out.id == value.id for out in op.ran.outputs)), None)


def tell(seen: Trace, scopes: Mapping[str, int | tuple[int, int]] | None = None) -> Story:
    """Read a trace: the tape whose gradient was asked for first, its ops, and that way back."""
    calls = _calls(seen)
    # the gradient of a gradient: the tape asked last has the ops of the first way back on it
    outer = [call for call in calls if call.tape != calls[0].tape]
    asked = outer[-1] if outer else calls[0] if calls else None
    entered = seen.of(Entered)
    tape = asked.tape if asked else entered[0].tape if entered else None
    story = Story(seen.lines, tape, asked=asked)
    _ops(story, seen)
    _way_back(story, seen)
    _flows(story)
    story.scopes = scopes_of([op.ran for op in story.ops], scopes or {})
    _beats(story)
    return story


def _calls(seen: Trace) -> list[Asked]:
    """The calls of `gradient`, without those of the tapes that a recomputed block opens for itself."""
    calls, reruns = [], 0
    own: set[int] = set()
    for event in seen.events:
        match event:
            case Rerun(run=run) if run > 1:
                reruns += 1
            case Rested(run=run) if run > 1:
                reruns -= 1
            case Entered(tape=tape) if reruns:
                own.add(tape)
            case Asked(tape=tape) if tape not in own:
                calls.append(event)
    return calls


def _ops(story: Story, seen: Trace) -> None:
    for event in seen.of(Ran):
        entry = next((number for tape, number in event.recorded if tape == story.tape), None)
        skip = next((skip for skip in event.skipped if skip.tape == story.tape), None)
        inside = event.again or (skip is not None and skip.reason == "recompute_grad")  # a block is one op
        if inside or (entry is None and (skip is None or event.within == "gradient")):
            continue
        story.ops.append(Op(len(story.ops) + 1, event, entry, skip))


def _way_back(story: Story, seen: Trace) -> None:
    by_entry = {op.entry: op for op in story.ops if op.entry is not None}
    under_way = False
    for event in seen.events:
        match event:
            case Asked():
                under_way = under_way or event is story.asked
            case Walked() | Passed() if under_way and event.tape == story.tape and event.entry in by_entry:
                by_entry[event.entry].walk = event
            case Answered() if under_way and event.tape == story.tape:
                story.answered = event
                return


def _flows(story: Story) -> None:
    makers = {value.id: op for op in story.ops for value in op.ran.outputs}
    for op in story.ops:
        gifts = op.walk.gifts if isinstance(op.walk, Walked) else ()
        for value in {value.id: value for value in op.ran.inputs}.values():
            given = [gift.value for gift in gifts if gift.to.id == value.id]
            source: Op | Leaf | None = makers.get(value.id)
            if not isinstance(source, Op) or source.number >= op.number:
                source = Leaf(f"leaf-{len(story.leaves) + 1}", value, given)
                story.leaves.append(source)
            story.flows.append(Flow(value, source, op, given))
    sources = story.asked.sources if story.asked else ()
    gradients = story.answered.gradients if story.answered else ()
    found = dict(zip((value.id for value in sources), gradients, strict=False))
    firsts: dict[int, Leaf] = {}
    for leaf in story.leaves:
        leaf.asked, leaf.gradient = leaf.value.id in found, found.get(leaf.value.id)
        first = firsts.setdefault(leaf.value.id, leaf)
        leaf.first = first is leaf
        first.times += not leaf.first


def _beats(story: Story) -> None:
    walked = sorted((op for op in story.ops if op.walk is not None), key=lambda op: op.entry or 0, reverse=True)
    merge = len(story.ops) + len(walked) > STEPS
    for op in story.ops:
        _add(story, Beat("rec" if op.entry is not None else "skip", [op]), merge)
        op.step = len(story.beats)
    for op in walked:
        _add(story, Beat("back" if isinstance(op.walk, Walked) else "pass", [op], back=True), merge)
        op.back = len(story.beats)
    for flow in story.flows:
        flow.back = flow.op.back if flow.gifts else 0
    last: dict[int, int] = {}  # by value: when the last of its gradients comes
    for flow in story.flows:
        last[flow.value.id] = max(last.get(flow.value.id, 0), flow.back)
        if isinstance(flow.source, Leaf):
            flow.source.back = flow.back
    for leaf in story.leaves:
        leaf.back = last[leaf.value.id] if leaf.first else leaf.back
    if story.answered and any(gradient is None for gradient in story.answered.gradients):
        story.beats.append(Beat("none", [], back=True, last=True))


def _add(story: Story, beat: Beat, merge: bool) -> None:
    last = story.beats[-1] if story.beats else None
    scope = story_scope(story, beat.ops[0])
    if merge and last and last.back == beat.back and scope and scope is story_scope(story, last.ops[-1]):
        last.ops += beat.ops
        last.kind = "rec" if "rec" in (last.kind, beat.kind) else last.kind
    else:
        story.beats.append(beat)


def story_scope(story: Story, op: Op) -> Scope | None:
    """The scope that an op belongs to."""
    return next((scope for scope in story.scopes if op.number in scope), None)

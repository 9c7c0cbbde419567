"""The nodes and wires of one view of the graph: some scopes are folded into a node, others open. Sizes in pixels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from minitape.trace import Value

from .. import words
from ..player.svg import CODE, columns, cut
from ..scopes import Scope
from .sentences import shown, slope
from .story import Flow, Leaf, Op, Story

NAME = 24  # columns of an op's or a value's name
HIGH, FOLDED, LINE = 24, 32, 18  # the height of an op, of a folded scope, and of a line of words
BESIDE = 96  # the least width of a value beside its op
SUM = 26  # columns of several values on one line
LETTER = 6.9  # the mean advance of a letter of the UI font


@dataclass
class Node:
    """An op, a folded scope, a value from outside, or the target."""

    id: str
    kind: str  # "op", "scope", "leaf" or "target"
    label: str
    width: float
    height: float
    ops: list[Op] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    uses: dict[str, int] = field(default_factory=dict)  # by leaf: the ops that use it here, where that is not one
    value: Value | None = None
    scope: Scope | None = None
    side: bool = False  # it stands beside its op, not above
    more: str = ""  # a second line: the gradient of a leaf

    @property
    def skipped(self) -> bool:
        """Whether no op of it was recorded."""
        return bool(self.ops) and all(op.entry is None for op in self.ops)

    @property
    def note(self) -> str:
        """What is written beside a skipped op."""
        return "skipped" if self.skipped and self.kind == "op" else ""


@dataclass
class Wire:
    """One or more values on their way from node to node."""

    source: Node
    target: Node
    flows: list[Flow]
    flat: bool = False  # both stand side by side
    seed: Value | None = None  # the gradient that the way back starts with, on the wire to the target

    @property
    def id(self) -> str:
        """The end of the ids of its parts: "3-4", "leaf-2-4"."""
        return f"{self.source.id.removeprefix('op-')}-{self.target.id.removeprefix('op-')}"

    @property
    def gifts(self) -> list[Value]:
        """The gradients that come back along it."""
        return [self.seed] if self.seed else [gift for flow in self.flows for gift in flow.gifts]

    @property
    def back(self) -> str:
        """The gradients, in words; all of them together where the wire brings all that a value gets."""
        if len(self.source.leaves) == 1:
            (leaf,) = self.source.leaves
            if leaf.gradient is not None and leaf.first and 1 < leaf.times == self.source.uses.get(leaf.id, 1):
                return slope([leaf.gradient])
        return slope(self.gifts)

    @property
    def cut(self) -> bool:
        """Whether the way back ends here."""
        return any(flow.cut for flow in self.flows)

    @property
    def live(self) -> bool:
        """Whether a gradient comes back along it."""
        return bool(self.gifts)

    @property
    def said(self) -> str:
        """The value, in words beside the wire."""
        values = {flow.value.id: flow.value for flow in self.flows}
        return ", ".join(shown(value) for value in values.values())


@dataclass
class View:
    """The nodes and wires, in the order of time."""

    story: Story
    nodes: list[Node]
    wires: list[Wire]
    open: frozenset[int]  # the scopes (from 0) that are open

    def node(self, op: Op) -> Node:
        """The node that an op is drawn as."""
        return next(node for node in self.nodes if op in node.ops)

    @cached_property
    def spine(self) -> list[Node]:
        """The road from the target back to where its gradient comes from longest: the middle of the picture."""
        made = [node for node in self.nodes if node.ops]
        ends = [wire.source for wire in self.wires if wire.target.kind == "target"]
        at = ends[0] if ends else made[-1] if made else None
        road: list[Node] = []
        while at is not None and at not in road:
            road.append(at)
            into = [wire for wire in self.wires if wire.target is at and wire.source.ops]
            best = max(into, key=lambda wire: (wire.live, wire.source.ops[-1].number), default=None)
            at = best.source if best else None
        return road[::-1]


def view(story: Story, open: Set[int] = frozenset()) -> View:
    """The graph with these scopes open and all the others folded."""
    nodes: list[Node] = []
    of: dict[int, Node] = {}
    for op in story.ops:
        place = next((at for at, scope in enumerate(story.scopes) if op.number in scope), None)
        if place is None or place in open:
            label = cut(op.ran.op, NAME)
            wide = columns(label) * CODE + (32 if op.entry is None else 20)
            nodes.append(Node(op.id, "op", label, max(72.0, wide), HIGH, [op]))
        elif nodes and nodes[-1].scope is story.scopes[place]:
            nodes[-1].ops.append(op)
        else:
            scope = story.scopes[place]
            label = cut(scope.label, NAME + 8)
            nodes.append(
                Node(f"scope-{place + 1}", "scope", label, columns(label) * LETTER + 48, FOLDED, [op], scope=scope)
            )
        of[op.number] = nodes[-1]
    wires = _wires(story, nodes, of)
    _targets(story, nodes, wires, of)
    return View(story, nodes, wires, frozenset(open))


def _wires(story: Story, nodes: list[Node], of: dict[int, Node]) -> list[Wire]:
    wires: dict[tuple[str, str], Wire] = {}
    leaves: dict[str, Node] = {}
    for flow in story.flows:
        target = of[flow.op.number]
        if isinstance(flow.source, Leaf):
            source = leaves.setdefault(flow.source.id, _leaf(flow.source))
        else:
            source = of[flow.source.number]
        if source is not target:
            wires.setdefault((source.id, target.id), Wire(source, target, [])).flows.append(flow)
    above: set[str] = set()  # the nodes that have a leaf above them
    found = list(wires.values())
    fed = {wire.target.id for wire in found if wire.source.ops}
    for wire in found:
        if wire.source.leaves:
            below = wire.target.id
            wire.source.side = wire.flat = below in fed or below in above
            above |= set() if wire.flat else {below}
    found = _together(found, leaves)
    outs = Counter(wire.source.id for wire in found)
    live = {wire.target.id for wire in found if wire.live and wire.source.ops}
    for wire in found:  # a skipped op that leads to one place stands beside it
        wire.flat = wire.flat or (wire.source.skipped and outs[wire.source.id] == 1 and wire.target.id in live)
    nodes += leaves.values()
    return found


def _together(wires: list[Wire], leaves: dict[str, Node]) -> list[Wire]:
    """Into a folded scope goes each value once, and what comes from the side is one node."""
    kept: list[Wire] = []
    same: dict[tuple[str, int], tuple[Wire, Leaf]] = {}  # by scope and value
    beside: dict[str, Wire] = {}  # by scope
    for wire in wires:
        scope = wire.target.id
        if wire.target.kind != "scope" or not wire.source.leaves:
            kept.append(wire)
            continue
        (leaf,) = wire.source.leaves
        first, other = same.setdefault((scope, leaf.value.id), (wire, leaf))
        if other is not leaf:
            other.gifts, other.back = other.gifts + leaf.gifts, max(other.back, leaf.back)
            first.source.uses[other.id] = first.source.uses.get(other.id, 1) + 1
        elif wire.flat and beside.setdefault(scope, wire) is not wire:
            first = beside[scope]
            first.source.leaves.append(leaf)
            same[scope, leaf.value.id] = first, leaf
        else:
            kept.append(wire)
            continue
        first.flows += wire.flows
        del leaves[leaf.id]
    for node in leaves.values():
        _entitle(node)
    return kept


def _entitle(node: Node) -> None:
    """Name a node by its leaves, in at most two lines: values, and what comes back to them."""
    few = node.leaves[:4]
    named = [_name(leaf) for leaf in few]
    if columns("  ".join(named)) > SUM and len(named) > 1:
        named = [cut(words.name(leaf.value), NAME) for leaf in few]
    more = len(node.leaves) - 2
    node.label = "  ".join(named) if more < 2 else f"{'  '.join(named[:2])}  and {more} more"
    slopes = [said for leaf in few if (said := _back(leaf, node))]
    rest = [said.removeprefix("max |g| ") if slopes[0].startswith("max") else said for said in slopes[1:3]]
    node.more = ", ".join([*slopes[:1], *rest]) + (", …" if len(slopes) > 3 else "")
    node.height = 2.0 * LINE if node.more and node.side else HIGH
    node.width = max(columns(node.label) * CODE, columns(node.more) * LETTER, BESIDE * node.side) + 4


def _name(leaf: Leaf) -> str:
    name = cut(words.name(leaf.value), NAME)
    return f"{name} {shown(leaf.value)}" if words.FULL.named(leaf.value) and leaf.first else name


def _back(leaf: Leaf, node: Node) -> str:
    """What comes back to a value: beside its op all of it, above it what no wire says."""
    if leaf.asked and leaf.gradient is None:
        return "gradient None" if leaf.first else ""
    whole = leaf.gradient is not None and leaf.first
    if whole and leaf.times == node.uses.get(leaf.id, 1):
        return slope([leaf.gradient]) if node.side and leaf.gradient else ""
    own = slope(leaf.gifts) if leaf.gifts and node.side else ""
    return ", ".join(filter(None, (own, f"in all {slope([leaf.gradient])}" if whole and leaf.gradient else "")))


def _leaf(leaf: Leaf) -> Node:
    return Node(leaf.id, "leaf", "", 0.0, HIGH, leaves=[replace(leaf)], value=leaf.value)


def _targets(story: Story, nodes: list[Node], wires: list[Wire], of: dict[int, Node]) -> None:
    asked = story.asked
    if asked is None:
        return
    seeds = dict(zip((value.id for value in asked.targets), asked.seeds, strict=False))
    for number, value in enumerate(asked.targets, 1):
        maker = story.maker(value)
        if maker is None or any(node.kind == "target" and node.value and node.value.id == value.id for node in nodes):
            continue
        label = f"{cut(words.name(value), NAME)} {shown(value)}"
        node = Node(f"target-{number}", "target", label, columns(label) * CODE + 4, HIGH, value=value)
        nodes.append(node)
        wires.append(Wire(of[maker.number], node, [], seed=seeds.get(value.id)))

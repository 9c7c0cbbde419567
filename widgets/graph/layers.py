"""Our own layout, the same on every machine: ranks from top to bottom, few crossings, straight main roads.

The steps are those of Sugiyama, Tagawa and Toda (1981): give every node a rank, order each rank so that few wires
cross, then move nodes sideways until wires are as straight as the order allows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from .nodes import LETTER, Node, View, Wire

Point = tuple[float, float]
RANK, TOP, BESIDE = 54, 34, 72  # from rank to rank, above the first, between a node and what stands beside it
SWEEPS = 12  # how often the ranks are ordered, and then moved
HEAVY = 1000.0  # how much straighter the main road is than others


@dataclass
class Places:
    """Where everything stands: nodes by their middles, wires as Bézier curves (a start, then three points a piece)."""

    nodes: dict[str, Point] = field(default_factory=dict)
    wires: dict[str, list[Point]] = field(default_factory=dict)


@dataclass(eq=False)
class Block:
    """A node with what stands beside it, or a bend of a long wire; it moves as one."""

    rank: int
    parts: list[tuple[Node, float]]  # each with its middle, from the block's
    left: float = 4.0
    right: float = 4.0
    x: float = 0.0
    up: list[tuple[Block, float, float]] = field(default_factory=list)  # a neighbour, how far it pulls aside, weight
    down: list[tuple[Block, float, float]] = field(default_factory=list)


def place(view: View, between: float = 76) -> Places:
    """Lay a view out, with so many pixels between neighbours; the end of the spine stands at x = 0."""
    places = Places()
    if not view.nodes:
        return places
    ranks = _ranks(view)
    blocks = _blocks(view, ranks)
    at = {node.id: (block, offset) for block in blocks for node, offset in block.parts}
    roads = {wire.id: _link(view, wire, at, blocks) for wire in view.wires if not wire.flat}
    rows = _ordered(view, blocks, at)
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            _move(row, between, up=sweep % 2 == 0)
    spine = view.spine
    middle = at[spine[-1].id][0].x if spine else 0.0
    for id, (block, offset) in at.items():
        places.nodes[id] = (block.x + offset - middle, TOP + block.rank * RANK)
    for wire in view.wires:
        bends = [(block.x - middle, float(TOP + block.rank * RANK)) for block in roads.get(wire.id, ())]
        places.wires[wire.id] = _route(wire, places, bends)
    return places


# --- ranks -----------------------------------------------------------------------------------------------------------


def _ranks(view: View) -> dict[str, int]:
    ranks: dict[str, int] = {}
    into: dict[str, list[Wire]] = {}
    out: dict[str, list[Wire]] = {}
    for wire in view.wires:
        into.setdefault(wire.target.id, []).append(wire)
        out.setdefault(wire.source.id, []).append(wire)
    ops = [node for node in view.nodes if node.ops]
    for node in ops:
        above = [wire for wire in into.get(node.id, ()) if wire.source.ops]
        ranks[node.id] = max((ranks[wire.source.id] + (not wire.flat) for wire in above), default=1)
    for node in reversed(ops):  # what is not needed sooner stands right above where it is needed
        below = [ranks[wire.target.id] - (not wire.flat) for wire in out.get(node.id, ()) if wire.target.ops]
        beside = any(wire.flat for wire in out.get(node.id, ()))
        if below and (beside or not any(wire.source.ops for wire in into.get(node.id, ()))):
            ranks[node.id] = max(ranks[node.id], min(below))
    for node in view.nodes:
        if node.kind == "leaf":
            to = min(ranks[wire.target.id] for wire in out[node.id])
            ranks[node.id] = to if node.side else to - 1
        elif node.kind == "target":
            ranks[node.id] = ranks[into[node.id][0].source.id] + 1
    first = min(ranks.values())
    return {id: rank - first for id, rank in ranks.items()}


def _blocks(view: View, ranks: dict[str, int]) -> list[Block]:
    """Each node with those beside it, in a row to the right."""
    beside: dict[str, list[Node]] = {}
    guests = set()
    for wire in view.wires:
        if wire.flat:
            beside.setdefault(wire.target.id, []).append(wire.source)
            guests.add(wire.source.id)
    blocks = []
    for node in view.nodes:
        if node.id in guests:
            continue
        block, waiting = Block(ranks[node.id], [(node, 0.0)], node.width / 2, node.width / 2), [node]
        while waiting:
            for guest in beside.get(waiting.pop(0).id, ()):
                block.parts.append((guest, block.right + BESIDE + guest.width / 2))
                block.right += BESIDE + guest.width
                waiting.append(guest)
        block.right += LETTER * len(block.parts[-1][0].note)
        blocks.append(block)
    return blocks


def _link(view: View, wire: Wire, at: dict[str, tuple[Block, float]], blocks: list[Block]) -> list[Block]:
    """Tie two blocks together, over a bend in each rank between them; returns the bends."""
    (block, offset), (end, end_offset) = at[wire.source.id], at[wire.target.id]
    spine = view.spine
    weight = HEAVY if wire.source in spine and (wire.target in spine or not wire.target.ops) else 1.0
    bends = [Block(rank, []) for rank in range(block.rank + 1, end.rank)]
    blocks += bends
    road = [(block, offset), *((bend, 0.0) for bend in bends), (end, end_offset)]
    for (a, from_a), (b, from_b) in pairwise(road):
        pull = weight if not bends else 2.0
        a.down.append((b, from_b - from_a, pull))
        b.up.append((a, from_a - from_b, pull))
    return bends


# --- order -----------------------------------------------------------------------------------------------------------


def _ordered(view: View, blocks: list[Block], at: dict[str, tuple[Block, float]]) -> list[list[Block]]:
    """The ranks, each in the order with the fewest crossings that was found."""
    rows: list[list[Block]] = [[] for _ in range(max(block.rank for block in blocks) + 1)]
    seen: set[Block] = set()
    waiting = [at[node.id][0] for node in view.spine[::-1]] + blocks
    while waiting:  # from the main road upwards and sideways
        block = waiting.pop(0)
        if block not in seen:
            seen.add(block)
            rows[block.rank].append(block)
            waiting = [other for other, _, _ in (*block.up, *block.down) if other not in seen] + waiting
    spine = {at[node.id][0] for node in view.spine}
    for row in rows:
        row.sort(key=lambda block: block not in spine)
    best, least = [list(row) for row in rows], _crossings(rows)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else rows[::-1]:
            _sort(row, rows, down)
        crossings = _crossings(rows)
        if crossings < least:
            best, least = [list(row) for row in rows], crossings
    return best


def _sort(row: list[Block], rows: list[list[Block]], down: bool) -> None:
    """Put each block where the middle of its neighbours is."""
    keys = {}
    for place, block in enumerate(row):
        near = block.up if down else block.down
        spots = [rows[other.rank].index(other) / max(len(rows[other.rank]), 1) for other, _, _ in near]
        keys[block] = sum(spots) / len(spots) if spots else place / max(len(row), 1)
    row.sort(key=keys.__getitem__)


def _crossings(rows: list[list[Block]]) -> int:
    count = 0
    for row, below in pairwise(rows):
        place = {block: at for at, block in enumerate(below)}
        ends = [[place[other] for other, _, _ in block.down] for block in row]
        for at, here in enumerate(ends):
            count += sum(a > b for later in ends[at + 1 :] for a in here for b in later)
    return count


# --- sideways --------------------------------------------------------------------------------------------------------


def _move(row: list[Block], between: float, *, up: bool) -> None:
    """Bring the blocks of a rank as near to where their neighbours pull them as their widths allow (least squares)."""
    gaps, wanted = [0.0], []
    for block, after in pairwise(row):
        bend = not (block.parts and after.parts)
        gaps.append(gaps[-1] + block.right + after.left + (between / 2 if bend else between))
    for block, gap in zip(row, gaps, strict=True):
        pulls = block.up if up else block.down
        weight = sum(pull for _, _, pull in pulls)
        spot = sum((other.x + aside) * pull for other, aside, pull in pulls) / weight if weight else block.x
        wanted.append([spot - gap, weight or 0.1, 1])
    pools: list[list[float]] = []
    for spot, weight, count in wanted:  # pool adjacent violators
        pools.append([spot, weight, count])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            spot, weight, count = pools.pop()
            before = pools[-1]
            before[0] = (before[0] * before[1] + spot * weight) / (before[1] + weight)
            before[1] += weight
            before[2] += count
    spots = [spot for spot, _, count in pools for _ in range(int(count))]
    for block, spot, gap in zip(row, spots, gaps, strict=True):
        block.x = spot + gap


# --- wires -----------------------------------------------------------------------------------------------------------


def _route(wire: Wire, places: Places, bends: list[Point]) -> list[Point]:
    """From node to node: straight, or in a curve that goes upright through its bends."""
    (x, y), (to_x, to_y) = places.nodes[wire.source.id], places.nodes[wire.target.id]
    if wire.flat:
        return _straight((x - wire.source.width / 2, y), (to_x + wire.target.width / 2, to_y))
    start = (x + _lean(wire.source, (bends or [(to_x, 0)])[0][0] - x), y + _height(wire.source) / 2)
    end = (to_x + _lean(wire.target, (bends or [(x, 0)])[-1][0] - to_x), to_y - _height(wire.target) / 2)
    if not bends:
        return _straight(start, end)
    curve = [start]
    for a, b in zip([start, *bends], [*bends, end], strict=True):
        middle = (a[1] + b[1]) / 2
        curve += [(a[0], middle), (b[0], middle), b]
    return curve


def _straight(a: Point, b: Point) -> list[Point]:
    (x, y), (to_x, to_y) = a, b
    third = ((to_x - x) / 3, (to_y - y) / 3)
    return [a, (x + third[0], y + third[1]), (to_x - third[0], to_y - third[1]), b]


def _lean(node: Node, aside: float) -> float:
    """A wire that goes aside begins aside of a node's middle."""
    most = max(node.width / 2 - 12, 0.0)
    return max(-most, min(most, aside / 4))


def _height(node: Node) -> float:
    """How high a node is where wires meet it."""
    return 20.0 if node.kind in ("leaf", "target") else node.height

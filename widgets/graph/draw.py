"""The drawing of a view: nodes where a layout placed them, values downwards in blue, gradients upwards in orange."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot
from typing import Any

from ..player.picture import CURRENT, DONE, FUTURE, Storyboard, chooser
from ..player.svg import CODE, Element, columns, group, path, rect, text
from .layers import Places, Point
from .nodes import LETTER, LINE, Node, View, Wire
from .story import Op

APART = 4  # a value and its gradient run so far beside the middle of their wire
STUB, BAR = 34, 8  # a cut: how far the gradient gets, and half the height of what stops it
MANY = 30  # of more ops than this only the current wires have words
BRACKET = 152  # how far left of the spine an open scope's bracket stands

AWAY, TOUCH = 12, 2  # from a wire to its words; the shared area (in square pixels) that is no overlap yet

Box = tuple[float, float, float, float]  # left, top, right, bottom
Opener = Callable[[int], int | None]  # the variant in which a scope is open, or is folded again


class Drawing:
    """The parts of one view in the coordinates of its places, and the room that they take."""

    def __init__(self, view: View, places: Places, board: Storyboard, turn: Opener) -> None:
        self.view, self.places, self.board, self.turn = view, places, board, turn
        self.many = sum(bool(node.ops) for node in view.nodes) > MANY
        self.first_back = next((at for at, beat in enumerate(view.story.beats, 1) if beat.back), 0)
        self.left = self.right = self.top = self.bottom = 0.0
        self.boxes: list[Box] = []  # what is drawn, so that words keep clear of it
        nodes = [self._node(node) for node in view.nodes]
        brackets = [self._bracket(number) for number in sorted(view.open)]
        cuts = [self._cut(wire) for wire in view.wires if wire.cut and not wire.live]
        wires = [part for wire in view.wires for part in self._wire(wire)]
        said = [part for wire in view.wires for part in self._said(wire)]
        self.parts: list[Element] = [*wires, *cuts, *nodes, *brackets, *said]

    @property
    def wide(self) -> float:
        """The width of all of it, with a margin."""
        return self.right - self.left + 16

    def _room(self, left: float, right: float, bottom: float) -> None:
        self.left, self.right, self.bottom = min(self.left, left), max(self.right, right), max(self.bottom, bottom)

    def _text(self, x: float, y: float, words: str, cls: str, wide: float = LETTER, **more: Any) -> Element:
        """A text, whose room is taken note of; `e` in its classes ends it at x, `m` is its middle."""
        length = columns(words) * (CODE if "c" in cls.split() else wide)
        start = x - length if "e" in cls.split() else x - length / 2 if "m" in cls.split() else x
        self._room(start, start + length, y + 6)
        self.top = min(self.top, y - 14)
        self.boxes.append((start, y - 10, start + length, y + 3))
        return text(x, y, words, cls, **more)

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _node(self, node: Node) -> Element:
        x, y = self.places.nodes[node.id]
        self._room(x - node.width / 2 - 4, x + node.width / 2 + 6, y + node.height / 2 + 6)
        if node.kind == "leaf":
            return self._leaf(node, x, y)
        self.boxes.append((x - node.width / 2, y - node.height / 2, x + node.width / 2, y + node.height / 2))
        if node.kind == "target":
            maker = self.view.story.maker(node.value) if node.value else None
            self.board.show(node.id, maker.step if maker else 1)
            return group(self._text(x, y + 5, node.label, "c b m"), id=node.id, cls="sketch")
        drawn = self._box(node, x - node.width / 2, y - node.height / 2)
        for op in node.ops:
            self._ring(node.id, op)
        if node.kind == "scope":
            number = self.view.story.scopes.index(node.scope) if node.scope else 0
            choice = self.turn(number)
            if choice is not None:
                return chooser(choice, drawn, id=f"open-{number + 1}", label=f"{node.label}: open it")
        if node.note:
            return group(drawn, self._note(node, x, y))
        return drawn

    def _note(self, node: Node, x: float, y: float) -> Element:
        """The word beside a skipped op, at its right, or at its left where a wire comes in from the right."""
        op = node.ops[0]
        why = f"skipped: {op.skip.why}" if op.skip else node.note
        id = f"note-{op.number}"
        self.board.show(id, op.step)
        half = node.width / 2 + 8
        if any(wire.flat and wire.target is node for wire in self.view.wires):
            return self._text(x - half, y + 5, node.note, "q halo e", full=why, id=id)
        return self._text(x + half, y + 5, node.note, "q halo", full=why, id=id)

    def _ring(self, id: str, op: Op) -> None:
        self.board.ring(id, op.step)
        if op.back:
            self.board.ring(id, op.back)

    def _box(self, node: Node, x: float, y: float) -> Element:
        wide, high, scope = node.width, node.height, node.kind == "scope"
        if scope:  # two sheets
            wide, high = wide - 4, high - 4
        parts = [rect(x + 4, y + 4, wide, high, "shape", rx=4)] if scope else []
        parts.append(rect(x, y, wide, high, "shape", rx=4))
        if node.skipped:
            parts.append(rect(x + 1, y + 1, 12, high - 2, "k-skip bare"))
        if scope and self.turn(self.view.story.scopes.index(node.scope) if node.scope else 0) is not None:
            parts.append(path(f"M{x + 10:.1f} {y + high / 2 - 5:.1f}l6 5l-6 5z", "k-none"))
        middle = x + wide / 2 + (6 if node.skipped or scope else 0)
        parts.append(text(middle, y + high / 2 + 4.5, node.label, "m" if scope else "c m"))
        parts.append(rect(x, y, wide, high, "cur", rx=4))
        return group(parts, id=node.id, cls="sketch unkept" if node.skipped else "sketch")

    def _leaf(self, node: Node, x: float, y: float) -> Element:
        asked = any(leaf.asked for leaf in node.leaves)
        cls = "c b" if asked else "c"
        parts = []
        id = f"leafgrad-{node.id.removeprefix('leaf-')}"
        if node.side:
            left = x - node.width / 2 + 6
            parts.append(self._text(left, y - 3 if node.more else y + 4.5, node.label, cls))
            if node.more:
                parts.append(self._text(left, y + LINE - 3, node.more, "gi", id=id))
        else:
            parts.append(self._text(x, y + 4.5, node.label, f"{cls} m"))
            if node.more:
                parts.append(self._text(x, y + 4.5 - LINE, node.more, "gi m", id=id))
        if node.more:
            self.board.ring(id, max((leaf.back for leaf in node.leaves), default=0) or len(self.view.story.beats))
        return group(parts, id=node.id)

    # --- wires -------------------------------------------------------------------------------------------------------

    def _lanes(self, wire: Wire) -> tuple[list[Point], list[Point]]:
        """The value's way and the gradient's, side by side where there are both; both in the direction of the value."""
        points = self.places.wires[wire.id]
        apart = APART if wire.live or wire.cut else 0
        dx, dy = (0, -apart) if _flat(points) else (apart, 0)
        return _shift(points, dx, dy), _shift(points, -dx, -dy)

    def _wire(self, wire: Wire) -> list[Element]:
        """The value's arrow, and the gradient's."""
        value, gradient = self._lanes(wire)
        unused = bool(self.view.story.answered) and not wire.live
        for step in self._steps(wire):
            self.board.ring(f"edge-{wire.id}", step)
        arrow = (path(_curve(value), "way"), _head(value))
        drawn = [group(*arrow, id=f"edge-{wire.id}", cls="wire unused" if unused else "wire")]
        if wire.live:
            for step in self._backs(wire):
                self.board.ring(f"grad-{wire.id}", step)
            back = gradient[::-1]
            drawn.append(group(path(_curve(back), "way"), _head(back), id=f"grad-{wire.id}", cls="wire back"))
        return drawn

    def _steps(self, wire: Wire) -> list[int]:
        """When values go along a wire; to the target, when it is made."""
        return sorted({flow.op.step for flow in wire.flows}) or [wire.source.ops[-1].step]

    def _backs(self, wire: Wire) -> list[int]:
        """When gradients come along it."""
        return sorted({flow.back for flow in wire.flows if flow.back}) or [self.first_back]

    def _said(self, wire: Wire) -> list[Element]:
        """The words beside a wire: the value at its right, the gradient at its left."""
        points = self.places.wires[wire.id]
        flat, drawn = _flat(points), []
        if wire.live and not (flat and wire.source.leaves):
            gradient = (f"gradval-{wire.id}", wire.back, "gi halo e", self._backs(wire), CURRENT)
            drawn.append(self._beside(points, *gradient))
        if wire.source.ops and wire.flows and not flat:
            cls = "c ri halo" if wire.live or not self.view.story.answered else "c q halo"
            made = [wire.source.ops[-1].step]
            value = (f"val-{wire.id}", wire.said, cls, self._steps(wire) if self.many else made, DONE)
            drawn.append(self._beside(points, *value))
        return drawn

    def _beside(self, points: list[Point], id: str, words: str, cls: str, steps: list[int], state: str) -> Element:
        """Words beside a curve, clear of all else; where they cannot be, they are there only while current."""
        left = cls.endswith(" e")
        long = columns(words) * (CODE if cls.startswith("c ") else LETTER)
        best, least = (0.0, 0.0), float("inf")
        for x, y in _spots(points, -AWAY if left else AWAY):
            box = (x - long - 5, y - 5, x + 2, y + 8) if left else (x - 2, y - 5, x + long + 5, y + 8)
            over = sum(_overlap(box, other) for other in self.boxes)
            if over < least:
                best, least = (x, y), over
            if over <= 0:
                break
        crowded = least > TOUCH or self.many
        for step in steps if crowded else steps[:1]:
            self.board.set(id, state, step)
            self.board.moments[id].setdefault((step + 1, 0), FUTURE if crowded else DONE)
        if crowded:
            x, y = best
            return text(x, y + 5, words, cls, id=id)
        return self._text(best[0], best[1] + 5, words, cls, id=id)

    def _cut(self, wire: Wire) -> Element:
        """The gradient sets out, and is stopped."""
        points = self._lanes(wire)[1]
        flat = _flat(points)
        (x, y), (from_x, from_y) = points[-1], points[-2]
        long = hypot(from_x - x, from_y - y) or 1.0
        ux, uy = (from_x - x) / long, (from_y - y) / long
        stub = STUB if flat else STUB / 2
        end_x, end_y = x + ux * stub, y + uy * stub
        bar = f"M{end_x - uy * BAR:.1f} {end_y + ux * BAR:.1f}L{end_x + uy * BAR:.1f} {end_y - ux * BAR:.1f}"
        id = f"cut-{wire.id}"
        self.board.ring(id, min(flow.op.back for flow in wire.flows if flow.cut))
        said, at, cls = (
            ("cut: no gradient passes", (end_x - 4, end_y + 24), "gi bold halo")
            if flat
            else ("cut", (end_x - 12, end_y + 5), "gi bold halo e")
        )
        words = self._text(*at, said, cls)
        parts = (path(f"M{x:.1f} {y:.1f}L{end_x:.1f} {end_y:.1f}", "way"), path(bar, "bar"), words)
        return group(*parts, id=id, cls="wire back")

    # --- open scopes -------------------------------------------------------------------------------------------------

    def _bracket(self, number: int) -> Element:
        scope = self.view.story.scopes[number]
        inside = [self.places.nodes[node.id] for node in self.view.nodes if node.ops and node.ops[0].number in scope]
        top, bottom = min(y for _, y in inside) - 12, max(y for _, y in inside) + 12
        x = min(x for x, _ in inside) - BRACKET
        bracket = path(f"M{x + 6:.1f} {top:.1f}H{x:.1f}V{bottom:.1f}H{x + 6:.1f}", "soft")
        parts = [
            rect(x - 4, top - 24, 24 + columns(scope.label) * LETTER, 22, "hit"),
            path(f"M{x:.1f} {top - 17:.1f}h10l-5 6z", "k-none"),
            self._text(x + 16, top - 9, scope.label, "halo"),
        ]
        self._room(x - 8, x, bottom)
        choice = self.turn(number)
        if choice is None:
            return group(bracket, parts)
        return group(bracket, chooser(choice, *parts, id=f"open-{number + 1}", label=f"{scope.label}: fold it"))


def _shift(points: list[Point], dx: float, dy: float) -> list[Point]:
    return [(x + dx, y + dy) for x, y in points]


def _curve(points: list[Point]) -> str:
    start, *rest = [f"{x:.1f} {y:.1f}" for x, y in points]
    return f"M{start}" + "".join(f"C{' '.join(rest[at : at + 3])}" for at in range(0, len(rest), 3))


def _head(points: list[Point]) -> Element:
    """An arrowhead at the end of a curve."""
    x, y = points[-1]
    from_x, from_y = next((p for p in points[-2::-1] if hypot(p[0] - x, p[1] - y) > 1), (x, y - 1))
    long = hypot(x - from_x, y - from_y)
    ux, uy = (x - from_x) / long, (y - from_y) / long
    left, right = (x - 6 * ux - 3.6 * uy, y - 6 * uy + 3.6 * ux), (x - 6 * ux + 3.6 * uy, y - 6 * uy - 3.6 * ux)
    return path(f"M{x:.1f} {y:.1f}L{left[0]:.1f} {left[1]:.1f}L{right[0]:.1f} {right[1]:.1f}z", "tip")


def _flat(points: list[Point]) -> bool:
    return abs(points[0][1] - points[-1][1]) < 2


def _spots(points: list[Point], away: float) -> list[Point]:
    """Where words could stand beside a curve: at its middle first, right or left of all of a piece that leans."""
    pieces = (len(points) - 1) // 3
    spots = []
    for share in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8):
        at = min(int(share * pieces), pieces - 1)
        t = share * pieces - at
        a, b, c, d = points[3 * at : 3 * at + 4]
        weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3)
        x, y = (sum(w * p[k] for w, p in zip(weights, (a, b, c, d), strict=True)) for k in (0, 1))
        lean = abs(d[0] - a[0]) / (abs(d[1] - a[1]) + 1)
        if 0.15 < lean < 2 and share == 0.5:
            edge = max(a[0], d[0]) if away > 0 else min(a[0], d[0])
            spots.append((edge + away, y))
        slack = min(30.0, lean * 8)
        spots.append((x + away + (slack if away > 0 else -slack), y))
    return spots


def _overlap(one: Box, other: Box) -> float:
    """The area that two boxes share."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0

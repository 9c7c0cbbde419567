"""The right half below a rule: the slider of its parameter, training curves, the function with the rule's slope."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..player.picture import Storyboard, dial
from ..player.svg import CODE, Element, columns, element, group, path, rect, text
from .curves import STEPS, Curve, Graph

TALL = 84


@dataclass
class Charts:
    """What is drawn; `chosen` is the number of the curve, and of the slider's stop, that this variant is about."""

    label: str = ""  # the parameter's name; empty: no slider
    values: tuple[float, ...] = ()
    variants: tuple[int, ...] = ()  # where each stop leads
    chosen: int = 0
    agrees: int | None = None  # the first stop at which the rule agrees with the slope
    curves: tuple[Curve, ...] = ()
    title: str = ""
    counts: tuple[int, ...] = ()  # the entries that the rule changes, by stop
    entries: int = 0
    graph: Graph | None = None


@dataclass
class Right:
    """Draws them."""

    charts: Charts
    board: Storyboard
    wide: bool
    prefix: str
    step: int  # from which the chosen curve is coloured
    broken: bool

    def draw(self, y: float) -> tuple[list[Element], float]:
        """The elements, and how far down they reach."""
        if self.broken:
            return [], y
        charts, drawn = self.charts, list[Element]()
        x, wide = (576.0, 264.0) if self.wide else (0.0, 400.0)
        foot = y
        if charts.label:
            drawn += self._dial(x, y + 8, wide)
            y, foot = y + 44, y + 40
        if charts.graph is not None:
            left = x if not charts.curves else 400.0 if self.wide else 0.0
            drawn += self._graph(left, y, 128)
            foot = max(foot, y + 108 + 28)
            if charts.curves and not self.wide:
                x, wide = 184.0, 240.0
            elif charts.curves:
                x, wide = 592.0, 248.0
        if charts.curves:
            drawn += self._curves(x, y, wide)
            foot = max(foot, y + TALL + 28)
        elif charts.counts:
            drawn += self._counts(x, y, wide)
            foot = max(foot, y + TALL + 28)
        return drawn, foot

    # --- the slider --------------------------------------------------------------------------------------------------

    def _x(self, value: float, x: float, wide: float) -> float:
        """Where a value stands on the slider: by its size, or in even steps where that would crowd the stops."""
        values = self.charts.values
        low, high = min(0.0, *values), max(values)
        at = [x + (each - low) / ((high - low) or 1) * wide for each in values]
        if any(b - a < 14 for a, b in pairwise(at)) or list(values) != sorted(values):
            return x + (values.index(value) + 0.5) / len(values) * wide
        return x + (value - low) / ((high - low) or 1) * wide

    def _dial(self, x: float, y: float, wide: float) -> list[Element]:
        charts = self.charts
        indent = min(columns(charts.label), 12) * CODE + 14
        left, room = x + indent, wide - indent
        at = [self._x(value, left, room) for value in charts.values]
        stops: list[tuple[int, Element]] = []
        for variant, place in zip(charts.variants, at, strict=True):
            near = min((abs(place - other) for other in at if other != place), default=24.0)
            half = min(near / 2, 12.0)
            stops.append((variant, rect(place - half, y - 12, 2 * half, 24, "hit")))
        here = charts.chosen
        said = f"{charts.values[here]:g}"
        marks = "".join(f"M{place:g} {y - 3:g}v6" for place in at)
        parts = [
            text(x, y + 4, charts.label, "c", most=12),
            path(f"M{left:g} {y + 0.5:g}H{x + wide:g}", "axis"),
            path(marks, "axis"),
            element("circle", cls="grip", cx=at[here], cy=y + 0.5, r=7),
            text(x + wide + 14, y + 4.5, said, "c b"),
        ]
        drawn = [dial(stops, here, *parts, id=f"{self.prefix}dial", label=charts.label, says=said)]
        if charts.agrees is not None and charts.agrees:
            place = at[charts.agrees]
            half = 64.0
            middle = min(max(place, x + half), x + wide + (88 if self.wide else 100) - half)
            drawn.append(text(middle, y + 24, f"from {charts.values[charts.agrees]:g} on it agrees", "s q m"))
        return drawn

    # --- charts ------------------------------------------------------------------------------------------------------

    def _curves(self, x: float, y: float, wide: float) -> list[Element]:
        """Losses over the steps; the chosen one thick, once the verdict is there."""
        curves = self.charts.curves
        every = [value for curve in curves for value in curve.values]
        logs = bool(every) and min(every) > 0 and max(every) / max(min(every), 1e-12) > 20
        top = max((curve.values[0] for curve in curves if curve.values), default=1.0)
        cap = top * (3.0 if logs else 1.25)
        scaled = [_scale(min(value, cap), logs) for value in every] or [0.0]
        low, high = min(scaled if logs else [*scaled, 0.0]), max(scaled)

        def up(value: float) -> float:
            return (
                y
                + TALL
                - (_scale(min(max(value, 1e-12 if logs else value), cap), logs) - low) / ((high - low) or 1) * TALL
            )

        drawn: list[Element] = [path(f"M{x:g} {y + TALL + 4.5:g}h{wide:g}", "hair")]
        ends: list[tuple[float, int]] = []
        lines: list[Element] = []
        for place, curve in enumerate(curves):
            points, last = [], (x, y)
            for step, value in enumerate(curve.values):
                last = (x + step / STEPS * wide, up(value))
                points.append(f"{last[0]:.1f} {last[1]:.1f}")
                if value > cap:
                    break
            if not points:
                continue
            d = f"M{'L'.join(points)}"
            chosen = place == self.charts.chosen
            lines.append(path(d, "family chosen" if chosen else "family"))
            if chosen:
                id = f"{self.prefix}curve"
                self.board.show(id, self.step)
                lines.append(path(d, "curve", id=id))
            ends.append((last[1], place))
        drawn += lines
        drawn += self._ends(ends, x + wide + 8, y)
        title = f"{STEPS} training steps{self.charts.title}" + (", log scale" if logs else "")
        drawn.append(text(x, y + TALL + 24, title, "s q", most=64))
        return drawn

    def _ends(self, ends: Sequence[tuple[float, int]], x: float, y: float) -> list[Element]:
        """What the curves are called, behind them, none over another."""
        drawn: list[Element] = []
        last = -math.inf
        room = 12 if self.wide else 14
        for at, place in sorted(ends):
            at = max(at, last + 14)
            last = at
            said = self.charts.curves[place].end
            chosen = place == self.charts.chosen
            if chosen:
                id = f"{self.prefix}curve-name"
                self.board.show(id, self.step)
                drawn.append(text(x, at + 4, said, "bold gi", most=room, id=id))
            else:
                drawn.append(text(x, at + 4, said, "q", most=room))
        return drawn

    def _counts(self, x: float, y: float, wide: float) -> list[Element]:
        """How many entries the rule changes, by the parameter."""
        charts = self.charts
        indent = min(columns(charts.label), 12) * CODE + 14
        at = [self._x(value, x + indent, wide - indent) for value in charts.values]
        up = [y + TALL - count / max(charts.entries, 1) * TALL for count in charts.counts]
        points = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(at, up, strict=True))
        here = charts.chosen
        id = f"{self.prefix}curve"
        self.board.show(id, self.step)
        side = -1 if at[here] > x + wide - 90 else 1
        said = f"{charts.counts[here]} of {charts.entries}"
        mark = group(
            path(f"M{at[here]:g} {y - 26:g}V{y + TALL:g}", "gap"),
            element("circle", cls="k-back", cx=at[here], cy=up[here], r=4),
            text(at[here] + 10 * side, up[here] - 5, said, "bold gi knockout" + (" e" if side < 0 else "")),
            id=id,
        )
        return [
            path(f"M{points}", "family chosen"),
            text(x, y + 8, str(charts.entries), "c q"),
            text(x, y + TALL, "0", "c q"),
            mark,
            text(x, y + TALL + 24, f"entries in which the rule differs, by {charts.label}", "s q", most=60),
        ]

    def _graph(self, x: float, y: float, wide: float) -> list[Element]:
        """The function, and at each input the slope that the rule claims."""
        graph = self.charts.graph
        assert graph is not None
        tall = 108.0
        xs, ys = graph.x, graph.y
        low, high = min(ys), max(ys)
        unit = min(wide / ((xs[-1] - xs[0]) or 1), tall / ((high - low) or 1))

        def at(a: float, b: float) -> tuple[float, float]:
            return x + (a - xs[0]) * unit, y + tall - (b - low) * unit

        pieces, jumps, before = [], [], None
        for a, b in zip(xs, ys, strict=True):
            jump = (
                before is not None
                and abs(b - before[1]) > 20 * (a - before[0])
                and abs(b - before[1]) > 0.05 * (high - low)
            )
            px, py = at(a, b)
            if jump and before is not None:
                jumps.append(f"M{px:.1f} {at(*before)[1]:.1f}V{py:.1f}")
                pieces.append(f"H{px:.1f}")
            pieces.append(f"{'M' if before is None or jump else 'L'}{px:.1f} {py:.1f}")
            before = (a, b)
        drawn: list[Element] = [path("".join(pieces), "graph")]
        if jumps:
            drawn.append(path("".join(jumps), "gap"))
        marks: list[Element] = []
        for a, b, rule, _ in graph.points:
            px, py = at(a, b)
            length = math.hypot(1.0, rule) or 1.0
            dx, dy = 14 / length, 14 * rule / length
            marks.append(path(f"M{px - dx:.1f} {py + dy:.1f}L{px + dx:.1f} {py - dy:.1f}", "back-line"))
            marks.append(element("circle", cls="k-back", cx=px, cy=py, r=3.5))
        id = f"{self.prefix}slopes"
        self.board.show(id, self.step)
        drawn.append(group(marks, id=id))
        slopes = {(f"{rule:.3g}", f"{true if abs(true) > 1e-6 else 0:.3g}") for *_, rule, true in graph.points}
        said = "the function, and the rule's slope"
        if len(slopes) == 1:
            claimed, true = slopes.pop()
            said = f"slope: rule {claimed}, true {true}"
        drawn.append(text(x, y + tall + 24, said, "s q"))
        return drawn


def _scale(value: float, logs: bool) -> float:
    return math.log10(max(value, 1e-12)) if logs else value

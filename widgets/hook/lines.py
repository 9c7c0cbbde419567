"""The rule's source under the lens: its lines, lit one after the other, and dots below the slider's parameter."""

from __future__ import annotations

from ..player.picture import DIMMED, DONE, FUTURE
from ..player.svg import CODE, Element, cut, group, path, rect, text
from .lens import DY, FORWARD, RETURN, VERDICT, Lens


def lines(lens: Lens, parameter: str = "") -> list[Element]:
    """The rule's lines; the one that matters is lit."""
    (left, right), source, prefix = lens.at.edges, lens.source, lens.at.prefix
    drawn: list[Element] = []
    lit = {FORWARD: source.made, DY: source.entered, RETURN: source.returned}
    for step, line in lit.items():
        id = f"{prefix}lit-{step}"
        lens.board.show(id, step)
        if step < RETURN:
            lens.board.set(id, FUTURE, step + 1)
        y = lens.y(line)
        cls = "lit fw" if step == FORWARD else "lit"
        drawn.append(group(rect(left, y - 16, right - left, 24, cls), rect(left, y - 16, 3, 24, "k-ink"), id=id))
    for line, said in enumerate(source.lines):
        id = f"{prefix}source-{line + 1}"
        lens.board.set(id, DIMMED, 0)
        for step in range(1, VERDICT + 1):
            lens.board.set(id, DONE if lit.get(min(step, RETURN)) == line else DIMMED, step)
        drawn.append(text(left + 16, lens.y(line), said, "c", most=int((right - left - 28) // CODE), id=id))
    return [*drawn, *_dots(lens, parameter)] if parameter else drawn


def _dots(lens: Lens, parameter: str) -> list[Element]:
    """Dots below the parameter, wherever the return line reads it."""
    line, drawn = lens.source.returned, []
    left = lens.at.edges[0] + 16
    said = cut(lens.source.lines[line], int((lens.at.edges[1] - left - 12) // CODE))
    at = said.find(parameter)
    while at >= 0:
        x = left + at * CODE
        drawn.append(path(f"M{x:g} {lens.y(line) + 4.5:g}h{len(parameter) * CODE:g}", "dots"))
        at = said.find(parameter, at + len(parameter))
    return drawn

"""The graph in the DOT language, and where Graphviz would place it; we draw, so that all pictures look alike.

Graphviz's program `dot` is looked for in `MINITAPE_DOT`, then on the PATH, then as `graphviz-pure` (a Python package).
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import graphviz

from .layers import Places, Point
from .nodes import View

INCH = 72  # Graphviz counts in inches; one of its points is one of our pixels
SECONDS = 20  # a layout that takes longer is given up


def source(view: View) -> str:
    """The DOT text of a view: it is the same on every machine, whatever `dot` makes of it."""
    graph = graphviz.Digraph(graph_attr={"rankdir": "TB", "ranksep": "0.4"})
    graph.attr("node", shape="box", fixedsize="true")
    spine = [node.id for node in view.spine]
    for node in view.nodes:
        style = {"style": "dashed"} if node.skipped else {} if node.ops else {"shape": "plaintext"}
        size = {"width": f"{node.width / INCH:.3f}", "height": f"{min(node.height, 32) / INCH:.3f}"}
        graph.node(node.id, graphviz.escape(node.label), **size, **style)
    for wire in view.wires:
        off = {} if wire.live or not view.story.answered else {"style": "dashed"}
        if wire.flat:
            with graph.subgraph() as row:
                row.attr(rank="same")
                row.node(wire.target.id)
                row.node(wire.source.id)
            graph.edge(wire.target.id, wire.source.id, dir="back", **off)
        else:
            heavy = wire.source.id in spine and wire.target.id in (*spine, wire.target.id * (not wire.target.ops))
            graph.edge(wire.source.id, wire.target.id, weight="50" if heavy else "1", **off)
    return str(graph.source)


def find() -> list[str] | None:
    """The command that runs `dot`; None where there is none."""
    named = os.environ.get("MINITAPE_DOT")
    if named:
        return [named] if Path(named).exists() or shutil.which(named) else shlex.split(named)
    beside = Path(sys.executable).parent
    found = shutil.which("dot") or shutil.which("graphviz-pure") or shutil.which("graphviz-pure", path=str(beside))
    return [found] if found else None


def place(view: View, text: str, apart: float = 0.95) -> Places | None:
    """Where `dot` places a view's nodes and wires, `apart` inches between nodes; None where it is missing or fails."""
    command = find()
    if command is None or not view.nodes:
        return None
    try:
        done = subprocess.run(
            [*command, "-Tplain", "-Earrowsize=0", f"-Gnodesep={apart}"],
            input=text,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=True,
        )
        return read(view, done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError, LookupError):
        return None


def read(view: View, plain: str) -> Places:
    """Read Graphviz's plain format, in which y grows upwards and lengths are inches."""
    places, height = Places(), 0.0
    flat = {(wire.target.id, wire.source.id): wire for wire in view.wires if wire.flat}
    down = {(wire.source.id, wire.target.id): wire for wire in view.wires if not wire.flat}
    for line in plain.splitlines():
        match shlex.split(line):
            case ["graph", _, _, high]:
                height = float(high) * INCH
            case ["node", id, x, y, *_]:
                places.nodes[id] = _point(x, y, height)
            case ["edge", tail, head, count, *rest]:
                numbers = rest[: 2 * int(count)]
                points = [_point(x, y, height) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
                back = flat.get((tail, head))
                wire = back or down[tail, head]
                places.wires[wire.id] = points[::-1] if back else points
    if len(places.nodes) < len(view.nodes) or len(places.wires) < len(view.wires):
        raise ValueError("dot left something out")
    spine = view.spine
    middle = places.nodes[spine[-1].id][0] if spine else 0.0
    places.nodes = {id: (x - middle, y) for id, (x, y) in places.nodes.items()}
    places.wires = {id: [(x - middle, y) for x, y in points] for id, points in places.wires.items()}
    return places


def _point(x: str, y: str, height: float) -> Point:
    return float(x) * INCH, height - float(y) * INCH

"""Where a road ends, why, and the fix as code: for a source whose gradient is None, and for a line off the tape."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from dataclasses import dataclass

import minitape
from minitape.trace import Value

from .. import words
from ..player.svg import cut
from ..rerun import Block, Edit, spelled
from .roads import Road, Roads, Spot

NAME = 14  # columns of a name in a reason


@dataclass
class Break:
    """One end of a road. `before` and `after` are the gradient as it is, and with the fix."""

    row: int  # the line that it is about
    road: Road | None  # the road that is closed; None: there is none
    spot: Spot  # whose road it is
    what: str
    where: str = ""
    fix: str = ""
    note: str = ""
    before: str = "None"
    after: str = ""


def ends(roads: Roads, block: Block, flipped: frozenset[int]) -> list[Break]:
    """The breaks of a map, in the order of its lines."""
    found = [
        _source(roads, block, flipped, at, value, spot)
        for at, (value, spot, gradient) in enumerate(roads.sources)
        if gradient is None
    ]
    told = {end.row for end in found}
    for spot in roads.spots:
        if spot.row in flipped and spot.why == "stop_recording" and spot.row not in told:
            found.append(_line(roads, block, flipped, spot))
    return sorted(found, key=lambda end: end.row)


def _source(roads: Roads, block: Block, flipped: frozenset[int], at: int, value: Value, spot: Spot) -> Break:
    """Why a source has no gradient."""
    name = cut(words.name(value), NAME)
    road, end = _closed(roads, spot)
    row = end.row if end is not None else max(spot.row, 1)
    edit: Edit | None = None
    lines = flipped
    if value.dtype.startswith(("int", "uint", "bool")):
        what = f"{name} counts in whole numbers ({value.dtype}): no slope."
        made = Break(row, road, spot, what, *_changed(block, spot.row, _floats))
        edit = _on(spot.row, _floats)
    elif not spot.tracked and (spot.kind == "plain" or spot.row == 0):
        is_variable = _is_variable(roads, value)
        what = f"{name} is a {'Variable' if is_variable else 'constant'} that nobody asked to watch."
        made = Break(row, road, spot, what, "add", f"{roads.story.name}.watch({name})")
        edit = _watch(block, spot, words.name(value))
    elif spot.kind == "off" and spot.why != "stop_recording":
        road = next((into for into in roads.roads if into.end is spot), road)
        row = spot.row
        what = f"{name} comes from an op without a derivative."
        made = Break(row, road, spot, what, *_changed(block, row, _through))
        edit = _on(row, _through)
    elif spot.kind == "off":
        return _line(roads, block, flipped, spot, None, at)
    elif road is None or end is None:
        targets = words.listed([cut(target.name, NAME) for target in roads.targets], "or")
        what = f"{targets} never reads {name}."
        return Break(row, None, spot, what, before="None")
    elif end.why == "unwatched" and spot.watched is not None and spot.watched > end.row:
        what = f"line {end.row} used {name} before it was watched."
        made = Break(row, road, spot, what, "earlier", f"{roads.story.name}.watch({name})")
        edit = _watch(block, spot, words.name(value))
    elif end.kind == "gone":
        call = _left(block, end.row)
        what = f"{call} left the tape: {cut(end.name, NAME)} is a bare number."
        made = Break(row, road, spot, what, *_changed(block, end.row, _library))
        edit = _on(end.row, _library)
    elif end.why == "stop_recording":
        return _line(roads, block, flipped, end, spot, at)
    elif end.kind == "plain":
        return Break(
            row, road, spot, f"{cut(end.name, NAME)} is a new constant: it only has the numbers.", before="None"
        )
    elif end.kind == "idle":
        made = Break(row, road, spot, f"no tape listened at line {end.row}.", "", f"move line {end.row} into the block")
        return made
    else:
        names = {"integer": "whole numbers have no slope.", "not differentiable": "this op has no derivative."}
        what = names.get(end.why, "it was not recorded.")
        made = Break(row, road, spot, what, *_changed(block, end.row, _through))
        edit = _on(end.row, _through)
    if edit is not None and made.fix:
        made.after = _after(block, lines, edit, at)
        if made.after in ("", "None"):
            made.after = ""
    return made


def _line(
    roads: Roads, block: Block, flipped: frozenset[int], spot: Spot, source: Spot | None = None, at: int | None = None
) -> Break:
    """A line that runs under `stop_recording`, and what putting it on the tape would give."""
    readers = [road.end for road in roads.roads if road.start is spot]
    number = cut(words.number(spot.value), NAME) if spot.value else "number"
    name = cut(spot.name, NAME)
    if spot in roads.targets:
        what = f"{name} itself is off the tape: no road at all."
    else:
        who = cut(readers[0].name, NAME) if readers else "the rest"
        plain = f"it is a plain {number}" if spot.value and not spot.value.shape else "they are plain numbers"
        what = f"{name} was made off the tape: to {who} {plain}."
    into = [road for road in roads.roads if road.end is spot and (source is None or road.start is source)]
    into = into or [road for road in roads.roads if road.end is spot]
    after = block.run(flipped ^ {spot.row}) if not block.trouble and spot.row in block.inside else None
    now, then = _pair(_gradients(roads), answers_of(after) if after else [], at)
    code = ast.unparse(block.statements[spot.row]) if spot.row in block.statements else ""
    road = into[0] if into else None
    return Break(spot.row, road, spot, what, f"line {spot.row}", code, "outside stop_recording", now, then)


def _gradients(roads: Roads) -> list[str]:
    return [spelled(gradient) for _, _, gradient in roads.sources]


def answers_of(seen: minitape.trace.Trace) -> list[str]:
    """The gradients of a trace's first call, spelled."""
    calls = seen.of(minitape.trace.Answered)
    return [spelled(value) for value in calls[0].gradients] if calls else []


def _pair(now: list[str], then: list[str], at: int | None) -> tuple[str, str]:
    """Before and after: of one source, or of the first that changes."""
    if at is None:
        at = next((place for place, (a, b) in enumerate(zip(now, then, strict=False)) if a != b), 0)
    return (now[at] if at < len(now) else "None", then[at] if at < len(then) else "")


def _after(block: Block, flipped: frozenset[int], edit: Edit, at: int) -> str:
    if block.trouble:
        return ""
    then = answers_of(block.run(flipped, edit))
    return then[at] if at < len(then) else ""


def _closed(roads: Roads, spot: Spot) -> tuple[Road | None, Spot | None]:
    """The first closed road on the way from a source to a target, and the line it would have led to."""
    leads: set[int] = {id(target) for target in roads.targets}
    for road in sorted(roads.roads, key=lambda road: -road.end.row):
        if id(road.end) in leads:
            leads.add(id(road.start))
    reached, closed = {id(spot)}, []
    for road in sorted(roads.roads, key=lambda road: road.end.row):
        if id(road.start) in reached and id(road.end) in leads:
            if road.on:
                reached.add(id(road.end))
            else:
                closed.append(road)
    return (closed[0], closed[0].end) if closed else (None, None)


def _is_variable(roads: Roads, value: Value) -> bool:
    events = roads.seen.of(minitape.trace.Made)
    return any(event.value.id == value.id and event.how == "Variable" for event in events)


# --- fixes: small changes of a statement ------------------------------------------------------------------------------


def _on(row: int, change: Callable[[ast.AST], ast.AST]) -> Edit:
    """The edit that changes the statement that begins on a line."""

    def edit(tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr) and node.lineno - 1 == row:
                change(node)

    return edit


def _changed(block: Block, row: int, change: Callable[[ast.AST], ast.AST]) -> tuple[str, str]:
    """The place and the text of a changed statement; empty where the change changes nothing."""
    node = block.statements.get(row)
    if node is None:
        return "", ""
    new = ast.unparse(change(copy.deepcopy(node)))
    return (f"line {row}", new) if new != ast.unparse(node) else ("", "")


def _floats(node: ast.AST) -> ast.AST:
    """Whole numbers become decimal ones."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and type(part.value) is int:
            part.value = float(part.value)
    return node


def _library(node: ast.AST) -> ast.AST:
    """NumPy's functions become minitape's, where it has them; `.numpy()` and `float(...)` go."""

    class Back(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            self.generic_visit(node)
            numpy = isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy")
            if numpy and hasattr(minitape, node.attr):
                node.value = ast.copy_location(ast.Name("tf", ast.Load()), node.value)
            return node

        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            if isinstance(node.func, ast.Attribute) and node.func.attr == "numpy" and not node.args:
                return node.func.value
            if isinstance(node.func, ast.Name) and node.func.id in ("float", "int") and len(node.args) == 1:
                return node.args[0]
            return node

    changed: ast.AST = Back().visit(node)
    return changed


def _through(node: ast.AST) -> ast.AST:
    """`stop_gradient` goes."""

    class Through(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            return node.args[0] if name == "stop_gradient" and len(node.args) == 1 else node

    changed: ast.AST = Through().visit(node)
    return changed


def _left(block: Block, row: int) -> str:
    """What took a value off the tape: "np.sqrt", "numpy()", "line 7"."""
    for node in ast.walk(block.statements.get(row, ast.Pass())):
        if isinstance(node, ast.Call):
            said = ast.unparse(node.func)
            return said if said.startswith(("np.", "numpy.")) else f"{said.rpartition('.')[2]}()"
    return f"line {row}"


def _watch(block: Block, spot: Spot, name: str) -> Edit:
    """`watch` as the first thing in the tape's block, or where the value has just been made."""

    def edit(tree: ast.Module) -> None:
        if not name.isidentifier():
            return
        call = ast.parse(f"{block.tape}.watch({name})").body[0]
        for part in ast.walk(call):
            if isinstance(part, ast.expr | ast.stmt):
                part.lineno, part.end_lineno, part.col_offset, part.end_col_offset = 1, 1, 0, 0
        for node in ast.walk(tree):
            if isinstance(node, ast.With) and block.enters(node):
                at = [place for place, part in enumerate(node.body) if part.lineno - 1 == spot.row]
                node.body.insert(at[0] + 1 if at else 0, call)

    return edit

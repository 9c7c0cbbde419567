"""Where in the learner's program something ran: from a code object and an instruction offset to a line and its text.

A tensor's origin keeps only those two (no frame, no array), so it costs little and holds nothing alive. The rest is
worked out here, when somebody asks.
"""

import ast
import contextlib
import linecache
import os
import sys
from collections.abc import Mapping
from dis import opname
from functools import lru_cache
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType
from typing import NamedTuple

#: The files of minitape itself, and of the decorator its context managers use: their frames are never the learner's.
INTERNAL = frozenset(
    [
        contextlib.__file__,
        *(
            folder + os.sep + name
            for folder, _, names in os.walk(__file__.removesuffix("place.py")[:-1])
            for name in names
        ),
    ]
)


class Origin(NamedTuple):
    """What made a tensor, and where: an op's name, and the learner's code object and instruction offset."""

    op: str
    code: CodeType
    at: int


class Place(NamedTuple):
    """A piece of source text: the file, its first and last line (from 1) and columns (from 0)."""

    file: str
    line: int
    end_line: int
    column: int
    end_column: int


def learner_frame(frame: FrameType | None = None) -> FrameType | None:
    """The innermost frame that is not minitape's own; None where there is none."""
    frame = frame or sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in INTERNAL:
        frame = frame.f_back
    return frame


def here(op: str) -> Origin:
    """The origin of something that the learner's code is doing right now."""
    frame = learner_frame() or sys._getframe(0)
    return Origin(op, frame.f_code, frame.f_lasti)


def locate(code: CodeType, at: int) -> Place:
    """The source range of one instruction; columns are 0 where Python was told not to keep them."""
    return _locate(code, at, code.co_filename)  # code objects of two files may be equal


@lru_cache(maxsize=4096)
def _locate(code: CodeType, at: int, file: str) -> Place:
    for index, (line, end_line, column, end_column) in enumerate(code.co_positions()):
        if index == at // 2:
            line = line or code.co_firstlineno
            return Place(file, line, end_line or line, column or 0, end_column or 0)
    return Place(file, code.co_firstlineno, code.co_firstlineno, 0, 0)


def source(place: Place) -> str:
    """The text at a place, on one line; "" where the source is not to be had."""
    lines = linecache.getlines(place.file)[place.line - 1 : place.end_line]
    if not lines or not place.end_column:
        return " ".join("".join(lines).split())
    lines[-1] = _columns(lines[-1], 0, place.end_column)
    lines[0] = _columns(lines[0], place.column, None)
    return " ".join("".join(lines).split())


def _columns(line: str, start: int, stop: int | None) -> str:
    return line.encode()[start:stop].decode(errors="replace")  # Python counts columns in UTF-8 bytes


def assigned_name(place: Place) -> str | None:
    """The name that the expression at a place is assigned to: "y" for `x * x` in `y = x * x`."""
    return _assignments(place.file, len(linecache.getlines(place.file))).get(place[1:])


@lru_cache(maxsize=256)
def _assignments(file: str, _lines: int) -> dict[tuple[int, ...], str]:
    """Every expression of a file that is assigned to one plain name (`_lines` renews the cache when a file grows)."""
    tree = parse(file)
    names: dict[tuple[int, ...], str] = {}
    for node in ast.walk(tree) if tree else ():
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                names[_span(value)] = name
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                names[_span(value)] = name
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=False)
                names |= {_span(value): target.id for target, value in pairs if isinstance(target, ast.Name)}
            case ast.AugAssign(target=ast.Name(id=name)):
                names[_span(node)] = name
    return names


def with_name(place: Place) -> str | None:
    """The name that a `with` statement gives to what it opens: "tape" in `with GradientTape() as tape:`."""
    for item in getattr(_with(place), "items", ()):
        given = item.optional_vars
        return given.id if isinstance(given, ast.Name) else ast.unparse(item.context_expr) if given is None else None
    return None


def block_of(place: Place) -> tuple[int, int] | None:
    """The first and last line of the block that the `with` statement at a place opens."""
    node = _with(place)
    if node is None:
        return None
    header = max(item.context_expr.end_lineno or 0 for item in node.items)
    return min(header + 1, node.body[0].lineno), node.end_lineno or node.lineno


def _with(place: Place) -> ast.With | None:
    """The `with` statement that is being entered; Python gives its place as the whole of it, or one item (3.13)."""
    return _withs("".join(linecache.getlines(place.file))).get(place[1:])


@lru_cache(maxsize=256)
def _withs(text: str) -> dict[tuple[int, ...], ast.With]:
    """Every `with` statement of a program, by those places."""
    nodes = [node for node in ast.walk(_tree(text) or ast.Module([], [])) if isinstance(node, ast.With)]
    spans = [(node, [_span(node), *(_span(item.context_expr) for item in node.items)]) for node in nodes]
    return {span: node for node, places in reversed(spans) for span in places}


def parts(code: CodeType, at: int) -> frozenset[int]:
    """The instructions that work out the operands of one: those whose source lies inside of its own."""
    return _parts(code, at, code.co_filename)


@lru_cache(maxsize=4096)
def _parts(code: CodeType, at: int, file: str) -> frozenset[int]:
    spans = [((line, column), (end, end_column)) for line, end, column, end_column in code.co_positions()]
    whole = spans[at // 2]
    if None in (*whole[0], *whole[1]):  # Python was told not to keep columns
        return frozenset()
    inside = [
        2 * number
        for number, span in enumerate(spans)
        if span != whole and None not in (*span[0], *span[1]) and whole[0] <= span[0] and span[1] <= whole[1]
    ]
    names = any(opname[code.co_code[offset]].startswith("STORE_") for offset in inside)  # (y := x * x) + 1
    return frozenset() if names else frozenset(inside)


def _span(node: ast.expr | ast.stmt) -> tuple[int, ...]:
    return node.lineno, node.end_lineno or node.lineno, node.col_offset, node.end_col_offset or 0


def parse(file: str) -> ast.Module | None:
    """The syntax tree of a file or notebook cell; None where its source is not to be had or not plain Python."""
    return _tree("".join(linecache.getlines(file)))


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def hide_internal(error: BaseException) -> None:
    """Where the learner's own code failed, take minitape's frames above it out of the traceback, but the first."""
    step = error.__traceback__
    last = step
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or last.tb_frame.f_code.co_filename in INTERNAL:
        return
    while step is not None and step.tb_next is not None:
        if step.tb_next.tb_frame.f_code.co_filename in INTERNAL:
            step.tb_next = step.tb_next.tb_next
        else:
            step = step.tb_next


def name_of(thing: object, frame: FrameType | None) -> str | None:
    """The learner's own name for an object: looked for in the frame's local names, then in its module's."""
    if frame is None:
        return None
    names, code = frame.f_locals, frame.f_code
    found = _name_in(names, thing)
    if found is None and names is not frame.f_globals:
        found = _name_in(frame.f_globals, thing)
    if type(names) is dict and code.co_flags & CO_OPTIMIZED and "locals" not in code.co_names:
        names.clear()  # Python before 3.13 keeps this copy of a function's locals: it would hold arrays alive
    return found


def _name_in(names: Mapping[str, object], thing: object) -> str | None:
    return next((name for name, value in list(names.items()) if value is thing and not name.startswith("_")), None)


# --- places as a learner finds them ----------------------------------------------------------------------------------


class Spot(NamedTuple):
    """A place in the learner's program: a code object and the offset of an instruction in it."""

    code: CodeType
    at: int

    @property
    def line(self) -> int:
        """The line, counted from 1 in its file or cell."""
        return locate(self.code, self.at).line

    @property
    def text(self) -> str:
        """The source text there, "" where it is not to be had."""
        return source(locate(self.code, self.at))

    @property
    def statement(self) -> str:
        """The whole line there, without a comment; "..." where the source is not to be had."""
        line = linecache.getline(self.code.co_filename, self.line).strip()
        return line.partition("  #")[0] or "..."

    def __str__(self) -> str:
        return where(self.code.co_filename, self.line)


def where(file: str, line: int) -> str:
    """A line as a learner finds it: "line 3", and in a notebook "cell [7], line 3"."""
    cell = _cell(file)
    return f"line {line}" if cell is None else f"cell [{cell}], line {line}"


def _cell(file: str) -> str | None:
    """The number of the notebook cell that a code object was compiled from; IPython knows, where it is at work."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    named = getattr(getattr(shell, "compile", None), "format_code_name", lambda file: None)(file)
    return named[1].removeprefix("In[").removesuffix("]") if named else None

"""The source of a custom rule: its lines, and which of them is lit when."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MOST = 9  # lines that are shown
GAP = "    \N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True)
class Source:
    """The lines that are shown; `made`, `entered` and `returned` are places among them (from 0)."""

    lines: tuple[str, ...]
    made: int = 0  # where the function hands over its value and its rule
    entered: int = 0  # where dy comes in
    returned: int = 0  # where the rule returns


def source(hook: Callable[..., Any], seen: tuple[str, ...] = ()) -> Source:
    """The source of a function with a rule; of one that has none to show, only its name."""
    function = inspect.unwrap(hook)
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        text = _among(seen, getattr(hook, "__name__", ""))
    try:
        tree = ast.parse(text)
    except SyntaxError:
        tree = ast.parse("")
    apart = getattr(hook, "grad", None)
    if tree.body and not isinstance(tree.body[0], ast.FunctionDef):  # a lambda, in the line that made it
        return _apart(text, apart) if apart is not None else Source(tuple(text.rstrip().splitlines()[:MOST]))
    if not text or not tree.body or not isinstance(tree.body[0], ast.FunctionDef):
        name = getattr(hook, "__name__", "rule")
        return Source((f"def {name}(...):", "    # its source is not at hand"), 1, 0, 1)
    if apart is not None and not seen_apart(apart, text):
        return _apart(text, apart)
    outer = tree.body[0]
    made = max((node.lineno for node in _own(outer) if isinstance(node, ast.Return)), default=outer.lineno)
    inner = next((node for node in ast.walk(outer) if isinstance(node, ast.FunctionDef) and node is not outer), None)
    if inner is None:
        entered = returned = next((node.lineno for node in ast.walk(outer) if isinstance(node, ast.Lambda)), made)
    else:
        entered = inner.lineno
        returned = max((node.lineno for node in _own(inner) if isinstance(node, ast.Return)), default=entered)
    return _shown(text.rstrip().splitlines(), made - 1, entered - 1, returned - 1)


def seen_apart(rule: Callable[..., Any], text: str) -> bool:
    """Whether a rule that was given apart stands in the function's own text."""
    return f"def {getattr(rule, '__name__', '')}(" in text


def _apart(text: str, rule: Callable[..., Any]) -> Source:
    """A function, and below it the rule that was given apart."""
    try:
        below = textwrap.dedent(inspect.getsource(inspect.unwrap(rule)))
    except (OSError, TypeError):
        below = f"# the rule: {getattr(rule, '__name__', 'a function')}"
    upper, lower = text.rstrip().splitlines(), below.rstrip().splitlines()
    last = len(upper) + len(lower) - 1
    return _shown([*upper, *lower], len(upper) - 1, len(upper), last)


def _own(function: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function without those of the functions inside."""
    found: list[ast.AST] = []
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            todo += list(ast.iter_child_nodes(node))
    return found


def _among(lines: tuple[str, ...], name: str) -> str:
    """The function's definition among the lines of an observed block."""
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
            return textwrap.dedent("\n".join(lines[first - 1 : node.end_lineno])) + "\n"
    return ""


def _shown(lines: list[str], made: int, entered: int, returned: int) -> Source:
    """At most so many lines: those that are lit stay, and blank ones go first."""
    lines = [line.expandtabs(4).rstrip() for line in lines]
    kept = [at for at, line in enumerate(lines) if line.strip() or at in (made, entered, returned)]
    if len(kept) > MOST:
        wanted = sorted({0, 1, entered, returned - 1, returned, made} & set(kept))
        for at in kept:
            if len(wanted) < MOST - 2 and at not in wanted and at > entered:
                wanted.append(at)
        kept = sorted(wanted)
    shown: list[str] = []
    where: dict[int, int] = {}
    for place, at in enumerate(kept):
        if place and any(line.strip() for line in lines[kept[place - 1] + 1 : at]):
            shown.append(GAP)
        where[at] = len(shown)
        shown.append(lines[at])
    return Source(tuple(shown), where.get(made, 0), where.get(entered, 0), where.get(returned, 0))

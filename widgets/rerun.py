"""Runs an observed block again, in a copy of the learner's names, with some of its lines on or off the tape.

What a rerun could change is put back: Variables, random numbers, what is printed. A block that cannot be run again, or
that answers something else the second time, says why.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import hashlib
import io
import linecache
import logging
import random
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import minitape
from minitape.trace import Answered, Ran, Trace

from . import words

Edit = Callable[[ast.Module], None]
MOST = 1000  # ops of a block that is run again for each switch
FEW = 1000  # of a larger collection no member is looked at
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)


class Block:
    """The program of a trace, ready to run again.

    `trouble` is empty, or one sentence that says why it cannot.
    """

    def __init__(self, seen: Trace, names: Mapping[str, Any], tape: str = "tape") -> None:
        self.seen, self.names, self.tape = seen, names, tape
        self.trouble = ""
        self.source = "with __observe__() as __seen__:\n" + textwrap.indent("\n".join(seen.lines), "    ") + "\n"
        self.file = f"<observed block {hashlib.sha256(self.source.encode()).hexdigest()[:12]}>"
        lines = self.source.splitlines(keepends=True)
        linecache.cache[self.file] = (len(self.source), None, lines, self.file)
        try:
            self.tree: ast.Module = ast.parse(self.source)
            compile(self.tree, self.file, "exec")
        except (SyntaxError, ValueError):
            self.tree = ast.parse("")
            self.trouble = "the program's text is not at hand" if not seen.lines else "its lines do not stand alone"
        if not seen.lines:
            self.trouble = "the program's text is not at hand"
        elif not seen.observed:
            self.trouble = "the trace was read from elsewhere, and its program is not run"  # it may be a stranger's
        ops = len(seen.of(Ran))
        if ops > MOST:
            self.trouble = f"{ops} ops are too many to run for each switch"
        if not self.trouble and answers(self.run()) != answers(seen):
            self.trouble = "a second run of the block gives another answer"

    @property
    def runs(self) -> bool:
        """Whether it can run at all, whatever it then answers."""
        return bool(self.tree.body) and self.seen.observed

    @property
    def statements(self) -> dict[int, ast.stmt]:
        """The statements without a block of their own, by the line on which they begin; lines count from 1."""
        nodes = (node for node in ast.walk(self.tree) if isinstance(node, _SIMPLE))
        return {node.lineno - 1: node for node in nodes}

    @property
    def inside(self) -> set[int]:
        """The lines of those statements that stand in the tape's own block."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.With) and self.enters(node)]
        return {
            node.lineno - 1
            for block in found
            for part in block.body
            for node in ast.walk(part)
            if isinstance(node, _SIMPLE)
        }

    def enters(self, node: ast.With) -> bool:
        """Whether a `with` statement opens the tape."""
        given = [item.optional_vars for item in node.items]
        return any(isinstance(name, ast.Name) and name.id == self.tape for name in given)

    def run(
        self, flipped: frozenset[int] = frozenset(), edit: Edit | None = None, *, buggy: bool = False, **names: Any
    ) -> Trace:
        """The trace of another run: of these lines, those on the tape are taken off it, those off it are put on it.

        With `buggy`, contributions are written over each other (`minitape.observe(buggy=True)`).
        """
        tree = copy.deepcopy(self.tree)
        tree.body = [self._flipped(part, flipped) for part in tree.body]
        if edit is not None:
            edit(tree)
        code = compile(ast.fix_missing_locations(tree), self.file, "exec")
        observe = partial(minitape.observe, buggy=buggy)
        scope = {**self.names, **names, "__name__": "__main__", "__observe__": observe}
        with undone(self.names), contextlib.suppress(Exception):
            exec(code, scope)  # the learner's own lines, which have just run
        seen = scope.get("__seen__")
        return seen if isinstance(seen, Trace) else Trace(self.seen.lines)

    def _flipped(self, node: ast.stmt, lines: frozenset[int]) -> ast.stmt:
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                setattr(node, field, [new for part in body for new in self._one(part, lines)])
        for handler in getattr(node, "handlers", ()):
            handler.body = [new for part in handler.body for new in self._one(part, lines)]
        return node

    def _one(self, node: ast.stmt, lines: frozenset[int]) -> list[ast.stmt]:
        if isinstance(node, ast.With) and self._pauses(node):
            parts = [(part.lineno - 1 in lines, part) for part in node.body]
            if any(out for out, _ in parts):
                return [part if out else _with(node.items, part) for out, part in parts]
        if isinstance(node, _SIMPLE) and node.lineno - 1 in lines:
            stop = ast.parse(f"{self.tape}.stop_recording()", mode="eval").body
            for part in ast.walk(stop):
                ast.copy_location(part, node)
            return [_with([ast.withitem(stop)], node)]
        return [self._flipped(node, lines)]

    def _pauses(self, node: ast.With) -> bool:
        return any(ast.unparse(item.context_expr) == f"{self.tape}.stop_recording()" for item in node.items)


def _with(items: list[ast.withitem], part: ast.stmt) -> ast.With:
    return ast.copy_location(ast.With(items=items, body=[part]), part)


def answers(seen: Trace) -> list[str]:
    """What the calls of `gradient` in a trace returned, in a form that can be compared."""
    return [
        "None" if value is None else str((value.text, value.shape, value.numbers, value.low, value.high))
        for event in seen.of(Answered)
        for value in event.gradients
    ]  # as text, for nan is not equal to itself


def spelled(value: Any) -> str:
    """A gradient in a few characters that tell it from another: "27.0", "None", "max 3.2"."""
    if value is None:
        return "None"
    said = words.number(value)
    if value.numbers and said.startswith("(") and value.low is not None and value.high is not None:
        return f"max {max(abs(value.low), abs(value.high)):.4g}"
    return said


@contextlib.contextmanager
def undone(names: Mapping[str, Any]) -> Iterator[None]:
    """Run something without a trace of it: nothing printed or logged, Variables and random numbers as before."""
    variables = list(_variables(names))
    arrays = [variable.array.copy() for variable in variables]
    numbers, python = np.random.get_state(), random.getstate()
    own = copy.deepcopy(vars(minitape.random._global))
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
        np.random.set_state(numbers)
        random.setstate(python)
        vars(minitape.random._global).update(own)
        for variable, array in zip(variables, arrays, strict=True):
            variable.array = array


def _variables(names: Mapping[str, Any]) -> Iterator[Any]:
    """The Variables that names lead to: themselves, in lists and dictionaries, and in layers and models."""
    seen: set[int] = set()
    todo = [value for name, value in names.items() if not name.startswith("_")]  # not IPython's history
    while todo:
        thing = todo.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, minitape.Variable):
            yield thing
        elif isinstance(thing, dict | list | tuple | set):
            if len(thing) <= FEW:
                todo += list(thing.values() if isinstance(thing, dict) else thing)
        elif type(thing).__module__.startswith("minitape") or hasattr(type(thing), "trainable_variables"):
            todo += list(getattr(thing, "__dict__", {}).values())

"""How a learner's program is run, and a detective asked about it."""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import minitape as tf

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Question:
    """A program, the detective to ask about it, and what it must find."""

    id: str
    program: str
    tool: str
    call: Any
    code: str
    line: int | None

    def __str__(self) -> str:
        return f"{self.id}-{self.code}"


def run(program: str, name: str, source: bool = True) -> tuple[dict[str, Any], Exception | None]:
    """Run a program; its names, and the exception that left it. `source`: can its text be looked up?"""
    linecache.cache.pop(name, None)
    if source:
        linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"tf": tf, "np": np}
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(program, name, "exec"), scope)
    except Exception as error:
        return scope, error
    return scope, None


def ask(question: Question, source: bool = True, inside: bool = True) -> Any:
    """Run the question's program and call its detective: in the program's own names, or (inside=False) from here."""
    scope, error = run(question.program, f"<{question.id}>", source)
    if question.tool == "error":
        return tf.explain(error or next(thing for thing in scope.values() if isinstance(thing, Exception)))
    with contextlib.redirect_stdout(io.StringIO()):
        call = {name: repr(text) if name == "how" else text for name, text in question.call.items()}
        if inside:
            arguments = ", ".join(f"{name}={text}" for name, text in call.items())
            return eval(f"tf.{question.tool}({arguments})", scope)
        given = {name: eval(text, scope) for name, text in call.items()}
        del scope
        return getattr(tf, question.tool)(**given)


def right(found: Any, question: Question) -> bool:
    """Does the diagnosis, or one beside it, name the cause and the line?"""
    return any((one.cause, one.line) == (question.code, question.line) for one in (found, *found.also))


def plain(value: Any) -> Any:
    """A program's result as plain numbers, lists and words."""
    if isinstance(value, tf.Tensor | tf.Variable | tf.IndexedSlices | np.ndarray | np.generic):
        return plain(np.asarray(tf.convert_to_tensor(value)).tolist())
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def same(one: Any, other: Any) -> bool:
    """Are two results the same, to float32's precision?"""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float | int) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-6)
    return one == other

"""How a learner's program is run, and a detective asked about it: the lines below stand for a notebook's cells."""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import minitape as tf
from minitape.diagnosis import Diagnosis

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))


@dataclass
class Question:
    """A program, the detective to ask, and what it must find."""

    id: str
    program: str
    tool: str
    call: Any
    code: str
    line: int | None
    also: list[tuple[str, int | None]] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.id}-{self.code}"


def run(program: str, name: str, source: bool = True) -> tuple[dict[str, Any], Exception | None]:
    """Run a program; its names, and the exception that left it. `source`: can its text be looked up?"""
    if source:
        linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"tf": tf, "np": np}
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(program, name, "exec"), scope)
    except Exception as error:
        return scope, error
    return scope, None


def quiet() -> Any:
    """No warnings of minitape's in the test's log."""
    logging.getLogger("minitape").setLevel(logging.ERROR)


def ask(question: Question, source: bool = True, inside: bool = True) -> Diagnosis:
    """Run the question's program and call its detective: in the program's own names, or (inside=False) from here."""
    scope, error = run(question.program, f"<{question.id}>", source)
    if question.tool == "error":
        shown = error if error is not None else next(v for v in scope.values() if isinstance(v, BaseException))
        return tf.explain(shown)
    assert error is None or question.tool != "explain", error
    given = question.call
    if inside:
        arguments = ", ".join(f"{name}={text}" for name, text in given.items())
        return eval(f"tf.{question.tool}({arguments})", scope)
    return getattr(tf, question.tool)(**{name: eval(text, scope) for name, text in given.items()})


def right(found: Diagnosis, question: Question) -> bool:
    """Does the diagnosis name the cause and the line?"""
    return (found.cause, found.line) == (question.code, question.line)

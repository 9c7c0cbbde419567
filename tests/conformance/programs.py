"""The recorded programs, how one is run, and when its outcome counts as the same."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
#: The programs by file: golden.json is given, more.json holds what we have added to it.
FILES: dict[str, list[dict[str, Any]]] = {
    name: json.loads((HERE / name).read_text(encoding="utf-8")) for name in ("golden.json", "more.json")
}
PROGRAMS = [case for cases in FILES.values() for case in cases]
DIFFERENCES = HERE.parents[1] / "docs" / "differences.md"


@dataclass
class Outcome:
    """What a program did: the value it left in `out`, or what it raised; what it printed and logged."""

    out: Any = None
    error: Exception | None = None
    prints: str = ""
    logs: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {self.error}" if self.error else f"out = {self.out!r}"


class Listener(logging.Handler):
    """Keeps the messages of a logger."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def run(case: dict[str, Any], tf: Any, logger: str) -> Outcome:
    """Run one program against a module bound to the name `tf`."""
    listener, printed = Listener(), io.StringIO()
    log = logging.getLogger(logger)
    log.addHandler(listener)
    scope: dict[str, Any] = {"tf": tf, "np": np}
    outcome = Outcome()
    try:
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
            exec(compile(case["program"], case["id"], "exec"), scope)
        outcome.out = scope.get("out")
    except Exception as error:
        outcome.error = error
    finally:
        log.removeHandler(listener)
    outcome.prints, outcome.logs = printed.getvalue(), listener.messages
    return outcome


def disagreement(case: dict[str, Any], outcome: Outcome) -> str | None:
    """Where an outcome is not the recorded one, in a sentence; None where it is."""
    expected = case["expected"]
    if "raises" in expected:
        name, text = type(outcome.error).__name__, str(outcome.error)
        if outcome.error is None or name != expected["raises"] or not re.search(expected["match"], text):
            return f"wanted {expected['raises']}: {expected['match']}, got {outcome}"
        return None
    if outcome.error is not None:
        return f"got {outcome}"
    if "out" in expected and not same(outcome.out, expected["out"], case["rtol"]):
        return f"wanted out = {expected['out']!r}, got {outcome}"
    if "prints" in expected and outcome.prints != expected["prints"]:
        return f"wanted {expected['prints']!r} printed, got {outcome.prints!r}"
    if "warns" in expected and not any(re.search(expected["warns"], line) for line in outcome.logs):
        return f"wanted a warning {expected['warns']!r}, got {outcome.logs}"
    if "logs" in expected and len(outcome.logs) != expected["logs"]:
        return f"wanted {expected['logs']} messages logged, got {outcome.logs}"
    return None


def same(got: Any, wanted: Any, rtol: float) -> bool:
    """Equal structure and numbers (floats within rtol); of a message of ours, the last line, which is TensorFlow's."""
    if isinstance(wanted, dict):
        return (
            isinstance(got, dict) and got.keys() == wanted.keys() and all(same(got[k], wanted[k], rtol) for k in wanted)
        )
    if isinstance(wanted, list):
        if not isinstance(got, list | tuple) or len(got) != len(wanted):
            return False
        return all(same(a, b, rtol) for a, b in zip(got, wanted, strict=True))
    if isinstance(wanted, bool) or wanted is None:
        return got is wanted or (isinstance(got, np.bool_) and bool(got) is wanted)
    if isinstance(wanted, float) or isinstance(got, float):
        try:
            a, b = float(got), float(wanted)  # "nan" and "inf" are recorded as text
        except (TypeError, ValueError):
            return False
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=rtol, abs_tol=rtol * 1e-2)
    if isinstance(wanted, str) and isinstance(got, str) and "\nTensorFlow: " in got:
        got = got.partition("\nTensorFlow: ")[2]
    return bool(got == wanted)


def differences() -> dict[str, str]:
    """docs/differences.md's rows that name a program: what minitape gives there, in code."""
    rows = {}
    for line in DIFFERENCES.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for program in re.findall(r"`([a-z_]+/[a-z0-9-]+)`", cells[1] if len(cells) == 5 else ""):
            rows[program] = re.search(r"`([^`]+)`", cells[3])[1].replace("\\|", "|")
    return rows

"""Record the programs' outcomes anew from real TensorFlow, and show where they have drifted.

pip install --group tensorflow        # or: uv sync --group tensorflow
python -m tests.conformance.record_tensorflow          # show the drift
python -m tests.conformance.record_tensorflow --write  # and store it in its file
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from .programs import FILES, HERE, PROGRAMS, Outcome, disagreement, run


@contextlib.contextmanager
def stderr_of_c() -> Iterator[Callable[[], str]]:
    """What is written to the process's stderr: TensorFlow's print goes past Python's."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield lambda: (file.seek(0), file.read().decode())[1]
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def recorded(case: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    """An outcome in golden.json's form."""
    if outcome.error is not None:
        text = re.sub(r"^\{\{[^}]*\}\} ", "", str(outcome.error)).partition("\n")[0]
        said = re.escape(text.partition(" [Op:")[0][:80])
        return {"raises": type(outcome.error).__name__, "match": said, "message": text}
    expected: dict[str, Any] = {"out": json.loads(json.dumps(outcome.out, default=str))}
    if "prints" in case["expected"]:
        expected["prints"] = outcome.prints
    if "warns" in case["expected"]:
        expected["warns"] = re.escape(outcome.logs[0]) if outcome.logs else ""
    if "logs" in case["expected"]:
        expected["logs"] = len(outcome.logs)
    return expected


def main() -> int:
    """Run every program; the exit status is 1 where one has drifted."""
    import tensorflow as tf

    drifted = 0
    for case in PROGRAMS:
        with stderr_of_c() as printed:
            outcome = run(case, tf, "tensorflow")
            outcome.prints = printed() if "prints" in case["expected"] else ""
        problem = disagreement(case, outcome)
        if problem is None:
            continue
        drifted += 1
        print(f"{case['id']}: {problem}")
        case["expected"] = recorded(case, outcome)
    print(f"TensorFlow {tf.__version__}: {len(PROGRAMS)} programs, {drifted} drifted")
    if "--write" in sys.argv:
        for name, cases in FILES.items():
            (HERE / name).write_text(json.dumps(cases, indent=1) + "\n", encoding="utf-8")
    return 1 if drifted else 0


if __name__ == "__main__":
    sys.exit(main())

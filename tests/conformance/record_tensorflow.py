"""Record the programs' outcomes anew from real TensorFlow, and show where they have drifted.

    pip install --group tensorflow        # or: uv sync --group tensorflow
    python -m tests.conformance.record_tensorflow          # show the drift
    python -m tests.conformance.record_tensorflow --write  # and store it in golden.json
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from .programs import GOLDEN, HERE, Outcome, disagreement, run


def recorded(case: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    """An outcome in golden.json's form."""
    if outcome.error is not None:
        text = re.sub(r"^\{\{[^}]*\}\} ", "", str(outcome.error)).partition("\n")[0]
        return {"raises": type(outcome.error).__name__, "match": re.escape(text[:80]), "message": text}
    expected: dict[str, Any] = {"out": json.loads(json.dumps(outcome.out, default=str))}
    if "prints" in case["expected"]:
        expected["prints"] = outcome.prints
    if "warns" in case["expected"]:
        expected["warns"] = re.escape(outcome.logs[0]) if outcome.logs else ""
    return expected


def main() -> int:
    """Run every program; the number that drifted is the exit status's reason."""
    import tensorflow as tf

    drifted = 0
    for case in GOLDEN:
        outcome = run(case, tf, "tensorflow")
        problem = disagreement(case, outcome)
        if problem is None:
            continue
        drifted += 1
        print(f"{case['id']}: {problem}")
        case["expected"] = recorded(case, outcome)
    print(f"TensorFlow {tf.__version__}: {len(GOLDEN)} programs, {drifted} drifted")
    if "--write" in sys.argv:
        (HERE / "golden.json").write_text(json.dumps(GOLDEN, indent=1) + "\n", encoding="utf-8")
    return 1 if drifted else 0


if __name__ == "__main__":
    sys.exit(main())

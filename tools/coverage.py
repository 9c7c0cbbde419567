"""Write docs/coverage.md anew: which of TensorFlow's ops minitape has, and every op's rule.

    python tools/coverage.py            write the page
    python tools/coverage.py --check    only say whether it is up to date

The first tables go through the ops that TensorFlow 2.21 was asked about (tests/conformance/ops.csv), the last through
minitape's registry. A test compares the page with what this script writes.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from typing import Any

import minitape as tf
import minitape.linalg
import minitape.math
import minitape.nn
import minitape.ops.flow
import minitape.ops.scatter
import minitape.random
from minitape.primitive import REGISTRY, rule_text

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "coverage.md"
ROWS = list(csv.DictReader((ROOT / "tests" / "conformance" / "ops.csv").read_text(encoding="utf-8").splitlines()))

INTRODUCTION = """\
# What is there

This page is written by `tools/coverage.py`, from the registry of ops and from the list of ops whose values and
gradients were recorded from TensorFlow 2.21 (`tests/conformance/ops.csv`). A test keeps it true.

A name that is not here raises an AttributeError that says what to write instead, where there is something.
"""

#: Where minitape gives another kind than the recorded one, on purpose (docs/differences.md).
SANER = {
    "argsort": "None (TensorFlow: zeros)",
    "top_k.indices": "None (TensorFlow: zeros)",
}

KINDS = {
    "value": "numbers",
    "zeros": "zeros",
    "None": "None",
    "IndexedSlices": "IndexedSlices",
    "error": "None (TensorFlow: LookupError)",
    "": "",
    "n/a": "",
    "error LookupError": "numbers (TensorFlow: LookupError)",
}


def find(name: str) -> Any:
    """What a public name such as `tf.math.abs` stands for; None where minitape lacks it, True for an expression."""
    if not name.startswith("tf."):
        return True
    thing: Any = tf
    for part in re.sub(r"\(.*", "", name).removeprefix("tf.").split("."):
        thing = getattr(thing, part, None)
    return thing


def kinds(text: str) -> str:
    """What comes back to each input, in words."""
    words = [KINDS[kind] for kind in text.split("|")]
    return words[0] if len(set(words)) == 1 else "; ".join(words)


def second(row: dict[str, str]) -> str:
    """The second derivative's kind; for an op without a first one there is none."""
    if row["kind"] == "error" or row["op"] in SANER:
        return ""
    return "numbers (TensorFlow: None)" if row["op"] == "py_function" else kinds(row["second_order"])


def code(text: str) -> str:
    """Text as code in a cell of a table."""
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def ops() -> list[str]:
    """A row for every op that was recorded."""
    lines = ["| op | names | gradient | second derivative |", "|---|---|---|---|"]
    for row in ROWS:
        names = row["public_names"].split("|")
        if find(names[0]) is None:
            continue
        missing = [name for name in names if find(name) is None]
        shown = ", ".join(code(name) for name in names if name not in missing)
        lacking = f"; not here: {', '.join(map(code, missing))}" if missing else ""
        lines.append(
            f"| {row['op']} | {shown}{lacking} | {SANER.get(row['op']) or kinds(row['kind'])} | {second(row)} |"
        )
    return lines


def absent() -> list[str]:
    """The recorded ops that are not here yet."""
    lines = ["| op | names |", "|---|---|"]
    for row in ROWS:
        names = row["public_names"].split("|")
        if find(names[0]) is None:
            lines.append(f"| {row['op']} | {', '.join(map(code, names))} |")
    return lines


def rules() -> list[str]:
    """A row for every op in the registry: its rule for each input, and what the tape keeps for it."""
    lines = ["| op | kind | what comes back | what the tape keeps |", "|---|---|---|---|"]
    for name, op in sorted(REGISTRY.items()):
        if not op.differentiable:
            continue
        if op.joint is not None or op.says:
            text = op.says or "a gradient for each input"
        else:
            text = ", ".join(
                f"{slot}: {code(rule_text(name, place))}" for place, slot in enumerate(op.inputs) if slot in op.rules
            )
        mask = (1 << len(op.inputs)) - 1
        kept = [part for part in op.plan(mask).names if part in (*op.inputs, "z")]
        lines.append(f"| {name} | {op.kind} | {text} | {', '.join(kept) or 'nothing'} |")
    return lines


def names() -> list[str]:
    """Every function on tensors by its public name, module by module."""
    lines = []
    for title, module in [
        ("tf", tf),
        *((f"tf.{part}", getattr(tf, part)) for part in ("math", "nn", "linalg", "random")),
    ]:
        functions = {name: getattr(module, name) for name in module.__all__}
        public = [name for name, function in functions.items() if is_op(function)]
        lines.append(f"**`{title}`**: {', '.join(f'`{name}`' for name in sorted(public))}\n")
    return lines


def keras() -> list[str]:
    """What there is of `tf.keras`, module by module."""
    parts = ("layers", "activations", "initializers", "losses", "metrics", "optimizers", "callbacks")
    modules = [("tf.keras", tf.keras), *((f"tf.keras.{part}", getattr(tf.keras, part)) for part in parts)]
    found = {title: [name for name in module.__all__ if name not in parts] for title, module in modules}
    return [f"**`{title}`**: {', '.join(f'`{name}`' for name in sorted(names))}\n" for title, names in found.items()]


def is_op(function: Any) -> bool:
    """Does it work on tensors? Tapes and what explains them have pages of their own."""
    home = getattr(function, "__module__", "")
    return callable(function) and (hasattr(function, "op") or home.startswith(("minitape.ops.", "minitape.random")))


def page() -> str:
    """The whole page."""
    none = sorted(name for name, op in REGISTRY.items() if not op.differentiable)
    parts = [
        INTRODUCTION,
        "## Recorded ops that are here\n",
        "What `tape.gradient` gives for each input, and what a second tape around it gives.\n",
        *ops(),
        "\n## Recorded ops that are not here yet\n",
        *absent(),
        "\n## Every function by its name\n",
        *names(),
        "## Modules and Keras\n",
        "**`tf`**: `Module`, `name_scope`\n",
        *keras(),
        "## Every op and its rule\n",
        "`g` is the gradient that comes back to the op's result, `x` and `y` are its inputs, `z` is its result. The",
        "arrays that a rule names are what the tape keeps, until they were used. Ops whose names are not in the lists",
        "above serve the others on their way back.\n",
        *rules(),
        "\nWithout a derivative, so that no gradient passes: " + ", ".join(f"`{name}`" for name in none) + ".",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        if PAGE.read_text(encoding="utf-8") != page():
            sys.exit("docs/coverage.md is out of date: run `python tools/coverage.py`")
    else:
        PAGE.write_text(page(), encoding="utf-8")

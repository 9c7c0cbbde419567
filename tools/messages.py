"""Writes docs/messages.md: what the detectives say about every public case, to be read in one sitting.

python tools/messages.py
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.explain.programs import Question, ask  # noqa: E402
from tests.explain.test_cases import QUESTIONS  # noqa: E402

PAGE = ROOT / "docs" / "messages.md"
HEAD = """# What minitape says

Each block is one small program that goes wrong: the line in question, what minitape says about it, and the fix as code.
The detail below the two lines is left out here. The page is written by `python tools/messages.py` from the cases in
`tests/explain/cases.json`.
"""
TOOLS = {
    "explain": "Why is this gradient None, or not what I expect? `explain(tape, target, source)`",
    "check_gradients": "Is the gradient right? `check_gradients(f, at=[...])`",
    "check_custom_gradient": "Does my rule keep its contract? `check_custom_gradient(f, at=[...])`",
    "find_nan": "Where does nan come from? `find_nan(f, at=[...])`",
    "describe": "What exactly did I differentiate? `describe(tape, target, source)`",
    "audit": "What does recomputing cost and save? `audit(f, at=[...])`",
    "error": "What does this exception mean? `explain(error)`",
}


def page() -> str:
    """The page's text."""
    parts = [HEAD]
    for tool, title in TOOLS.items():
        asked = [question for question in QUESTIONS if question.tool == tool]
        parts.append(f"\n## {title}\n")
        for code in dict.fromkeys(question.code for question in asked):
            parts.append(f"\n### {code}\n")
            parts += [_block(question) for question in asked if question.code == code]
    return "".join(parts)


def _block(question: Question) -> str:
    found = ask(question)
    found = next((one for one in (found, *found.also) if one.cause == question.code), found)
    lines = question.program.splitlines()
    shown = f"{question.line:>3}  {lines[question.line - 1]}\n\n" if question.line else ""
    return f"\n```text\n{shown}{found.what}\nfix: {found.fix}\n```\n"


if __name__ == "__main__":
    logging.getLogger("minitape").setLevel(logging.ERROR)
    PAGE.write_text(page(), encoding="utf-8")

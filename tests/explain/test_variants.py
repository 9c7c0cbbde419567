"""The cases' kinds in other programs: functions in between, loops, other ops, frozen parts, and nothing to mend."""

from pathlib import Path

import pytest

from .programs import Question, ask, right


def read(text):
    """The questions of variants.txt: a line `=== tool | cause | line | call`, then the program.

    A call that ends in `; by name` needs a name of the program's that the program's own tensors do not lead to.
    """
    for number, block in enumerate(text.split("=== ")[1:], 1):
        header, _, program = block.partition("\n")
        tool, cause, line, call = (part.strip() for part in header.split("|"))
        given = dict(part.strip().split("=", 1) for part in call.split(";") if "=" in part)
        id = f"{number} by name" if call.endswith("by name") else f"{number}"
        yield Question(id, program.rstrip() + "\n", tool, given, cause, None if line == "None" else int(line))


VARIANTS = list(read((Path(__file__).parent / "variants.txt").read_text(encoding="utf-8")))


@pytest.mark.parametrize("question", VARIANTS, ids=str)
def test_the_cause_and_the_line(question):
    found = ask(question)
    assert right(found, question), found
    assert found.cause == question.code, found  # the most telling is first


@pytest.mark.parametrize("question", [one for one in VARIANTS if "by name" not in one.id], ids=str)
def test_without_source_text_and_without_the_programs_names(question):
    found = ask(question, source=False, inside=False)
    assert right(found, question), found

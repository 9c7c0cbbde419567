"""Each public case: its tool finds the cause and the line, and the corrected program gives the recorded value."""

import pytest

from .programs import CASES, Question, ask, right

ASKED = [
    Question(case["id"], case["program"], one["tool"], one["call"], one["code"], one["line"])
    for case in CASES
    for one in (case, *case["also"])
    if one["tool"] == "explain"
]


@pytest.mark.parametrize("question", ASKED, ids=str)
def test_the_cause_and_the_line(question):
    found = ask(question)
    assert right(found, question) or any(right(other, question) for other in found.also), found

"""Each public case: its tool finds the cause and the line, and the corrected program gives the recorded value."""

import pytest

from .programs import CASES, Question, ask, plain, right, run, same

#: Programs that keep an exception's text, not the exception.
TEXT_ONLY = {"L07", "L16", "L17"}
QUESTIONS = [
    Question(case["id"], case["program"], one["tool"], one["call"], one["code"], one["line"])
    for case in CASES
    for one in (case, *case["also"])
    if one["tool"] != "none" and not (one["tool"] == "error" and case["id"] in TEXT_ONLY)
]
ERRORS = [case for case in CASES if case["must_say"]]
FIXES = [case for case in CASES if case["fix"]]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_cause_and_the_line(question):
    found = ask(question)
    assert right(found, question), found
    what, fix, *rest = str(found).splitlines()
    assert what
    assert fix.startswith("fix: "), fix
    assert all(line.startswith((" ", "and: ")) for line in rest), rest


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_without_source_text_and_without_the_programs_names(question):
    if question.tool != "error":
        found = ask(question, source=False, inside=False)
        assert right(found, question), found


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case["id"])
def test_the_error_says_it_itself(case):
    scope, error = run(case["program"], f"<{case['id']}>")
    text = str(error) if case["call"] is None else eval(case["call"]["text"], scope)
    missing = [word for word in case["must_say"] if word.lower() not in text.lower()]
    assert not missing, text


@pytest.mark.parametrize("case", FIXES, ids=lambda case: case["id"])
def test_the_corrected_program_gives_the_recorded_value(case):
    scope, error = run(case["fix"], f"<{case['id']} mended>")
    assert error is None
    assert same(plain(scope["out"]), case["fix_value"]), scope["out"]


def test_every_public_case_is_asked():
    assert len(CASES) == 82
    asked = {question.id for question in QUESTIONS} | TEXT_ONLY
    assert len(asked) == 67
    assert all(case["tool"] == "none" or case["id"] in asked for case in CASES)

"""TensorFlow is the judge: small programs with the outcome that TensorFlow 2.21 gave, one test each."""

import re

import pytest

import minitape as tf

from .programs import PROGRAMS, differences, disagreement, run

DIFFERENT = differences()


@pytest.mark.parametrize("case", PROGRAMS, ids=[case["id"] for case in PROGRAMS])
def test_program(case):
    outcome = run(case, tf, "minitape")
    problem = disagreement(case, outcome)
    if case["id"] not in DIFFERENT:
        assert problem is None, problem
        return
    # A difference on purpose: docs/differences.md says what happens instead, and it must be so, and be a difference.
    assert problem is not None, f"{case['id']} agrees with TensorFlow: take its row out of docs/differences.md"
    wanted = DIFFERENT[case["id"]]
    kind, _, pattern = wanted.partition(": ")
    if outcome.error is not None:
        assert type(outcome.error).__name__ == kind, (wanted, str(outcome))
        assert re.search(pattern, str(outcome.error)), (wanted, str(outcome))
    else:
        assert eval(wanted, {"out": outcome.out, "nan": float("nan")}) is True, (wanted, str(outcome))


def test_every_difference_is_about_a_recorded_program():
    recorded = {case["id"] for case in PROGRAMS}
    assert set(DIFFERENT) <= recorded


def test_only_accidents_differ():
    tags = {case["id"]: case.get("tag") for case in PROGRAMS}
    assert {program for program in DIFFERENT if tags[program] != "accident"} == set()

"""Every exercise teaches: stub, solution and each recorded wrong answer are marked as they should be."""

import io
import sys
from dataclasses import replace

import numpy as np
import pytest

import minitape as tf
from minitape.lessons import Exercise, Wrong, add, answers, check, known, predict, prove, report
from minitape.lessons.exercise import mark

EXERCISES = {exercise.key: exercise for exercise in known()}
every_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)


@pytest.fixture(autouse=True)
def new_session(monkeypatch):
    """Each test starts like a fresh kernel."""
    for name in ("_predictions", "_verdicts"):
        monkeypatch.setattr(answers, name, {})
    monkeypatch.setattr(answers, "_exercises", dict(answers._exercises))


@every_exercise
def test_stub_is_open_solution_is_right_and_each_wrong_answer_gets_its_hint(exercise):
    prove(exercise)


@every_exercise
def test_the_truth_is_computed_and_not_the_solution(exercise):
    """Where the program gave something else, the solution would be wrong."""
    truth = exercise.truth()
    other = dict.fromkeys(truth, "something else") if isinstance(truth, dict) else "something else"
    assert mark(replace(exercise, truth=lambda: other), exercise.solution).mark == "✗"


class Hostile:
    """An answer that fights back."""

    def __repr__(self):
        raise RuntimeError("no words")

    def __eq__(self, other):
        raise RuntimeError("no comparing")

    __hash__ = None

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array")


def raises(*args):
    raise KeyError("spam")


def leaves(*args):
    sys.exit(3)


def calls_itself(*args):
    return calls_itself(*args)


BAD = {
    "None": None,
    "a word": "spam",
    "an object": object(),
    "hostile": Hostile(),
    "a dictionary": {"a": 1},
    "too many numbers": list(range(100)),
    "ragged": [[1.0], [1.0, 2.0]],
    "huge": 10**400,
    "nan": float("nan"),
    "complex": 1j,
    "a module": np,
    "a class": int,
    "takes nothing": lambda: 1.0,
    "gives None": lambda *args: None,
    "gives a word": lambda *args: "spam",
    "gives something hostile": lambda *args: Hostile(),
    "gives two": lambda *args: (1.0, 2.0),
    "raises": raises,
    "leaves": leaves,
    "never ends": calls_itself,
}


@every_exercise
@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_bad_answer_gets_at_most_two_lines_and_no_error(exercise, bad, capsys):
    for ask in (check, predict):
        ask(exercise.key, bad)
        said = capsys.readouterr()
        lines = said.out.splitlines()
        assert said.err == ""
        assert lines[0].startswith((f"✗ {exercise.key}: ", f"○ {exercise.key}: ", f"· {exercise.key}: "))
        assert len(lines) == 1 or (len(lines) == 2 and lines[1].startswith("  next: "))
        assert "Traceback" not in said.out


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("stop_recording.cost", 30),
        ("stop_recording.cost", 30.00001),
        ("stop_recording.cost", np.float32(30)),
        ("stop_recording.cost", tf.constant(30.0)),
        ("custom_gradient.gentle", (1, 0.5, -1)),
        ("custom_gradient.gentle", np.array([1, 0.5, -1])),
        ("recompute_grad.runs", 4.0),
        ("stop_recording.metric", lambda tape, guess, wanted: np.mean(np.abs(guess.numpy() - wanted.numpy()))),
        ("stop_recording.above", lambda tape, pay: pay - tf.stop_gradient(tf.reduce_mean(pay))),
        ("custom_gradient.round", tf.custom_gradient(tf.round, lambda dy, x: dy)),
        (
            "custom_gradient.root",
            tf.custom_gradient(tf.sqrt, lambda dy, x: dy * tf.where(x > 0, 0.5 / tf.sqrt(x), 0.0)),
        ),
        ("recompute_grad.build", lambda f, tape: tf.recompute_grad(f)),
        ("recompute_grad.cut", lambda steps: tf.sqrt(float(steps))),
    ],
)
def test_another_right_answer_is_right_too(key, answer, capsys):
    check(key, answer)
    assert capsys.readouterr().out.startswith(f"✓ {key}: right")


@pytest.mark.parametrize(
    ("key", "answer", "said"),
    [
        ("stop_recording.cost", 30.1, "you say 30.1. cost = area * price."),
        ("stop_recording.cost", [30.0], "a number is wanted, and this is a list of 1 number\n"),
        ("stop_recording.cost", True, "a number is wanted, and this is True or False"),
        ("custom_gradient.gentle", [1, 0.5], "a list of 3 numbers is wanted, and this is a list of 2 numbers"),
        ("stop_recording.metric", 1.5, "a function is wanted, and this is a number"),
        ("stop_recording.metric", raises, "your function failed with KeyError: 'spam'"),
        ("custom_gradient.round", lambda x: tf.round(x) * 1.0, "the gradient: None, and it should be [1.0, -2.0, 3.0]"),
        ("recompute_grad.cut", lambda steps: 5, "your function failed with ValueError: 16 steps cannot be cut into 5"),
    ],
)
def test_a_wrong_answer_is_told_what_was_got(key, answer, said, capsys):
    check(key, answer)
    assert capsys.readouterr().out.startswith(f"✗ {key}: {said}")


@pytest.mark.parametrize("stub", [..., lambda x: None, lambda x: ..., lambda x: (x, ...)])
def test_a_half_written_function_is_not_yet_an_answer(stub, capsys):
    check("custom_gradient.round", stub)
    assert capsys.readouterr().out.startswith(
        "○ custom_gradient.round: not yet\n  next: give a function round_through(x)"
    )


def test_notimplemented_is_not_yet_an_answer_either(capsys):
    def round_through(x):
        raise NotImplementedError

    check("custom_gradient.round", round_through)
    assert capsys.readouterr().out.startswith("○")


def test_what_the_learners_function_prints_is_not_in_the_verdict(capsys):
    def round_through(x):
        print("spam")
        tf.print("spam")
        return EXERCISES["custom_gradient.round"].solution(x)

    check("custom_gradient.round", round_through)
    said = capsys.readouterr()
    assert said.out == "✓ custom_gradient.round: right (the values, the gradient)\n"
    assert said.err == ""


def test_check_marks_what_predict_kept(capsys):
    predict("recompute_grad.runs", 8)
    check("recompute_grad.runs")
    first, second = capsys.readouterr().out.splitlines()
    assert first == "· recompute_grad.runs: you say 8. Run the program, then check it."
    assert second.startswith("✗ recompute_grad.runs: you say 8. That is both ways together.")


def test_check_without_a_prediction_says_what_is_wanted(capsys):
    check("recompute_grad.runs")
    assert capsys.readouterr().out == (
        "○ recompute_grad.runs: not yet\n  next: give a number: how often louder runs while tape.gradient works\n"
    )


@pytest.mark.parametrize("ask", [check, predict])
def test_an_unknown_key_names_the_nearest(ask, capsys):
    ask("recompute_grad.run", 4)
    assert capsys.readouterr().out == (
        '✗ no exercise is called "recompute_grad.run"\n  next: check("recompute_grad.runs", ...)\n'
    )
    ask(None, 4)
    assert capsys.readouterr().out.startswith("✗ no exercise is called None\n")


def test_report_counts_what_is_right_in_the_lessons_begun(capsys):
    check("stop_recording.cost", 30.0)
    check("stop_recording.metric", lambda tape, guess, wanted: 0.0)
    predict("recompute_grad.runs", 4)
    capsys.readouterr()
    report()
    assert capsys.readouterr().out == (
        "stop_recording: 1 of 3 correct\n"
        "  ✓ cost         right\n"
        "  ✗ metric       wrong\n"
        "  ○ above        not yet\n"
        "recompute_grad: 0 of 3 correct\n"
        "  · runs         not checked\n"
        "  ○ build        not yet\n"
        "  ○ cut          not yet\n"
    )


def test_the_last_answer_counts(capsys):
    check("stop_recording.cost", 39.0)
    check("stop_recording.cost", 30.0)
    report()
    assert "1 of 3 correct" in capsys.readouterr().out


def test_report_before_any_answer_says_how_to_begin(capsys):
    report()
    assert capsys.readouterr().out == 'nothing answered yet\nnext: check("stop_recording.cost", 45.0)\n'


def test_a_console_without_the_signs_gets_plain_ones(monkeypatch):
    console = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", newline="\n")
    monkeypatch.setattr(sys, "stdout", console)
    check("stop_recording.cost", 30.0)
    console.flush()
    assert console.buffer.getvalue() == b"[ok] stop_recording.cost: right, 30.0\n"


def test_a_word_may_be_an_errors_name_or_the_error_itself():
    def second_gradient():
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
        tape.gradient(x, x)
        try:
            tape.gradient(x, x)
        except Exception as error:
            return error

    exercise = Exercise("demo.twice", "a word", second_gradient, "RuntimeError", (Wrong(1.0, "Once."),), "Which error?")
    for answer in ("RuntimeError", "runtimeerror", RuntimeError, RuntimeError("again")):
        assert mark(exercise, answer).right
    assert not mark(exercise, ValueError).right


class TestProve:
    """prove() finds an exercise that would teach nothing."""

    good = EXERCISES["stop_recording.cost"]

    def test_a_wrong_solution(self):
        with pytest.raises(AssertionError, match="the solution is not right"):
            prove(replace(self.good, solution=39.0))

    def test_no_wrong_answer(self):
        with pytest.raises(AssertionError, match="record a wrong answer"):
            prove(replace(self.good, wrong=()))

    def test_a_wrong_answer_that_is_right(self):
        with pytest.raises(AssertionError, match="a wrong answer is not wrong"):
            prove(replace(self.good, wrong=(Wrong(30.0, "No."),)))

    def test_two_hints_for_one_wrong_answer(self):
        with pytest.raises(AssertionError, match="another hint came first"):
            prove(replace(self.good, wrong=(Wrong(39.0, "Here."), Wrong(39.0, "There."))))

    def test_a_function_that_passes_whatever_it_does(self):
        with pytest.raises(AssertionError, match="the stub is not taken for one"):
            prove(replace(EXERCISES["custom_gradient.round"], look=lambda f: {}, truth=dict))


def test_an_added_exercise_can_be_checked_and_replaced(capsys):
    for right in (1.0, 2.0):
        add(Exercise("mine.one", "a number", lambda right=right: right, right, (Wrong(0.0, "More."),), "Count."))
        check("mine.one", right)
    assert capsys.readouterr().out == "✓ mine.one: right, 1.0\n✓ mine.one: right, 2.0\n"

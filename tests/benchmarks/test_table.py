"""From findings to tables, and from the command line to docs/performance.md."""

import doctest
import re

import pytest

from benchmarks import apart, chain, command, contest, long_tape, measure, memory, mlp, observed, table
from benchmarks.contest import BESIDE, BY_HAND, OURS, Finding
from benchmarks.libraries import load
from benchmarks.measure import ratio, rounds
from benchmarks.targets import TARGETS

CHAIN = "chain, 8 numbers, gradient"
FOUND = [
    Finding("chain", CHAIN, "HIPS autograd", 0.31, 0.305, 0.322, took=4.2e-6, per_op=True),
    Finding("chain", CHAIN, BY_HAND, 2.51, 2.4, 2.6, took=4.2e-6, per_op=True),
    Finding("chain", CHAIN, "MyGrad", 0.5, 0.45, 0.6, took=4.2e-6, per_op=True),
    Finding("chain", CHAIN, "PyTorch", None, note="not installed"),
    Finding("curvature", "a Hessian", BY_HAND, 123.4, 120, 130, took=2.5e-3),
    Finding("curvature", "a Hessian", "MyGrad", None, note="no second derivatives"),
    Finding("memory", "peak of 64 ops, all kept", "minitape", 65.9, note="arrays"),
]
TABLES = """\
| what                       | against       | measured      | half of the rounds | must | goal | reached |
|----------------------------|---------------|---------------|--------------------|------|------|---------|
| chain, 8 numbers, gradient | NumPy by hand | 2.51          | 2.4 to 2.6         | 3    | 2.6  | goal    |
| chain, 8 numbers, gradient | HIPS autograd | 0.31          | 0.3 to 0.32        | 0.36 | 0.3  | must    |
| chain, 8 numbers, gradient | MyGrad        | 0.5           | 0.45 to 0.6        | 0.45 | 0.4  | no      |
| chain, 8 numbers, gradient | PyTorch       | not installed |                    | 0.65 | 0.55 |         |
| peak of 64 ops, all kept   | minitape      | 65.9          |                    | 68   | 66   | goal    |

| minitape's time            | itself       | to NumPy by hand | to HIPS autograd | to MyGrad             |
|----------------------------|--------------|------------------|------------------|-----------------------|
| chain, 8 numbers, gradient | 4.2 µs an op | 2.51             | 0.31             | 0.5                   |
| a Hessian                  | 2.5 ms       | 123              |                  | no second derivatives |

PyTorch: not installed.

| what                     | by, or against | measured | half of the rounds | note   |
|--------------------------|----------------|----------|--------------------|--------|
| peak of 64 ops, all kept | minitape       | 65.9     |                    | arrays |
"""


@pytest.mark.parametrize("module", [apart, chain, contest, measure, table])
def test_examples_in_docstrings(module):
    failed, tried = doctest.testmod(module)
    assert tried
    assert not failed


def test_the_tables():
    assert table.tables(FOUND) == TABLES


def test_the_reason_stands_below_what_was_not_reached(monkeypatch):
    targets = [target._replace(why=f"because of {target.against}") for target in TARGETS]
    monkeypatch.setattr(table, "TARGETS", targets)
    said = table.promised(FOUND)
    assert f"- {CHAIN}, against MyGrad: because of MyGrad" in said
    assert "because of NumPy by hand" not in said


def test_every_promise_is_measured_by_some_row():
    ours, absent = load([])
    contests = [
        *chain.contests(ours, absent),
        *mlp.contests(ours, absent),
        *long_tape.contests(),
        *observed.contests(ours[0]),
    ]
    named = {held.what for held in contests} | {"import minitape"}
    named |= {finding.what for finding in memory.findings(size=100)}
    assert {target.what for target in TARGETS} <= named


def test_rounds_take_turns_and_ratios_are_of_the_same_round():
    told = []

    def clock(name, slow):
        def look():
            told.append(name)
            return slow * (1 + len(told) // 3)  # the machine grows slower from round to round

        return look

    said = rounds({"a": clock("a", 6.0), "b": clock("b", 2.0)}, 4)
    assert told == ["a", "b", "a", "b", "b", "a", "a", "b", "b", "a"]  # the first two are not counted
    assert [len(times) for times in said.values()] == [4, 4]
    assert ratio([6.0, 12.0, 60.0], [2.0, 4.0, 20.0]) == (3.0, 3.0, 3.0)


def test_against_numpy_the_rounds_of_several_processes_count_and_peers_stay_in_this_one(monkeypatch):
    asked = []

    def fresh(row, rounds):
        asked.append((row, rounds))
        return {contest.what: {OURS: [2.0 * len(asked)], BY_HAND: [1.0]} for contest in mlp.contests(*load([]))}

    def timed(contest, rounds):
        return {side.name: [3.0 if side.name == OURS else 1.5] for side in contest.sides}

    monkeypatch.setattr(apart, "fresh", fresh)
    monkeypatch.setattr(command, "timed", timed)
    libraries, missing = load([])
    (alone, *absent) = command.against("mlp", command.Task(libraries, missing, 15))
    assert asked == [("mlp", 2)] * apart.PROCESSES  # one forwards, one backwards
    assert (alone.against, alone.value, alone.took) == (BY_HAND, 1.0 + apart.PROCESSES, 1.0 + apart.PROCESSES)
    assert {finding.against for finding in absent} == set(missing)
    twice = [*libraries, libraries[0]]
    found = command.against("mlp", command.Task(twice, {}, 15))
    assert [(one.against, one.value) for one in found] == [(BY_HAND, 1.0 + 3 * apart.PROCESSES), (BESIDE, 2.0)]


def test_a_process_of_its_own_holds_no_peers_and_tells_its_times():
    said = apart.fresh("mlp", 1)
    ((what, sides),) = said.items()
    assert what == "MLP 784-256-10, batch 128, training step"
    assert list(sides) == [OURS, BY_HAND]
    assert all(len(times) == 1 and times[0] > 0 for times in sides.values())


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """The command with rows that are found beforehand, and a page in a folder of its own."""
    for row in command.ROWS:
        found = [finding for finding in FOUND if finding.row == row]
        monkeypatch.setitem(command.ROWS, row, lambda task, found=found: found)
    monkeypatch.setattr(command, "PAGE", tmp_path / "performance.md")
    return tmp_path / "performance.md"


def run(*arguments):
    with pytest.raises(SystemExit) as left:
        command.main([*arguments, "--peers"])
    return left.value.code


def test_a_broken_promise_is_the_exit_code(quick, capsys):
    assert run("chain") == 1
    assert run("memory") == 0
    assert "65.9" in capsys.readouterr().out
    assert not quick.exists()


def test_the_page(quick):
    run("--write")
    text = quick.read_text(encoding="utf-8")
    assert all(part.strip() in text for part in TABLES.split("\n\n"))
    assert "\n\n\n" not in text
    assert re.search(r"\d+ cores.*Python \d.*NumPy 2.*minitape", text.replace("\n", " "))
    assert not re.search(r"(?<!\w)/\w+/|\\", text), "a path of this machine"


def test_write_needs_all_rows_and_a_row_must_be_known(quick, capsys):
    assert run("chain", "--write") == 2
    assert "--write needs all rows" in capsys.readouterr().err
    assert run("chains") == 2
    assert "there is no row 'chains'" in capsys.readouterr().err

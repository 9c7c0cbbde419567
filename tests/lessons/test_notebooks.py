"""The lessons as they are committed: complete, executed, small, and the same however often their cells are run."""

import ast
import importlib
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from minitape.lessons import answers, check, known, predict

ROOT = Path(__file__).parents[2]
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LESSONS = {path.stem: nbformat.read(path, as_version=4) for path in PATHS}
BEATS = ["## 1 · Predict", "## 2 · Run", "## 3 · See", "## 4 · Explain", "## 5 · Do"]
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

every_lesson = pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)


@pytest.fixture(autouse=True)
def new_session(monkeypatch):
    for name in ("_predictions", "_verdicts"):
        monkeypatch.setattr(answers, name, {})


def code(lesson):
    return [cell for cell in lesson.cells if cell.cell_type == "code"]


def outputs(lesson):
    return [(cell, output) for cell in code(lesson) for output in cell.outputs]


def calls(lesson):
    """The key of each predict and check in a lesson, with its cell."""
    for cell in code(lesson):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("predict", "check"):
                yield node.func.id, node.args[0].value, cell


def said(cells):
    """What cells printed and showed, without the picture and the number of the run."""
    return [
        [(output.get("name"), output.get("text"), output.get("data", {}).get("text/plain")) for output in cell.outputs]
        for cell in cells
    ]


def test_there_is_a_lesson_for_every_file_of_exercises():
    assert {exercise.key.partition(".")[0] for exercise in known()} == {name[3:] for name in LESSONS}


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_asks_every_exercise_of_its_file(name):
    asked = {key for _, key, _ in calls(LESSONS[name])}
    assert asked == {exercise.key for exercise in known() if exercise.key.startswith(f"{name[3:]}.")}


@every_lesson
def test_the_five_beats_come_in_their_order(lesson):
    heads = [line for cell in lesson.cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    assert [line for line in heads if line.startswith("## ") and line[3].isdigit()] == BEATS
    assert any(line.startswith("## Errata") for line in heads)


@every_lesson
def test_the_prediction_is_asked_before_the_program_runs_and_checked_after(lesson):
    order = [cell.id for cell in code(lesson)]
    asked = {cell.id: key for kind, key, cell in calls(lesson) if kind == "predict"}
    runs = next(cell.id for cell in code(lesson) if "tf.observe()" in cell.source)
    checks = {key: cell.id for kind, key, cell in calls(lesson) if kind == "check"}
    assert len(asked) == 1
    for cell, key in asked.items():
        assert order.index(cell) < order.index(runs) < order.index(checks[key])


@every_lesson
def test_the_player_shows_the_whole_observed_program(lesson):
    run = next(cell for cell in code(lesson) if "tf.observe()" in cell.source)
    player = next(cell for cell in code(lesson) if cell.source.startswith("TapePlayer(seen"))
    shown = player.outputs[0].data["text/plain"]
    block = ast.parse(run.source).body[0]
    program = run.source.splitlines()[block.body[0].lineno - 1 : block.end_lineno]
    assert all(line.strip() in shown for line in program)
    assert player.outputs[0].data["text/html"].startswith("<img alt=")


@every_lesson
def test_the_stub_in_the_notebook_is_not_yet_an_answer(lesson, capsys):
    """Each cell with an exercise is run here as it stands, and says so in the committed output too."""
    found = [(kind, key, cell) for kind, key, cell in calls(lesson)]
    assert found
    for _, key, cell in found:
        exec(cell.source, {"check": check, "predict": predict})
        printed = capsys.readouterr().out
        assert printed.startswith(f"○ {key}: not yet\n  next: ")
        assert [output.text for output in cell.outputs] == [printed]


@every_lesson
def test_the_report_at_the_end_lists_the_lesson(lesson):
    last = code(lesson)[-1]
    assert last.source == "report()"
    assert "0 of 3 correct" in last.outputs[0].text


@every_lesson
def test_executed_in_order_without_errors_or_warnings(lesson):
    cells = code(lesson)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert [cell.id for cell, output in outputs(lesson) if output.output_type == "error"] == []
    assert [cell.id for cell, output in outputs(lesson) if output.get("name") == "stderr"] == []
    speaks = re.compile(r"^ *(print|check|predict|report|_ = plot_memory|TapePlayer)\(", re.MULTILINE)
    assert [cell.id for cell in cells if speaks.search(cell.source) and not cell.outputs] == []


@every_lesson
def test_nothing_is_stored_that_differs_from_run_to_run(lesson):
    assert set(lesson.metadata) == {"kernelspec", "language_info"}
    assert lesson.metadata.language_info == {"name": "python"}
    assert lesson.metadata.kernelspec.name == "python3"
    assert [cell.id for cell in lesson.cells if cell.metadata] == []  # no tags either: no output is ignored
    assert [cell.id for cell, output in outputs(lesson) if WIDGET_VIEW in output.get("data", {})] == []
    assert [cell.id for cell in lesson.cells if "NBVAL" in cell.source] == []
    text = nbformat.writes(lesson)
    assert str(ROOT) not in text
    assert "ipykernel_" not in text


@every_lesson
def test_cells_and_outputs_are_small(lesson):
    for cell in code(lesson):
        assert len(cell.source.splitlines()) <= 20, cell.id
        assert max(map(len, cell.source.splitlines())) <= 120, cell.id
        assert not cell.source.rstrip().endswith(";"), cell.id
    for cell, output in outputs(lesson):
        text = output.get("text", output.get("data", {}).get("text/plain", ""))
        assert len(text.splitlines()) <= 80, cell.id
        assert len(nbformat.v4.writes_json(nbformat.v4.new_notebook(cells=[cell]))) < 150_000, cell.id


def test_cells_have_names_of_their_own():
    for lesson in LESSONS.values():
        names = [cell.id for cell in lesson.cells]
        assert len(set(names)) == len(names)
        assert all(name.replace("-", "").isalpha() for name in names)


def run_in_one_kernel(lesson, order):
    """Run cells in an order, in one new kernel; a copy of each, with what it gave."""
    copies = [nbformat.from_dict(dict(cell, id=f"run-{number}")) for number, cell in enumerate(order)]
    notebook = nbformat.v4.new_notebook(cells=copies, metadata=lesson.metadata)
    resources = {"metadata": {"path": str(ROOT / "notebooks")}}
    client = NotebookClient(notebook, timeout=120, coalesce_streams=True, store_widget_state=False, resources=resources)
    client.execute()
    return notebook.cells


@every_lesson
def test_a_cell_run_twice_gives_the_same_and_so_do_all(lesson):
    cells = code(lesson)
    twice_each = [cell for cell in cells for _ in range(2)]
    ran = run_in_one_kernel(lesson, [*twice_each, *cells])
    assert said(ran) == [*said(twice_each), *said(cells)]


def test_executing_again_changes_nothing(tmp_path, monkeypatch):
    """What tools/execute_notebooks.py writes is what is committed."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    copy = tmp_path / PATHS[0].name
    copy.write_bytes(PATHS[0].read_bytes())
    importlib.import_module("execute_notebooks").main([str(copy)])
    assert copy.read_text(encoding="utf-8") == PATHS[0].read_text(encoding="utf-8")

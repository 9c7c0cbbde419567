"""The notebooks are tests: their stored outputs are really compared, and only what may differ is not."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

ROOT = Path(__file__).parents[2]

CELLS = [  # code, output stored in the notebook, what the run must say
    ("print(2.0 * 3.0)", "6.0", "passed"),
    ("print(2.0 * 3.0)", "6.000001", "failed"),
    ("print(object())", "<object object at 0x7f0000000000>", "passed"),
    ("print('a word')", "another word", "failed"),
    ("print('said')", None, "failed"),
]


def test_stored_outputs_are_compared_but_for_addresses(pytester, monkeypatch):
    cells = [
        new_code_cell(
            code, execution_count=1, outputs=[new_output("stream", name="stdout", text=f"{stored}\n")] if stored else []
        )
        for code, stored, _ in CELLS
    ]
    lesson = pytester.path / "lesson.ipynb"
    nbformat.write(new_notebook(cells=cells), lesson)
    monkeypatch.chdir(ROOT)  # where pyproject.toml finds what may differ
    ended = pytester.inline_run("-c", ROOT / "pyproject.toml", "--rootdir", pytester.path, lesson)
    said = {
        report.nodeid: report.outcome
        for report in ended.getreports("pytest_runtest_logreport")
        if report.when == "call"
    }
    assert list(said.values()) == [outcome for _, _, outcome in CELLS]

"""docs/teaching.md says only what is so: its examples are run, and its words about the repository hold."""

import doctest
from pathlib import Path

import pytest

from minitape.lessons import answers, probes

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "teaching.md"


@pytest.fixture(autouse=True)
def new_session(monkeypatch):
    for name in ("_predictions", "_verdicts"):
        monkeypatch.setattr(answers, name, {})
    monkeypatch.setattr(answers, "_exercises", dict(answers._exercises))


def test_every_example_on_the_page_gives_what_it_shows():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert tried >= 20


def test_every_block_of_code_is_one_of_those_examples():
    blocks = PAGE.read_text(encoding="utf-8").split("```python\n")[1:]
    assert blocks
    assert all(block.startswith(">>> ") for block in blocks)


def test_the_files_and_probes_it_names_are_there():
    page = PAGE.read_text(encoding="utf-8")
    for path in ("minitape/lessons", "tools/execute_notebooks.py"):
        assert path in page
        assert (ROOT / path).exists()
    for probe in ("gradient", "slope", "counted", "peak"):
        assert f"`{probe}`" in page
        assert callable(getattr(probes, probe))

"""Tests that need Chromium, Node.js or much time: never silently lost."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FOUR_TESTS = """
import pytest

def test_plain():
    pass

def test_page(chromium):
    assert chromium.is_file()

def test_script(node):
    assert node.is_file()

@pytest.mark.slow
def test_long():
    pass
"""
NOTHING_FOUND = "\nfind_chromium = find_node = lambda: None\n"


FOUND = "\nfind_chromium = find_node = lambda: Path(__file__)\n"


@pytest.fixture
def run_there(pytester, monkeypatch):
    """Run the small suite under a copy of our conftest, on a machine with or without Chromium and Node.js."""

    def run(conftest_end: str, *arguments: str, require_all: str = "") -> pytest.RunResult:
        monkeypatch.setenv("MINITAPE_REQUIRE_ALL", require_all)
        pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8") + conftest_end)
        pytester.makepyfile(test_four=FOUR_TESTS)
        return pytester.runpytest_inprocess("-c", ROOT / "pyproject.toml", "--rootdir", pytester.path, *arguments)

    return run


def last_lines(result: pytest.RunResult, count: int) -> list[str]:
    return [line.strip("= ") for line in result.outlines[-count:]]


def test_where_parts_are_missing_the_run_passes_and_says_what_did_not_run(run_there):
    ended = run_there(NOTHING_FOUND, "test_four.py")
    assert ended.ret == pytest.ExitCode.OK
    chromium, where, add_chromium, node, _, add_node, slow, _, add_slow, _, closing = last_lines(ended, 11)
    assert chromium == "1 test did not run: Chromium is missing"
    assert where == "in test_four.py"
    assert add_chromium.startswith("to run them: ")
    assert add_chromium.endswith("-m playwright install --with-deps chromium")
    assert node == "1 test did not run: Node.js 18 or newer is missing"
    assert "install" in add_node
    assert slow == "1 test did not run: minutes of work, with the network"
    assert add_slow == "to run them: python run.py test -m slow"
    assert closing.startswith("1 passed, 3 deselected in")


def test_where_all_is_required_a_missing_part_is_an_error(run_there):
    ended = run_there(NOTHING_FOUND, "test_four.py", require_all="1")
    assert ended.ret == pytest.ExitCode.USAGE_ERROR
    ended.stderr.fnmatch_lines(["*1 test did not run: Chromium is missing. To add it: *playwright install*"])


def test_where_all_is_required_and_there_everything_runs(run_there):
    ended = run_there(FOUND, "test_four.py", require_all="1")
    assert last_lines(ended, 1)[0].startswith("4 passed in")
    ended.stdout.no_fnmatch_line("*did not run*")


def test_a_part_asked_for_by_its_mark_fails_where_it_is_missing(run_there):
    ended = run_there(NOTHING_FOUND, "test_four.py", "-m", "node")
    assert ended.ret == pytest.ExitCode.TESTS_FAILED
    ended.stdout.fnmatch_lines(["*No Node.js 18 or newer here. To add it: *"])


def test_slow_tests_run_when_asked_for_by_their_mark(run_there):
    ended = run_there(NOTHING_FOUND, "test_four.py", "-m", "slow")
    assert last_lines(ended, 1)[0].startswith("1 passed, 3 deselected in")

"""Tests that need Chromium, Node.js, npm packages or much time: never silently lost."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FIVE_TESTS = """
import pytest

def test_plain():
    pass

def test_page(chromium):
    assert chromium.is_file()

def test_script(node):
    assert node.is_file()

def test_types(npm_packages):
    assert npm_packages.is_file()

@pytest.mark.slow
def test_long():
    pass
"""
NOTHING_FOUND = "\nfind_chromium = find_node = find_npm_packages = lambda: None\n"


FOUND = "\nfind_chromium = find_node = find_npm_packages = lambda: Path(__file__)\n"


@pytest.fixture
def run_there(pytester, monkeypatch):
    """Run the small suite under a copy of our conftest, on a machine with or without Chromium and Node.js."""

    def run(conftest_end: str, *arguments: str, require_all: str = "") -> pytest.RunResult:
        monkeypatch.setenv("MINITAPE_REQUIRE_ALL", require_all)
        pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8") + conftest_end)
        pytester.makepyfile(test_five=FIVE_TESTS)
        return pytester.runpytest_inprocess("-c", ROOT / "pyproject.toml", "--rootdir", pytester.path, *arguments)

    return run


def last_lines(result: pytest.RunResult, count: int) -> list[str]:
    return [line.strip("= ") for line in result.outlines[-count:]]


def test_where_parts_are_missing_the_run_passes_and_says_what_did_not_run(run_there):
    ended = run_there(NOTHING_FOUND, "test_five.py")
    assert ended.ret == pytest.ExitCode.OK
    chromium, where, add_chromium, node, _, add_node, *rest = last_lines(ended, 14)
    npm, _, add_npm, slow, _, add_slow, _, closing = rest
    assert chromium == "1 test did not run: Chromium is missing"
    assert where == "in test_five.py"
    assert add_chromium.startswith("to run them: ")
    assert add_chromium.endswith("-m playwright install --with-deps chromium")
    assert node == "1 test did not run: Node.js 18 or newer is missing"
    assert "install" in add_node
    assert npm == "1 test did not run: jsdom, TypeScript and axe are missing, or old"
    assert add_npm.endswith("npm ci --prefix tests/widgets")
    assert slow == "1 test did not run: minutes of work, with the network"
    assert add_slow == "to run them: python run.py test -m slow"
    assert closing.startswith("1 passed, 4 deselected in")


def test_where_all_is_required_a_missing_part_is_an_error(run_there):
    ended = run_there(NOTHING_FOUND, "test_five.py", require_all="1")
    assert ended.ret == pytest.ExitCode.USAGE_ERROR
    ended.stderr.fnmatch_lines(["*1 test did not run: Chromium is missing. To add it: *playwright install*"])


def test_where_all_is_required_and_there_everything_runs(run_there):
    ended = run_there(FOUND, "test_five.py", require_all="1")
    assert last_lines(ended, 1)[0].startswith("5 passed in")
    ended.stdout.no_fnmatch_line("*did not run*")


def test_a_part_asked_for_by_its_mark_fails_where_it_is_missing(run_there):
    ended = run_there(NOTHING_FOUND, "test_five.py", "-m", "node")
    assert ended.ret == pytest.ExitCode.TESTS_FAILED
    ended.stdout.fnmatch_lines(["*No Node.js 18 or newer here. To add it: *"])


def test_slow_tests_run_when_asked_for_by_their_mark(run_there):
    ended = run_there(NOTHING_FOUND, "test_five.py", "-m", "slow")
    assert last_lines(ended, 1)[0].startswith("1 passed, 4 deselected in")


@pytest.fixture
def lock(pytester) -> Path:
    """A folder that asks for one npm package."""
    asked = {"packages": {"": {"devDependencies": {"axe-core": "4"}}, "node_modules/axe-core": {"version": "4.0.0"}}}
    path = pytester.path / "package-lock.json"
    path.write_text(json.dumps(asked), encoding="utf-8")
    return path


@pytest.mark.parametrize(("installed", "is_there"), [("4.0.0", True), ("3.0.0", False), (None, False)])
def test_npm_packages_count_only_in_the_versions_that_are_asked_for(pytester, lock, installed, is_there):
    if installed:
        (folder := lock.with_name("node_modules")).mkdir()
        there = {"packages": {"node_modules/axe-core": {"version": installed}}}
        (folder / ".package-lock.json").write_text(json.dumps(there), encoding="utf-8")
    source = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    pytester.makeconftest(f"{source}\nPACKAGE_LOCK = Path({str(lock)!r})\n")
    pytester.makepyfile(test_npm="def test_types(npm_packages):\n    assert npm_packages.is_dir()\n")
    ended = pytester.runpytest_inprocess(
        "-c", ROOT / "pyproject.toml", "--rootdir", pytester.path, "-m", "npm", "test_npm.py"
    )
    ended.assert_outcomes(passed=int(is_there), errors=int(not is_there))

"""What every test may ask for: Chromium, Node.js and a few npm packages, which pip does not bring.

A test that takes the fixture `chromium`, `node` or `npm_packages` gets its path, and the mark `browser`, `node` or
`npm`. Where it is missing such tests are left out, and the last lines say how many and what brings them back; so are
the tests marked `slow`. With MINITAPE_REQUIRE_ALL=1, as in CI, everything must run: what is missing is an error.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Random tests draw the same examples on every machine; `--hypothesis-profile=deep` draws many more.
settings.register_profile("default", max_examples=500, derandomize=True, deadline=None, database=None)
settings.register_profile("deep", max_examples=10_000, derandomize=True, deadline=None, database=None)
settings.load_profile("default")

REQUIRE_ALL = os.environ.get("MINITAPE_REQUIRE_ALL", "") not in ("", "0")

CHROMIUM_NAMES = ("chromium", "google-chrome", "google-chrome-stable", "chrome", "chromium-browser", "msedge")
CHROMIUM_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
    r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
)
CHROMIUM_FLAGS = (
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no name is looked up: the machine is offline
)
OLDEST_NODE = 18  # the first whose `node --test` is whole
PACKAGE_LOCK = Path(__file__).parent / "widgets" / "package-lock.json"


@functools.cache
def find_chromium() -> Path | None:
    """The path of a Chromium, Chrome or Edge: on PATH, in its usual place, or Playwright's own."""
    on_path = [shutil.which(name) for name in CHROMIUM_NAMES]
    usual = [os.path.expandvars(place) for place in CHROMIUM_PLACES]
    for candidate in [*filter(None, on_path), *usual]:
        if Path(candidate).is_file():
            return Path(candidate)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    return own if own.is_file() else None


@functools.cache
def find_node() -> Path | None:
    """The path of a Node.js that is new enough."""
    found = shutil.which("node")
    if found is None:
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    major = version.strip().removeprefix("v").partition(".")[0]
    return Path(found) if major.isdigit() and int(major) >= OLDEST_NODE else None


@functools.cache
def find_npm_packages() -> Path | None:
    """The folder of the npm packages, where it holds the very versions that are asked for."""
    folder = PACKAGE_LOCK.with_name("node_modules")
    installed = folder / ".package-lock.json"
    if not installed.is_file():
        return None
    wanted, there = (json.loads(lock.read_text(encoding="utf-8"))["packages"] for lock in (PACKAGE_LOCK, installed))
    return folder if {"": wanted[""], **there} == wanted else None


def command_for_chromium() -> str:
    """The one command that adds a Chromium on this platform."""
    return f"{_shown_python()} -m playwright install --with-deps chromium"


def command_for_node() -> str:
    """The one command that adds Node.js on this platform."""
    return {"win32": "winget install OpenJS.NodeJS.LTS", "darwin": "brew install node"}.get(
        sys.platform, "sudo apt-get install nodejs"
    )


def command_for_npm_packages() -> str:
    """The one command that adds the npm packages; on Debian npm itself may have to come first."""
    first = "sudo apt-get install npm && " if sys.platform == "linux" and shutil.which("npm") is None else ""
    return f"{first}npm ci --prefix tests/widgets"


def command_for_slow() -> str:
    """The command that runs the slow tests."""
    return "python run.py test -m slow"


def _shown_python() -> str:
    """This Python as a person in the project's folder would type it."""
    here = Path.cwd()
    python = Path(sys.executable)
    shown = str(python.relative_to(here)) if python.is_relative_to(here) else str(python)
    return f'"{shown}"' if " " in shown else shown


@dataclass(frozen=True)
class Part:
    """Something that some tests need and that may be missing."""

    mark: str
    fixture: str | None
    missing: str
    is_there: Callable[[], bool]
    command: Callable[[], str]


PARTS = (
    Part("browser", "chromium", "Chromium is missing", lambda: find_chromium() is not None, command_for_chromium),
    Part(
        "node", "node", f"Node.js {OLDEST_NODE} or newer is missing", lambda: find_node() is not None, command_for_node
    ),
    Part(
        "npm",
        "npm_packages",
        "jsdom, TypeScript and axe are missing, or old",
        lambda: find_npm_packages() is not None,
        command_for_npm_packages,
    ),
    Part("slow", None, "minutes of work, with the network", lambda: REQUIRE_ALL, command_for_slow),
)

LEFT_OUT = pytest.StashKey[dict[Part, list[str]]]()


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The path of a Chromium, for Playwright's `executable_path`."""
    found = find_chromium()
    assert found is not None, f"No Chromium here. To add it: {command_for_chromium()}"
    return found


@pytest.fixture(scope="module")  # not longer: while Playwright runs, no other event loop can in this thread
def browser(chromium: Path) -> "Iterator[Browser]":
    """A Chromium without a window and without a network."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def node() -> Path:
    """The path of Node.js."""
    found = find_node()
    assert found is not None, f"No Node.js {OLDEST_NODE} or newer here. To add it: {command_for_node()}"
    return found


@pytest.fixture(scope="session")
def npm_packages() -> Path:
    """The folder of the npm packages: jsdom, TypeScript and axe."""
    found = find_npm_packages()
    assert found is not None, f"The npm packages are not here. To add them: {command_for_npm_packages()}"
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what needs a part, and leave it out where the part is missing."""
    left_out = config.stash.setdefault(LEFT_OUT, {})
    for part in PARTS:
        for item in items:
            if part.fixture in getattr(item, "fixturenames", ()):
                item.add_marker(part.mark)
        needing = [item for item in items if item.get_closest_marker(part.mark)]
        if not needing or config.option.markexpr == part.mark or part.is_there():
            continue
        if REQUIRE_ALL:
            raise pytest.UsageError(f"{_did_not_run(needing)}: {part.missing}. To add it: {part.command()}")
        left_out[part] = [item.nodeid for item in needing]
        config.hook.pytest_deselected(items=needing)
        items[:] = [item for item in items if item not in needing]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say in the last lines which tests did not run, and the one command that adds them."""
    for part, names in config.stash.get(LEFT_OUT, {}).items():
        files = sorted({name.partition("::")[0] for name in names})
        terminalreporter.section(f"{_did_not_run(names)}: {part.missing}")
        terminalreporter.line(f"in {', '.join(files)}")
        terminalreporter.line(f"to run them: {part.command()}")


def _did_not_run(tests: Sequence[object]) -> str:
    return "1 test did not run" if len(tests) == 1 else f"{len(tests)} tests did not run"

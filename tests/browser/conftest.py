"""A real JupyterLab and a real Chromium, for tests that see what a learner sees.

`lab` is one JupyterLab for all tests: on this machine alone, in a throw-away profile, on copies of the lessons.
`window` opens pages in Chromium; when its test ends, every error of the browser's console, every error of a page and
every request that left this machine fails the test. Screenshots are kept in the folder that MINITAPE_SCREENSHOTS names,
else in tests/screenshots.
"""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

import nbformat
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, ElementHandle, Page

from tests.pages import SCREENSHOTS

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "notebooks"
PATIENCE = 120  # seconds that a slow machine may take to start JupyterLab or a kernel
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}

SETTINGS = {  # of JupyterLab: it asks no server for news, and its theme does not follow the machine's
    "notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
    "themes": {"theme": THEMES["light"], "adaptive-theme": False},
}
OPTIONS = [
    "--no-browser",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.allow_root=True",
    "--ServerApp.terminals_enabled=False",
    "--LabApp.expose_app_in_browser=True",  # the page's `jupyterapp`, by which the tests know when a kernel is ready
    "--LabApp.extension_manager=readonly",
    "--LabApp.news_url=None",
]


# --- JupyterLab ---


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab."""

    url: str
    token: str
    folder: Path  # what it shows: lessons/ and demo/

    def page(self, notebook: str) -> str:
        """The address that opens one notebook and little else."""
        return f"{self.url}/doc/tree/{quote(notebook)}?token={self.token}"

    def players(self, notebook: str) -> list[int]:
        """Which cells of a notebook that was run show a player: their output carries its still picture."""
        cells = nbformat.read(self.folder / notebook, as_version=4).cells
        shown = [[output.get("data", {}).get("text/html", "") for output in cell.get("outputs", ())] for cell in cells]
        return [at for at, pages in enumerate(shown) if any("data:image/svg+xml" in "".join(page) for page in pages)]

    def copy(self, notebook: str) -> str:
        """A copy of a notebook with a kernel of its own to come: no test sees what another has run or saved."""
        path = Path("copies", secrets.token_hex(4), Path(notebook).name)
        (self.folder / path).parent.mkdir(parents=True)
        shutil.copy(self.folder / notebook, self.folder / path)
        return path.as_posix()

    def end_kernels(self) -> None:
        """End every kernel."""
        for session in json.loads(self.ask("api/sessions")):
            self.ask(f"api/sessions/{session['id']}", "DELETE")

    def ask(self, path: str, method: str = "GET") -> bytes:
        """Ask its server directly."""
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(f"{self.url}/{path}", method=method, headers=headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=10) as answer:
            return answer.read()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A JupyterLab for all tests, which leaves nothing behind."""
    profile = tmp_path_factory.mktemp("profile")
    folder = tmp_path_factory.mktemp("lab")
    settings = profile / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    for name, values in SETTINGS.items():
        (settings / f"{name}.jupyterlab-settings").write_text(json.dumps(values), encoding="utf-8")
    if LESSONS.is_dir():
        shutil.copytree(LESSONS, folder / "lessons", ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(profile / "config"),
        "JUPYTER_DATA_DIR": str(profile / "data"),
        "JUPYTER_RUNTIME_DIR": str(profile / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(profile / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(profile / "workspaces"),
        "IPYTHONDIR": str(profile / "ipython"),
        "JUPYTER_TOKEN": (token := secrets.token_hex()),
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = Lab(f"http://127.0.0.1:{port}", token, folder)
    command = [sys.executable, "-m", "jupyterlab", *OPTIONS, f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    with (profile / "lab.log").open("w+", encoding="utf-8") as log:
        server = subprocess.Popen(
            [*command, f"--ServerApp.root_dir={folder}"], env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _wait_for(running, server, profile / "lab.log")
            yield running
        finally:
            _stop(running, server)


def _wait_for(running: Lab, server: subprocess.Popen, log: Path) -> None:
    for _ in range(PATIENCE * 5):
        assert server.poll() is None, f"JupyterLab did not start:\n{log.read_text(encoding='utf-8', errors='replace')}"
        try:
            running.ask("api/status")
            return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not answer:\n{log.read_text(encoding='utf-8', errors='replace')}")


def _stop(running: Lab, server: subprocess.Popen) -> None:
    """Ask the server to end, kernels and all; only a deaf one is killed."""
    try:
        if server.poll() is None:
            running.ask("api/shutdown", "POST")
        server.wait(30)
    except (OSError, subprocess.TimeoutExpired):
        server.kill()
        server.wait()


# --- notebooks ---

PROGRAM = """\
import minitape as tf
from minitape_widgets import TapePlayer

with tf.observe() as seen:
    x = tf.constant(3.0)  # <img src="broken"> & <b>"quoted"</b>
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * 2.0
        w = y + z
    grad = tape.gradient(w, x)
print(grad)"""


@pytest.fixture(scope="session")
def demo(lab: Lab) -> str:
    """A small notebook with one player, not run: its path in JupyterLab."""
    cells = [
        nbformat.v4.new_markdown_cell("# A demo"),
        nbformat.v4.new_code_cell(PROGRAM),
        nbformat.v4.new_code_cell("player = TapePlayer(seen)\nplayer"),
        nbformat.v4.new_markdown_cell("The end."),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
    (lab.folder / "demo").mkdir(exist_ok=True)
    nbformat.write(notebook, lab.folder / "demo" / "demo.ipynb")
    return "demo/demo.ipynb"


@pytest.fixture(scope="session")
def demo_run(lab: Lab, demo: str) -> str:
    """The same notebook as a lesson is committed: run, without widget state."""
    command = ["nbconvert", "--to", "notebook", "--execute", "--output", "run.ipynb"]
    options = ["--ExecutePreprocessor.store_widget_state=False", "--ExecutePreprocessor.record_timing=False"]
    done = subprocess.run(
        [sys.executable, "-m", *command, *options, str(lab.folder / demo)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        pytest.fail(f"the demo does not run:\n{done.stderr[-1000:]}", pytrace=False)
    return "demo/run.ipynb"


# --- Chromium ---


@dataclass
class Window:
    """Pages of Chromium on JupyterLab, and everything that went wrong in them."""

    context: BrowserContext
    lab: Lab
    errors: list[str] = field(default_factory=list)
    abroad: list[str] = field(default_factory=list)  # requests that left this machine

    def __post_init__(self) -> None:
        self.context.set_default_timeout(PATIENCE * 1000)
        self.context.on("console", self.hear)
        self.context.on("weberror", lambda error: self.errors.append(str(error.error)))
        self.context.on("request", lambda request: self.note(request.url))
        self.context.on("page", lambda page: page.on("websocket", lambda socket: self.note(socket.url)))

    def hear(self, said: ConsoleMessage) -> None:
        """Note what the console calls an error."""
        if said.type == "error":
            self.errors.append(f"{said.text} ({said.location})")

    def note(self, url: str) -> None:
        """Note where a request goes."""
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob", "file", "about") and parts.hostname != "127.0.0.1":
            self.abroad.append(url)

    def open(self, notebook: str, theme: str = "light") -> "Notebook":
        """Open a copy of a notebook in JupyterLab, and wait for its kernel."""
        page = self.context.new_page()
        page.goto(self.lab.page(self.lab.copy(notebook)))
        opened = Notebook(page, Path(notebook).stem, theme)
        opened.wait_until(lambda: page.evaluate(READY))
        page.evaluate(CHANGE_THEME, THEMES[theme])
        light = "true" if theme == "light" else "false"
        page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg=light)
        return opened


@pytest.fixture
def window(request: pytest.FixtureRequest, browser: Browser, lab: Lab) -> Iterator[Window]:
    """A window of Chromium on JupyterLab; an error in its console, or a request to another machine, fails the test.

    `@pytest.mark.parametrize("window", [{...}], indirect=True)` passes options to Playwright's `new_context`.
    """
    options = {"viewport": {"width": 1360, "height": 900}} | getattr(request, "param", {})
    opened = Window(browser.new_context(**options), lab)
    yield opened
    opened.context.close()
    lab.end_kernels()
    assert opened.errors == []
    assert opened.abroad == []


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    """A page of Chromium without any network."""
    context = browser.new_context(offline=True, viewport={"width": 1360, "height": 900})
    yield context.new_page()
    context.close()


# A page's own promises have no time-out: what might wait for a kernel in vain is asked again and again instead.

READY = """async () => {
  const app = window.jupyterapp;
  const panel = app?.shell.currentWidget;
  const kernel = panel?.sessionContext?.session?.kernel;
  if (!kernel) return false;
  const soon = new Promise((resolve) => setTimeout(resolve, 100));
  const promised = [app.restored, panel.context.ready, panel.revealed, panel.sessionContext.ready, kernel.info];
  const ready = await Promise.race([Promise.all(promised).then(() => true), soon]);
  return ready && kernel.connectionStatus === "connected" && kernel.status === "idle";
}"""  # the status bar may say "idle" long before; only now a command is not lost

CHANGE_THEME = "(theme) => { jupyterapp.commands.execute('apputils:change-theme', { theme }); }"

RUN_ALL = """() => {
  window.ranAll = false;
  jupyterapp.commands.execute("notebook:run-all-cells").finally(() => (window.ranAll = true));
}"""

TROUBLE = """() => jupyterapp.shell.currentWidget.context.model.toJSON().cells
  .filter((cell) => cell.cell_type === "code" && !(cell.metadata.tags ?? []).includes("raises-exception"))
  .flatMap((cell) => {
    if (cell.source.length && cell.execution_count === null) return [`not run: ${cell.source}`];
    const errors = cell.outputs.filter((output) => output.output_type === "error");
    return errors.map((output) => `${output.ename}: ${output.evalue}`);
  })"""

SCROLL_TO = """(at) => {
  const notebook = jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = at;
  notebook.scrollToItem(at, "start");
}"""

CELL = "(at) => jupyterapp.shell.currentWidget.content.widgets[at].node"

END = """() => {
  const { widgets } = jupyterapp.shell.currentWidget.content;
  return Math.ceil(widgets[widgets.length - 1].node.getBoundingClientRect().bottom);
}"""

NEXT_FRAME = "() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))"

PICTURE = "img[src^='data:image/svg+xml'][alt]"

ASK = """(expression) => {
  window.answer = undefined;
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const request = { code: "", store_history: false, user_expressions: { it: expression } };
  kernel.requestExecute(request).done.then((reply) => {
    const { status, data, ename, evalue } = reply.content.user_expressions.it;
    window.answer = status === "ok" ? data["text/plain"] : `${ename}: ${evalue}`;
  });
}"""

KEEP_BUSY = """(code) => {
  jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute({ code, store_history: false });
}"""


@dataclass
class Notebook:
    """A notebook that is open in JupyterLab."""

    page: Page
    name: str
    theme: str

    def run_all(self) -> None:
        """Run all cells; no cell may fail, and none may be left out."""
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function("() => window.ranAll")
        assert self.page.evaluate(TROUBLE) == []

    def cell(self, at: int) -> ElementHandle:
        """A cell's element, scrolled into view."""
        self.page.evaluate(SCROLL_TO, at)
        return self.page.evaluate_handle(CELL, at).as_element()

    def active_cell(self) -> int:
        """The cell that JupyterLab's own keys act on."""
        return self.page.evaluate("() => jupyterapp.shell.currentWidget.content.activeCellIndex")

    def player(self, at: int) -> "PlayerPage":
        """The player in a cell's output."""
        return PlayerPage(self.page, self.cell(at).wait_for_selector("figure.mt"))

    def pictures(self, at: int) -> list[int]:
        """The widths of the pictures in a cell's output that carry their own SVG."""
        cell = self.cell(at)
        cell.wait_for_selector(PICTURE)
        return cell.eval_on_selector_all(PICTURE, "all => all.map((img) => img.naturalWidth)")

    def trusted(self) -> bool:
        """Whether JupyterLab trusts the notebook: a stranger's it does not."""
        cells = "[...jupyterapp.shell.currentWidget.content.model.cells]"
        return self.page.evaluate(f"() => {cells}.every((cell) => cell.trusted)")

    def wait_until(self, true: Callable[[], bool]) -> None:
        """Wait for something to become true."""
        end = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < end, f"waited {PATIENCE} seconds in vain"
            self.page.wait_for_timeout(50)

    def evaluate(self, expression: str) -> str:
        """What the kernel says that an expression is."""
        self.page.evaluate(ASK, expression)
        return self.page.wait_for_function("() => window.answer").json_value()

    def keep_busy(self, seconds: float) -> None:
        """Give the kernel something to do, and do not wait for it."""
        self.page.evaluate(KEEP_BUSY, f"import time; time.sleep({seconds})")

    def screenshot(self, what: str, element: ElementHandle | None = None) -> Path:
        """Keep a screenshot, of one element or of all that is in view."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{self.name}-{what}-{self.theme}.png"
        if element is None:
            self.page.screenshot(path=path)
            return path
        box = self.page.viewport_size
        room = int(element.bounding_box()["height"]) + 240  # JupyterLab's bars take their part
        if room > box["height"]:
            self.page.set_viewport_size({"width": box["width"], "height": room})
            element.scroll_into_view_if_needed()
            self.page.evaluate(NEXT_FRAME)
        element.screenshot(path=path)
        self.page.set_viewport_size(box)
        return path

    def screenshot_all(self) -> Path:
        """Keep a screenshot of the notebook from its head to its end."""
        box = self.page.viewport_size
        self.page.evaluate(SCROLL_TO, 0)
        for height in (8000, None):  # first so much room that all cells are drawn, then as much as they take
            height = height or self.page.evaluate(END) + 48
            self.page.set_viewport_size({"width": box["width"], "height": height})
            self.page.evaluate(NEXT_FRAME)
        path = self.screenshot("whole")
        self.page.set_viewport_size(box)
        return path


@dataclass
class PlayerPage:
    """A player on a page: what it says, and its keys."""

    page: Page
    figure: ElementHandle

    @property
    def slider(self) -> ElementHandle:
        """The track: what the keys go to."""
        return self.figure.query_selector("[role=slider]")

    @property
    def step(self) -> int:
        """The step that is shown."""
        return int(self.slider.get_attribute("aria-valuenow"))

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return int(self.slider.get_attribute("aria-valuemax"))

    @property
    def spoken(self) -> str:
        """What a screen reader says of the step."""
        return self.slider.get_attribute("aria-valuetext")

    @property
    def caption(self) -> str:
        """What is written below the controls."""
        return self.figure.query_selector(".mt-now").text_content()

    def focus(self) -> None:
        """Bring the keyboard to the track."""
        self.slider.focus()

    def has_focus(self) -> bool:
        """Whether the keyboard is at the track."""
        return self.slider.evaluate("track => track === document.activeElement")

    def button(self, name: str) -> ElementHandle:
        """A button, by its accessible name."""
        return self.figure.query_selector(f"button[aria-label={name!r}]")

    def press(self, key: str) -> None:
        """Press a key, where the keyboard is."""
        self.page.keyboard.press(key)

"""run.py: what it says, what it installs and when, what it starts, and how it ends."""

import ast
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
RUN_PY = ROOT / "run.py"
PROJECT = "a project"  # with a space, as in "My Documents"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_py", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Started:
    """Stands where run.py makes .venv and starts programs: notes each, and gives the exit code asked for."""

    def __init__(self, module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.venv = module.VENV
        self.commands: list[list[str]] = []
        self.answers: Callable[[list[str]], int] = lambda command: 0
        monkeypatch.setattr(module, "run", self)
        monkeypatch.setattr(module, "make_venv", self.make_venv)

    def __call__(self, command: list) -> int:
        self.commands.append([str(word) for word in command])
        return self.answers(self.commands[-1])

    def make_venv(self) -> None:
        """A real environment, with a pip that is only a name: enough to be found usable."""
        self.commands.append(["-m", "venv"])
        venv.create(self.venv, clear=True, symlinks=os.name != "nt")
        (next(self.venv.rglob("site-packages")) / "pip.py").write_text("")

    def taken(self) -> list[list[str]]:
        commands, self.commands = self.commands, []
        return commands


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """run.py in a project of its own, with nothing really installed or started."""
    project = tmp_path / PROJECT
    project.mkdir()
    shutil.copy(RUN_PY, project)
    (project / "pyproject.toml").write_text("[project]\nname = 'minitape'\n")
    module = load(project / "run.py")
    Started(module, monkeypatch)
    return module


def kinds(commands: list[list[str]]) -> list[str]:
    """venv, pip, jupyterlab or pytest: the module that each command runs."""
    return [command[command.index("-m") + 1] for command in commands]


# --- what it says -----------------------------------------------------------------------------------------------------


def test_an_old_python_can_read_it_and_is_told_what_to_do():
    ast.parse(RUN_PY.read_text(encoding="utf-8"), feature_version=(3, 7))
    pretend = f"import runpy, sys; sys.version_info = (3, 8, 18); runpy.run_path({str(RUN_PY)!r}, run_name='__main__')"
    told = subprocess.run([sys.executable, "-c", pretend], capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert told.stderr.splitlines() == [
        "Python 3.11 or newer is needed; this is Python 3.8.",
        "Get one at https://www.python.org/downloads/ and start run.py with it.",
    ]


def test_it_needs_the_standard_library_alone():
    nodes = ast.walk(ast.parse(RUN_PY.read_text(encoding="utf-8")))
    imported = [alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    assert "subprocess" in imported
    assert set(imported) <= sys.stdlib_module_names
    assert "from" not in [line.split()[0] for line in RUN_PY.read_text(encoding="utf-8").splitlines() if line.split()]


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_python_without_venv_is_told_how_to_get_it(monkeypatch, missing):
    module = load(RUN_PY)
    monkeypatch.setitem(sys.modules, missing, None)  # as if it were not installed
    with pytest.raises(SystemExit) as told:
        module.make_venv()
    assert "This Python has no venv module" in told.value.code
    assert "sudo apt install python{}.{}-venv".format(*sys.version_info) in told.value.code


def test_an_unknown_command_names_those_it_knows(run, capsys):
    assert run.main(["labs"]) == 2
    assert "lab, test and setup, not 'labs'" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_shows_the_commands(run, capsys, arguments):
    assert run.main(arguments) == 0
    assert "python run.py lab" in capsys.readouterr().out


def test_a_failed_install_says_which_and_how_to_go_on(run):
    run.run.answers = lambda command: int("pip" in command)
    with pytest.raises(SystemExit, match="Run the same command again"):
        run.main(["test"])


# --- what it installs, and when ---------------------------------------------------------------------------------------


def test_the_first_start_makes_and_fills_the_environment_and_the_second_only_starts(run):
    assert run.main(["lab"]) == 0
    first = run.run.taken()
    assert kinds(first) == ["venv", "pip", "jupyterlab"]
    assert first[1][-2:] == ["--editable", ".[lab]"]
    assert run.main(["lab"]) == 0
    assert kinds(run.run.taken()) == ["jupyterlab"]


def test_the_tests_add_their_group_and_serve_the_lab_too(run):
    run.main(["lab"])
    run.run.taken()
    run.main(["test"])
    added = run.run.taken()
    assert kinds(added) == ["pip", "pip", "pytest"]
    assert added[1][-4:] == ["--editable", ".[lab]", "--group", "dev"]
    run.main(["lab"])
    assert kinds(run.run.taken()) == ["jupyterlab"]


def test_a_changed_pyproject_is_installed_into_the_same_environment(run):
    run.main(["lab"])
    run.run.taken()
    with (run.ROOT / "pyproject.toml").open("a") as pyproject:
        pyproject.write("dependencies = ['numpy']\n")
    run.main(["lab"])
    assert kinds(run.run.taken()) == ["pip", "jupyterlab"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_an_environment_left_half_made_is_made_anew(run, stop):
    def interrupted(command: list[str]) -> int:
        if "pip" in command:
            raise stop
        return 0

    run.run.answers = interrupted
    with pytest.raises(stop):
        run.main(["lab"])
    run.run.answers = lambda command: 0
    run.run.taken()
    run.main(["lab"])
    assert kinds(run.run.taken()) == ["venv", "pip", "jupyterlab"]


def test_an_environment_of_another_python_is_made_anew(run, monkeypatch):
    run.main(["lab"])
    run.run.taken()
    monkeypatch.setattr(run.sys, "version_info", (3, 99, 0))
    run.main(["lab"])
    assert kinds(run.run.taken()) == ["venv", "pip", "jupyterlab"]


def test_a_project_moved_elsewhere_gets_a_new_environment(run, tmp_path, monkeypatch):
    run.main(["lab"])
    moved = tmp_path / "moved"
    shutil.move(run.ROOT, moved)
    module = load(moved / "run.py")
    Started(module, monkeypatch)
    module.main(["lab"])
    assert kinds(module.run.taken()) == ["venv", "pip", "jupyterlab"]


def test_an_environment_somebody_made_by_hand_is_filled_not_replaced(run):
    run.make_venv()
    run.run.taken()
    run.main(["lab"])
    assert kinds(run.run.taken()) == ["pip", "jupyterlab"]


# --- what it starts ---------------------------------------------------------------------------------------------------


def test_the_lab_opens_on_the_lessons_and_gets_what_follows(run, monkeypatch):
    monkeypatch.setattr(run.os, "geteuid", lambda: 1000, raising=False)
    run.main(["lab", "--port", "8890", "--no-browser"])
    *_, lab = run.run.taken()
    assert lab[:3] == [str(run.PYTHON), "-m", "jupyterlab"]
    assert lab[3:] == [f"--ServerApp.root_dir={run.ROOT / 'notebooks'}", "--port", "8890", "--no-browser"]


def test_the_lab_starts_as_root_too(run, monkeypatch):
    monkeypatch.setattr(run.os, "geteuid", lambda: 0, raising=False)
    assert "--allow-root" in run.lab_options()
    monkeypatch.delattr(run.os, "geteuid")  # as on Windows
    assert "--allow-root" not in run.lab_options()


def test_pytest_gets_what_follows_and_its_exit_code_comes_back(run):
    run.run.answers = lambda command: 5 if "pytest" in command else 0
    assert run.main(["test", "-k", "tape and not memory"]) == 5
    *_, pytest_command = run.run.taken()
    assert pytest_command == [str(run.PYTHON), "-m", "pytest", "-k", "tape and not memory"]


def test_programs_run_in_the_project_with_the_environment_first_on_path(tmp_path):
    project = tmp_path / PROJECT
    project.mkdir()
    shutil.copy(RUN_PY, project)
    module = load(project / "run.py")
    seen = project / "seen.txt"
    script = (
        f"import os, pathlib; pathlib.Path({str(seen)!r})"
        ".write_text('|'.join([os.getcwd(), os.environ['VIRTUAL_ENV'], os.environ['PATH'].split(os.pathsep)[0]]))"
    )
    assert module.run([sys.executable, "-c", script]) == 0
    assert seen.read_text().split("|") == [str(project.resolve()), str(module.VENV), str(module.BIN)]


# --- how it ends ------------------------------------------------------------------------------------------------------

LONG = """
import signal, sys, time
def stop(*_):
    print("stopped", flush=True)
    sys.exit(7)
signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)
print("ready", flush=True)
time.sleep(60)
"""
PARENT = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import run
sys.exit(run.run([sys.executable, "-c", {LONG!r}]))
"""

if os.name != "nt":

    @pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
    def test_a_stop_sent_to_run_py_reaches_the_program_which_ends_in_its_own_way(sent):
        with subprocess.Popen(
            [sys.executable, "-c", PARENT],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(sent)
            out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (7, "stopped\n", "")

    def test_ctrl_c_in_a_terminal_reaches_the_program_once(tmp_path):
        import pty

        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(sys.executable, [sys.executable, "-c", PARENT])
        with os.fdopen(terminal, "rb+", buffering=0) as screen:
            shown = b""
            while b"ready" not in shown:
                shown += screen.read(100)
            screen.write(b"\x03")
            try:
                while more := screen.read(100):
                    shown += more
            except OSError:  # Linux: the terminal is gone when its program has ended
                pass
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == 7
        assert shown.count(b"stopped") == 1
        assert b"Traceback" not in shown

    def test_a_program_ended_by_a_signal_gives_the_exit_code_a_shell_would(run):
        code = load(RUN_PY).run([sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"])
        assert code == 128 + signal.SIGKILL

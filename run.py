"""Two commands, and nothing before them but Python 3.11 or newer.

    python run.py lab    open JupyterLab on the lessons
    python run.py test   run every test, every notebook included

Each first makes the environment .venv beside this file, or finds it ready. Whatever follows the command goes on to
JupyterLab (--port 8889, --no-browser, ...) or to pytest (-k tape, -x, ...). `python run.py setup` only makes .venv.

Uses the standard library alone, and no syntax newer than Python 3.6, so that an old Python can still read the
sentence that sends it away.
"""

import hashlib
import os
import pathlib
import signal
import subprocess
import sys

OLDEST = (3, 11)

if sys.version_info < OLDEST:
    sys.exit(
        "Python {}.{} or newer is needed; this is Python {}.{}.\n".format(*OLDEST, *sys.version_info[:2])
        + "Get one at https://www.python.org/downloads/ and start run.py with it."
    )

ROOT = pathlib.Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "minitape-setup"  # what was installed; written last, so that a half-made .venv is never taken for ready
UNFINISHED = "unfinished"

LAB = ["--editable", ".[lab]"]
DEV = ["--editable", ".[lab]", "--group", "dev"]


def main(arguments: list) -> int:
    """Run the command named first, and give its exit code."""
    command, *rest = arguments or ["--help"]
    if command == "lab":
        set_up(LAB)
        return run([PYTHON, "-m", "jupyterlab", *lab_options(), *rest])
    if command == "test":
        set_up(DEV)
        return run([PYTHON, "-m", "pytest", *rest])
    if command == "setup":
        set_up(DEV)
        return 0
    if command in ("-h", "--help"):
        print(__doc__)
        return 0
    print(f"run.py knows the commands lab, test and setup, not {command!r}.\nFor example: python run.py lab")
    return 2


def set_up(wanted: list) -> None:
    """Make .venv hold what is wanted; nothing is done where the last set-up still holds."""
    if is_ready(wanted):
        return
    if not is_usable():
        print("Making the environment .venv ...", flush=True)
        make_venv()
    print("Installing what minitape needs into .venv: a few minutes the first time ...", flush=True)
    STAMP.write_text(UNFINISHED, encoding="utf-8")
    if wanted == DEV:
        pip("--upgrade", "pip>=25.1")  # the first that knows --group
    pip(*wanted)
    STAMP.write_text(stamp(wanted), encoding="utf-8")


def home() -> str:
    """Where .venv lies and of which Python it is made: it serves no other place and no other Python."""
    return "{}\nPython {}.{}\n".format(ROOT, *sys.version_info[:2])


def stamp(wanted: list) -> str:
    """What a finished .venv depends on: its home, the packages asked for, and pyproject.toml."""
    pyproject = (ROOT / "pyproject.toml").read_bytes()
    return home() + " ".join(wanted) + "\n" + hashlib.sha256(pyproject).hexdigest() + "\n"


def last_stamp() -> str:
    """What the last set-up left; nothing where .venv is not there, or was made by hand."""
    return STAMP.read_text(encoding="utf-8") if STAMP.is_file() else ""


def is_ready(wanted: list) -> bool:
    """Whether .venv was made for this very pyproject.toml. What serves the tests serves the lab too."""
    return PYTHON.exists() and last_stamp() in (stamp(wanted), stamp(DEV))


def is_usable() -> bool:
    """Whether .venv can be installed into: finished, in its place, of this Python, and with pip."""
    left = last_stamp()
    if not PYTHON.exists() or (left and not left.startswith(home())):
        return False
    ask = "import pip, sys; print('Python {}.{}'.format(*sys.version_info))"
    answer = subprocess.run([str(PYTHON), "-c", ask], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return answer.stdout.decode().strip() == home().splitlines()[-1]


def make_venv() -> None:
    """Make .venv anew, or stop with the command that mends a Python without venv (Debian packs it apart)."""
    try:
        import ensurepip  # noqa: F401  (venv puts pip in with it)
        import venv
    except ImportError:
        sys.exit(
            "This Python has no venv module, which makes the environment for the lessons.\n"
            + "On Debian or Ubuntu: sudo apt install python{}.{}-venv\n".format(*sys.version_info[:2])
            + "Elsewhere: install Python from https://www.python.org/downloads/"
        )
    venv.create(str(VENV), clear=True, symlinks=os.name != "nt", with_pip=True)


def lab_options() -> list:
    """How JupyterLab is started before what the caller adds."""
    options = ["--ServerApp.root_dir={}".format(ROOT / "notebooks")]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")  # usual in a container; the server listens to this machine alone
    return options


def pip(*arguments: str) -> None:
    """Install into .venv; pip says a word only where it fails."""
    step([PYTHON, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *arguments])


def step(command: list) -> None:
    """Run one step of the set-up; where it fails, stop and say what to do."""
    code = run(command)
    if code:
        sys.exit(
            "The set-up stopped: {}\nThe reason stands above. Run the same command again to go on.".format(
                " ".join(map(str, command))
            )
        )


def run(command: list) -> int:
    """Run a program of .venv from the project's folder to its end, and give its exit code."""
    env = dict(os.environ, VIRTUAL_ENV=str(VENV), PATH=str(BIN) + os.pathsep + os.environ.get("PATH", ""))
    env.pop("PYTHONHOME", None)
    child = subprocess.Popen([str(part) for part in command], cwd=str(ROOT), env=env)
    before = signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    try:
        code = wait_for(child)
    finally:
        signal.signal(signal.SIGTERM, before)
    return code if code >= 0 else 128 - code  # ended by a signal: the code a shell would give


def wait_for(child: subprocess.Popen) -> int:
    """Wait until a program has ended, also after Ctrl-C: it may have things to put away, or a question to ask."""
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:
            # A terminal has sent Ctrl-C to the child as well; without a terminal nobody has.
            if os.name != "nt" and not sys.stdin.isatty():
                child.send_signal(signal.SIGINT)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

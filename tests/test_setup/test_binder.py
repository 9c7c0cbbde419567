"""binder/: what repo2docker makes of it, and a lesson in an environment made from it alone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

if sys.platform == "linux":  # the only platform repo2docker supports

    def test_repo2docker_reads_the_three_files():
        told = subprocess.run(
            [sys.executable, "-m", "repo2docker", "--debug", "--no-build", ROOT],
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 0, told.stderr
        dockerfile = [line.strip() for line in (told.stdout + told.stderr).splitlines()]
        [python] = (ROOT / "binder" / "runtime.txt").read_text().split()
        version = python.removeprefix("python-")
        assert any(f"environment.py-{version}" in line.replace("-2d", "-").replace("-2e", ".") for line in dockerfile)
        assert "apt-get install --yes --no-install-recommends graphviz && \\" in dockerfile
        copied = next(at for at, line in enumerate(dockerfile) if line.endswith("src/ ${REPO_DIR}/"))
        installed = dockerfile.index(
            'RUN ${KERNEL_PYTHON_PREFIX}/bin/pip install --no-cache-dir -r "binder/requirements.txt"'
        )
        assert copied < installed, "the repository must be there before `.` is installed"


@pytest.mark.slow
def test_a_lesson_runs_in_an_environment_made_from_binder_alone(tmp_path):
    copy = tmp_path / "repo"
    for folder in ("minitape", "widgets", "notebooks", "binder"):
        shutil.copytree(
            ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
        )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "JUPYTER"))
    }

    def run(*command: str | Path) -> str:
        ended = subprocess.run(
            command, cwd=copy, env=clean, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    run(sys.executable, "-m", "venv", "binder-env")
    python = copy / "binder-env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", "-r", "binder/requirements.txt")
    shutil.rmtree(copy / "minitape")  # installed, not editable: nothing is read from the folder any more
    shutil.rmtree(copy / "widgets")
    lesson = min((copy / "notebooks").glob("*.ipynb"))
    executed = json.loads(run(python, "-m", "nbconvert", "--to", "notebook", "--execute", "--stdout", lesson))
    outputs = [output for cell in executed["cells"] for output in cell.get("outputs", [])]
    assert any("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in outputs)

"""Style, layout and types: part of the one command."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", "--quiet"], ["ruff", "format", "--check", "--quiet"], ["mypy", "--no-error-summary"]],
    ids=["ruff check", "ruff format", "mypy"],
)
def test_nothing_to_mend(command):
    ended = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert ended.returncode == 0, f"{' '.join(command)}\n{ended.stdout}{ended.stderr}"

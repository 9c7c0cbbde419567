"""docs/coverage.md says what is there, and is what tools/coverage.py writes."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "tools" / "coverage.py"


def test_the_page_is_up_to_date():
    # In a process of its own: other tests declare ops, which are then in the registry.
    ended = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr

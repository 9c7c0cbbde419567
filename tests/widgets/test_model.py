"""The player's logic, tested where it runs: in JavaScript."""

import subprocess
from pathlib import Path


def test_the_model_passes_its_own_tests(node):
    done = subprocess.run(
        [node, "--test", Path(__file__).with_name("model.test.mjs")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr

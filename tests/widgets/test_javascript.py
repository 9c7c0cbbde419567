"""The player, tested where it runs: in JavaScript. Its logic needs Node.js alone, its page jsdom, its types tsc."""

import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def run(node, *arguments):
    done = subprocess.run([node, *arguments], capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_model_passes_its_own_tests(node):
    run(node, "--test", HERE / "model.test.mjs")


def test_the_player_passes_its_own_tests(node, npm_packages):
    assert npm_packages == HERE / "node_modules"  # where Node.js looks for what player.test.mjs imports
    run(node, "--test", HERE / "player.test.mjs")


def test_the_types_of_the_player_hold(node, npm_packages):
    run(node, npm_packages / "typescript" / "bin" / "tsc", "--project", HERE / "tsconfig.json")

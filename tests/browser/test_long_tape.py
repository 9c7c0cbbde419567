"""A tape of 5 000 ops as a learner meets it in JupyterLab: it is there, it steps, and it needs no kernel for that."""

import nbformat
import pytest

PROGRAM = """\
import minitape as tf
from minitape_widgets import TapePlayer

x = tf.Variable(0.5)
with tf.observe() as seen:
    with tf.GradientTape() as tape:
        h = x
        for _ in range(2500):
            h = tf.tanh(h * x)
    tape.gradient(h, x)"""
PLAYER = 1


@pytest.fixture(scope="module")
def long_tape(lab):
    """A notebook with one long player: its path in JupyterLab."""
    cells = [nbformat.v4.new_code_cell(code) for code in (PROGRAM, "player = TapePlayer(seen)\nplayer")]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    (lab.folder / "long").mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), lab.folder / "long" / "long.ipynb")
    return "long/long.ipynb"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_long_tape_steps_with_and_without_its_kernel(long_tape, theme, window):
    page = window.open(long_tape, theme)
    page.run_all()
    player = page.player(PLAYER)
    assert player.steps > 10_000
    player.focus()
    player.press("PageUp")
    page.wait_until(lambda: page.evaluate("player.step") == "11")
    assert player.figure.query_selector(".row.is-current .num").text_content() == "10"
    window.lab.end_kernels()
    player.press("End")
    player.press("ArrowLeft")
    assert player.figure.query_selector(".row.is-current .num").text_content() == "1"
    assert player.figure.query_selector('[data-id="place"]').text_content() == "ops 1 to 13 of 5000"
    page.screenshot("player", player.figure)
    window.errors.clear()  # JupyterLab reports the lost kernel itself

"""The five pictures in JupyterLab, in its own colours: no fault that axe finds, no word too pale."""

from pathlib import Path

import nbformat
import pytest

import tests.widgets.five
from tests.pages import faults
from tests.widgets.contrast import pale

NAMES = ("tape", "map", "hook", "memory", "graph")


@pytest.fixture(scope="module")
def five(lab):
    """A notebook with the five, not run: its path in JupyterLab."""
    sources = [Path(tests.widgets.five.__file__).read_text(encoding="utf-8"), *(f"FIVE[{name!r}]" for name in NAMES)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in sources], metadata=kernel)
    (lab.folder / "five").mkdir(exist_ok=True)
    nbformat.write(notebook, lab.folder / "five" / "five.ipynb")
    return "five/five.ipynb"


@pytest.mark.parametrize(
    "window", [{"viewport": {"width": 1360, "height": 1400}, "device_scale_factor": 2}], indirect=True
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everyone_can_read_and_use_them(five, theme, window, npm_packages):
    page = window.open(five, theme)
    page.run_all()
    for cell, name in enumerate(NAMES, 1):
        player = page.player(cell)
        player.focus()
        for where in ("Home", "End"):
            player.press(where)
            assert faults(page.page, npm_packages, player.figure) == []
            assert pale(page.page, player.figure) == []
        page.screenshot(name, player.figure)

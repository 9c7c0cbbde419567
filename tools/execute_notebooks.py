"""Run notebooks from top to bottom and store what they say, the way they are committed.

    python tools/execute_notebooks.py                          every notebook in notebooks/
    python tools/execute_notebooks.py notebooks/01_*.ipynb     only these

Run it with the Python of .venv after an edit of a lesson, or of anything that a lesson shows. The outputs are stored,
and nothing that differs from run to run: no widget state, no times, no version numbers. A cell that raises an error
stops it, and leaves that notebook as it was. Run twice, it changes nothing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def execute(path: Path) -> None:
    """Run one notebook in a fresh kernel, in its own folder, and write it back with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    os.environ["TQDM_DISABLE"] = "1"  # a progress bar says another time on each run
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=120,
        coalesce_streams=True,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    clean(notebook)
    nbformat.validate(notebook)
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8", newline="\n")


def clean(notebook: nbformat.NotebookNode) -> None:
    """Take out what differs from run to run, or names this machine."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            # Without its state a stored widget is an error message; the picture and the text beside it are not.
            output.get("data", {}).pop(WIDGET_VIEW, None)


def main(paths: list[str]) -> None:
    """Execute the notebooks that are named, or all of them."""
    for path in map(Path, paths) if paths else sorted((ROOT / "notebooks").glob("*.ipynb")):
        print(path.name)
        execute(path)


if __name__ == "__main__":
    main(sys.argv[1:])

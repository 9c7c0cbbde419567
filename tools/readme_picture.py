"""Draw the README's picture anew: the player on the README's program, as Chromium shows it.

.venv/bin/python tools/readme_picture.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import minitape as tf
from minitape_widgets import TapePlayer

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))


def program() -> tf.Trace:
    """The README's program, observed."""
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = x + x
            w = y * x
        grad = tape.gradient(w, x)
    return seen


def main() -> None:
    """Write docs/images/tape-player.png."""
    from conftest import find_chromium

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "player.html"
        TapePlayer(program()).save_html(page_file)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1032, "height": 620}, device_scale_factor=2)
        page.goto(page_file.as_uri())
        page.get_by_role("slider").press("End")
        page.get_by_role("slider").press("ArrowLeft")
        page.evaluate("document.activeElement.blur()")
        page.locator("figure, .mt").first.screenshot(path=ROOT / "docs" / "images" / "tape-player.png")
        browser.close()


if __name__ == "__main__":
    main()

"""Draw the pictures of the README and of docs/widgets.md anew: players on small programs, as Chromium shows them.

.venv/bin/python tools/readme_picture.py
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

import minitape as tf
from minitape_widgets import HookLab, MemoryTimeline, RecordingMap, TapePlayer

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))


def skipped() -> tf.Trace:
    """Two ops recorded, one skipped."""
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


def clipped() -> tf.Trace:
    """A rule that clips the gradient."""
    with tf.observe() as seen:

        @tf.custom_gradient
        def clip_grad(x):
            def grad(dy):
                return tf.clip_by_value(dy, -1.0, 1.0)

            return x, grad

        t = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(t)
            loss = tf.reduce_sum(clip_grad(t) * 5.0)
        grad = tape.gradient(loss, t)
    return seen


def four_times() -> tf.Trace:
    """A value that is used four times."""
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            loss = y * x - 4.0 * x
        grad = tape.gradient(loss, x)
    return seen


def sixth() -> Any:
    """The picture that docs/widgets.md shows how to make, made by the code that stands there."""
    shown: dict[str, Any] = {}
    page = (ROOT / "docs" / "widgets.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    exec(next(block for block in blocks if "class Accumulator(Player):" in block), shown)
    return shown["Accumulator"](four_times())


#: The picture's name, the player, and how many steps before the end it stands.
PICTURES: tuple[tuple[str, Callable[[], Any], int], ...] = (
    ("tape-player", lambda: TapePlayer(skipped()), 1),
    ("recording-map", lambda: RecordingMap(skipped()), 0),
    ("hook-lab", lambda: HookLab(clipped()), 0),
    ("memory-timeline", lambda: MemoryTimeline.chain(16, 4), 18),
    ("accumulator", sixth, 0),
)


def draw(page: Page, name: str, player: Any, before: int, folder: Path) -> None:
    """Write docs/images/NAME.png."""
    file = folder / f"{name}.html"
    player.save_html(file)
    page.goto(file.as_uri())
    track = page.locator(".mt-scrub, [role=slider]").first
    track.press("End")
    for _ in range(before):
        track.press("ArrowLeft")
    page.evaluate("document.activeElement.blur()")
    page.locator("figure, .mt").first.screenshot(path=ROOT / "docs" / "images" / f"{name}.png")


def main() -> None:
    """Write all of them."""
    from conftest import find_chromium

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1032, "height": 700}, device_scale_factor=1.5)
        for name, make, before in PICTURES:
            draw(page, name, make(), before, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()

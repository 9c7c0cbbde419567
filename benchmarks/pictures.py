"""`python -m benchmarks.pictures`: long tapes as a learner meets them, in JupyterLab and Chromium.

A cell makes a TapePlayer and shows it. By the clock: the wait from the key to the first paint, the part of that
after the cell's end, how long a step keeps the page busy, and how many frames come in a second when each has a step.
In CPU time, which a busy machine changes less: making the picture in the kernel, showing it in the page, a step there.
It needs Playwright, Chromium and JupyterLab, as the tests do.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from .contest import spaced
from .jupyter import running
from .machine import machine

SIZES = (100, 5_000, 20_000)
STEPS = 300
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
NAMES = ("chromium", "google-chrome", "google-chrome-stable", "chrome", "chromium-browser", "msedge")

PROGRAM = """\
import json, time
import minitape as tf
from minitape_widgets import TapePlayer

x = tf.Variable(0.5)
with tf.observe() as seen:
    h = x
    with tf.GradientTape() as tape:
        for _ in range({rounds}):
            h = h * x
            h = tf.tanh(h)
    grad = tape.gradient(h, x)"""
SHOW = """\
begin = time.process_time()
player = TapePlayer(seen)
spent = time.process_time() - begin
player"""
TOLD = """\
sent = len(json.dumps(player.picture, ensure_ascii=False).encode())
print(json.dumps({"python": spent, "bytes": sent}))"""

READY = """async () => {
  const panel = window.jupyterapp?.shell.currentWidget;
  const kernel = panel?.sessionContext?.session?.kernel;
  if (!kernel) return false;
  const promised = [jupyterapp.restored, panel.context.ready, panel.revealed, panel.sessionContext.ready, kernel.info];
  const soon = new Promise((resolve) => setTimeout(resolve, 100));
  if (await Promise.race([Promise.all(promised).then(() => false), soon.then(() => true)])) return false;
  return kernel.connectionStatus === "connected" && kernel.status === "idle";
}"""  # the status bar may say "idle" long before; only now a command is not lost

RUN = """async (at) => {
  const { content } = jupyterapp.shell.currentWidget;
  content.activeCellIndex = at;
  const shown = (done) => {
    if (!content.widgets[at].node.querySelector(".mt-pic")) requestAnimationFrame(() => shown(done));
    else requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))); // it is on the screen now
  };
  const begin = performance.now();
  const painted = at === 1 ? new Promise(shown) : 0;
  await jupyterapp.commands.execute("notebook:run-cell");
  const end = performance.now();
  const { outputs } = content.widgets[at].model.sharedModel.toJSON();
  return { total: (await painted) - begin, after: (await painted) - end, output: outputs[0]?.text ?? "" };
}"""

STEP = """async ([key, steps]) => {
  const track = document.querySelector(".mt-track");
  const picture = document.querySelector(".mt-pic");
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  track.scrollIntoView({ block: "start" });
  track.focus();
  await frame();
  const begin = performance.now();
  const busy = [];
  for (let step = 0; step < steps; step++) {
    const press = performance.now();
    track.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    picture.getBoundingClientRect(); // the page's layout is part of the step
    busy.push(performance.now() - press);
    await frame();
  }
  return { busy, frames: steps / ((performance.now() - begin) / 1000) };
}"""


def measured(browser: Browser, url: str) -> dict[str, Any]:
    """One notebook: the first paint, then steps forward from the beginning and back from the end."""
    page = browser.new_context(viewport={"width": 1360, "height": 900}).new_page()
    page.set_default_timeout(120_000)
    page.goto(url)
    while not page.evaluate(READY):
        page.wait_for_timeout(100)
    page.evaluate(RUN, 0)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        """The CPU time that the page's thread has taken, in seconds."""
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")

    before = spent()
    shown = page.evaluate(RUN, 1)
    showing = spent() - before
    told = json.loads(page.evaluate(RUN, 2)["output"])
    track = page.locator(".mt-track")
    ways, stepping = [], 0.0
    for start, key in (("Home", "ArrowRight"), ("End", "ArrowLeft"), ("Home", "PageUp")):
        track.press(start)
        before = spent()
        ways.append(page.evaluate(STEP, [key, STEPS]))
        stepping += spent() - before
    nodes = page.evaluate("document.querySelectorAll('.mt *').length")
    page.context.close()
    busy = sorted(time for way in ways for time in way["busy"])
    return {
        **told,
        "total": shown["total"],
        "after": shown["after"],
        "showing": showing,
        "step": stepping / len(busy) * 1000,
        "slow": busy[int(len(busy) * 0.95)],
        "frames": min(way["frames"] for way in ways),
        "nodes": nodes,
    }


def rows(sizes: tuple[int, ...]) -> Iterator[list[str]]:
    """The table's rows, one for each size of a tape."""
    notebooks = {f"ops-{ops}": [PROGRAM.format(rounds=ops // 2), SHOW, TOLD] for ops in sizes}
    own = next(filter(None, map(shutil.which, NAMES)), None)
    with running(notebooks) as urls, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=own, args=FLAGS)
        for ops, url in zip(sizes, urls.values(), strict=True):
            found = measured(browser, url)
            yield [
                spaced(ops),
                f"{found['total'] / 1000:.2f} s",
                f"{found['after'] / 1000:.2f} s",
                f"{found['python']:.2f} s",
                f"{found['showing']:.2f} s",
                f"{found['step']:.1f} ms",
                f"{found['slow']:.1f} ms",
                f"{found['frames']:.0f}",
                f"{found['bytes'] / ops:.0f}",
                str(found["nodes"]),
            ]
        browser.close()


HEAD = [
    "ops", "key to first paint", "cell's end to paint", "CPU: kernel", "CPU: page", "CPU: a step", "a step, p95",
    "frames a second", "bytes an op", "nodes in the page",
]  # fmt: skip


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.pictures", description=__doc__)
    options.add_argument(
        "sizes", nargs="*", type=int, default=list(SIZES), help="ops of the tapes (default: %(default)s)"
    )
    sizes = tuple(options.parse_args().sizes)
    print(f"{datetime.date.today():%d %B %Y}, {machine()}, load {os.getloadavg()[0]:.1f}\n")
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for row in rows(sizes):
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()

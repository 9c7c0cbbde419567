"""Traces for the players: one written by hand, with known ids and numbers, and others recorded; and pages of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import minitape as tf
from minitape.trace import (
    Answered,
    Asked,
    Entered,
    Gift,
    Left,
    Made,
    Paused,
    Ran,
    Resumed,
    Skip,
    Trace,
    Value,
    Walked,
    Watched,
)
from minitape_widgets.player.player import Player

LINES = (
    "x = tf.constant(3.0)",
    "with tf.GradientTape() as tape:",
    "    tape.watch(x)",
    "    y = x * x",
    "    with tape.stop_recording():",
    "        z = x + x",
    "    w = y * x",
    "grad = tape.gradient(w, x)",
)


def write(
    x: str = "x", y: str = "y", w: str = "w", text: str = "", lines: tuple[str, ...] = LINES, first: int = 1
) -> Trace:
    """The program of LINES as a trace; names, texts, lines and the first id may be others."""

    def value(id: int, name: str, number: float) -> Value:
        return Value(first + id, name, text or f"{number:.1f}", (), "float32", 4, (number,), number, number)

    def gradient(name: str, number: float) -> Value:
        return value(90, f"d{w}/d{name}", number)

    vx, vy, vz, vw = value(0, x, 3.0), value(1, y, 9.0), value(2, "z", 6.0), value(3, w, 27.0)
    skip = Skip(1, "stop_recording", "line 5 stopped the recording", 5)
    by_x = Gift(vy, f"g * {x}", "1.0 * 3.0", gradient(y, 3.0), gradient(y, 3.0))
    by_y = Gift(vx, f"g * {y}", "1.0 * 9.0", gradient(x, 9.0), gradient(x, 9.0))
    once = Gift(vx, f"g * {x}", "3.0 * 3.0", gradient(x, 9.0), gradient(x, 18.0))
    twice = Gift(vx, f"g * {x}", "3.0 * 3.0", gradient(x, 9.0), gradient(x, 27.0))
    return Trace(
        lines,
        (
            Made(1, 0, vx, "constant"),
            Entered(2, 0, 1, "tape"),
            Watched(3, 0, 1, vx, True),
            Ran(4, 4, "multiply", f"{x} * {x}", (vx, vx), (vy,), ((1, 1),), (), (vx,)),
            Paused(5, 4, 1),
            Ran(6, 4, "add", f"{x} + {x}", (vx, vx), (vz,), (), (skip,), ()),
            Resumed(5, 4, 1),
            Ran(7, 8, "multiply", f"{y} * {x}", (vy, vx), (vw,), ((1, 2),), (), (vy, vx)),
            Left(2, 8, 1),
            Asked(8, 8, 1, (vw,), (vx,), (gradient(w, 1.0),)),
            Walked(8, 4, 1, 2, "multiply", f"{y} * {x}", (vw,), (gradient(w, 1.0),), (by_x, by_y), (vy,)),
            Walked(8, 0, 1, 1, "multiply", f"{x} * {x}", (vy,), (gradient(y, 3.0),), (once, twice), (vx,)),
            Answered(8, 0, 1, (vx,), (gradient(x, 27.0),)),
        ),
    )


@pytest.fixture
def written() -> Callable[..., Trace]:
    """The trace written by hand."""
    return write


@pytest.fixture
def recorded() -> Trace:
    """The same program, recorded."""
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = x + x
            w = y * x
        grad = tape.gradient(w, x)
    assert (float(z), float(grad)) == (6.0, 27.0)
    return seen


@pytest.fixture
def clipped() -> Trace:
    """A custom gradient, on vectors, its rule inside the observed block."""
    with tf.observe() as seen:

        @tf.custom_gradient
        def clip_grad(x):
            def grad(dy):
                return tf.clip_by_value(dy, -1.0, 1.0)

            return x, grad

        t = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(t)
            res = tf.reduce_sum(clip_grad(t) * 5.0)
        tape.gradient(res, t)
    return seen


@pytest.fixture
def recomputed() -> Trace:
    """A block that runs four times, and four times again on the way back."""
    y = tf.Variable(2.0)

    def my_function(x):
        z = x * y
        return z

    block = tf.recompute_grad(my_function)
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            r = tf.constant(1.0)
            for _ in range(4):
                r = block(r)
        tape.gradient(r, [y])
    return seen


@pytest.fixture
def asked_twice() -> Trace:
    """A persistent tape, asked for two gradients; the second is None."""
    with tf.observe() as seen:
        x = tf.constant(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            with tape.stop_recording():
                inner = x * x
            outer = x * x
        tape.gradient(outer, x)
        tape.gradient(inner, x)
    return seen


@pytest.fixture
def looped() -> Callable[[int], Trace]:
    """A loop of `times` rounds with two ops each."""

    def record(times: int) -> Trace:
        with tf.observe() as seen:
            x = tf.Variable(0.5)
            h = x
            with tf.GradientTape() as tape:
                for _ in range(times):
                    h = h * x
                    h = tf.tanh(h)
            tape.gradient(h, x)
        return seen

    return record


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens the saved page of a player; at the end, with a look at what the page asked for and complained about."""
    contexts, requests, complaints = [], [], []

    def open_(player: Player, **options: object) -> Page:
        path = tmp_path / f"page-{len(contexts)}.html"
        player.save_html(path)
        context = browser.new_context(**{"viewport": {"width": 1000, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert all(url.startswith(("file:", "data:")) for url in requests)
    assert complaints == []

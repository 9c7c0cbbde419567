"""The picture that docs/widgets.md shows how to make: built from that very page, and held to what holds for all."""

import importlib.util
import re
from pathlib import Path

import pytest

import minitape as tf
from minitape.trace import Trace
from tests.pages import SCREENSHOTS, faults

from .collisions import collisions
from .contrast import pale

PAGE = Path(__file__).parents[2] / "docs" / "widgets.md"


@pytest.fixture(scope="module")
def shown() -> str:
    """The code of the page."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (block,) = (block for block in blocks if "class Accumulator(Player):" in block)
    return block


@pytest.fixture(scope="module")
def build(shown, tmp_path_factory):
    """The class that the code makes."""
    path = tmp_path_factory.mktemp("widgets") / "accumulator.py"
    path.write_text(shown, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("accumulator", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Accumulator


@pytest.fixture(scope="module")
def summed():
    """Four contributions to one gradient, one of them negative."""
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            loss = y * x - 4.0 * x
        tape.gradient(loss, x)
    return seen


def test_it_has_fewer_than_100_lines(shown):
    assert len(shown.splitlines()) < 100


def test_its_steps_say_what_came_and_what_the_sum_is(build, summed):
    player = build(summed)
    said = []
    for step in range(1, player.steps + 1):
        player.step = step
        said.append(player.caption)
    assert said == [
        "nothing has come back yet: the gradient of x starts at 0",
        "4.0 * x sends g * 4.0 = -4.0, and the sum is -4.0",
        "y * x sends g * y = 9.0, and the sum is 5.0",
        "x * x sends g * x = 9.0, and the sum is 14.0",
        "x * x sends g * x = 9.0, and the sum is 23.0",
        "four contributions, and the sum is the gradient: 23.0",
    ]
    assert player.text.splitlines() == said


def test_each_bar_starts_where_the_sum_stood(build, summed):
    svg = build(summed).picture["svg"]
    bars = re.findall(r'<rect class="k-back" x="([\d.]+)" y="\d+" width="([\d.]+)"', svg)
    ends = [(float(x), float(x) + float(width)) for x, width in bars]
    unit = 300 / 27  # pixels: the sums go from -4 to 23
    for (left, right), (low, high) in zip(ends, [(-4, 0), (-4, 5), (5, 14), (14, 23), (0, 23)], strict=True):
        assert left == pytest.approx((low + 4) * unit, abs=0.02)
        assert right == pytest.approx((high + 4) * unit, abs=0.02)


def test_it_is_a_picture_where_nothing_plays(build, summed):
    forms, _ = build(summed)._repr_mimebundle_()
    assert forms["text/html"].startswith('<img alt="How the gradient of x adds up" src="data:image/svg+xml;base64,')
    assert forms["text/plain"] == build(summed).text


def test_what_is_odd_is_drawn(build, written):
    assert build(Trace()).text.endswith("no contributions, and the sum is the gradient: 0.0")
    evil = build(written(x="<img onerror=alert(1)>", text="<b>")).picture["svg"]
    assert "<img" not in evil
    assert "<b>" not in evil
    with tf.observe() as seen:
        x = tf.constant([float("nan"), 2.0])
        none = tf.constant([])
        with tf.GradientTape() as tape:
            tape.watch([x, none])
            y = tf.reduce_sum(x * x) + tf.reduce_sum(none * none)
        tape.gradient(y, [x, none])
    player = build(seen)
    assert "the gradient of x[0]" in player.text
    assert "nan" not in "".join(re.findall(r'"[^"]*"', player.picture["svg"]))


@pytest.mark.parametrize("width", [1000, 560])
def test_it_plays_and_nothing_is_cut_off_or_covered(build, summed, opened, width):
    page = opened(build(summed), viewport={"width": width, "height": 700})
    track, sums = page.locator(".mt-track"), page.locator("[data-id^=bar-]")
    assert sums.evaluate_all("(all) => all.filter((bar) => getComputedStyle(bar).visibility === 'visible').length") == 0
    for _ in range(6):
        assert collisions(page, tall=3) == []
        track.press("ArrowRight")
    assert sums.evaluate_all("(all) => all.filter((bar) => getComputedStyle(bar).visibility === 'visible').length") == 4
    for _ in range(2):
        page.locator(".mt-speed").click()
    track.press(" ")
    page.wait_for_function("document.querySelector('.mt-now').textContent.startsWith('step 3 of 6')")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1000, 560])
def test_everyone_can_read_and_use_it(build, summed, opened, npm_packages, width, theme):
    options = {"viewport": {"width": width, "height": 700}, "color_scheme": theme, "device_scale_factor": 2}
    page = opened(build(summed), **options)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for step in (1, 4, 6):
        page.locator(".mt-track").press("Home")
        for _ in range(step - 1):
            page.locator(".mt-track").press("ArrowRight")
        assert faults(page, npm_packages) == []
        assert pale(page) == []
        page.locator(".mt").screenshot(path=SCREENSHOTS / f"sixth-{width}-{theme}-{step}.png")

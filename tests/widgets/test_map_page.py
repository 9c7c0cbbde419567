"""A saved road map in a real browser: switches by mouse and keys, the focus, nothing cut off or covered."""

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

import minitape as tf
from minitape_widgets import RecordingMap

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking")


@pytest.fixture(scope="module")
def browser(chromium):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens the page of a picture; closes it with a look at what it complained about."""
    contexts, complaints = [], []

    def open_(picture, **options):
        picture.save_html(tmp_path / "map.html")
        context = browser.new_context(**{"viewport": {"width": 1000, "height": 700}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto((tmp_path / "map.html").as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def part(page, id):
    return page.locator(f'[data-id="{id}"]')


def focused(page):
    return page.evaluate("document.activeElement.getAttribute('data-id')")


def test_a_click_flips_a_switch_and_the_gradient(opened, recorded):
    page = opened(RecordingMap(recorded, names={"tf": tf}))
    page.locator(".mt-track").press("End")
    part(page, "switch-4").click()
    assert part(page, "switch-4").get_attribute("aria-checked") == "false"
    assert part(page, "answer-1").inner_html() == "9.0"
    assert page.locator(".mt-now").inner_text().endswith("the gradient went from 27.0 to 9.0")
    part(page, "switch-4").click()
    assert part(page, "answer-1").inner_html() == "27.0"


def test_keys_flip_and_the_switch_keeps_the_focus(opened, recorded):
    page = opened(RecordingMap(recorded, names={"tf": tf}))
    page.evaluate("window.heard = []; document.addEventListener('keydown', (event) => heard.push(event.key))")
    part(page, "switch-7").focus()
    for key, checked in (("Enter", "false"), (" ", "true")):
        page.keyboard.press(key)
        assert part(page, "switch-7").get_attribute("aria-checked") == checked
        assert focused(page) == "switch-7"
    assert page.evaluate("heard") == []


def test_who_is_at_the_end_stays_at_the_end(opened, recorded):
    page = opened(RecordingMap(recorded, names={"tf": tf}))
    track = page.locator(".mt-track")
    track.press("End")
    part(page, "switch-7").click()
    assert track.get_attribute("aria-valuenow") == track.get_attribute("aria-valuemax")
    track.press("Home")
    part(page, "switch-7").click()
    assert track.get_attribute("aria-valuenow") == "1"


def roads_for_reading(recorded):
    with tf.observe() as seen:
        w = tf.Variable(2.0)
        c = tf.constant(5.0)
        v = tf.Variable(4.0)
        n = tf.Variable(3)
        with tf.GradientTape() as tape:
            a = w * c
            b = np.sqrt(v)
            k = tf.cast(n, tf.float32)
            loss = a + b + k
        tape.gradient(loss, [w, c, v, n])
    names = {"tf": tf, "np": np}
    return RecordingMap(recorded, names=names), RecordingMap(seen, names=names)


@pytest.mark.parametrize("width", [1000, 560])
def test_nothing_is_cut_off_or_covered(opened, width, recorded):
    for roads in roads_for_reading(recorded):
        page = opened(roads, viewport={"width": width, "height": 700})
        for _ in range(roads.steps):
            assert page.evaluate(COLLISIONS) == []
            page.locator(".mt-track").press("ArrowRight")
        for switch in page.locator("[role=switch]").evaluate_all("(all) => all.map((one) => one.dataset.id)"):
            part(page, switch).click()
            assert page.evaluate(COLLISIONS) == []


# Which texts that can be seen stick out of the picture or lie over each other.
COLLISIONS = """() => {
  const picture = document.querySelector(".mt-pic").getBoundingClientRect();
  const seen = [], found = [];
  for (const text of document.querySelectorAll(".mt-pic text")) {
    const box = text.getBoundingClientRect();
    if (getComputedStyle(text).visibility !== "visible" || !box.width) continue;
    const out = box.left < picture.left || box.right > picture.right || box.bottom > picture.bottom;
    if (out) found.push(text.textContent);
    for (const [other, words] of seen) {
      const wide = Math.min(box.right, other.right) - Math.max(box.left, other.left);
      const tall = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
      if (wide > 1 && tall > 3) found.push(`${words} | ${text.textContent}`);
    }
    seen.push([box, text.textContent]);
  }
  return found;
}"""

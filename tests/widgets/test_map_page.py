"""A saved road map in a real browser: switches by mouse and keys, the focus, nothing cut off or covered."""

import numpy as np
import pytest

import minitape as tf
from minitape_widgets import RecordingMap

from .collisions import collisions


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
            assert collisions(page, tall=3) == []
            page.locator(".mt-track").press("ArrowRight")
        for switch in page.locator("[role=switch]").evaluate_all("(all) => all.map((one) => one.dataset.id)"):
            part(page, switch).click()
            assert collisions(page, tall=3) == []

"""A saved HookLab in a real browser: the slider by mouse and keys, the rules' buttons, nothing cut off or covered."""

import pytest

import minitape as tf
from minitape_widgets import HookLab

from .collisions import collisions
from .rules import clip_grad, squares, st_round


def clip_lab():
    return HookLab(clip_grad, [1.0, 2.0, 3.0], dy=5.0, vary={"limit": [0.25, 1.0, 2.0, 5.0]}, train=squares)


def part(page, id):
    return page.locator(f'[data-id="{id}"]')


def value(page):
    return part(page, "dial").get_attribute("aria-valuetext")


def test_the_slider_listens_to_keys_and_keeps_the_focus(opened):
    page = opened(clip_lab())
    page.locator(".mt-track").press("End")
    page.evaluate("window.heard = []; document.addEventListener('keydown', (event) => heard.push(event.key))")
    part(page, "dial").focus()
    said = []
    for key in ("ArrowRight", "End", "ArrowLeft", "Home", "ArrowLeft"):
        page.keyboard.press(key)
        said.append(value(page))
    assert said == ["2", "5", "2", "0.25", "0.25"]
    assert page.evaluate("document.activeElement.dataset.id") == "dial"
    assert page.evaluate("heard") == []
    assert page.locator(".mt-now").inner_text().startswith("step 6 of 6 · the rule returned [0.25 0.25 0.25]")


def test_the_slider_is_clicked_and_dragged(opened):
    page = opened(clip_lab())
    stops = part(page, "dial").locator("[data-choice] rect")
    boxes = [stops.nth(at).bounding_box() for at in range(4)]
    middle = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    page.mouse.click(*middle[3])
    assert value(page) == "5"
    page.mouse.move(*middle[3])
    page.mouse.down()
    page.mouse.move(*middle[1])
    assert value(page) == "1"
    page.mouse.move(0, 400)
    assert value(page) == "0.25"
    page.mouse.up()
    page.mouse.move(*middle[3])
    assert value(page) == "0.25"


def test_a_button_leads_to_the_other_rule(opened):
    with tf.observe() as seen:
        t = tf.constant([1.2, 2.6])
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = tf.reduce_sum(st_round(clip_grad(t) * 3.0))
        tape.gradient(y, t)
    page = opened(HookLab(seen))
    page.get_by_role("switch", name="the rule of st_round").click()
    assert page.locator(".mt-pic").get_attribute("aria-label").startswith("HookLab: the rule of st_round")


@pytest.mark.parametrize("width", [1000, 560])
def test_nothing_is_cut_off_or_covered_in_any_step(opened, width, clipped):
    labs = (clip_lab(), HookLab(clipped, names={"tf": tf}), HookLab(st_round, [0.2, -1.6, 2.7], dy=3.0, train=squares))
    for lab in labs:
        page = opened(lab, viewport={"width": width, "height": 900})
        heights = set()
        for _ in range(6):
            assert collisions(page, tall=4) == []
            heights.add(page.evaluate("document.querySelector('.mt').getBoundingClientRect().height"))
            page.locator(".mt-track").press("ArrowRight")
        assert len(heights) == 1

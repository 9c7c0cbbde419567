"""A saved page in a real browser: mouse, keys, playing, themes, motion; no network, no word in the console."""

import pytest

from minitape_widgets import TapePlayer

from .collisions import collisions


@pytest.fixture
def opened(opened, written):
    """Opens the page of a player, of the trace written by hand where no other is given."""
    return lambda trace=None, **options: opened(TapePlayer(trace or written()), **options)


def step(page):
    return int(page.locator(".mt-track").get_attribute("aria-valuenow"))


def classes(page, id):
    return page.locator(f'[data-id="{id}"]').get_attribute("class")


def test_the_buttons_step(opened):
    page = opened()
    assert step(page) == 1
    for _ in range(5):
        page.get_by_role("button", name="step forward").click()
    assert step(page) == 6
    assert "is-current" in classes(page, "skip-1")
    assert page.locator(".mt-now").inner_text().startswith("step 6 of 11 · x + x ran but was not recorded")
    page.get_by_role("button", name="step back").click()
    assert step(page) == 5
    assert "is-future" in classes(page, "skip-1")


def test_the_keys_step_and_go_to_both_ends(opened):
    page = opened()
    track = page.locator(".mt-track")
    track.press("End")
    assert step(page) == 11
    track.press("ArrowRight")
    assert step(page) == 11
    track.press("ArrowLeft")
    track.press("ArrowDown")
    assert step(page) == 9
    track.press("Home")
    assert step(page) == 1
    page.get_by_role("button", name="play").press("ArrowRight")
    assert step(page) == 2


def test_keys_stay_inside_the_controls(opened):
    page = opened()
    page.evaluate("window.heard = []; document.addEventListener('keydown', (event) => heard.push(event.key))")
    page.locator(".mt-track").press("ArrowRight")
    page.locator(".mt-track").press("b")
    assert page.evaluate("heard") == []


def test_the_track_is_clicked_and_dragged(opened):
    page = opened()
    box = page.locator(".mt-track").bounding_box()

    def at(wanted):
        return box["x"] + box["width"] * (wanted - 0.5) / 11, box["y"] + 16

    page.mouse.click(*at(4))
    assert step(page) == 4
    page.mouse.down()
    page.mouse.move(*at(9))
    assert step(page) == 9
    page.mouse.move(5000, 400)
    assert step(page) == 11
    page.mouse.up()
    page.mouse.move(*at(2))
    assert step(page) == 11


def test_the_slider_speaks_its_caption_and_a_playing_one_is_silent(opened):
    page = opened()
    track, caption = page.locator(".mt-track"), page.locator(".mt-caption")
    assert track.get_attribute("role") == "slider"
    assert track.get_attribute("aria-valuetext") == "step 1 of 11: line 1, x = tf.constant(3.0): not an op; x is 3.0"
    assert caption.get_attribute("aria-live") == "polite"
    page.get_by_role("button", name="play").click()
    assert caption.get_attribute("aria-live") == "off"
    page.get_by_role("button", name="pause").click()
    assert caption.get_attribute("aria-live") == "polite"


def test_playing_goes_to_the_end_and_stops_there(opened):
    page = opened()
    page.locator(".mt-track").press("End")
    page.get_by_role("button", name="speed 1").click()
    page.get_by_role("button", name="speed 2").click()
    page.locator(".mt-track").press(" ")
    assert step(page) < 11  # from the end it starts over
    page.wait_for_function("document.querySelector('.mt-track').getAttribute('aria-valuenow') === '11'")
    page.get_by_role("button", name="play", exact=True).wait_for()
    assert "is-done" in classes(page, "result-8")


def test_a_move_ends_the_playing(opened):
    page = opened()
    page.get_by_role("button", name="play").click()
    page.locator(".mt-track").press("End")
    page.get_by_role("button", name="play", exact=True).wait_for()
    assert step(page) == 11


def test_who_asked_for_less_motion_steps_and_is_not_played_to(opened):
    page = opened(reduced_motion="reduce")
    assert not page.locator(".mt-play").is_visible()
    assert not page.locator(".mt-speed").is_visible()
    page.locator(".mt-track").press(" ")
    page.locator(".mt-track").press("ArrowRight")
    assert step(page) == 2
    assert page.locator(".mt-caption").get_attribute("aria-live") == "polite"


def test_the_theme_changes_without_drawing_again(opened):
    page = opened(color_scheme="dark")
    page.locator(".mt-track").press("End")
    background = "getComputedStyle(document.querySelector('.mt')).backgroundColor"
    assert page.evaluate(background) == "rgb(17, 17, 17)"
    page.evaluate("document.querySelector('.mt-pic').dataset.same = 'yes'")
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    assert page.locator(".mt-pic").get_attribute("data-same") == "yes"
    assert step(page) == 11


@pytest.mark.parametrize("width", [1000, 560])
def test_nothing_is_cut_off_or_covered_in_any_step(opened, width, written, clipped, recomputed):
    for trace in (written(), clipped, recomputed):
        page = opened(trace, viewport={"width": width, "height": 700})
        heights = set()
        for _ in range(int(page.locator(".mt-track").get_attribute("aria-valuemax"))):
            assert collisions(page, tall=3) == []
            heights.add(page.evaluate("document.querySelector('.mt').getBoundingClientRect().height"))
            page.locator(".mt-track").press("ArrowRight")
        assert len(heights) == 1


def test_two_players_on_a_page_do_not_share_a_hatching(opened):
    page = opened()
    page.evaluate(
        """() => {
          const picture = JSON.parse(document.getElementById("picture").textContent);
          const copy = document.createElement("div");
          document.body.append(copy);
          const source = document.querySelector("script[type=module]").textContent.replace('"player")', '"second")');
          copy.id = "second";
          const again = document.createElement("script");
          again.type = "module";
          again.textContent = source;
          document.body.append(again);
        }"""
    )
    page.locator("#second .mt-pic").wait_for()
    names = page.evaluate("[...document.querySelectorAll('pattern')].map((pattern) => pattern.id)")
    assert len(set(names)) == 2


def test_without_javascript_the_page_shows_the_still_picture(opened):
    page = opened(java_script_enabled=False)
    assert page.locator("noscript img, body > img").first.is_visible()

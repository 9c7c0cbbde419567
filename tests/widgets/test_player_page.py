"""A saved page in a real browser: mouse, keys, playing, themes, motion; no network, no word in the console."""

import re

import pytest

from minitape.trace import Ran, Trace, Value
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


# --- long programs ---------------------------------------------------------------------------------------------------

# The rows in the window, from above: their words and their classes.
ROWS = """() => [...document.querySelectorAll('[data-id="rows"] .row')]
  .map((row) => [row.getBoundingClientRect().top, row.textContent, row.getAttribute("class")])
  .sort((a, b) => a[0] - b[0])
  .map(([, words, classes]) => [words, classes])"""


def long_page(opened, looped, times=60, **options):
    page = opened(looped(times), **options)
    page.locator('[data-id="rows"] .row').first.wait_for(state="attached")
    return page


def in_view(page):
    """The numbers of the rows that are there, from above; the one that has the ring in brackets."""
    numbers = []
    for words, classes in page.evaluate(ROWS):
        number = re.match(r"\d+", words)[0]
        if "is-future" not in classes:
            numbers.append(f"({number})" if "is-current" in classes else number)
    return numbers


def test_the_window_follows_the_steps_and_the_ring_stays_inside(opened, looped):
    page = long_page(opened, looped)
    track = page.locator(".mt-track")
    last = int(track.get_attribute("aria-valuemax"))
    track.press("End")
    assert in_view(page) == [str(number) for number in range(1, 14)]
    track.press("ArrowLeft")
    assert in_view(page) == ["(1)", *(str(number) for number in range(2, 14))]
    for _ in range(6):
        track.press("PageDown")
        inside = page.evaluate(
            """() => {
              const box = (found) => document.querySelector(found).getBoundingClientRect();
              const [ring, view] = [box('[data-id="rows"] .row.is-current .cur'), box('[data-id="rows"]')];
              const [place, map] = [box(".mt-pic .here"), box('[data-id="tape"] .k-rec.crisp')];
              return ring.top >= view.top - 2 && ring.bottom <= view.bottom + 2
                && place.top >= map.top - 8 && place.bottom <= map.bottom + 8;
            }"""
        )
        assert inside
        assert len(in_view(page)) == 13
    assert in_view(page)[6] == "(61)"
    track.press("Home")
    assert in_view(page) == []
    assert last > 200


def test_every_row_is_the_one_that_python_would_draw(opened, looped):
    page = long_page(opened, looped, 40)
    player = TapePlayer(looped(40))
    track = page.locator(".mt-track")
    for _ in range(player.steps // 10):
        track.press("PageUp")
        drawn = player._picture.window.rows_at(player._picture.steps, step(page))
        assert page.evaluate(ROWS) == [["".join(spoken(row)), row.children[0].attributes["class"]] for row in drawn]


def spoken(element):
    return [child if isinstance(child, str) else "".join(spoken(child)) for child in element.children]


def test_a_long_picture_keeps_few_nodes_in_the_page(opened, looped):
    few = [
        long_page(opened, looped, times).evaluate("document.querySelectorAll('.mt *').length") for times in (60, 1000)
    ]
    assert abs(few[0] - few[1]) < 20
    assert max(few) < 450


def test_a_long_track_is_scrubbed(opened, looped):
    page = long_page(opened, looped)
    box = page.locator(".mt-track").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 4, box["y"] + 16)
    assert abs(step(page) - int(page.locator(".mt-track").get_attribute("aria-valuemax")) / 4) <= 1
    assert "is-current" in page.locator('[data-id="rows"] .row.is-current').get_attribute("class")


def test_hostile_names_in_a_long_picture_stay_text(opened):
    bad = "<img src=x onerror=alert(1)>"
    x = Value(1, bad, bad, (), "float32", 4)
    ran = [Ran(1, 4, "f", f"f({bad})", (x,), (x,), ((1, at),), (), (x,)) for at in range(1, 60)]
    page = opened(Trace((f"f({bad})",), tuple(ran)))
    page.locator(".mt-track").press("End")
    assert page.locator(".mt img").count() == 0
    assert page.locator('[data-id="rows"] title').first.text_content().startswith("<img")


@pytest.mark.parametrize("width", [1000, 560])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_of_a_long_picture_overlaps_or_is_cut_off(opened, looped, width, scheme):
    page = long_page(opened, looped, viewport={"width": width, "height": 700}, color_scheme=scheme)
    heights = set()
    for _ in range(25):
        assert collisions(page, tall=3) == []
        heights.add(page.evaluate("document.querySelector('.mt').getBoundingClientRect().height"))
        page.locator(".mt-track").press("PageUp")
    assert len(heights) == 1

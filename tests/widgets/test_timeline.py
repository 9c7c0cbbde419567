"""The bytes a tape held as a picture: the same numbers as the table's, its words, its parts, and the pages it makes."""

import io
import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest

import minitape as tf
from minitape.trace import Trace
from minitape_widgets import MemoryTimeline, memory_table
from minitape_widgets.memory.chain import cuts, record

from .collisions import collisions


@pytest.fixture(scope="module")
def chain():
    return MemoryTimeline.chain(16, 4, size=250)


def captions(timeline):
    return ["".join(step.caption) for step in timeline._picture.steps]


def loop(times):
    with tf.observe() as seen:
        x = tf.Variable(np.ones(100, np.float32))
        with tf.GradientTape() as tape:
            y = x
            for _ in range(times):
                y = tf.tanh(y)
        tape.gradient(y, x)
    return seen


# --- the chain -------------------------------------------------------------------------------------------------------


def test_the_chain_is_measured_in_blocks_and_with_everything_kept():
    in_blocks, all_kept = record(16, 4, tf.tanh, 250)
    assert all_kept.peak == 16_000
    assert in_blocks.peak == 7_000


def test_every_depth_and_cut_stays_under_the_line_of_theory():
    for n, k in ((1, 1), (4, 4), (5, 2), (12, 5), (16, 3)):
        for op in (tf.tanh, tf.sin):
            timeline = MemoryTimeline.chain(n, k, op=op, size=10)
            assert timeline.memory.peak <= 40 * (k + -(-n // k) - 1)
            assert timeline.memory.extra_runs == n


def test_blocks_are_as_even_as_they_can_be():
    assert cuts(16, 3) == [(0, 6), (6, 11), (11, 16)]
    assert cuts(3, 3) == [(0, 1), (1, 2), (2, 3)]


def test_the_values_of_a_chain_are_called_by_the_op_that_made_them(chain):
    assert {life.value.name for life in chain.memory.at_peak} == {
        "y4",
        "y8",
        "y12",
        "y13\N{PRIME}",
        "y14\N{PRIME}",
        "y15\N{PRIME}",
        "y16\N{PRIME}",
    }


def test_an_op_may_be_made_of_several():
    timeline = MemoryTimeline.chain(3, 1, op=lambda y: tf.sin(y) * 2.0, size=10)
    assert "back through multiply in lambda 3: y3 used" not in captions(timeline)
    assert any(said.startswith("sin in lambda 3 ran again") for said in captions(timeline))


def test_a_knob_measures_anew():
    timeline = MemoryTimeline.chain(16, 4, size=250)
    before = timeline.text
    timeline.knobs = {"n": 16, "k": 2}
    assert timeline.memory.peak == 9_000
    assert timeline.picture["head"]["sum"] == "peak 9 kB (store-all 16 kB) · 16 extra runs"
    assert timeline.text != before
    timeline.knobs = {"n": 2, "k": 2}
    assert timeline.steps == 6
    timeline.knobs = {"n": 3, "k": 2}
    assert timeline.knobs == {"n": 3, "k": 2}


def test_a_chain_that_becomes_shorter_than_its_blocks_has_fewer_of_them():
    timeline = MemoryTimeline.chain(8, 8, size=10)
    timeline.knobs = {"n": 4, "k": 8}
    assert timeline.knobs == {"n": 4, "k": 4}


@pytest.mark.parametrize(
    ("n", "k", "size", "wrong"), [(0, 1, 1, "n"), (4, 5, 1, "k"), (4, 2, 0, "size"), (4.0, 2, 1, "n")]
)
def test_a_chain_that_cannot_be_says_so(n, k, size, wrong):
    with pytest.raises(ValueError, match=f"^{wrong} is .*\nMemoryTimeline.chain"):
        MemoryTimeline.chain(n, k, size=size)


# --- numbers and words -----------------------------------------------------------------------------------------------


def test_the_words_hold_the_numbers_of_the_table():
    in_blocks, all_kept = record(6, 2, tf.tanh, 250)
    timeline = MemoryTimeline(in_blocks, all_kept)
    assert timeline.text.endswith(memory_table(in_blocks, all_kept))
    assert timeline._repr_mimebundle_()[0]["text/plain"] == timeline.text
    held = [re.search(r"holds ([\d.]+) kB", said)[1] for said in captions(timeline)]
    assert [float(number) * 1000 for number in held] == list(timeline.memory.held)


def test_the_story_of_a_chain(chain):
    said = captions(chain)
    assert said[0] == "tanh 1 ran; its output is not kept: its block can run again; the tape holds 0 kB"
    assert said[7] == "tanh 8 ran; y4 is kept to run block 2 again; the tape holds 1 kB"
    assert said[19] == "tanh 16 ran again for the way back, which needs y16\N{PRIME}; the tape holds 7 kB"
    assert said[29] == "back through tanh 11: y11\N{PRIME} used and released; the tape holds 4 kB"
    kinds = [step.kind for step in chain._picture.steps]
    assert kinds[:4] == ["skip", "skip", "skip", "none"]
    assert kinds[16:24] == ["redo"] * 4 + ["back"] * 4


def test_the_still_picture_does_not_depend_on_ids_or_on_the_step():
    one, two = (MemoryTimeline.chain(4, 2, size=10) for _ in range(2))
    two.step = 5
    for form in ("text/html", "text/plain"):
        assert one._repr_mimebundle_()[0][form] == two._repr_mimebundle_()[0][form]


def test_only_a_trace_can_be_drawn():
    with pytest.raises(TypeError, match="draws traces, and this is a str\nmake one"):
        MemoryTimeline("trace")
    with pytest.raises(TypeError, match="int"):
        MemoryTimeline(Trace(), 3)


# --- the drawing -----------------------------------------------------------------------------------------------------


def test_a_ring_goes_round_what_is_held_and_the_names_of_its_holders_are_bold(chain):
    at = chain._picture.states(30)
    held = [number for number, life in enumerate(chain.memory.lives, 1) if life.at(29)]
    rings = [
        id for id, state in at.items() if id.startswith("life-") and not id.endswith("narrow") and "current" in state
    ]
    assert rings == [f"life-{number}" for number in held]
    assert [at[f"group-{number}"] for number in (1, 2, 3, 4)] == ["is-current", "is-done", "is-current", "is-done"]


def test_both_layouts_count_the_holders_of_the_peak(chain):
    assert chain.picture["svg"].count(">3 block inputs: ") == 2
    assert MemoryTimeline.chain(8, 2, size=10).picture["svg"].count(">1 block input: y4<") == 2


@pytest.mark.parametrize(("n", "k"), [(16, 16), (256, 16)])
def test_of_thin_groups_only_some_have_a_name(n, k):
    tree = ElementTree.fromstring(MemoryTimeline.chain(n, k, size=10).picture["svg"])
    for suffix in ("", "-narrow"):
        names = [node for node in tree.iter() if re.fullmatch(rf"group-\d+{suffix}", node.get("data-id", ""))]
        heights = [float(node.get("y")) for node in names]
        assert len(names) > 4
        assert np.min(np.diff(heights)) >= 14


def test_the_peak_is_marked_once_it_is_reached(chain):
    assert chain._picture.states(19)["peak"] == "is-future"
    assert chain._picture.states(20)["peak"] == "is-done"


def test_one_number_stands_at_the_cursor(chain):
    for step in range(1, chain.steps + 1):
        shown = [
            id for id, state in chain._picture.states(step).items() if id.startswith("now-") and state == "is-done"
        ]
        assert len(shown) == 2  # one in each layout


def test_a_long_run_shows_several_ops_as_one_step():
    seen = loop(700)
    timeline = MemoryTimeline(seen)
    assert timeline.steps <= 240
    assert timeline.memory.peak == seen.peak
    assert "the tape holds up to 280 kB" in captions(timeline)[timeline.memory.peak_step // 6]
    assert len(timeline.picture["svg"]) < 600 * 1400


def test_nothing_to_draw_is_said():
    timeline = MemoryTimeline(Trace())
    assert (timeline.steps, timeline.caption) == (1, "nothing happened here: no tape heard an op")
    assert "nothing to draw" in timeline.picture["svg"]
    MemoryTimeline(Trace(), loop(2))


def test_names_are_escaped_and_cut(written):
    seen = written(x="<img onerror=alert(1)>" * 3, y="</svg>", text="<b>")
    timeline = MemoryTimeline(seen, other_name="<i>", title="<h1>", theory=3, theory_name="<u>")
    tree = ElementTree.fromstring(timeline.picture["svg"])
    assert not [node for node in tree.iter() if node.tag.split("}")[-1] in ("img", "b", "i", "u", "h1")]
    assert "onerror" not in "".join(key for node in tree.iter() for key in node.attrib)


def test_values_without_numbers_are_drawn():
    with tf.observe() as seen:
        x = tf.Variable(np.zeros((0, 3), np.float32))
        with tf.GradientTape() as tape:
            y = tf.tanh(x * float("nan"))
        tape.gradient(y, x)
    assert "NaN" not in MemoryTimeline(seen).picture["svg"]


# --- in a browser ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1000, 560])
def test_the_cursor_stands_under_its_step_and_no_words_overlap(opened, chain, recomputed, width):
    for timeline in (chain, MemoryTimeline(recomputed), MemoryTimeline(loop(3), loop(5))):
        page = opened(timeline, viewport={"width": width, "height": 700})
        layout = "wide" if width == 1000 else "narrow"
        for step in range(1, timeline.steps + 1):
            track = page.locator(".mt-track").bounding_box()
            cursors = page.locator(f".{layout}-only .cursor").bounding_box()
            middle = track["x"] + track["width"] * (step - 0.5) / timeline.steps
            assert cursors["x"] + cursors["width"] / 2 == pytest.approx(middle, abs=1.5)
            assert collisions(page, tall=5) == []
            page.locator(".mt-track").press("ArrowRight")


@pytest.mark.parametrize(("width", "scheme"), [(1000, "light"), (560, "dark")])
def test_the_cursors_line_goes_behind_all_words(browser, chain, tmp_path, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 700}, color_scheme=scheme)
    chain.save_html(tmp_path / "timeline.html")
    page.goto((tmp_path / "timeline.html").as_uri())
    page.add_style_tag(
        content=".mt-pic :is(path, rect, circle):not(.cursor, .panel-back) { visibility: hidden !important }"
    )
    chart = page.locator(".mt-pic")

    def shot():
        return plt.imread(io.BytesIO(chart.screenshot()), format="png")

    def differ(one, other):
        return (np.abs(one - other) > 0.05).any(axis=-1)

    crossed = 0
    for step in range(1, chain.steps + 1):
        if step % 3 == 0:
            drawn = shot()
            without = page.add_style_tag(content=".mt-pic .cursor { visibility: hidden }")
            words = shot()
            without.evaluate("style => style.remove()")
            line, letters = differ(drawn, words), differ(words, words[0, 0])
            assert not np.any(line & letters), f"the line strikes letters at step {step}"
            rows, columns = np.nonzero(line)
            crossed += letters[rows.min() : rows.max(), columns.min() : columns.max() + 1].any()
        page.locator(".mt-track").press("ArrowRight")
    assert crossed  # there were letters in its way
    page.close()

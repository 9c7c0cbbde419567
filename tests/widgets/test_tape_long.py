"""A tape of more than 30 ops: a map, a window on 13 rows, sums in groups; how much is sent, drawn and worked for it."""

import json
import re
import sys
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

import minitape as tf
from minitape.trace import Ran, Trace, Value
from minitape_widgets import TapePlayer
from minitape_widgets.player.picture import Step
from minitape_widgets.player.svg import text
from minitape_widgets.player.window import Row, Window, cell

BAD = "<img src=x onerror=alert(1)>"


@pytest.fixture
def layered():
    """The gradient of a network of `times` layers for all its weights; a skipped mean in each layer."""

    def record(times: int) -> Trace:
        weights = [tf.Variable(np.eye(2, dtype="f4") * 1.1, name=f"W{at}") for at in range(1, times + 1)]
        biases = [tf.Variable(np.zeros(2, "f4"), name=f"b{at}") for at in range(1, times + 1)]
        h = tf.constant([[1.0, 2.0]])
        with tf.observe() as seen:
            with tf.GradientTape() as tape:
                for w, b in zip(weights, biases, strict=True):
                    h = h @ w
                    h = tf.nn.relu(h + b)
                    with tape.stop_recording():
                        tf.reduce_mean(h)
                loss = tf.reduce_sum(h)
            tape.gradient(loss, [weights, biases])
        return seen

    return record


def drawn(player, step):
    return ElementTree.fromstring(player._picture.svg(step))


def part(svg, id):
    return next(node for node in svg.iter() if node.get("data-id") == id)


def rows(player, step):
    """The rows in view: the classes and the words of each that is there."""
    shown = [
        (row[0].get("class"), [words for words in row.itertext() if words.strip()])
        for row in part(drawn(player, step), "rows")
    ]
    return [(cls, words) for cls, words in shown if "is-future" not in cls]


def sent(player):
    """What goes to the browser, in bytes, as Jupyter writes it."""
    return len(json.dumps(player.picture, ensure_ascii=False).encode())


# --- the window ------------------------------------------------------------------------------------------------------


def test_up_to_thirty_ops_every_op_is_drawn_and_from_the_next_on_there_is_a_window(looped):
    assert TapePlayer(looped(15))._picture.window is None
    window = TapePlayer(looped(16))._picture.window
    assert (len(window.rows), window.size) == (32, 13)


def test_the_window_is_around_the_current_row_which_alone_has_the_ring(looped):
    player = TapePlayer(looped(40))
    for step, beat in enumerate(player._picture.steps, 1):
        shown = rows(player, step)
        assert sum("is-current" in cls for cls, _ in shown) == (beat.row is not None)
        if beat.row is not None:
            ringed = next(words for cls, words in shown if "is-current" in cls)
            assert ringed[0] == str(beat.row + 1)
    assert [words[0] for _, words in rows(player, player.steps)] == [str(number) for number in range(1, 14)]


def test_rows_come_one_by_one_and_the_window_is_never_more_than_its_size(looped):
    player = TapePlayer(looped(20))
    forward = [step for step, beat in enumerate(player._picture.steps, 1) if beat.kind == "rec"]
    assert [len(rows(player, step)) for step in forward[:8]] == [1, 2, 3, 4, 5, 6, 7, 7]
    assert len(rows(player, forward[-1])) == 13


def test_a_row_says_what_it_saves_what_came_out_and_on_the_way_back_what_it_adds_to(layered):
    player = TapePlayer(layered(12))
    back = next(step for step, beat in enumerate(player._picture.steps, 1) if beat.kind == "back" and beat.row == 44)
    shown = {words[0]: (cls, words) for cls, words in rows(player, back)}
    cls, words = shown["34"]
    assert words[:3] == ["34", "h₂₄ = h @ w", "(1, 2)"]
    assert words[3:6] == ["saves ", "h₂₃, w₁₂", "freed "]
    assert words[-1] == "h₂₃, w₁₂"
    assert cls.split() == ["row", "is-done", "is-freed", "is-back", "is-current"]
    assert "is-back" not in shown["31"][0]


def test_a_skipped_op_stands_between_the_entries_with_the_reason(layered):
    player = TapePlayer(layered(12))
    step = next(step for step, beat in enumerate(player._picture.steps, 1) if beat.kind == "skip")
    assert rows(player, step)[-1] == ("row is-done is-current", ["reduce_mean(h)", "skipped", ": line 5 stopped it"])


def test_an_entry_without_a_gradient_says_that_nothing_came():
    with tf.observe() as seen:
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            y = x * x
            for _ in range(35):
                x * 2.0
        tape.gradient(y, x)
    player = TapePlayer(seen)
    cls, words = rows(player, player.steps - 2)[1]
    assert (words[-1], "is-passed" in cls) == ("nothing came", True)


def test_a_second_call_takes_away_what_the_first_one_wrote():
    with tf.observe() as seen:
        x = tf.Variable(0.5)
        with tf.GradientTape(persistent=True) as tape:
            y = x
            for _ in range(40):
                y = y * x
        tape.gradient(y, x)
        tape.gradient(y, x)
    player = TapePlayer(seen)
    first = next(step for step, beat in enumerate(player._picture.steps, 1) if "done" in beat.words)
    assert {cls for cls, _ in rows(player, first)} == {"row is-done is-back"}
    assert {cls for cls, _ in rows(player, first + 1)} == {"row is-done"}
    assert player._picture.states(first)["flow"] == "is-done"
    assert player._picture.states(first + 1)["flow"] == "is-future"


def test_what_reset_forgot_is_grey_in_the_window_and_covered_on_the_map():
    with tf.observe() as seen:
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            y = x * x
            for _ in range(20):
                y = y * x
            tape.reset()
            for _ in range(20):
                y = y * x
        tape.gradient(y, x)
    player = TapePlayer(seen)
    after = next(step for step, beat in enumerate(player._picture.steps, 1) if "forgets" in beat.words)
    assert {cls for cls, _ in rows(player, after)} == {"row is-done is-dimmed"}
    assert "--gone:0;" in part_style(player, after - 1) + ";"
    assert "--gone:21;" in part_style(player, after) + ";"


def part_style(player, step):
    return drawn(player, step).get("style")


def test_blocks_that_run_again_have_the_ring_on_their_entry_while_they_do():
    block = tf.recompute_grad(lambda x: tf.tanh(tf.tanh(tf.tanh(x))))
    with tf.observe() as seen:
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            h = x
            for _ in range(10):
                h = block(h)
        tape.gradient(h, x)
    player = TapePlayer(seen)
    again = [step for step, beat in enumerate(player._picture.steps, 1) if beat.kind == "redo"]
    assert again
    for step in again:
        assert next(words[0] for cls, words in rows(player, step) if "is-current" in cls).isdigit()
    assert any("not kept" in words for _, words in rows(player, player.steps))


# --- the map ---------------------------------------------------------------------------------------------------------


def test_the_map_has_one_path_for_each_kind_and_is_never_taller_than_480_pixels(layered):
    for times in (8, 50, 100, 1000):
        svg = drawn(TapePlayer(layered(times)), 1)
        tape = part(svg, "tape")
        paths = Counter(
            node.get("class")
            for node in tape.iter()
            if node.tag.endswith("path") and "crisp" in (node.get("class") or "")
        )
        assert paths == {"k-rec crisp": 1, "missed crisp": 1}
        d = next(node.get("d") for node in tape.iter() if node.get("class") == "k-rec crisp")
        heights = [float(height) for height in re.findall(r"v([\d.]+)", d)]
        assert len(heights) <= 401
        assert sum(heights) <= 480


def test_the_map_fills_with_the_steps_and_the_flow_runs_up_it(looped):
    player = TapePlayer(looped(30))
    steps, gauges = player._picture.steps, player._picture.gauges
    assert all(len(numbers) == len(steps) for numbers in gauges.values())
    forward = [step for step, beat in enumerate(steps, 1) if beat.kind == "rec"]
    back = [step for step, beat in enumerate(steps, 1) if beat.kind == "back" and beat.row is not None]
    assert [gauges["seen"][step - 1] for step in forward] == list(range(1, 61))
    assert [gauges["to"][step - 1] for step in back] == list(range(59, -1, -1))
    assert {gauges["from"][step - 1] for step in back} == {59}
    assert player._picture.states(back[0])["flow"] == "is-done"
    assert player._picture.states(back[0] - 1).get("flow") == "is-future"


# --- the sums --------------------------------------------------------------------------------------------------------


def test_many_sources_are_told_in_groups(layered):
    player = TapePlayer(layered(50))
    back = next(step for step, beat in enumerate(player._picture.steps, 1) if beat.kind == "back" and beat.row == 120)

    def said(step):
        svg = drawn(player, step)
        return ["".join(part(svg, id).itertext()) for id in ("names-1", "arrived-1", "names-2", "arrived-2")]

    assert said(1) == ["w … w₅₀", "0 of 50 arrived", "b … b₅₀", "0 of 50 arrived"]
    assert said(back) == ["w₃₁ … w₅₀", "20 of 50 arrived", "b₃₁ … b₅₀", "20 of 50 arrived"]
    assert said(player.steps) == ["w … w₅₀", "50 of 50 arrived", "b … b₅₀", "50 of 50 arrived"]


def test_sources_that_no_road_reaches_are_counted_at_the_end():
    values = [tf.Variable(float(at), name=f"v{at}") for at in range(12)]
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            y = values[0]
            for value in values[:4] * 10:
                y = y * value
        tape.gradient(y, values)
    player = TapePlayer(seen)
    texts = "".join(part(drawn(player, player.steps), "sums").itertext())
    assert "v4 … v110 of 8 arrived, 8 None" in texts


# --- the still picture and the words ---------------------------------------------------------------------------------


def test_the_still_picture_has_the_window_as_it_stands_at_the_end_and_says_how_much_it_shows(layered):
    player = TapePlayer(layered(50))
    svg = drawn(player, player.steps)
    assert "".join(part(svg, "place").itertext()) == "ops 1 to 13 of 201"
    assert len(part(svg, "rows")) == 13
    assert "201 ops: 151 on the tape, 50 skipped" in "".join(svg.itertext())


def test_the_table_lists_two_hundred_ops_and_counts_the_rest(looped):
    table = TapePlayer(looped(2500)).text
    assert "  and 4 800 more" in table
    assert "  4 800 entries that are not listed here, then" in table
    assert len(table.splitlines()) < 5 * 200


def test_no_more_ops_than_fit_are_counted_as_more(looped):
    assert "more" not in TapePlayer(looped(100)).text.replace("more)", "")


# --- anything may stand in it ----------------------------------------------------------------------------------------


def many(name, shown="1.0", shape=(), rows=40):
    x, y = (Value(id, name, shown, shape, "float32", 4) for id in (1, 2))
    ran = [Ran(1, 4, "f", f"f({name})", (x,), (y,), ((1, at),), (), (x,)) for at in range(1, rows + 1)]
    return Trace((f"y = f({name})",), tuple(ran))


@pytest.mark.parametrize("name", [BAD, "a" * 400, "重み" * 30, "\x00\ud800", '"&'])
def test_any_name_is_text_and_is_cut_to_its_column(name):
    player = TapePlayer(many(name, shown=name))
    svg = player._picture.svg(player.steps)
    assert "<img" not in svg
    data = player._picture.to_data()["window"]
    assert not any("<img" in template for template in data["templates"])
    shown = [words for row in data["rows"] for words in row[1]]
    assert all(len(words if isinstance(words, str) else words[0]) <= 30 for words in shown)
    ElementTree.fromstring(svg)


@pytest.mark.parametrize(("shown", "shape"), [("nan", ()), ("inf", ()), ("[]", (0,)), ("(0, 3) float32", (0, 3))])
def test_odd_values_have_their_place(shown, shape):
    player = TapePlayer(many("x", shown, shape))
    assert (shown if not shown.startswith("(") else "(0, 3)") in rows(player, 1)[0][1]


# --- how much it is --------------------------------------------------------------------------------------------------


def test_an_op_costs_at_most_600_bytes_on_the_way_to_the_browser(looped, layered):
    for player, ops in ((TapePlayer(looped(2500)), 5000), (TapePlayer(layered(1250)), 5001)):
        assert sent(player) / ops <= 600


def test_the_drawing_does_not_grow_with_the_tape(layered):
    small, large = (len(list(drawn(TapePlayer(layered(times)), 1).iter())) for times in (60, 600))
    assert abs(large - small) < 20  # tooltips of what is cut
    assert large < 400


def test_the_still_picture_does_not_grow_with_the_tape(looped):
    stills = [len(TapePlayer(looped(times))._repr_mimebundle_()[0]["text/html"]) for times in (100, 1000)]
    assert stills[1] < 1.1 * stills[0]


@pytest.mark.parametrize("persistent", [False, True])
def test_twice_the_tape_is_twice_the_work(persistent):
    def calls(times):
        with tf.observe() as seen:
            x = tf.Variable(0.5)
            with tf.GradientTape(persistent=persistent) as tape:
                h = x
                for _ in range(times):
                    h = tf.tanh(h * x)
            tape.gradient(h, x)
        done = 0

        def count(frame, event, argument):
            nonlocal done
            done += event == "call"

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            TapePlayer(seen)
        finally:
            sys.setprofile(before)
        return done

    once, twice, four = calls(250), calls(500), calls(1000)
    assert four - twice < 2.2 * (twice - once)


# --- the window by itself --------------------------------------------------------------------------------------------


def test_a_window_knows_nothing_of_tapes():
    line = text(0, 16, "", "c", data_cell=0)
    shown = tuple(Row("line", (f"row {at}",), ((at + 1, "is-done", ""),)) for at in range(20))
    window = Window("rows", {"line": line}, shown, 5, 24, "place", "{first} to {last}")
    steps = [Step("none", ("",), at) for at in range(20)]
    assert [window.first(row) for row in (0, 2, 3, 10, 19)] == [0, 0, 1, 8, 15]
    words = ["".join(_words(row)) for row in window.rows_at(steps, 11)]
    assert words == ["row 8", "row 9", "row 10", "row 11", "row 12"]
    assert window.place_at(steps, 11) == "9 to 13"
    assert window.to_data()["rows"][2] == [0, ("row 2",), [3, 0, ""]]


def _words(element):
    return [child if isinstance(child, str) else "".join(_words(child)) for child in element.children]


def test_a_cell_that_is_cut_keeps_the_whole_for_its_tooltip():
    assert cell("short", 8) == "short"
    assert cell("rather long", 8) == ("rather…", "rather long")

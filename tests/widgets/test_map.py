"""RecordingMap: the roads, why they end, what a flip changes, what stays as it was, odd programs, nothing unescaped."""

from xml.etree import ElementTree

import numpy as np
import pytest

import minitape as tf
from minitape.trace import Ran, Trace
from minitape_widgets import HookLab, RecordingMap
from minitape_widgets.map.breaks import ends
from minitape_widgets.rerun import Block, answers

BAD = "<img src=x onerror=alert(1)>"


def ids(svg):
    nodes = [node.get("data-id") for node in ElementTree.fromstring(svg).iter()]
    return [id for id in nodes if id]


def lines(picture):
    return [line.strip() for line in picture.text.splitlines()]


@pytest.fixture
def broken():
    """Four sources: one is reached, the others' roads end for three reasons."""
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
    return RecordingMap(seen, names={"np": np, "tf": tf})


# --- flips -----------------------------------------------------------------------------------------------------------


def test_each_switch_was_run_and_tells_the_gradient_before_and_after(recorded):
    said = lines(RecordingMap(recorded, names={"tf": tf}))
    assert "line 4 off: 27.0 -> 9.0  y would be a plain 9.0: one of three roads is left" in said
    assert "line 6 on: 27.0 -> 27.0  no change: w never reads z" in said
    assert "line 7 off: 27.0 -> None  w itself would be off the tape: no road at all" in said


def test_a_flip_gives_what_stop_recording_gives(recorded):
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                y = x * x
            z = x + x
            w = y * x
        tape.gradient(w, x)
    assert z is not None
    again = Block(recorded, {"tf": tf}).run(frozenset([4, 6]))
    assert answers(again) == answers(seen)
    kinds = [(event.text, bool(event.recorded)) for event in again.of(Ran)]
    assert kinds == [("x * x", False), ("x + x", True), ("y * x", True)]


def test_flips_add_up_and_go_back(recorded):
    roads = RecordingMap(recorded, names={"tf": tf})
    roads.step = roads.steps
    roads.flip(4)
    assert roads.caption == "line 4 is off the tape: y became a plain number, and the gradient went from 27.0 to 9.0"
    roads.flip(7)
    assert roads.caption == "lines 4 and 7 are off the tape: the gradient changed from 27.0 to None"
    roads.flip(4)
    roads.flip(7)
    assert roads.choice == 0
    assert roads.caption == "three roads lead from w back to x: 9.0 + 9.0 + 9.0 = 27.0"


def test_many_switches_are_run_one_at_a_time():
    with tf.observe() as seen:
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            a = x * x
            b = a * x
            c = b * x
            d = c * x
            e = d * x
        tape.gradient(e, x)
    roads = RecordingMap(seen, names={"tf": tf})
    assert len(roads.picture["variants"]) == 1 + 5
    roads.flip(3)
    roads.flip(4)
    roads.step = roads.steps
    assert roads.caption.startswith("line 4 is off the tape")


def test_a_line_without_a_switch_cannot_be_flipped(recorded):
    with pytest.raises(ValueError, match="line 1 has no switch\nflip line 4, 6 or 7"):
        RecordingMap(recorded, names={"tf": tf}).flip(1)


def test_who_is_not_at_the_end_stays_at_the_step(recorded):
    roads = RecordingMap(recorded, names={"tf": tf})
    roads.step = 5
    roads.flip(4)
    assert roads.step == 5


def test_a_rerun_leaves_everything_as_it_was(capsys):
    v, rate = tf.Variable(2.0), 0.5
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            y = v * v
        print("gradient", tape.gradient(y, v))
        np.random.rand()
    np.random.seed(1)
    expected = np.random.rand()
    np.random.seed(1)
    capsys.readouterr()
    names = {"tf": tf, "np": np, "v": v, "rate": rate}
    RecordingMap(seen, names=names)
    assert np.random.rand() == expected
    assert float(v) == 2.0
    assert set(names) == {"tf", "np", "v", "rate"}
    assert capsys.readouterr().out == ""


def test_a_block_that_changes_what_it_starts_from_has_no_switches_and_says_why():
    v = tf.Variable(2.0)
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            y = v * v
        g = tape.gradient(y, v)
        v.assign_sub(g * 0.5)
    roads = RecordingMap(seen)
    assert "variants" not in roads.picture
    assert "The block was not run again: a second run of the block gives another answer" in lines(roads)
    assert float(v) == 0.0


def test_a_trace_without_its_program_still_has_its_roads(recorded):
    recorded.lines = ()
    roads = RecordingMap(recorded)
    assert "The block was not run again: the program's text is not at hand" in lines(roads)
    assert "from y to x: 9.0 + 9.0" in lines(roads)


def test_the_program_of_a_trace_from_elsewhere_is_never_run(recorded, tmp_path):
    bad = tmp_path / "was-here"
    text = recorded.to_json().replace("x = tf.constant(3.0)", f"open({str(bad)!r}, 'w')")
    roads = RecordingMap(Trace.from_json(text), names={"tf": tf})
    HookLab(Trace.from_json(text), names={"tf": tf})
    assert not bad.exists()
    said = "The block was not run again: the trace was read from elsewhere, and its program is not run"
    assert said in lines(roads)


def test_the_names_of_the_caller_are_at_hand():
    def inner():
        scale = tf.constant(4.0)
        with tf.observe() as seen:
            x = tf.constant(3.0)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * scale
            tape.gradient(y, x)
        return RecordingMap(seen)

    assert "line 4 off: 4.0 -> None  y itself would be off the tape: no road at all" in lines(inner())


# --- where roads end -------------------------------------------------------------------------------------------------


def test_each_none_has_its_reason_its_fix_and_what_the_fix_gives(broken):
    said = lines(broken)
    assert "1. line 6: c is a constant that nobody asked to watch. Fix: tape.watch(c)  (None -> 2.0)" in said
    assert "2. line 7: np.sqrt left the tape: b is a bare number. Fix: b = tf.sqrt(v)  (None -> 0.25)" in said
    assert "3. line 8: n counts in whole numbers (int32): no slope. Fix: n = tf.Variable(3.0)  (None -> 1.0)" in said
    broken.step = broken.steps
    assert broken.caption == "one road of four reaches its source; the other three end at lines 6, 7 and 8"


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        (lambda y: float(y), "the road to x ends at line 5"),
        (lambda y: tf.constant(1.0), "the road to x ends at line 5: bare is a new constant"),
    ],
)
def test_a_lone_none_is_explained_in_the_caption(stop, reason):
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            bare = stop(y)
            w = tf.constant(2.0) * bare
        tape.gradient(w, x)
    roads = RecordingMap(seen)
    roads.step = roads.steps
    assert roads.caption.startswith(reason)


def test_a_target_that_does_not_read_the_source_says_so():
    with tf.observe() as seen:
        x, u = tf.constant(3.0), tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch([x, u])
            w = u * u
        tape.gradient(w, x)
    roads = RecordingMap(seen)
    roads.step = roads.steps
    assert roads.caption == "no road leads back to x: w never reads x."


def test_a_watch_that_comes_too_late_is_named():
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            y = x * x
            tape.watch(x)
        tape.gradient(y, x)
    said = lines(RecordingMap(seen))
    assert "1. line 3: line 3 used x before it was watched. Fix: tape.watch(x)  (None -> 6.0)" in said


def test_two_values_of_one_line_have_a_road_each():
    with tf.observe() as seen:
        x, u = tf.constant(3.0), tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch([x, u])
            w = u * x
        tape.gradient(w, [x, u])
    said = lines(RecordingMap(seen))
    assert "from w to x: 2.0" in said
    assert "from w to u: 3.0" in said


def test_stop_gradient_is_named_and_taken_out_by_the_fix():
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stop_gradient(x * x)
            w = y * 2.0
        tape.gradient(w, x)
    said = lines(RecordingMap(seen))
    assert "1. line 4: this op has no derivative. Fix: y = x * x  (None -> 12.0)" in said


def test_a_line_under_stop_recording_is_the_reason_and_the_way_out():
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                y = x * x
            w = y * 2.0
        tape.gradient(w, x)
    roads = RecordingMap(seen)
    (end,) = ends(roads._flips.order[0].roads, roads._flips.block, frozenset())
    assert (end.row, end.before, end.after) == (5, "None", "12.0")
    assert end.what == "y was made off the tape: to w it is a plain 9.0."


# --- the drawing -----------------------------------------------------------------------------------------------------


def test_every_part_that_changes_is_drawn_once(recorded, broken, looped, clipped, recomputed, asked_twice):
    for roads in (broken, *(RecordingMap(seen) for seen in (recorded, looped(3), clipped, recomputed, asked_twice))):
        for picture in roads._picture.variants or (roads._picture,):
            drawn = ids(picture.svg(1))
            assert len(drawn) == len(set(drawn))
            assert set(picture.timelines) <= set(drawn)


def test_a_switch_is_a_switch_for_those_who_do_not_see_it(recorded):
    roads = RecordingMap(recorded, names={"tf": tf})
    root = ElementTree.fromstring(roads.picture["svg"])
    switches = {node.get("data-id"): node for node in root.iter() if node.get("role") == "switch"}
    assert {id: node.get("aria-checked") for id, node in switches.items()} == {
        "switch-4": "true",
        "switch-6": "false",
        "switch-7": "true",
    }
    assert {node.get("tabindex") for node in switches.values()} == {"0"}
    assert switches["switch-4"].get("aria-label") == "line 4 on the tape"
    assert root.get("role") == "group"


def test_the_way_back_grows_strand_by_strand_and_ends_at_the_source(recorded):
    picture = RecordingMap(recorded)._picture
    start, first, second, done = (picture.states(step) for step in (8, 9, 10, 11))
    assert start["start"] == "is-done"
    assert start["strand-7-1-1"] == "is-future"
    assert first["strand-7-1-1"] == first["strand-7-4-1"] == "is-done"
    assert first["strand-4-1-1"] == "is-future"
    assert second["strand-4-1-1"] == second["strand-4-1-2"] == "is-done"
    assert (second["deliver-1"], done["deliver-1"]) == ("is-future", "is-done")
    assert [id for id, state in second.items() if id.startswith("sum-") and state == "is-done"] == ["sum-1-3"]
    assert done["answer-1"] == "is-done"


def test_nothing_is_unescaped(written):
    roads = RecordingMap(written(BAD, BAD, BAD, BAD, (BAD,) * 8))
    for variant in roads._picture.variants or (roads._picture,):
        assert "<img" not in variant.svg(len(variant.steps))
        ElementTree.fromstring(variant.svg(1))
    assert "&lt;img" in roads._picture.svg(1)


def test_the_still_picture_and_the_text_are_the_same_at_every_run(recorded):
    first, second = (RecordingMap(recorded, names={"tf": tf}) for _ in range(2))
    one, two = (each._repr_mimebundle_()[0] for each in (first, second))
    assert one["text/html"] == two["text/html"]
    assert one["text/html"].startswith('<img alt="RecordingMap: the roads from w back to x; the gradient is 27.0"')
    assert one["text/plain"] == two["text/plain"] == first.text


# --- odd programs ----------------------------------------------------------------------------------------------------


def test_an_empty_block_and_one_without_a_tape_are_drawn():
    with tf.observe() as nothing:
        pass
    with tf.observe() as untaped:
        x = tf.constant(2.0)
        y = x * 3.0
    assert y is not None
    for seen in (nothing, untaped):
        roads = RecordingMap(seen)
        assert "variants" not in roads.picture
        ElementTree.fromstring(roads._picture.svg(1))


def test_nan_and_nothing_at_all_are_values_too():
    with tf.observe() as seen:
        x = tf.constant([-1.0, 4.0])
        none = tf.zeros([0, 3])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sqrt(x) + tf.reduce_sum(none)
        tape.gradient(y, x)
    roads = RecordingMap(seen)
    roads.step = roads.steps
    assert "nan" in roads.caption
    assert "variants" in roads.picture


def test_a_line_that_runs_many_times_is_one_station(looped):
    roads = RecordingMap(looped(20))
    assert ids(roads._picture.svg(1)).count("station-5") == 1
    assert "\N{MULTIPLICATION SIGN}20" in roads._picture.svg(1)


def test_a_very_long_block_is_not_run_for_each_switch(looped):
    said = lines(RecordingMap(looped(600)))
    assert "The block was not run again: 1200 ops are too many to run for each switch" in said


def test_another_tape_can_be_chosen_and_a_missing_one_is_named():
    with tf.observe() as seen:
        x = tf.constant(2.0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x * x * x
            slope = inner.gradient(y, x)
        outer.gradient(slope, x)
    assert "from slope back to x" not in RecordingMap(seen, tape="inner").text
    assert "the roads from slope back to x; the gradient is 12.0" in RecordingMap(seen).text
    with pytest.raises(ValueError, match="this trace has no tape 'tap'"):
        RecordingMap(seen, tape="tap")


def test_what_is_not_a_trace_is_refused():
    with pytest.raises(TypeError, match="RecordingMap draws a trace, and this is a int\nmake one: with"):
        RecordingMap(3)


# --- two runs --------------------------------------------------------------------------------------------------------


def test_two_runs_are_told_apart():
    def run(stop):
        with tf.observe() as seen:
            x = tf.constant(3.0)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
                y = stop(y)
                w = y * x
            tape.gradient(w, x)
        return seen

    both = RecordingMap(run(tf.identity), run(tf.stop_gradient))
    assert "line 5: recorded, then skipped" in lines(both)
    assert "the gradient: 27.0 -> 9.0" in lines(both)
    both.step = both.steps
    assert "27.0" in both.caption
    both.choice = 1
    assert both.caption == "one road leads from w back to x: the gradient is 9.0"

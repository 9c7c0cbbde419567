"""Several tapes in one picture: a spine for each, the ops of one way back on the tape around it, tapes in a row."""

import re

import pytest

import minitape as tf
from minitape_widgets import TapePlayer
from minitape_widgets.tape.lanes import lanes_of
from minitape_widgets.tape.reader import tell


def columns(seen):
    return [(lane.name, lane.column) for lane in lanes_of(seen)[0]]


def sentences(player):
    return [step.words for step in player._picture.steps]


def states(player, step):
    return player._picture.states(step)


@pytest.fixture
def nested():
    """x * x * x, differentiated twice."""
    with tf.observe() as seen:
        x = tf.Variable(3.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x * x
                w = y * x
            d1 = inner.gradient(w, x)
        d2 = outer.gradient(d1, x)
    assert float(d2) == 18.0
    return seen


@pytest.fixture
def looped():
    """Three rounds, each with a tape of its own."""
    v = tf.Variable(2.0)
    with tf.observe() as seen:
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = v * v
            tape.gradient(loss, v)
    return seen


def test_nested_tapes_stand_side_by_side(nested):
    assert columns(nested) == [("outer", 0), ("inner", 1)]


def test_an_entry_has_a_number_on_each_tape_that_recorded_it(nested):
    rows = tell(nested).rows
    assert [list(row.numbers.values()) for row in rows] == [[1, 1], [2, 2], [3], [4], [5], [6], [7], [8]]


def test_what_a_way_back_runs_is_recorded_by_the_tape_around_it(nested):
    born = [row.born and (row.born[0].name, row.born[1]) for row in tell(nested).rows]
    assert born == [None, None, ("inner", 2), ("inner", 2), ("inner", 1), ("inner", 1), ("inner", 1), ("inner", 1)]
    told = sentences(TapePlayer(nested))
    assert "1.0 * x ran on the way back of inner and was recorded as entry 3 of outer" in told[6]
    assert told[8] == "back through entry 2 of inner, w = y * x: y gets 3.0, x gets 9.0"


def test_both_ways_back_are_told_and_the_last_one_says_what_it_owes_to_the_first(nested):
    told = sentences(TapePlayer(nested))
    assert told[3].startswith("x * x was recorded as entry 1 of outer and inner; it saves x = 3.0")
    assert told[3].endswith("; outer and inner now watch x")
    assert "the way back of inner starts: the gradient of w for itself is 1.0" in told
    assert "entry 2 of outer is passed over: no gradient came for w" in told
    assert told[-1].endswith("the gradient, 18.0; outer had recorded the way back of inner")


def test_one_way_back_takes_the_place_of_the_other(nested):
    player = TapePlayer(nested)
    told = sentences(player)
    inner = next(at for at, said in enumerate(told, 1) if said.startswith("back through entry 1 of inner"))
    assert (states(player, inner)["back-1"], states(player, inner)["back-1.2"]) == ("is-done", "is-future")
    assert (states(player, inner)["head-of"], states(player, inner)["head-of.2"]) == ("is-done", "is-future")
    end = states(player, player.steps)
    assert (end["back-1"], end["back-1.2"]) == ("is-future", "is-done")
    assert (end["sums-of"], end["sums-of.2"]) == ("is-future", "is-done")


def test_what_both_tapes_hold_is_freed_when_the_last_of_them_lets_go(nested):
    player = TapePlayer(nested)
    step = next(at for at, said in enumerate(sentences(player), 1) if said.startswith("the way back of outer"))
    assert states(player, step)["chip-1"] == "is-done"
    assert states(player, player.steps)["chip-1"] == "is-gone"


def test_a_tape_ends_with_its_block(nested):
    player = TapePlayer(nested)
    assert states(player, 5)["cap-2"] == "is-future"
    assert states(player, 6)["cap-2"] == "is-done"
    assert "cap-1" not in states(player, 1)  # outer hears all that is drawn


def test_the_text_twin_has_a_column_for_each_tape(nested):
    text = TapePlayer(nested).text
    assert text.startswith("TapePlayer: eight ops on outer and two ops on inner; the gradient of w for x is 27.0;")
    assert re.search(r"\n +outer +inner\n +1 +1 +y = x \* x ", text)
    assert "#5 = #3 * x" in text
    assert "from the way back of inner through its entry 1" in text
    assert "The way back of outer from d1, read upwards" in text


def test_a_line_has_a_bar_for_each_tape_that_heard_it(nested):
    svg = TapePlayer(nested)._picture.svg(1)
    bars = {line: svg.split(f'data-id="mark-{line}-rec"')[1].split("</g>")[0].count("<rect") for line in (4, 6)}
    assert bars == {4: 2, 6: 1}


def test_one_tape_alone_can_be_chosen(nested):
    inside = TapePlayer(nested, tape="inner")
    assert "Not shown: what outer recorded" in inside.text
    assert "the gradient of w for x is 27.0" in inside.text
    assert "d1" not in inside.text.split("Answer")[1]
    with pytest.raises(ValueError, match="no tape 'middle'\nchoose one of 'outer', 'inner'"):
        TapePlayer(nested, tape="middle")


def test_tapes_that_follow_each_other_share_a_spine(looped):
    assert columns(looped) == [("tape", 0)] * 3
    rows = tell(looped).rows
    assert [(row.id, row.number) for row in rows] == [("entry-1", 1), ("entry-1x2", 1), ("entry-1x3", 1)]
    player = TapePlayer(looped)
    end = states(player, player.steps)
    assert [end[row.id] for row in rows] == ["is-dimmed", "is-dimmed", "is-done"]
    assert player.text.count("gone with its tape") == 2
    assert "a new tape" in player._picture.svg(1)


def test_a_tape_that_is_asked_later_keeps_its_spine():
    x = tf.constant(1.0)
    with tf.observe() as seen:
        with tf.GradientTape() as first:
            first.watch(x)
            y = tf.exp(x)
        with tf.GradientTape() as second:
            second.watch(x)
            z = tf.sin(x)
        first.gradient(y, x)
        second.gradient(z, x)
    assert columns(seen) == [("first", 0), ("second", 1)]


def test_of_an_op_that_one_tape_skipped_both_stories_are_told():
    x = tf.constant([1.0, 2.0])
    with tf.observe() as seen, tf.GradientTape() as first:
        first.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            y = x * x
            with first.stop_recording():
                z = tf.exp(y)
    del z
    (row,) = [row for row in tell(seen).rows if row.skips]
    assert list(row.numbers.values()) == [2]
    assert row.skip is None
    told = sentences(TapePlayer(seen))
    assert told[-1].startswith("tf.exp(y) was recorded as entry 2 of second; it saves z = ")
    assert re.search(r"; first skipped it: line \d+ stopped the recording$", told[-1])


def test_third_derivatives_take_three_spines():
    x = tf.constant(2.0)
    with tf.observe() as seen:
        with tf.GradientTape() as t3:
            t3.watch(x)
            with tf.GradientTape() as t2:
                t2.watch(x)
                with tf.GradientTape() as t1:
                    t1.watch(x)
                    y = x * x * x
                g1 = t1.gradient(y, x)
            g2 = t2.gradient(g1, x)
        g3 = t3.gradient(g2, x)
    assert float(g3) == 6.0
    assert columns(seen) == [("t3", 0), ("t2", 1), ("t1", 2)]
    assert sentences(TapePlayer(seen))[-1].endswith("6.0; t3 had recorded the way back of t1 and t2")


def test_a_fourth_tape_at_once_is_named_and_not_drawn():
    x = tf.constant(2.0)
    with tf.observe() as seen:
        with tf.GradientTape() as a, tf.GradientTape() as b, tf.GradientTape() as c, tf.GradientTape() as d:
            for tape in (a, b, c, d):
                tape.watch(x)
            y = x * x
        a.gradient(y, x)
        d.gradient(y, x)
    assert [name for name, _ in columns(seen)] == ["a", "b", "c"]
    assert "Not shown: what d recorded" in TapePlayer(seen).text


def test_tapes_inside_a_rule_are_the_rule_s_own_business():
    @tf.custom_gradient
    def square(x):
        def grad(dy):
            with tf.GradientTape() as own:
                own.watch(x)
                y = x * x
            return dy * own.gradient(y, x)

        return x * x, grad

    x = tf.constant(3.0)
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = square(x)
        assert float(tape.gradient(y, x)) == 6.0
    assert [name for name, _ in columns(seen)] == ["tape"]


def test_a_dead_tape_s_number_is_not_given_again(looped):
    numbers = [event.tape for event in looped.events if event.kind == "entered"]
    assert len(set(numbers)) == 3

"""The switches of a TapePlayer: layers folded or open, and the classic mistake, = in place of +=."""

import numpy as np
import pytest

import minitape as tf
from minitape.trace import Ran, Trace, Walked
from minitape_widgets import TapePlayer
from minitape_widgets.tape.fold import fold
from minitape_widgets.tape.reader import tell


def sentences(player, choice=0):
    return [step.words for step in player._variant(choice).steps]


@pytest.fixture
def cubed():
    """x * x * x, in which x is used three times; its block can run again."""
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            w = y * x
        tape.gradient(w, x)
    return seen


@pytest.fixture
def trained():
    """One step of a small model."""
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Flatten(name="flatten"),
            tf.keras.layers.Dense(4, activation="relu", name="hidden"),
            tf.keras.layers.Dense(2, name="scores"),
        ]
    )
    x = tf.constant(np.ones((3, 2, 2), "float32"))
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x)))
        tape.gradient(loss, model.trainable_variables)
    return seen


# --- the mistake -----------------------------------------------------------------------------------------------------


def test_the_switch_shows_the_gradient_of_the_mistake(cubed):
    player = TapePlayer(cubed, buggy=True)
    assert len(player._picture.variants) == 2
    player.step = player.steps
    assert player.caption.endswith("their sum is the gradient, 27.0")
    player.choice = 1
    assert player.step == player.steps
    assert player.caption == (
        "done: three contributions reached x, each written over the one before, and the last is the answer, 9.0; "
        "with += it is 27.0"
    )


def test_the_rules_say_how_contributions_come(cubed):
    player = TapePlayer(cubed, buggy=True)
    right, wrong = (picture.svg(player.steps) for picture in player._picture.variants)
    assert "dw/dx += g * y" in right
    assert "dw/dx = g * y" in wrong
    assert "+=" not in wrong.replace("the bug: = in place of +=", "")
    assert "the second written over the first" in sentences(player, 1)[-2]


def test_what_was_written_over_is_struck_out(cubed):
    wrong = TapePlayer(cubed, buggy=True)._picture.variants[1]
    end = wrong.states(len(wrong.steps))
    assert [end[f"term-x-{n}"] for n in (1, 2, 3)] == ["is-dimmed", "is-dimmed", "is-done"]
    before = wrong.states(len(wrong.steps) - 2)
    assert [before[f"term-x-{n}"] for n in (1, 2, 3)] == ["is-current", "is-future", "is-future"]


def test_the_text_twin_tells_of_the_mistake(cubed):
    text = TapePlayer(cubed, buggy=True).text
    assert text.endswith("With the bug, = in place of +=\n  the gradient of w for x is 9.0, where it should be 27.0")
    assert "bug" not in TapePlayer(cubed).text


def test_where_nothing_is_used_twice_the_mistake_does_no_harm():
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.exp(x)
        tape.gradient(y, x)
    assert sentences(TapePlayer(seen, buggy=True), 1)[-1].endswith("; with += it is the same")


def test_a_trace_from_elsewhere_is_not_run(cubed):
    stranger = Trace.from_json(cubed.to_json())
    with pytest.raises(
        ValueError, match=r"no switch for the mistake: the trace was read from elsewhere.*\nobserve lines"
    ):
        TapePlayer(stranger, buggy=True)


def test_a_block_that_changes_what_it_reads_is_not_compared_and_nothing_is_changed():
    v = tf.Variable(3.0)
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            y = v * v
        v.assign_sub(tape.gradient(y, v))
    with pytest.raises(
        ValueError, match="a second run of the block gives another answer\nobserve lines that answer the"
    ):
        TapePlayer(seen, buggy=True)
    assert float(v) == -3.0


# --- layers ----------------------------------------------------------------------------------------------------------


def test_a_layer_s_ops_become_one_row(trained):
    rows = tell(*_folded(trained)).rows
    assert [(row.ran.text, row.span(row.number or 0)) for row in rows][:3] == [
        ("flatten", "0"),
        ("hidden", "1\N{EN DASH}3"),
        ("scores", "4\N{EN DASH}5"),
    ]


def _folded(seen):
    trace, spans = fold(seen)
    return trace, None, spans


def test_a_folded_row_takes_in_what_comes_from_outside_and_gives_what_leaves(trained):
    trace, _ = fold(trained)
    hidden = next(ran for ran in trace.of(Ran) if ran.text == "hidden")
    assert [value.name for value in hidden.inputs] == ["flatten", "kernel", "bias"]
    assert [value.name for value in hidden.outputs] == ["hidden"]
    assert [value.name for value in hidden.saves] == ["flatten", "hidden"]


def test_its_way_back_is_one_step_with_the_same_gradients(trained):
    trace, _ = fold(trained)
    hidden = next(walk for walk in trace.of(Walked) if walk.text == "hidden")
    assert [gift.to.name for gift in hidden.gifts] == ["bias", "kernel"]
    assert {gift.rule for gift in hidden.gifts} == {"through 1\N{EN DASH}3"}
    given = {gift.to.id: gift.value for walk in trained.of(Walked) for gift in walk.gifts}
    assert all(gift.value == given[gift.to.id] for gift in hidden.gifts)
    scores = next(walk for walk in trace.of(Walked) if walk.text == "scores")
    assert scores.outputs[0].name == "scores"
    assert len(scores.upstream) == 1


def test_a_switch_opens_and_folds_the_layers(trained):
    player = TapePlayer(trained, folded=True)
    folded, opened = player._picture.variants
    assert "hidden was recorded as entries 1 to 3; it saves" in " ".join(sentences(player, 0))
    assert "scores was recorded as entries 4 and 5" in " ".join(sentences(player, 0))
    assert "relu in model(x) was recorded as entry 3" in " ".join(sentences(player, 1))
    assert 'data-choice="1"' in folded.svg(1)
    assert 'data-choice="0"' in opened.svg(1)
    assert "switch-fold" in folded.svg(1)


def test_a_folded_tape_says_how_many_ops_are_on_it(trained):
    opened, folded = (TapePlayer(trained, folded=each).text for each in (False, True))
    assert opened.splitlines()[0] == folded.splitlines()[0]
    assert "1\N{EN DASH}3  hidden" in folded
    assert "back through entries 1 to 3" in " ".join(sentences(TapePlayer(trained, folded=True)))


def test_short_tapes_begin_open_and_long_ones_folded(trained):
    assert "relu in model(x)" in TapePlayer(trained).text
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, activation="relu", name=f"layer{n}") for n in range(5)])
    x = tf.constant(np.ones((1, 2), "float32"))
    with tf.observe() as seen, tf.GradientTape() as tape:
        tape.watch(x)
        model(x)
    assert "13\N{EN DASH}15  layer4" in TapePlayer(seen).text


def test_a_program_without_layers_has_no_switch(cubed):
    player = TapePlayer(cubed)
    assert player._picture.variants == ()
    assert "chooser" not in player._picture.svg(1)
    assert fold(cubed) == (cubed, {})


def test_both_switches_together_lead_everywhere():
    layer = tf.keras.layers.Dense(2, activation="relu", name="layer")
    x = tf.constant(np.ones((1, 2), "float32"))
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(layer(x)))
        tape.gradient(loss, layer.trainable_variables)
    player = TapePlayer(seen, buggy=True)
    assert player.text.count("With the bug") == 1
    pictures = player._picture.variants
    assert len(pictures) == 4
    leads = [sorted(int(part.split('"')[0]) for part in one.svg(1).split('data-choice="')[1:]) for one in pictures]
    assert leads == [[1, 2], [0, 3], [0, 3], [1, 2]]

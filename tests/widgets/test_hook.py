"""HookLab: measured slopes, verdicts, contracts, the slider, rules on a tape, odd inputs, nothing unescaped."""

from xml.etree import ElementTree

import numpy as np
import pytest

import minitape as tf
from minitape_widgets import HookLab
from minitape_widgets.hook.measure import measure, setting
from minitape_widgets.hook.source import source

from . import rules
from .rules import clip_grad, st_round


@tf.custom_gradient
def cube(x):
    def grad(dy):
        return dy * 3.0 * x * x

    return x * x * x, grad


@tf.custom_gradient
def two(x):
    return x, lambda dy: (dy, dy)


@tf.custom_gradient
def scalar(x):
    return x, lambda dy: tf.reduce_sum(dy)


@tf.custom_gradient
def forgot(x):
    return x, lambda dy: tf.ones_like(x)


def look(hook, *args, dy=None):
    return measure(hook, args, dy, ["x", "y", "z"][: len(args)])


def last(lab):
    lab.step = lab.steps
    return lab.caption


def ids(svg):
    return [node.get("data-id") for node in ElementTree.fromstring(svg).iter() if node.get("data-id")]


# --- what is measured ------------------------------------------------------------------------------------------------


def test_the_slope_is_that_of_the_function_and_not_of_the_rule():
    found = look(clip_grad, [1.0, 2.0, 3.0], dy=5.0)
    np.testing.assert_allclose(found.rule, [1.0, 1.0, 1.0])
    np.testing.assert_allclose(found.slope, [5.0, 5.0, 5.0], rtol=1e-6)
    assert found.verdict == "differs"


def test_a_true_rule_agrees_in_each_of_its_inputs():
    @tf.custom_gradient
    def weigh(x, y):
        return x * y, lambda dy: (dy * y, dy * x)

    found = look(weigh, [1.0, -2.0], [3.0, 0.5], dy=[2.0, 4.0])
    np.testing.assert_allclose(found.slope, [6.0, 2.0, 2.0, -8.0], rtol=1e-6)
    assert found.verdict == "agrees"
    assert look(cube, [1.0, -2.0, 0.0]).verdict == "agrees"


def test_a_wrong_rule_is_found_where_it_is_wrong():
    @tf.custom_gradient
    def leaky(x):
        return tf.nn.relu(x), lambda dy: tf.where(x > 0, dy, 0.1 * dy)

    found = look(leaky, [1.0, -2.0, 3.0])
    assert found.unlike.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("hook", "checks", "fault"),
    [
        (two, [False, None, None], "The rule returned two gradients; two has one input, x."),
        (scalar, [True, False, None], "The rule returned shape (); x has shape (3,)."),
        (forgot, [True, True, False], "With dy = 0 a rule must return 0; this one returns [1. 1. 1.]."),
    ],
)
def test_a_broken_contract_is_named_and_ends_the_checks(hook, checks, fault):
    found = look(hook, [1.0, 2.0, 3.0], dy=5.0)
    assert (found.verdict, found.checks, found.fault) == ("broken", checks, fault)
    caption = last(HookLab(hook, [1.0, 2.0, 3.0], dy=5.0))
    assert caption.startswith("broken contract: ")
    assert caption.endswith(fault)


def test_a_broken_contract_comes_with_its_fix():
    @tf.custom_gradient
    def summed(x):
        def grad(dy):
            return tf.reduce_sum(dy)

        return x, grad

    lab = HookLab(summed, [1.0, 2.0, 3.0])
    assert "fix: return g * tf.ones_like(x)  # one number for each of `x`" in lab.text
    assert "return g * tf.ones_like(x)" in lab._picture.svg(6)


def test_a_saturated_clip_does_not_count_as_forgetting_dy():
    assert look(clip_grad, [1.0], dy=100.0).checks == [True, True, True]


def test_what_is_on_purpose_says_why():
    lab = HookLab(st_round, [0.2, 1.6, 2.7], dy=3.0, purpose="straight-through: round is flat.")
    assert (
        last(lab) == "the rule returned [3. 3. 3.], the slope is [0. 0. 0.]: it differs, on purpose: straight-through"
    )
    assert "differs, on purpose: straight-through. round is flat." in lab.text


def test_variables_keep_their_values_and_nothing_is_printed(capsys):
    v = tf.Variable(2.0, trainable=False)

    @tf.custom_gradient
    def loud(x):
        print("forward")
        v.assign_add(1.0)
        return x * 2.0, lambda dy: dy * 2.0

    assert look(loud, [1.0]).verdict == "agrees"
    assert float(v) == 2.0
    assert capsys.readouterr().out == ""


# --- the slider ------------------------------------------------------------------------------------------------------


def test_each_value_of_the_parameter_was_measured_and_the_one_now_comes_first():
    lab = HookLab(clip_grad, [1.0, 2.0], dy=5.0, vary={"limit": [0.25, 1.0, 5.0]})
    assert [f"limit = {value}" in lab.text for value in ("0.25: differs", "1: differs", "5: agrees")] == [True] * 3
    captions = []
    for choice in range(3):
        lab.choice = choice
        captions.append(last(lab).partition(",")[0])
    assert captions == ["the rule returned [1. 1.]", "the rule returned [0.25 0.25]", "the rule returned [5. 5.]"]
    assert rules.limit == 1.0


def test_the_slider_is_one_for_those_who_do_not_see_it():
    lab = HookLab(clip_grad, [1.0, 2.0], dy=5.0, vary={"limit": [0.25, 1.0, 5.0]})
    root = ElementTree.fromstring(lab.picture["svg"])
    slider = next(node for node in root.iter() if node.get("data-id") == "dial")
    names = ("role", "aria-label", "aria-valuemin", "aria-valuemax", "aria-valuenow", "aria-valuetext", "tabindex")
    assert [slider.get(name) for name in names] == ["slider", "limit", "0", "2", "1", "1", "0"]
    stops = [node.get("data-choice") for node in slider.iter() if node.get("data-choice")]
    assert stops == ["1", "0", "2"]
    assert root.get("role") == "group"


def test_a_number_of_an_outer_function_can_be_varied_and_comes_back():
    def make(edge):
        @tf.custom_gradient
        def cut(x):
            return x, lambda dy: tf.clip_by_value(dy, -edge, edge)

        return cut

    cut = make(2.0)
    assert "edge = 9: agrees" in HookLab(cut, [1.0], dy=5.0, vary={"edge": [2.0, 9.0]}).text
    assert look(cut, [1.0], dy=5.0).rule.tolist() == [2.0]


def test_a_name_that_the_rule_does_not_read_is_refused():
    with (
        pytest.raises(ValueError, match=r"clip_grad reads no number that is called 'edge'\nedge = 1\.0"),
        setting(clip_grad, {"edge": 2.0}),
    ):
        pass


def test_training_goes_with_the_rule_and_is_the_same_as_by_hand():
    def loss(t):
        return tf.reduce_sum(clip_grad(t) ** 2)

    lab = HookLab(clip_grad, [4.0], vary={"limit": [1.0, 8.0]}, train=loss, rate=0.25)
    x, losses = 4.0, []
    for _ in range(31):
        losses.append(x * x)
        x -= 0.25 * min(2 * x, 1.0)
    assert f"training, 1: 16 -> {losses[-1]:.4g}" in lab.text
    assert "30 training steps on loss" in lab._picture.svg(6)


def test_without_a_parameter_the_rule_trains_beside_the_true_slope():
    def loss(t):
        return tf.reduce_sum((st_round(t) - 2.0) ** 2)

    text = HookLab(st_round, [0.2], train=loss).text
    assert "training, the rule: 4 -> 0" in text
    assert "training, true slope: 4 -> 4" in text


# --- rules on a tape -------------------------------------------------------------------------------------------------


def test_a_rule_on_a_tape_has_the_dy_that_really_came(clipped):
    lab = HookLab(clipped, names={"tf": tf})
    assert lab.text.startswith("HookLab: the rule of clip_grad: dy = [5. 5. 5.] came in, [1. 1. 1.] left; differs")
    lab.step = 2
    assert lab.caption == "\N{MULTIPLICATION SIGN} 5.0 hands dy = [5. 5. 5.] back to clip_grad"
    assert "return tf.clip_by_value(dy, -1.0, 1.0)" in lab.text


def test_dy_of_many_numbers_is_heard_when_the_block_runs_again():
    weights = tf.constant(np.linspace(-3.0, 3.0, 64, dtype=np.float32))
    t = tf.constant(np.zeros(64, np.float32))
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            tape.watch(t)
            loss = tf.reduce_sum(clip_grad(t) * weights)
        tape.gradient(loss, t)
    changed = int((np.abs(np.linspace(-3.0, 3.0, 64)) > 1).sum())
    lab = HookLab(seen)
    assert last(lab) == f"{changed} of 64 entries differ from the true derivative"
    assert f"{changed} of 64 entries differ, all where |dy| is above 1.0." in lab.text


def test_each_rule_has_its_own_variant_also_one_called_out_of_sight():
    def hidden(u):
        return st_round(u)

    with tf.observe() as seen:
        t = tf.constant([1.2, 2.6])
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = tf.reduce_sum(hidden(clip_grad(t) * 3.0))
        tape.gradient(y, t)
    lab = HookLab(seen, names={**globals(), "hidden": hidden})
    assert len(lab.picture["variants"]) == 2
    assert "the rule of clip_grad: dy = [3. 3.]" in lab.text
    assert "the rule of st_round: dy = [1. 1.]" in lab.text
    lab.choice = 1
    assert last(lab).startswith("the rule returned [1. 1.], the slope is [0. 0.]")


def test_a_block_without_a_rule_says_so(recorded):
    assert last(HookLab(recorded)) == "no function with its own rule ran in this block"


def test_what_is_neither_trace_nor_function_is_refused():
    with pytest.raises(TypeError, match="HookLab looks at a rule, and this is a int\n"):
        HookLab(3)


# --- the source ------------------------------------------------------------------------------------------------------


def test_the_lit_lines_are_the_handover_the_entrance_and_the_return():
    shown = source(clip_grad)
    lit = [shown.lines[at].strip() for at in (shown.made, shown.entered, shown.returned)]
    assert lit == ["return x, grad", "def grad(dy):", "return tf.clip_by_value(dy, -limit, limit)"]


def test_a_rule_given_apart_stands_below_its_function():
    def back(dy, x):
        return dy * 2.0 * x

    square = tf.custom_gradient(lambda x: x * x, grad=back)
    shown = source(square)
    assert shown.lines[shown.returned].strip() == "return dy * 2.0 * x"
    assert look(square, [3.0]).verdict == "agrees"


def test_a_function_without_source_still_has_its_numbers():
    space = {"tf": tf}
    exec("@tf.custom_gradient\ndef bare(x):\n    return x, lambda dy: dy", space)
    lab = HookLab(space["bare"], [1.0])
    assert "its source is not at hand" in lab.text
    assert "agrees with the true derivative" in lab.text


# --- the drawing -----------------------------------------------------------------------------------------------------


def labs(clipped):
    yield HookLab(clipped, names={"tf": tf})
    yield HookLab(clip_grad, [1.0, -2.0], dy=5.0, vary={"limit": [1.0, 5.0]}, train=lambda t: tf.reduce_sum(t * t))
    for hook in (two, scalar, forgot, st_round):
        yield HookLab(hook, [1.0, 2.0, 3.0])
    yield HookLab(cube, np.linspace(-1, 1, 200, dtype=np.float32))
    yield HookLab(cube, np.zeros((0, 3), np.float32))
    yield HookLab(cube, [float("nan"), 1.0, float("inf")])
    yield HookLab(cube, 2.0)


def test_every_part_that_changes_is_drawn_once(clipped):
    for lab in labs(clipped):
        for picture in lab._picture.variants or (lab._picture,):
            drawn = ids(picture.svg(1))
            assert len(drawn) == len(set(drawn))
            assert set(picture.timelines) <= set(drawn)
            assert "NaN" not in picture.svg(6)


def test_the_steps_come_in_the_order_of_the_storyboard(clipped):
    states = [HookLab(clipped, names={"tf": tf})._picture.states(step) for step in range(1, 7)]
    first = {id: next(at for at, each in enumerate(states, 1) if each[id] != "is-future") for id in states[0]}
    order = ("hook", "in", "dy-0", "out", "g-0", "num-0", "verdict")
    assert [first[id] for id in order] == [1, 2, 2, 4, 4, 5, 6]
    assert [states[at]["lit-1"] for at in (0, 1)] == ["is-done", "is-future"]


def test_a_value_that_is_nan_is_not_called_a_difference():
    found = look(cube, [float("nan"), 1.0])
    assert found.unlike.tolist() == [False, False]


def test_nothing_is_unescaped():
    space = {"tf": tf}
    exec("@tf.custom_gradient\ndef bad(x):\n    return x, lambda dy: dy", space)
    space["bad"].__name__ = "<img src=x onerror=alert(1)>"
    lab = HookLab(space["bad"], [1.0], purpose="<b>: </svg><script>")
    for step in range(1, 7):
        svg = lab._picture.svg(step)
        assert "<img" not in svg
        assert "<script" not in svg
        ElementTree.fromstring(svg)


def test_the_still_picture_and_the_text_are_the_same_at_every_run(clipped):
    one, two = (HookLab(clipped, names={"tf": tf})._repr_mimebundle_()[0] for _ in range(2))
    assert one["text/html"] == two["text/html"]
    assert one["text/plain"] == two["text/plain"]
    assert one["text/html"].startswith('<img alt="HookLab: the rule of clip_grad: dy = [5. 5. 5.] came in')

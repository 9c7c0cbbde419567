"""`observe()`: the trace of a block, in the learner's own names, lines and numbers."""

import numpy as np
import pytest

import minitape as tf
from minitape.trace import Asked, Entered, Made, Paused, Ran, Rerun, Walked


def kinds(seen):
    return [event.kind for event in seen.events]


def test_the_loop_forward_and_back():
    with tf.observe() as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = x + x
            w = y * x
        grad = tape.gradient(w, x)
    assert grad.numpy() == 27.0
    assert z.numpy() == 6.0
    assert seen.lines[0] == "x = tf.constant(3.0)"
    assert seen.lines[-1] == "grad = tape.gradient(w, x)"
    assert kinds(seen) == [
        "made", "entered", "watched", "ran", "paused", "ran", "resumed", "ran",
        "left", "asked", "walked", "walked", "answered",
    ]  # fmt: skip
    assert [event.line for event in seen.of(Made, Entered, Ran, Paused, Asked)] == [1, 2, 4, 5, 6, 7, 8]
    assert [event.held for event in seen.of(Ran, Walked)] == [4, 4, 8, 4, 0]
    first, skipped, second = seen.of(Ran)
    assert (first.text, first.outputs[0].name, first.recorded) == ("x * x", "y", ((1, 1),))
    assert (skipped.recorded, skipped.skipped[0].why, skipped.skipped[0].line) == (
        (),
        "line 5 stopped the recording",
        5,
    )
    assert [value.name for value in second.saves] == ["y", "x"]
    last, back = seen.of(Walked)
    assert [(gift.to.name, gift.rule, gift.calc, gift.total.text) for gift in (*last.gifts, *back.gifts)] == [
        ("y", "g * x", "1.0 * 3.0", "3.0"),
        ("x", "g * y", "1.0 * 9.0", "9.0"),
        ("x", "g * x", "3.0 * 3.0", "18.0"),
        ("x", "g * x", "3.0 * 3.0", "27.0"),
    ]
    assert [value.name for value in (*last.freed, *back.freed)] == ["y", "x"]
    assert seen.events[-1].gradients[0].name == "dw/dx"
    assert seen.peak == 8


def test_json_there_and_back():
    with tf.observe() as seen:
        v = tf.Variable([1.0, 2.0], name="v")
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.recompute_grad(tf.sin)(v) * float("nan"))
        tape.gradient(loss, [v, tf.constant(1)])
    again = tf.Trace.from_json(seen.to_json())
    assert again.to_json() == seen.to_json()
    assert again.lines == seen.lines
    with pytest.raises(ValueError, match="version 99"):
        tf.Trace.from_json('{"version": 99}')


def test_why_an_op_is_skipped():
    with tf.observe() as seen:
        a, b, i = tf.constant(1.0), tf.constant(2.0), tf.constant(3)
        with tf.GradientTape() as tape:
            tape.watch(a)
            b * b
            i * i
            _ = a > b
            tf.stop_gradient(a)
    assert [(op.text, op.skipped[0].reason, op.skipped[0].why) for op in seen.skipped] == [
        ("b * b", "unwatched", "none of its inputs is watched"),
        ("i * i", "integer", "integers have no gradient"),
        ("a > b", "not differentiable", "it has no derivative"),
        ("tf.stop_gradient(a)", "not differentiable", "stop_gradient lets no gradient through"),
    ]
    assert tape.entries == []


def test_an_op_without_a_tape_is_neither_recorded_nor_skipped():
    with tf.observe() as seen:
        tf.constant(1.0) + 1.0
    (op,) = seen.of(Ran)
    assert (op.recorded, op.skipped) == ((), ())


def test_a_custom_rule_shows_what_came_in_and_what_went_out():
    @tf.custom_gradient
    def clip_grad(x):
        return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    with tf.observe() as seen:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(clip_grad(x) * 5.0)
        tape.gradient(y, x)
    (rule,) = [step for step in seen.of(Walked) if step.custom]
    assert rule.custom == "custom_gradient"
    assert rule.op == "clip_grad"
    assert [value.text for value in rule.upstream] == ["[5. 5.]"]
    assert [gift.value.text for gift in rule.gifts] == ["[1. 1.]"]


def test_recomputed_runs_are_counted_and_marked():
    def block(x):
        return tf.sin(x)

    with tf.observe() as seen:
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.recompute_grad(block)(x)
        tape.gradient(y, x)
    assert [(event.name, event.run) for event in seen.of(Rerun)] == [("block", 1), ("block", 2)]
    inner = [op for op in seen.of(Ran) if op.op == "sin"]
    assert [(op.again, op.within) for op in inner] == [(False, "recompute_grad block"), (True, "recompute_grad block")]
    assert inner[0].skipped[0].reason == "recompute_grad"
    assert [op.custom for op in seen.recorded] == ["recompute_grad", None]


def test_names_are_the_learners():
    with tf.observe() as seen:
        r = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(r)
            for _ in range(2):
                r = r * r
            loss = tf.reduce_sum(tf.square(r - 1.0))
        tape.gradient(loss, [])
    assert [op.outputs[0].name for op in seen.of(Ran)] == ["r₂", "r₃", "r - 1.0", "tf.square(r - 1.0)", "loss"]
    assert [value.name for value in seen.of(Ran)[1].inputs] == ["r₂", "r₂"]


def test_names_and_numbers_of_several_at_once():
    with tf.observe() as seen:
        a, b = tf.constant([2.0, 2.0, 2.0, 2.0, 2.0]), tf.constant([1.25e-7, 2.0, 3.0, 4.0])
        _ = a[0] + b[0]
    assert [(made.value.name, made.value.text) for made in seen.of(Made)] == [
        ("a", "[2. 2. 2. 2. 2.]"),
        ("b", "(4,) float32"),
    ]


def test_a_layers_ops_belong_to_the_learners_line():
    with tf.observe() as seen:
        layer = tf.keras.layers.Dense(1)
        x = tf.constant([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            y = layer(x)
            z = y + y
    assert [op.text for op in seen.recorded] == ["matmul in layer(x)", "add in layer(x)", "y + y"]
    assert {op.line for op in seen.recorded} == {4, 5}
    assert [value.name for value in seen.recorded[-1].inputs] == ["y", "y"]
    assert z.shape == tape.gradient(z, y).shape


def test_two_tapes_hear_for_themselves():
    with tf.observe() as seen:
        x = tf.Variable(3.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x * x
            d1 = inner.gradient(y, x)
        outer.gradient(d1, x)
    assert [event.name for event in seen.of(Entered)] == ["outer", "inner"]
    assert seen.of(Ran)[0].recorded == ((1, 1), (2, 1))
    assert all(op.recorded[0][0] == 1 and op.within == "gradient" for op in seen.of(Ran)[1:])


def test_an_error_inside_the_block_leaves_nobody_listening():
    x = tf.constant(1.0)
    seen = tf.Trace()

    def fail():
        nonlocal seen
        with tf.observe() as seen:
            tf.constant(2.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert kinds(seen) == ["made"]
    before = len(seen.events)
    x + x
    assert len(seen.events) == before


def test_a_program_without_source_is_still_observed():
    scope = {"tf": tf}
    exec("with tf.observe() as seen:\n    x = tf.constant(2.0)\n    y = x * x", scope)
    assert scope["seen"].lines == ()
    assert [op.op for op in scope["seen"].of(Ran)] == ["multiply"]


def test_what_was_saved_is_not_taken_for_a_value_that_is_gone():
    """An array that no tensor holds may lie where a tensor's array has lain."""
    weights = tf.Variable(tf.ones([8, 10]))
    for _ in range(20):
        with tf.observe() as seen:
            with tf.GradientTape() as tape:
                logits = tf.ones([32, 8]) @ weights + tf.zeros([10])
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros([32], tf.int64), logits))
            tape.gradient(loss, weights)
        _, at, slope = next(event.saves for event in seen.of(Ran) if event.op.startswith("sparse_softmax"))
        assert (at.name, at.shape, at.dtype) == ("at", (32,), "int64")
        assert (slope.name, slope.shape, slope.dtype) == ("residual", (32, 10), "float32")
        assert at.id != slope.id


def test_equal_code_in_two_files_keeps_its_places():
    import linecache

    text = "with tf.observe() as seen:\n    x = tf.constant(2.0)\n    y = x * x\n"
    for file in ("<first copy>", "<second copy>"):
        linecache.cache.clear()
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        scope = {"tf": tf}
        exec(compile(text, file, "exec"), scope)
        assert scope["seen"].lines == ("x = tf.constant(2.0)", "y = x * x")
        assert [op.text for op in scope["seen"].of(Ran)] == ["x * x"]


def test_the_classic_mistake_writes_over_what_came_before():
    with tf.observe(buggy=True) as seen:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            w = y * x
        wrong = tape.gradient(w, x)
    assert float(wrong) == 9.0  # the last of 9 + 9 + 9
    assert [gift.total.numbers for event in seen.of(Walked) for gift in event.gifts] == [(3.0,), (9.0,)] + [(9.0,)] * 2
    with tf.GradientTape() as tape:
        tape.watch(x)
        w = x * x * x
    assert float(tape.gradient(w, x)) == 27.0  # the mistake ends with the block


def test_the_mistake_reaches_everything_further_back():
    with tf.observe(buggy=True):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = 3.0 * x
            z = y + y
        assert float(tape.gradient(z, x)) == 3.0  # y gets 1 where it should get 2


def test_an_op_knows_the_layers_and_scopes_that_it_ran_in():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(2, name="one"), tf.keras.layers.Dense(1, name="two")], name="net"
    )
    with tf.observe() as seen, tf.name_scope("outside"):
        model(tf.ones((1, 3)))
        tf.ones(2) + 1.0
    tf.ones(2) + 1.0
    assert list(dict.fromkeys(op.scope for op in seen.of(Ran))) == [
        "outside/net/one",
        "outside/net/two",
        "outside",
    ]
    assert model.layers[0].kernel.name == "kernel"


@pytest.mark.parametrize("size", [2, 20])
def test_each_running_sum_is_told_whatever_the_size(size):
    with tf.observe() as seen:
        x = tf.fill([size], 3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            w = tf.reduce_sum(x * 1.0 + (x * x) * x + (x * 2.0 + x))
        tape.gradient(w, x)
    gifts = [gift for event in seen.of(Walked) for gift in event.gifts if gift.to.name == "x"]
    totals = np.cumsum([gift.value.low for gift in gifts])
    assert [gift.total.low for gift in gifts] == list(totals)
    assert totals[-1] == 31.0

"""A block's account: every kind of thing that happens in one, in order, and what differs between two blocks."""

import minitape as tf
from minitape.account import account


def rows(seen):
    return [(row.what, row.text) for row in account(seen).rows]


def test_all_that_happens_in_a_block():
    with tf.observe() as seen:
        x, v = tf.Variable(3.0), tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            with tape.stop_recording():
                z = x + y
            v.assign(y)
            shown = z.numpy()
            w = tf.recompute_grad(tf.sin)(y)
        tape.gradient(w, x)
        with tape:
            tape.reset()
    assert shown == 12.0
    told = rows(seen)
    assert told[:9] == [
        ("tape begins", "tape"),
        ("watched", "x"),
        ("recorded", "y = x * x"),
        ("paused", "tape"),
        ("skipped", "z = x + y"),
        ("goes on", "tape"),
        ("watched", "v"),
        ("left", "y"),
        ("left", "z"),
    ]
    kinds = [what for what, _ in told]
    assert kinds.count("block") == 2
    assert kinds.index("gradient") < kinds.index("back") < kinds.index("answer")
    assert kinds[-3:] == ["tape begins", "reset", "tape ends"]
    notes = {row.text: row.note for row in account(seen).rows}
    assert notes["z = x + y"] == "by tape: line 4 stopped the recording"
    assert "sin" in notes


def test_where_a_value_went():
    with tf.observe() as seen:
        x, v = tf.constant(2.0), tf.Variable(0.0)
        float(x)
        x.numpy()
        v.assign(x)
        if x > 1.0:
            tf.Variable(x)
    assert [(gone.line, gone.value.name, gone.to) for gone in seen.gone] == [
        (2, "x", "Python"),
        (3, "x", "NumPy"),
        (4, "x", "the variable v"),
        (5, "x > 1.0", "Python"),
        (6, "x", "the variable"),
    ]
    again = tf.Trace.from_json(seen.to_json())
    assert again.gone == seen.gone
    assert str(again) == str(seen)


def test_two_blocks_compared():
    x, w = tf.constant(3.0), tf.Variable(2.0)

    def run(watch, more=False):
        with tf.observe() as seen, tf.GradientTape() as tape:
            if watch:
                tape.watch(x)
            y = x * x
            if more:
                y = tf.sin(y)
            _ = y + w
        return seen

    assert str(run(False).compare(run(False))) == "the same ops, recorded and skipped alike"
    found = run(False).compare(run(True))
    assert (found.recorded, found.skipped, found.peak) == (1, -1, 4)
    assert str(found).splitlines() == [
        "1 more op recorded, 1 fewer skipped",
        "x * x: recorded; before, none of its inputs is watched",
    ]
    assert run(True).compare(run(False)).changes == ("x * x: skipped, none of its inputs is watched",)
    assert run(True).compare(run(True, more=True)).changes == ("tf.sin(y): new, recorded",)
    assert run(True, more=True).compare(run(True)).changes == ("tf.sin(y): gone, was recorded",)


def test_nothing_from_the_learner_reaches_a_page_unescaped():
    with tf.observe() as seen:
        x = tf.Variable(1.0, name="<img onerror=x>")
        with tf.GradientTape():
            {"<b>": x}["<b>"] * 1.0
    assert "<img" not in seen._repr_html_()
    assert "<b>" not in seen._repr_html_()
    other = tf.Trace()
    assert "<img" not in other.compare(seen)._repr_html_()


def test_what_a_custom_rule_seems_to_get_wrong():
    k, c = tf.Variable(2.0), tf.constant(3.0)

    @tf.custom_gradient
    def square(x):
        return x * x + 0.0 * t * c, lambda dy: 2.0 * x

    with tf.observe() as seen:
        x, t = tf.constant(3.0), tf.constant(1.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, t])
            y = square(x)
            z = square(x) * 10.0 * k
        tape.gradient(y, x)
        tape.gradient(z, x)
    notes = [row.note for row in account(seen).rows if row.what == "note"]
    assert notes == [
        "square uses t, which is no argument of it: no gradient reaches it",
        "the rule of square gives the same whatever comes in: is dy left out?",
    ]


def test_a_rule_that_is_right_gets_no_note():
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        return x * w, lambda dy, variables: (dy * w, [dy * x])

    with tf.observe() as seen:
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = scaled(x)
            z = scaled(x) * 10.0
        tape.gradient(y, x)
        tape.gradient(z, x)
    assert "note" not in [row.what for row in account(seen).rows]

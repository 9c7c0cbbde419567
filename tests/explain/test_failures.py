"""`explain(error)`: what an exception says, its line, and why a None that met an op is None."""

import pytest

import minitape as tf

from .programs import run

WATCHED = "x = tf.Variable([2.0, 1.0])\nwith tf.GradientTape() as tape:\n    y = x * x\n"
PROGRAMS = {
    "a method that is not there": ("wrong-kind", 4, WATCHED + "tape.gradients(y, x)\n"),
    "another library's method": ("wrong-kind", 4, WATCHED + "y.backward()\n"),
    "a used up tape": ("tape-state", 5, WATCHED + "tape.gradient(y, x)\ntape.gradient(y, x)\n"),
    "a block that is over": ("tape-state", 4, WATCHED + "tape.reset()\n"),
    "a tape inside itself": ("tape-state", 2, "with tf.GradientTape() as tape:\n    with tape:\n        pass\n"),
    "a tape that never recorded": ("tape-state", 2, "tape = tf.GradientTape()\ntape.watch(tf.constant(1.0))\n"),
    "rows in an assignment": ("wrong-kind", 2, "x = tf.constant([1.0])\nx[0] = 2.0\n"),
    "a number as target": ("wrong-kind", 4, WATCHED + "tape.gradient(3.0, x)\n"),
    "shapes": ("wrong-shape", 2, "x = tf.ones([2])\ny = x + tf.ones([3])\n"),
    "output_gradients": ("wrong-shape", 4, WATCHED + "tape.gradient(y, x, output_gradients=tf.ones([3]))\n"),
    "dtypes": ("wrong-dtype", 2, "x = tf.ones([2])\ny = x + tf.ones([2], tf.float64)\n"),
    "a step in between": ("wrong-shape", 2, "def f(x):\n    return x + tf.ones([3])\nf(tf.ones([2]))\n"),
    "a None in a sum": ("unused", 3, WATCHED + "u = tf.Variable(1.0)\n0.1 * tape.gradient(y, [u])[0]\n"),
    "a None in an op": ("unused", 3, WATCHED + "u = tf.Variable(1.0)\ng = tape.gradient(y, u)\ntf.sign(g)\n"),
    "not minitape's own": ("error", 1, "1 / 0\n"),
}


@pytest.mark.parametrize(("cause", "line", "program"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_an_exception_says(cause, line, program):
    _, error = run(program, "<failing>")
    assert error is not None
    found = tf.explain(error)
    assert (found.cause, found.line) == (cause, line), found
    assert str(found).splitlines()[1].startswith("fix: ")


def test_a_used_up_tape_names_the_call_that_used_it():
    _, error = run(WATCHED + "tape.gradient(y, x)\ntape.jacobian(y, x)\n", "<failing>")
    assert "gradient() on line 4" in str(error)
    assert "persistent=True" in str(error)


def test_explain_takes_a_tape_or_an_error():
    with pytest.raises(TypeError, match="explain takes a tape"):
        tf.explain(3.0)
    tape = tf.GradientTape()
    assert tf.explain(tape, None, tf.constant(1.0)).cause == "wrong-kind"
    assert tf.explain(tape, tf.constant(1.0), 3.0).cause == "wrong-kind"

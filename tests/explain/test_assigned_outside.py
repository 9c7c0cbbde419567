"""A value that was written into a variable while no tape was recording is found all the same."""

import minitape as tf


def test_a_step_between_two_blocks_of_one_tape():
    x, v = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape(persistent=True) as tape:
        w = x * 2.0
    v.assign_add(w)
    with tape:
        y = v * 3.0
    assert tape.gradient(y, x) is None
    said = str(tf.explain(tape, y, x))
    assert "(`v.assign_add(w)`) wrote a number into the variable `v`" in said
    assert "w → v" in said


def test_a_step_before_the_tape():
    x, v = tf.Variable(3.0), tf.Variable(0.0)
    step = x * 2.0
    v.assign_sub(step)
    with tf.GradientTape() as tape:
        y = v * 3.0
    assert tape.gradient(y, step) is None
    assert "(`v.assign_sub(step)`) wrote a number into the variable `v`" in str(tf.explain(tape, y, step))

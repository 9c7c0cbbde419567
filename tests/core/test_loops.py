"""Loops and branches as functions, and functions of Python's and NumPy's in the middle of a program."""

import numpy as np
import pytest

import minitape as tf


def test_map_fn_takes_and_gives_structures():
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        out = tf.map_fn(lambda row: {"sum": row[0] + row[1], "product": row[0] * row[1]}, (a, b))
        loss = tf.reduce_sum(out["sum"] * out["product"])
    assert out["product"].numpy().tolist() == [3.0, 8.0]
    assert [g.numpy().tolist() for g in tape.gradient(loss, [a, b])] == [[15.0, 32.0], [7.0, 20.0]]


def test_folds_and_scans():
    x = tf.constant([1.0, 2.0, 3.0])
    assert tf.foldl(lambda a, v: a - v, x).numpy() == -4.0
    assert tf.foldr(lambda a, v: a - v, x).numpy() == 0.0
    assert tf.foldl(lambda a, v: a - v, x, initializer=10.0).numpy() == 4.0
    assert tf.scan(lambda a, v: a + v, x, initializer=10.0).numpy().tolist() == [11.0, 13.0, 16.0]
    assert tf.scan(lambda a, v: a + v, x, reverse=True).numpy().tolist() == [6.0, 5.0, 3.0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.scan(lambda a, v: a * v, x))
    assert tape.gradient(y, x).numpy().tolist() == [9.0, 4.0, 2.0]


def test_while_loop_keeps_the_structure_of_its_variables():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        i, state = tf.while_loop(
            lambda i, s: i < 4, lambda i, s: (i + 1, {"y": s["y"] * x}), (tf.constant(0), {"y": x})
        )
    assert (i.numpy(), state["y"].numpy()) == (4, 243.0)
    assert tape.gradient(state["y"], x).numpy() == 405.0
    assert tf.while_loop(lambda v: v > 0, lambda v: v + 1, [tf.constant(1)], maximum_iterations=3)[0].numpy() == 4


def test_only_one_branch_runs():
    ran = []

    def branch(name, value):
        def run():
            ran.append(name)
            return tf.constant(value)

        return run

    assert tf.cond(tf.constant(False), branch("yes", 1.0), branch("no", 2.0)).numpy() == 2.0
    pairs = [(tf.constant(False), branch("a", 1.0)), (tf.constant(True), branch("b", 2.0))]
    assert tf.case(pairs, default=branch("c", 3.0)).numpy() == 2.0
    assert tf.switch_case(tf.constant(7), {0: branch("d", 1.0), 1: branch("e", 2.0)}).numpy() == 2.0
    assert tf.switch_case(0, [branch("f", 1.0)], default=branch("g", 2.0)).numpy() == 1.0
    assert ran == ["no", "b", "e", "f"]


def test_functions_in_the_middle():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.py_function(lambda v: v * v, [x], tf.float32)
        a, b = tf.py_function(lambda v: (v, -v), [x], [tf.float32, tf.float32])
        z = tf.numpy_function(lambda v: v * v, [x], tf.float32)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
    assert tape.gradient([a, b], x).numpy().tolist() == [0.0, 0.0]
    assert tape.gradient(z, x) is None
    assert z.numpy().tolist() == [1.0, 4.0]
    with pytest.raises(ValueError, match="float64 was asked for"):
        tf.py_function(lambda v: v, [x], tf.float64)
    assert tf.numpy_function(np.argmax, [x], tf.int64).dtype == tf.int64

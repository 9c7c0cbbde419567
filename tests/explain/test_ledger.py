"""The ledger: whose bytes a tape holds, for which derivative, until when; they are the bytes that NumPy has."""

import gc
import tracemalloc

import pytest

import minitape as tf

SIZE = 250_000  # float32 numbers: a megabyte an array


def chain(x, steps):
    for _ in range(steps):
        x = tf.tanh(x * x)
    return x


@pytest.mark.parametrize("steps", [3, 10])
def test_the_bytes_are_those_that_numpy_allocated(steps):
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        x = tf.ones([SIZE])
        with tf.GradientTape() as tape:
            tape.watch(x)
            chain(x, steps)
        gc.collect()
        allocated = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert tf.ledger(tape).bytes == pytest.approx(allocated, rel=0.02)


def test_who_holds_what_and_for_which_derivative():
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        c = a * b
        d = tf.exp(c)
    held = tf.ledger(tape)
    product, power = held.holdings
    assert [(one.name, one.bytes, one.use) for one in product.buffers] == [("a", 8, "dL/db"), ("b", 8, "dL/da")]
    assert [(one.name, one.use) for one in power.buffers] == [("d", "dL/dc")]
    assert held.bytes == 24
    assert [one.entry for one in held.of(d)] == [2]
    assert held.of(c) == ()
    tape.gradient(d, a)
    assert tf.ledger(tape).bytes == 24


def test_a_deleted_name_is_still_held():
    x = tf.ones([1000])
    with tf.GradientTape() as tape:
        tape.watch(x)
        h = tf.sin(x)
        y = h * h
    del h
    assert "entry 2    line" in str(tf.ledger(tape))
    assert "h: 4000 bytes, for dL/dh" in str(tf.ledger(tape))
    tape.gradient(y, x)
    assert tf.ledger(tape).bytes == 0


def test_what_a_custom_rule_captured_counts():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: 2.0 * dy * x

    x = tf.ones([1000])
    with tf.GradientTape() as tape:
        tape.watch(x)
        square(x)
    rows = [row for row in tf.ledger(tape).holdings if row.op == "square"]
    assert [(one.name, one.bytes) for one in rows[0].buffers] == [("captured by the rule", 4000)]


def test_over_time():
    x = tf.ones([1000])
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = tf.sin(x)
            y = tf.sin(h)
        tape.gradient(y, x)
    held = tf.ledger(seen)
    assert [moment.held for moment in held.moments] == [4000, 8000, 4000, 0]
    assert held.peak == seen.peak == 8000
    assert [life.name for life in held.at_peak] == ["x", "h"]
    assert [life.freed for life in held.lives] == ["on the way back, entry 1", "on the way back, entry 2"]


def test_reset_ends_every_life():
    x = tf.ones([1000])
    with tf.observe() as seen, tf.GradientTape() as tape:
        tape.watch(x)
        tf.sin(x)
        tape.reset()
    assert [life.freed for life in tf.ledger(seen).lives] == ["by reset()"]
    assert tf.ledger(tf.Trace()).peak == 0

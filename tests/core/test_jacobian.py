"""A whole jacobian is one way back: counted, and equal to the rows taken one by one."""

import numpy as np
import pytest

import minitape as tf


def rows_one_by_one(f, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    eye = np.eye(int(np.prod(y.shape)), dtype=np.float32).reshape((-1, *y.shape))
    rows = [tf.convert_to_tensor(tape.gradient(y, x, tf.constant(seed))).numpy() for seed in eye]
    return np.stack(rows).reshape((*y.shape, *x.shape))


def jacobian(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x).numpy()


W = tf.constant(np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32))


@tf.custom_gradient
def custom(x):
    return tf.sin(x), lambda dy: dy * tf.cos(x)


@tf.custom_gradient
def two_outputs(x):
    return (x * 2.0, x * x), lambda da, db: da * 2.0 + db * 2.0 * x


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tf.tanh(x @ W),
        lambda x: tf.reduce_sum(x * x, axis=1),
        lambda x: tf.reduce_mean(x, axis=0, keepdims=True) - x,
        lambda x: tf.transpose(x) * 2.0,
        lambda x: tf.reshape(x, [-1]) / 3.0,
        lambda x: x[:, ::2] ** 2.0,
        lambda x: tf.gather(x, [1, 1, 0]),
        lambda x: tf.clip_by_value(x, -0.5, 0.5) * tf.maximum(x, 0.1),
        lambda x: tf.broadcast_to(x, [2, 2, 3]) * x,
        lambda x: tf.matmul(x, x, transpose_b=True),
        lambda x: tf.cast(tf.cast(x, tf.float64) * 2.0, tf.float32),
        custom,
        lambda x: sum(two_outputs(x)),
        lambda x: two_outputs(x)[1],
        tf.recompute_grad(lambda x: tf.sin(x) * x),
    ],
)
def test_all_rows_at_once_are_the_rows_one_by_one(f):
    x = tf.constant(np.random.default_rng(1).normal(size=(2, 3)).astype(np.float32))
    np.testing.assert_allclose(jacobian(f, x), rows_one_by_one(f, x), rtol=1e-6, atol=1e-7)


def test_a_recomputed_block_runs_once_for_a_whole_jacobian():
    runs = []
    block = tf.recompute_grad(lambda x: runs.append(1) or tf.sin(x))
    jacobian(block, tf.ones([2, 3]))
    assert len(runs) == 2


def test_a_custom_rule_is_called_once_a_row():
    calls = []

    @tf.custom_gradient
    def f(x):
        return x * 1.0, lambda dy: calls.append(dy.shape) or dy

    jacobian(f, tf.ones([2, 3]))
    assert calls == [(2, 3)] * 6


def test_a_hessian_is_symmetric_and_right():
    x = tf.constant([0.5, -1.0, 2.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.sin(x)) * x[0] * x[1]
        g = inner.gradient(y, x)
    hessian = outer.jacobian(g, x).numpy()
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-12)
    s, c = np.sum(np.sin(x.numpy())), np.cos(x.numpy())
    a, b = x.numpy()[:2]
    assert hessian[2, 2] == pytest.approx(-np.sin(2.0) * a * b)
    assert hessian[0, 1] == pytest.approx(s + c[0] * a + c[1] * b)


def test_a_third_tape_follows_a_jacobian():
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = custom_cube(x)
        j = inner.jacobian(y, x)
    third = outer.gradient(j, x)
    np.testing.assert_allclose(third.numpy(), 6 * x.numpy())


@tf.custom_gradient
def custom_cube(x):
    return x * x * x, lambda dy: dy * 3.0 * x * x

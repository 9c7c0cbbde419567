"""Random numbers: the same by seed, everywhere; spread as they should be; differentiable where they are moved."""

import numpy as np
import pytest

import minitape as tf

NORMAL, UNIFORM = [-1.831308, -0.1773544, 0.0382792], [0.001229416, 0.5108468, 0.5062366]
WHOLE, STATELESS = [40, 79, 44, 24], [1.364965, 0.4271517]
DRAWS = {
    "normal": lambda **more: tf.random.normal([4], **more),
    "uniform": lambda **more: tf.random.uniform([4], **more),
    "whole": lambda **more: tf.random.uniform([4], maxval=1000, dtype=tf.int32, **more),
    "truncated_normal": lambda **more: tf.random.truncated_normal([4], **more),
    "shuffle": lambda **more: tf.random.shuffle(tf.range(20), **more),
}


@pytest.fixture(autouse=True)
def _the_stream_is_left_as_it_was():
    yield
    tf.random.set_seed(np.random.SeedSequence().entropy % 2**32)


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_by_seed(name):
    draw = DRAWS[name]
    tf.random.set_seed(5)
    first, second = draw().numpy().tolist(), draw().numpy().tolist()
    tf.random.set_seed(5)
    assert draw().numpy().tolist() == first
    assert draw().numpy().tolist() == second != first
    tf.random.set_seed(6)
    assert draw().numpy().tolist() != first


def test_an_op_with_a_seed_has_a_stream_of_its_own():
    tf.random.set_seed(5)
    first, second = tf.random.normal([2], seed=1).numpy().tolist(), tf.random.normal([2], seed=1).numpy().tolist()
    assert first != second  # it goes on, as in TensorFlow
    tf.random.set_seed(5)
    tf.random.normal([2])  # the shared stream does not move it
    assert tf.random.normal([2], seed=1).numpy().tolist() == first


def test_the_numbers_are_the_same_on_every_platform():
    tf.random.set_seed(0)
    np.testing.assert_allclose(tf.random.normal([3]).numpy(), NORMAL, rtol=1e-6)
    np.testing.assert_allclose(tf.random.uniform([3]).numpy(), UNIFORM, rtol=1e-6)
    assert tf.random.uniform([4], maxval=100, dtype=tf.int32).numpy().tolist() == WHOLE
    np.testing.assert_allclose(tf.random.stateless_normal([2], seed=[1, 2]).numpy(), STATELESS, rtol=1e-6)


def test_stateless_numbers_depend_on_the_seed_alone():
    for draw in (tf.random.stateless_normal, tf.random.stateless_uniform, tf.random.stateless_truncated_normal):
        a, b, c = (draw([3], seed=seed).numpy().tolist() for seed in ([1, 2], [1, 2], [2, 1]))
        assert a == b != c
    assert tf.random.stateless_uniform([3], [1, 2], maxval=5, dtype=tf.int64).dtype == tf.int64


def test_a_generator_goes_on_and_splits():
    g, again = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)
    first = g.normal([2]).numpy().tolist()
    assert again.normal([2]).numpy().tolist() == first != g.normal([2]).numpy().tolist()
    again.reset_from_seed(1)
    assert again.normal([2]).numpy().tolist() == first
    one, two = g.split(2)
    assert one.uniform([2]).numpy().tolist() != two.uniform([2]).numpy().tolist()
    assert tf.random.Generator.from_non_deterministic_state().truncated_normal([3]).shape == (3,)


def test_how_they_are_spread():
    tf.random.set_seed(1)
    normal = tf.random.normal([20000], mean=3.0, stddev=2.0).numpy()
    assert abs(normal.mean() - 3.0) < 0.1
    assert abs(normal.std() - 2.0) < 0.1
    even = tf.random.uniform([20000], -1.0, 3.0).numpy()
    assert even.min() >= -1.0
    assert even.max() < 3.0
    assert abs(even.mean() - 1.0) < 0.1
    near = tf.random.truncated_normal([20000], 1.0, 0.5).numpy()
    assert abs(near - 1.0).max() <= 1.0
    whole = tf.random.uniform([20000], 2, 5, tf.int32).numpy()
    assert sorted(set(whole.tolist())) == [2, 3, 4]
    assert sorted(tf.random.shuffle(tf.range(100)).numpy().tolist()) == list(range(100))


def test_gradients_reach_the_mean_and_the_spread():
    mean, stddev = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([mean, stddev])
        y = tf.reduce_sum(tf.random.stateless_normal([3], [1, 2], mean, stddev))
    by_mean, by_stddev = tape.gradient(y, [mean, stddev])
    assert by_mean.numpy() == 3.0
    np.testing.assert_allclose(by_stddev.numpy(), (y.numpy() - 3.0) / 2.0, rtol=1e-5)


def test_classes_come_as_often_as_softmax_says():
    tf.random.set_seed(2)
    logits = tf.constant([[0.0, np.log(3.0)]])
    drawn = tf.random.categorical(logits, 20000)
    assert (drawn.shape, drawn.dtype) == ((1, 20000), tf.int64)
    assert abs(drawn.numpy().mean() - 0.75) < 0.02
    a, b = (tf.random.stateless_categorical(logits, 9, seed=[1, 2]).numpy().tolist() for _ in range(2))
    assert a == b


def test_seeds_made_of_seeds():
    one, two = tf.random.split([1, 2])
    assert one.numpy().tolist() != two.numpy().tolist()
    assert tf.random.split([1, 2], 2).numpy().tolist() == [one.numpy().tolist(), two.numpy().tolist()]
    assert tf.random.fold_in([1, 2], 3).numpy().tolist() != tf.random.fold_in([1, 2], 4).numpy().tolist()
    assert tf.random.stateless_normal([2], seed=one).shape == (2,)


def test_dtypes():
    assert tf.random.normal([2], dtype=tf.float64).dtype == tf.float64
    assert tf.random.uniform([2], maxval=9, dtype=tf.int64).dtype == tf.int64
    assert tf.random.uniform([1000], dtype=tf.float16).numpy().max() < 1


def test_dropout_keeps_the_mean_and_its_gradient_is_its_mask():
    x = tf.ones([10000])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, 0.25)
    np.testing.assert_allclose(np.unique(y.numpy()), [0.0, 4 / 3], rtol=1e-6)
    assert abs(y.numpy().mean() - 1.0) < 0.05
    assert tape.gradient(y, x).numpy().tolist() == y.numpy().tolist()
    rows = tf.nn.dropout(tf.ones([100, 3]), 0.5, noise_shape=[100, 1]).numpy()
    assert (rows == rows[:, :1]).all()

"""Sums of many numbers: whatever way they are added up, it is the sum, in the dtype and shape that it should have."""

import numpy as np
import pytest

import minitape as tf
from minitape.ops.sums import LONG, MANY

SHAPES = [(100, 70), (3, 5000), (5000, 3), (2, LONG + 1000, 4), (10, 20, 30), (4, 5, 6, 70), (MANY + 1,), (2, 3)]
CASES = [
    (shape, axis)
    for shape in SHAPES
    for axis in [None, *range(-len(shape), 0), [0, 1], [0, -1], [0, 1, 2]]
    if not isinstance(axis, list) or len(axis) < len(shape)
]


def numbers(shape, dtype):
    """From -3 to 3: so small that sums of them have no rounding, in any order, in every dtype."""
    return np.random.default_rng(0).integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "complex64"])
@pytest.mark.parametrize(("shape", "axis"), CASES)
def test_a_sum_and_a_mean(shape, axis, dtype, keepdims):
    x = numbers(shape, dtype)
    along = tuple(axis) if isinstance(axis, list) else axis
    expected = np.sum(x.real, along, "int64", keepdims=keepdims)
    found = tf.reduce_sum(x, axis, keepdims)
    assert found.numpy().dtype == x.dtype
    assert np.array_equal(found.numpy(), expected.astype(x.dtype))
    count = x.size // expected.size
    mean = tf.reduce_mean(x, axis, keepdims)
    assert mean.numpy().dtype == x.dtype
    if x.dtype.kind == "i":
        assert np.array_equal(mean.numpy(), np.trunc(expected / count).astype(x.dtype))
    else:
        np.testing.assert_allclose(mean.numpy(), expected / count, rtol=1e-3 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("shape", [(100, 70), (10, 20, 30)])
def test_numbers_that_do_not_lie_in_order(shape):
    x = numbers(shape, np.float32)
    for turned in (x.T, np.asfortranarray(x), x[::-1], x[..., ::2], np.broadcast_to(x[:1], shape)):
        for axis in range(turned.ndim):
            assert np.array_equal(tf.reduce_sum(turned, axis).numpy(), turned.sum(axis))


def test_inf_and_nan_stay_in_their_columns():
    x = np.ones((1000, 10), np.float32)
    x[3, 1], x[5, 2], x[6, 2], x[7, 3] = np.inf, np.inf, -np.inf, np.nan
    assert np.array_equal(tf.reduce_sum(x, 0).numpy(), [1000, np.inf, np.nan, np.nan] + [1000] * 6, equal_nan=True)
    rows = tf.reduce_sum(x, 1).numpy()
    assert np.array_equal(rows[[3, 5, 6, 7]], [np.inf, np.inf, -np.inf, np.nan], equal_nan=True)
    assert (np.delete(rows, [3, 5, 6, 7]) == 10).all()


def test_the_gradient_of_a_row_that_was_added_to_many():
    for batch in [(500, 20), (10, 25, 4, 8)]:
        x, row = tf.constant(numbers(batch, np.float32)), tf.Variable(tf.zeros([batch[-1]]))
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * (x + row))
        assert np.array_equal(tape.gradient(y, row), x.numpy().reshape(-1, batch[-1]).sum(0))

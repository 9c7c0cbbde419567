"""What the gradients are where a function has no slope, or an infinite one: as TensorFlow has them."""

import numpy as np
import pytest

import minitape as tf


def slope(f, at):
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy().tolist()


SAFE = {
    "sqrt": tf.sqrt,
    "rsqrt": tf.math.rsqrt,
    "reciprocal": tf.math.reciprocal,
    "xlogy": lambda x: tf.math.xlogy(x, x),
    "divide_no_nan": lambda x: tf.math.divide_no_nan(1.0, x),
}
UNSAFE = {
    "log": tf.math.log,
    "1 / x": lambda x: 1.0 / x,
    "x / x": lambda x: x / x,
    "x ** 0.5": lambda x: x**0.5,
    "acos": lambda x: tf.acos(x + 1.0),
    "atan2": lambda x: tf.atan2(x, x),
    "exp": lambda x: tf.exp(1.0 / x),
}


@pytest.mark.parametrize("name", SAFE)
def test_these_give_0_where_the_branch_is_not_taken(name):
    f = SAFE[name]
    assert slope(lambda x: tf.where(x > 0.0, f(x), 0.0), [0.0]) == [0.0]


@pytest.mark.parametrize("name", UNSAFE)
def test_these_give_nan_even_where_the_branch_is_not_taken(name):
    f = UNSAFE[name]
    assert np.isnan(slope(lambda x: tf.where(x > 0.0, f(x), 0.0), [0.0])).all()


def test_the_cure_is_to_guard_the_input_too():
    def f(x):
        safe = tf.where(x > 0.0, x, 1.0)
        return tf.where(x > 0.0, tf.math.log(safe), 0.0)

    assert slope(f, [0.0, 2.0]) == [0.0, 0.5]


def test_a_root_that_is_squared_again():
    assert slope(lambda x: tf.square(tf.sqrt(x)), 0.0) == 0.0
    assert slope(lambda x: tf.norm(x) ** 2, [0.0, 0.0]) == [0.0, 0.0]
    assert np.isnan(slope(lambda x: tf.sqrt(x * x), 0.0))
    assert np.isnan(slope(tf.norm, [0.0, 0.0])).all()


def test_who_gets_the_gradient_of_a_tie():
    assert slope(tf.nn.relu, 0.0) == slope(tf.abs, 0.0) == 0.0
    assert slope(lambda x: tf.maximum(x, 0.0), 0.0) == 1.0
    assert slope(lambda x: tf.maximum(0.0, x), 0.0) == 0.0
    assert slope(tf.reduce_max, [3.0, 3.0]) == [0.5, 0.5]
    assert slope(lambda x: tf.math.top_k(x, 1).values, [3.0, 3.0]) == [1.0, 0.0]
    pool = slope(lambda x: tf.nn.max_pool2d(tf.reshape(x, [1, 2, 2, 1]), 2, 2, "VALID"), [1.0, 1.0, 1.0, 1.0])
    assert pool == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("f", "kind"),
    [
        (tf.nn.relu, "zero"),
        (tf.abs, "zero"),
        (tf.nn.leaky_relu, "zero"),
        (lambda x: x + 1.0, None),
        (tf.reduce_sum, None),
        (lambda x: tf.maximum(x, 0.0), None),
        (lambda x: tf.clip_by_value(x, -1.0, 1.0), None),
        (tf.sign, None),
        (lambda x: x * x, "number"),
    ],
)
def test_the_second_derivative_is_zero_or_none_by_the_rule(f, kind):
    x = tf.constant([1.5, -2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        first = tape.gradient(y, x)
    second = outer.gradient(first, x)
    if kind is None:
        assert second is None
    else:
        assert second.numpy().tolist() == ([0.0, 0.0] if kind == "zero" else [2.0, 2.0])


def test_a_product_with_zeros_has_its_true_slope():
    assert slope(tf.reduce_prod, [2.0, 0.0, 4.0]) == [0.0, 8.0, 0.0]
    assert slope(tf.math.cumprod, [2.0, 0.0, 3.0]) == [1.0, 8.0, 0.0]  # TensorFlow: [1, 0, 0]
    assert slope(lambda x: tf.math.segment_prod(x, [0, 0, 0]), [0.0, 0.0, 3.0]) == [0.0, 0.0, 0.0]


def test_a_sum_of_squares_under_a_root_after_clipping():
    assert slope(lambda x: tf.clip_by_norm(x, 1.0), [0.0, 0.0]) == [1.0, 1.0]
    np.testing.assert_allclose(slope(tf.math.l2_normalize, [0.0, 0.0]), [1e6, 1e6])


def test_polygamma_of_high_order():
    order = np.array([20.0, 100.0, 100.0, 170.0, 171.0, 200.0, 200.0, 1e30, np.inf, 0.5, -1.0])
    at = np.array([1.5, 1.5, 30.0, 30.0, 1.5, 1.5, 1e3, 1.5, 1.5, 1.5, 1.5])
    # TensorFlow 2.21
    expected = [-487772949462609.94, -1.530334926217656e140, -626546063.6686362, -1.8821151408240002e54]
    expected += [np.inf, -np.inf, *[np.nan] * 5]
    np.testing.assert_allclose(tf.math.polygamma(order, at).numpy(), expected, rtol=1e-11)


def test_polygamma_is_the_slope_of_digamma():
    x = np.array([0.3, 2.2, 7.7, -1.3])
    step = 1e-5
    for order, lower in ((1, tf.math.digamma), (2, lambda v: tf.math.polygamma(tf.ones_like(v), v))):
        slopes = (lower(tf.constant(x + step)) - lower(tf.constant(x - step))).numpy() / (2 * step)
        values = tf.math.polygamma(tf.constant(np.full(4, float(order))), tf.constant(x)).numpy()
        np.testing.assert_allclose(values, slopes, rtol=1e-7)
    np.testing.assert_allclose(tf.math.polygamma(tf.constant(1.0, tf.float64), 1.0).numpy(), np.pi**2 / 6, rtol=1e-14)


def test_cholesky_takes_a_symmetric_matrix_for_what_it_is():
    x = tf.constant([[4.0, 1.0], [1.0, 3.0]], tf.float64)
    weights = np.array([[1.0, 0.0], [2.0, 3.0]])

    def loss(x):
        return tf.reduce_sum(tf.linalg.cholesky((x + tf.transpose(x)) / 2) * weights)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(x)
    grad, found = tape.gradient(y, x).numpy(), np.zeros((2, 2))
    for at in np.ndindex(2, 2):
        moved = np.zeros((2, 2))
        moved[at] = 1e-6
        found[at] = (loss(x + moved) - loss(x - moved)).numpy() / 2e-6
    np.testing.assert_allclose(grad, found, rtol=1e-6)


def test_complex_numbers_and_their_parts():
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = tf.complex(x, y)
        real, imag = tf.math.real(z) * 2.0, tf.math.imag(z) * 3.0
    assert z.dtype == tf.complex64
    assert [g.numpy().tolist() for g in tape.gradient(real, [x, y])] == [[2.0, 2.0], [0.0, 0.0]]
    assert [g.numpy().tolist() for g in tape.gradient(imag, [x, y])] == [[0.0, 0.0], [3.0, 3.0]]


def test_the_size_and_the_angle_of_a_complex_number():
    z = tf.constant([3.0 + 4.0j], tf.complex128)
    with tf.GradientTape() as outer:
        outer.watch(z)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(z)
            size, angle = tf.abs(z), tf.math.angle(z)
        by_size = tape.gradient(size, z)
    assert (size.numpy()[0], by_size.numpy()[0]) == (5.0, 0.6 + 0.8j)
    np.testing.assert_allclose(tape.gradient(angle, z).numpy(), [(-4.0 + 3.0j) / 25], rtol=1e-12)
    np.testing.assert_allclose(outer.gradient(by_size, z).numpy(), [0.128 - 0.096j], rtol=1e-12)  # as TensorFlow
    assert tf.math.angle([1.0, -1.0]).numpy().tolist() == [0.0, np.float32(np.pi)]


def test_the_slope_of_a_crossentropy_for_its_logits_has_a_slope_for_the_labels():
    labels, logits, weights = tf.constant([[0.2, 0.3, 0.5]]), tf.constant([[1.0, 2.0, 0.0]]), np.float32([[1, 2, 3]])
    with tf.GradientTape() as outer:
        outer.watch(labels)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        slope = tape.gradient(loss, logits)  # softmax(logits) * sum(labels) - labels
        total = tf.reduce_sum(slope * weights)
    wanted = np.sum(tf.nn.softmax(logits) * weights) - weights
    np.testing.assert_allclose(outer.gradient(total, labels), wanted, rtol=1e-5)


def test_one_hot_counts_an_axis_from_the_end():
    assert tf.one_hot([[1, 0]], 3, axis=-2).shape == tf.one_hot([[1, 0]], 3, axis=1).shape == (1, 3, 2)
    assert tf.reduce_all(tf.one_hot([[1, 0]], 3, axis=-2) == tf.one_hot([[1, 0]], 3, axis=1))

"""Convolution and pooling against loops over every window."""

import itertools
import math

import numpy as np
import pytest

import minitape as tf

RNG = np.random.default_rng(3)
LAYOUTS = [
    (size, stride, dilation, padding)
    for size, stride, dilation, padding in itertools.product(
        [(2, 3), (3, 1)], [(1, 1), (2, 1)], [1, 2], ["SAME", "VALID"]
    )
]


def margins(length, size, stride, padding):
    """What is put before and after an axis, and how many windows there are."""
    if padding == "VALID":
        return 0, 0, (length - size) // stride + 1
    count = math.ceil(length / stride)
    lacking = max((count - 1) * stride + size - length, 0)
    return lacking // 2, lacking - lacking // 2, count


def every_window(x, size, stride, dilation, padding, fill=0.0):
    """The windows of an image, one by one: (row, column, numbers of the window)."""
    reach = [(part - 1) * dilation + 1 for part in size]
    (top, bottom, rows), (left, right, columns) = (
        margins(length, part, step, padding) for length, part, step in zip(x.shape[1:3], reach, stride, strict=True)
    )
    x = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=fill)
    for i, j in itertools.product(range(rows), range(columns)):
        y0, x0 = i * stride[0], j * stride[1]
        yield i, j, x[:, y0 : y0 + reach[0] : dilation, x0 : x0 + reach[1] : dilation]


@pytest.mark.parametrize(("size", "stride", "dilation", "padding"), LAYOUTS)
def test_conv2d(size, stride, dilation, padding):
    x, k = RNG.normal(size=(2, 6, 7, 3)), RNG.normal(size=(*size, 3, 4))
    y = tf.nn.conv2d(x, k, list(stride), padding, dilations=dilation).numpy()
    seen = 0
    for i, j, window in every_window(x, size, stride, dilation, padding):
        np.testing.assert_allclose(y[:, i, j], np.einsum("nhwc,hwco->no", window, k), rtol=1e-12, atol=1e-12)
        seen += 1
    assert y.shape == (2, i + 1, j + 1, 4)
    assert seen == (i + 1) * (j + 1)


@pytest.mark.parametrize(("size", "stride", "dilation", "padding"), LAYOUTS)
def test_depthwise_conv2d(size, stride, dilation, padding):
    x, k = RNG.normal(size=(2, 6, 7, 3)), RNG.normal(size=(*size, 3, 2))
    y = tf.nn.depthwise_conv2d(x, k, [1, *stride, 1], padding, dilations=[dilation, dilation]).numpy()
    for i, j, window in every_window(x, size, stride, dilation, padding):
        wanted = np.einsum("nhwc,hwcm->ncm", window, k).reshape(2, 6)
        np.testing.assert_allclose(y[:, i, j], wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("size", "stride", "padding"), [(s, t, p) for s, t, d, p in LAYOUTS if d == 1])
def test_pooling(size, stride, padding):
    x = RNG.normal(size=(2, 6, 7, 3))
    largest = tf.nn.max_pool2d(x, size, stride, padding).numpy()
    mean = tf.nn.avg_pool2d(x, size, stride, padding).numpy()
    for i, j, window in every_window(x, size, stride, 1, padding, np.nan):
        np.testing.assert_allclose(largest[:, i, j], np.nanmax(window, (1, 2)))
        np.testing.assert_allclose(mean[:, i, j], np.nanmean(window, (1, 2)))


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2])
def test_conv2d_transpose_is_the_transpose(padding, stride):
    x, k = tf.constant(RNG.normal(size=(1, 6, 6, 2))), tf.constant(RNG.normal(size=(3, 2, 2, 4)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.conv2d(x, k, stride, padding)
    g = tf.constant(RNG.normal(size=y.shape))
    back = tf.nn.conv2d_transpose(g, k, x.shape, stride, padding)
    np.testing.assert_allclose(back.numpy(), tape.gradient(y, x, output_gradients=g).numpy(), rtol=1e-12, atol=1e-12)


def test_sequences_and_separable_kernels():
    x, k = RNG.normal(size=(2, 7, 3)), RNG.normal(size=(2, 3, 4))
    y = tf.nn.conv1d(x, k, 2, "VALID").numpy()
    for at in range(3):
        np.testing.assert_allclose(y[:, at], np.einsum("nwc,wco->no", x[:, 2 * at : 2 * at + 2], k), rtol=1e-12)
    assert tf.nn.max_pool1d(x, 2, 2, "VALID").numpy().tolist() == np.maximum(x[:, :6:2], x[:, 1::2]).tolist()
    np.testing.assert_allclose(tf.nn.avg_pool1d(x, 2, 2, "VALID").numpy(), (x[:, :6:2] + x[:, 1::2]) / 2)
    image, apart, mix = RNG.normal(size=(1, 4, 4, 2)), RNG.normal(size=(2, 2, 2, 3)), RNG.normal(size=(1, 1, 6, 2))
    once = tf.nn.separable_conv2d(image, apart, mix, [1, 1, 1, 1], "SAME")
    twice = tf.nn.depthwise_conv2d(image, apart, [1, 1, 1, 1], "SAME").numpy() @ mix[0, 0]
    np.testing.assert_allclose(once.numpy(), twice, rtol=1e-12, atol=1e-12)


def test_a_float32_image_stays_float32():
    x, k = tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1])
    for y in (tf.nn.conv2d(x, k, 1, "SAME"), tf.nn.avg_pool2d(x, 2, 2, "SAME"), tf.nn.max_pool2d(x, 2, 2, "SAME")):
        assert y.dtype == tf.float32


def test_space_and_depth():
    x = RNG.normal(size=(1, 4, 6, 2))
    deep = tf.nn.space_to_depth(x, 2)
    assert deep.numpy()[0, 0, 0].tolist() == [*x[0, 0, 0], *x[0, 0, 1], *x[0, 1, 0], *x[0, 1, 1]]
    assert tf.nn.depth_to_space(deep, 2).numpy().tolist() == x.tolist()

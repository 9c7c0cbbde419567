"""Tensors and variables."""

import numpy as np


def ranks(tf):
    rank_2 = tf.constant([[1, 2], [3, 4], [5, 6]], dtype=tf.float16)
    rank_3 = tf.constant([[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]], [[10, 11, 12, 13, 14], [15, 16, 17, 18, 19]]])
    return rank_2, rank_3, np.array(rank_2), rank_3.ndim, tf.rank(rank_3), rank_3.shape.as_list()


def simple_math(tf):
    a, b = tf.constant([[1, 2], [3, 4]]), tf.ones([2, 2], dtype=tf.int32)
    c = tf.constant([[4.0, 5.0], [10.0, 1.0]])
    return a + b, a * b, a @ b, tf.reduce_max(c), tf.math.argmax(c), tf.nn.softmax(c), tf.convert_to_tensor([1, 2, 3])


def indexing(tf):
    t = tf.constant([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
    m = tf.reshape(tf.range(24), [2, 3, 4])
    return (
        t[0].numpy(),
        t[-1],
        t[:4],
        t[4:],
        t[2:7],
        t[::2],
        t[::-1],
        m[:, :, 1],
        m[1, ..., 2],
        m[..., tf.newaxis].shape,
    )


def shapes(tf):
    x = tf.zeros([3, 2, 4, 5])
    small = tf.constant([[1], [2], [3]])
    return (
        x.dtype.name, x.ndim, list(x.shape), x.shape[-1], tf.size(x).numpy(),
        tf.reshape(small, [1, 3]), tf.reshape(x, [-1]).shape, tf.transpose(x, [0, 2, 1, 3]).shape,
    )  # fmt: skip


def broadcasting(tf):
    x, y = tf.constant([1, 2, 3]), tf.constant(2)
    col, row = tf.reshape(x, [3, 1]), tf.range(1, 5)
    return x * 2, x * y, tf.multiply(col, row), tf.broadcast_to(tf.constant([1, 2, 3]), [3, 3])


def casting(tf):
    half = tf.constant([2.2, 3.3, 4.4], dtype=tf.float64)
    return tf.cast(tf.cast(half, dtype=tf.float16), dtype=tf.uint8), half


def a_variable(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="Mark")
    other = tf.Variable(v + 1, name="Mark")
    a = tf.Variable([2.0, 3.0])
    a.assign([1.0, 2.0])
    b = tf.Variable(a)
    a.assign_add([5.0, 6.0])
    return (
        v.name, v.shape, v.dtype.name, v.numpy(), tf.convert_to_tensor(v), tf.math.argmax(v), tf.reshape(v, [1, 4]),
        v == other, a.numpy(), b.numpy(), a.assign_sub([7.0, 8.0]).numpy(), tf.Variable(1, trainable=False).trainable,
    )  # fmt: skip


def variables_in_numpy(tf):
    v = tf.Variable([1.0, 4.0, 9.0])
    return np.sqrt(v), np.sum(v), np.mean(v.numpy()), np.stack([v, v]), f"{v.numpy()[0]:.1f}", f"{v[1]:.2f}"


def names_are_no_obstacle(tf):
    x = tf.constant([[1.0, 2.0]], name="x")
    return tf.matmul(x, x, transpose_b=True, name="m"), tf.add(x, x, name="a"), tf.nn.relu(x, name="r")


def arguments_by_name(tf):
    return (
        tf.atan2(y=1.0, x=2.0), tf.math.atan2(y=[1.0, -1.0], x=[-2.0, 0.5]),
        tf.math.imag(tf.complex(real=1.0, imag=2.0)),
        tf.math.polygamma(a=1.0, x=2.0), tf.math.real(input=1 + 2j), tf.math.imag(input=1 + 2j),
        tf.identity(input=1.5), tf.stop_gradient(input=2.5), tf.math.nextafter(x1=1.0, x2=2.0),
    )  # fmt: skip


def assigning_with_every_argument(tf):
    v = tf.Variable([1.0, 2.0])
    v.assign([3.0, 4.0], True, "put")
    v.assign_add([1.0, 1.0], use_locking=True, name="more")
    return v.assign_sub([0.5, 0.5], False, None, True).numpy()


def texts(tf):
    def raised(call):
        try:
            return call()
        except Exception as error:
            return type(error).__name__

    t, v = tf.constant(1.5), tf.Variable(2.5)
    return (
        f"{t:.2f} {t} {v}", raised(lambda: f"{v:.2f}"), raised(lambda: f"{tf.ones([2]):.2f}"),
        type(tf.math.top_k([1.0, 3.0], 1)).__name__,
    )  # fmt: skip

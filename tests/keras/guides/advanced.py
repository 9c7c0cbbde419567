"""Advanced automatic differentiation."""

import numpy as np


def _dense(tf, units, kernel, **options):
    make = tf.keras.initializers.Constant
    return tf.keras.layers.Dense(units, kernel_initializer=make(kernel), **options)


def _input(*shape):
    size = int(np.prod(shape))
    return (np.sin(np.arange(size) * 1.7) * 2).astype(np.float32).reshape(shape)


def recording_stopped_and_begun_anew(tf):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x_sq = x * x
        with tape.stop_recording():
            y_sq = y * y
        z = x_sq + y_sq
    first = tape.gradient(z, {"x": x, "y": y})
    with tf.GradientTape() as tape:
        y_sq = y * y
        if z > 1:
            tape.reset()
        z = x * x + tf.stop_gradient(y_sq)
    return first, tape.gradient(z, {"x": x, "y": y})


def a_clipped_gradient(tf):
    @tf.custom_gradient
    def clip_gradients(y):
        return y, lambda dy: tf.clip_by_norm(dy, 0.5)

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        output = clip_gradients(v * v)
    return tape.gradient(output, v)


def two_tapes_side_by_side(tf):
    x0, x1 = tf.constant(0.0), tf.constant(0.0)
    with tf.GradientTape() as tape0, tf.GradientTape() as tape1:
        tape0.watch(x0)
        tape1.watch(x1)
        ys = tf.reduce_sum(tf.math.sin(x0) + tf.nn.sigmoid(x1))
    return tape0.gradient(ys, x0), tape1.gradient(ys, x1)


def a_third_power_twice(tf):
    x = tf.Variable(1.0)
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            y = x * x * x
        dy_dx = t1.gradient(y, x)
    return dy_dx, t2.gradient(dy_dx, x)


def input_gradient_as_regulariser(tf):
    x = tf.constant(_input(7, 5))
    layer = _dense(tf, 10, _input(5, 10), activation="relu")
    with tf.GradientTape() as t2:
        with tf.GradientTape(watch_accessed_variables=False) as t1:
            t1.watch(x)
            y = layer(x)
            out = tf.reduce_sum(layer(x) ** 2)
        g1 = t1.gradient(out, x)
        g1_mag = tf.norm(g1)
    dg1_mag = t2.gradient(g1_mag, layer.trainable_variables)
    return y, g1_mag, dg1_mag[0]


def jacobian_of_a_layer(tf):
    x = tf.constant(_input(7, 5))
    layer = _dense(tf, 10, _input(5, 10), activation="tanh")
    with tf.GradientTape(persistent=True) as tape:
        y = layer(x)
    j = tape.jacobian(y, layer.kernel)
    g = tape.gradient(y, layer.kernel)
    j_sum = tf.reduce_sum(j, axis=[0, 1])
    return j.shape, tf.reduce_max(abs(g - j_sum)) < 1e-4, tf.reduce_sum(j, axis=[2, 3])


def newton_by_a_hessian(tf):
    x = tf.constant(_input(7, 5))
    layer1 = _dense(tf, 8, _input(5, 8) / 2, activation="tanh")
    layer2 = _dense(tf, 6, _input(8, 6), activation="sigmoid")
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            h = layer2(layer1(x))
            loss = tf.reduce_mean(h**2)
        g = t1.gradient(loss, layer1.kernel)
    h = t2.jacobian(g, layer1.kernel)
    n_params = tf.reduce_prod(layer1.kernel.shape)
    g_vec = tf.reshape(g, [n_params, 1])
    h_mat = tf.reshape(h, [n_params, n_params])
    update = tf.linalg.solve(h_mat + tf.eye(h_mat.shape[0]) * 1e-1, g_vec)
    layer1.kernel.assign_sub(tf.reshape(update, layer1.kernel.shape))
    return h.shape, h_mat, update, tf.reduce_mean(layer2(layer1(x)) ** 2)


def batch_jacobian_of_two_layers(tf):
    x = tf.constant(_input(7, 5))
    model = tf.keras.Sequential([_dense(tf, 8, _input(5, 8), activation="elu"), _dense(tf, 6, _input(8, 6))])
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = model(x)
    j = tape.jacobian(y, x)
    jb = tape.batch_jacobian(y, x)
    return j.shape, jb, tf.reduce_max(abs(tf.einsum("bxby->bxy", j) - jb)) < 1e-5


def batch_normalization_mixes_examples(tf):
    x = tf.constant(_input(7, 5))
    bn = tf.keras.layers.BatchNormalization()
    layer2 = _dense(tf, 6, _input(5, 6))
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = layer2(bn(x, training=True))
    j = tape.jacobian(y, x)
    jb = tf.reduce_max(abs(tape.batch_jacobian(y, x)))  # 0: it takes examples for independent, and they are not
    return j.shape, j[:, 1], jb < 1e-5, bn.moving_mean.numpy(), bn.moving_variance.numpy()


def padded_blocks_of_a_jacobian(tf):
    x = tf.constant(_input(3, 4))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.softmax(x)
    j = tape.jacobian(y, x)
    n = 12
    square = tf.reshape(j, [n, n])
    pad = 15 - n
    return tf.pad(square, [[0, pad], [0, pad]])

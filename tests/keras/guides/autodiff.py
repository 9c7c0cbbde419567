"""Gradients and automatic differentiation."""

import numpy as np


def a_square(tf):
    x = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        y = x**2
    return tape.gradient(y, x)


def a_linear_layer_by_hand(tf):
    w = tf.Variable([[0.5, -1.0], [0.25, 2.0], [1.5, 0.0]], name="w")
    b = tf.Variable(tf.zeros(2, dtype=tf.float32), name="b")
    x = [[1.0, 2.0, 3.0]]
    with tf.GradientTape(persistent=True) as tape:
        y = x @ w + b
        loss = tf.reduce_mean(y**2)
    dl_dw, dl_db = tape.gradient(loss, [w, b])
    by_name = tape.gradient(loss, {"w": w, "b": b})
    del tape
    return dl_dw, dl_db, by_name["b"], sorted(by_name), w.name, b.name, f"{dl_dw.shape} {w.shape}"


def a_dense_layer(tf):
    layer = tf.keras.layers.Dense(2, activation="relu")
    x = tf.constant([[1.0, 2.0, 3.0]])
    layer(x)
    layer.set_weights([np.array([[0.5, -1.0], [0.25, 2.0], [1.5, 0.5]], np.float32), np.array([0.1, -9.0], np.float32)])
    with tf.GradientTape() as tape:
        y = layer(x)
        loss = tf.reduce_mean(y**2)
    grads = tape.gradient(loss, layer.trainable_variables)
    lines = [f"{v.name}, shape: {g.shape}" for v, g in zip(layer.trainable_variables, grads, strict=True)]
    return y, loss, *grads, lines


def only_trainable_variables_are_watched(tf):
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0  # a tensor
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = x0**2 + x1**2 + x2**2
    grad = tape.gradient(y, [x0, x1, x2, x3])
    return grad, [v.name for v in tape.watched_variables()]


def activations_one_by_one(tf):
    x0, x1 = tf.constant(0.5), tf.constant(10.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        y = tf.math.sin(x0) + tf.nn.softplus(x1)
        total = tf.reduce_sum(y)
    return tape.gradient(total, {"x0": x0, "x1": x1})


def a_slope_along_a_curve(tf):
    x = tf.linspace(-10.0, 10.0, 21)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.sigmoid(x)
    return y, tape.gradient(y, x)


def control_flow(tf):
    x = tf.constant(1.0)
    v0, v1 = tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
    return tape.gradient(result, [v0, v1]), tape.gradient(result, x)


def ways_to_lose_a_gradient(tf):
    x = tf.Variable(2.0)
    found = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        found.append(tape.gradient(y, x))
        x = x + 1  # now a tensor
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float32)
    with tf.GradientTape() as tape:
        y = tf.reduce_mean(np.mean(x**2, axis=0), axis=0)  # NumPy's mean
    found.append(tape.gradient(y, x))
    state, z = tf.Variable(0.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        state.assign_add(z)
        y = state**2
    found.append(tape.gradient(y, z))
    return found


def zeros_instead_of_none(tf):
    x, z = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = z**2
    return tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)


def several_targets(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y0, y1 = x**2, 1 / x
    with tf.GradientTape() as other:
        y = x * [3.0, 4.0]
    return tape.gradient({"y0": y0, "y1": y1}, x), other.gradient(y, x)

"""Optimizers: written by hand on Modules, and those of Keras."""

import numpy as np

X_START = 2.0


def _loss(tf, x):
    return 2 * (x**4) + 3 * (x**3) + 2


def by_hand(tf):
    class Momentum(tf.Module):
        def __init__(self, learning_rate=1e-3, momentum=0.7):
            self.learning_rate, self.momentum, self.change = learning_rate, momentum, 0.0

        def apply_gradients(self, grads, variables):
            for grad, var in zip(grads, variables, strict=True):
                step = self.learning_rate * grad
                self.change = step + self.momentum * self.change
                var.assign_sub(self.change)

    class Adam(tf.Module):
        def __init__(self, learning_rate=1e-1, beta_1=0.9, beta_2=0.999, ep=1e-7):
            self.beta_1, self.beta_2, self.learning_rate, self.ep, self.t = beta_1, beta_2, learning_rate, ep, 1.0
            self.v_dvar, self.s_dvar, self.built = [], [], False

        def apply_gradients(self, grads, variables):
            if not self.built:
                for var in variables:
                    self.v_dvar.append(tf.Variable(tf.zeros(shape=var.shape)))
                    self.s_dvar.append(tf.Variable(tf.zeros(shape=var.shape)))
                self.built = True
            for i, (grad, var) in enumerate(zip(grads, variables, strict=True)):
                self.v_dvar[i].assign(self.beta_1 * self.v_dvar[i] + (1 - self.beta_1) * grad)
                self.s_dvar[i].assign(self.beta_2 * self.s_dvar[i] + (1 - self.beta_2) * tf.square(grad))
                v_bc = self.v_dvar[i] / (1 - (self.beta_1**self.t))
                s_bc = self.s_dvar[i] / (1 - (self.beta_2**self.t))
                var.assign_sub(self.learning_rate * (v_bc / (tf.sqrt(s_bc) + self.ep)))
            self.t += 1.0

    paths = []
    for optimizer in (Momentum(), Adam()):
        x, path = tf.Variable(X_START), []
        for _ in range(20):
            with tf.GradientTape() as tape:
                loss = _loss(tf, x)
            optimizer.apply_gradients([tape.gradient(loss, x)], [x])
            path.append(x.numpy())
        paths.append([float(p) for p in path])
    return paths


def of_keras(tf):
    make = tf.keras.optimizers
    paths = {}
    for name, optimizer in {
        "sgd": make.SGD(1e-3),
        "momentum": make.SGD(learning_rate=1e-3, momentum=0.7),
        "nesterov": make.SGD(learning_rate=1e-3, momentum=0.7, nesterov=True),
        "rmsprop": make.RMSprop(learning_rate=1e-2),
        "rmsprop with momentum": make.RMSprop(learning_rate=1e-2, momentum=0.5),
        "adam": make.Adam(learning_rate=1e-1),
    }.items():
        x, path = tf.Variable([X_START, 0.5, -1.0]), []
        for _ in range(12):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(_loss(tf, x))
            grads = tape.gradient(loss, [x])
            optimizer.apply_gradients(zip(grads, [x], strict=True))
            path.append(x.numpy())
        paths[name] = np.stack(path)
    return paths


def a_few_rows(tf):
    make = tf.keras.optimizers
    tables = []
    for optimizer in (make.SGD(0.1), make.SGD(0.1, momentum=0.9), make.RMSprop(0.1), make.Adam(0.1)):
        table = tf.Variable(np.arange(8.0, dtype=np.float32).reshape(4, 2))
        for rows in ([0, 2], [1, 2], [3, 0]):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.gather(table, rows) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, table), table)])
        tables.append(table.numpy())
    return tables


def the_learning_rate_and_the_count(tf):
    optimizer, v = tf.keras.optimizers.SGD(learning_rate=0.1), tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    optimizer.learning_rate = 0.5
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    optimizer.learning_rate.assign(0.01)
    optimizer.apply([tf.constant(1.0)], [v])
    return v.numpy(), int(optimizer.iterations), float(optimizer.learning_rate)


def float64_stays(tf):
    v = tf.Variable(np.array([1.0, 2.0]))
    optimizer = tf.keras.optimizers.Adam(0.1)
    for _ in range(3):
        optimizer.apply_gradients([(2 * v, v)])
    return v.dtype.name, v.numpy()


def convergence_of_a_surface(tf):
    x0 = tf.reshape(tf.linspace(-1.0, 1.0, 5), [5, 1])
    x1 = tf.reshape(tf.linspace(-2.0, 2.0, 4), [1, 4])
    with tf.GradientTape() as tape:
        tape.watch([x0, x1])
        z = x0**2 + 2 * x1**2 + tf.sin(x0 * x1)
    return z, tape.gradient(z, [x0, x1])

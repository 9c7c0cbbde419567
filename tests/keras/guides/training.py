"""Modules, layers and models; basic training loops."""

import numpy as np


def _data(tf):
    x = tf.linspace(-2, 2, 41)
    x = tf.cast(x, tf.float32)
    return x, x * 3.0 + 2.0 + tf.sin(x * 5.0)


def a_module(tf):
    class SimpleModule(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.a_variable = tf.Variable(5.0, name="train_me")
            self.non_trainable_variable = tf.Variable(5.0, trainable=False, name="do_not_train_me")

        def __call__(self, x):
            return self.a_variable * x + self.non_trainable_variable

    module = SimpleModule(name="simple")
    return (
        module(tf.constant(5.0)), module.name, [v.name for v in module.variables],
        [v.name for v in module.trainable_variables], [v.name for v in module.non_trainable_variables],
    )  # fmt: skip


def modules_in_modules(tf):
    class Dense(tf.Module):
        def __init__(self, in_features, out_features, name=None):
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([in_features, out_features]), name="w")
            self.b = tf.Variable(tf.zeros([out_features]), name="b")

        def __call__(self, x):
            return tf.nn.relu(tf.matmul(x, self.w) + self.b)

    class Stack(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.dense_1 = Dense(in_features=3, out_features=3)
            self.others = [Dense(3, 2), {"last": Dense(2, 1, name="last")}]

        def __call__(self, x):
            x = self.others[0](self.dense_1(x))
            return self.others[1]["last"](x)

    model = Stack(name="the_model")
    return (
        model(tf.constant([[2.0, 2.0, 2.0]])), [m.name for m in model.submodules],
        [f"{v.name} {v.shape}" for v in model.variables],
    )  # fmt: skip


def names_in_scopes(tf):
    class Flexible(tf.Module):
        def __init__(self, out, name=None):
            super().__init__(name=name)
            self.built, self.out = False, out

        @tf.Module.with_name_scope
        def __call__(self, x):
            if not self.built:
                self.w = tf.Variable(tf.ones([x.shape[-1], self.out]), name="w")
                self.inner = Flexible(1, name="inner") if self.out > 1 else None
                self.built = True
            y = tf.matmul(x, self.w)
            return y if self.inner is None else self.inner(y)

    model = Flexible(2)
    y = model(tf.ones([1, 3]))
    with tf.name_scope("outer"), tf.name_scope("inner") as scope:
        v = tf.Variable(1.0, name="v")
    return y, [v.name for v in model.variables], model.name, model.name_scope.name, scope, v.name


def a_name_that_is_no_name(tf):
    try:
        tf.Module(name="3 layers")
    except ValueError as error:
        return type(error).__name__


def a_loop_of_ones_own(tf):
    class MyModel(tf.Module):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w, self.b = tf.Variable(5.0), tf.Variable(0.0)

        def __call__(self, x):
            return self.w * x + self.b

    def loss(target_y, predicted_y):
        return tf.reduce_mean(tf.square(target_y - predicted_y))

    model, (x, y) = MyModel(), _data(tf)
    weights, biases, report = [], [], []
    for epoch in range(10):
        with tf.GradientTape() as t:
            current_loss = loss(y, model(x))
        dw, db = t.gradient(current_loss, [model.w, model.b])
        model.w.assign_sub(0.1 * dw)
        model.b.assign_sub(0.1 * db)
        weights.append(model.w.numpy())
        biases.append(model.b.numpy())
        report.append(f"Epoch {epoch:2d}: W = {weights[-1]:1.2f}, b = {biases[-1]:1.2f}, loss={current_loss:2.3f}")
    return [float(w) for w in weights], [float(b) for b in biases], report


def the_same_by_fit(tf):
    line = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(5.0))
    model, (x, y) = tf.keras.Sequential([line]), _data(tf)
    model.compile(optimizer=tf.keras.optimizers.SGD(learning_rate=0.1), loss=tf.keras.losses.MeanSquaredError())
    history = model.fit(x[:, tf.newaxis], y[:, tf.newaxis], epochs=10, batch_size=41, verbose=0)
    return history.history, history.epoch, [v.numpy() for v in model.trainable_variables]


def fit_in_batches_and_in_order(tf):
    kernel = tf.keras.initializers.Constant(np.cos(np.arange(12.0)).reshape(4, 3))
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, kernel_initializer=kernel)])
    x = np.sin(np.arange(40.0)).reshape(10, 4)
    y = np.arange(10) % 3
    model.compile(
        optimizer=tf.keras.optimizers.Adam(0.05),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(x, y, epochs=4, batch_size=4, shuffle=False, verbose=0, validation_data=(x[:5], y[:5]))
    measured = model.evaluate(x, y, batch_size=3, verbose=0)
    by_name = model.evaluate(x, y, verbose=0, return_dict=True)
    predicted = model.predict(x, batch_size=7, verbose=0)
    return history.history, measured, sorted(by_name), predicted, type(predicted).__name__


def a_callback(tf):
    told = []

    class Listen(tf.keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            told.append("begin")

        def on_epoch_end(self, epoch, logs=None):
            told.append((epoch, sorted(logs)))
            if epoch == 1:
                self.model.stop_training = True

        def on_train_batch_end(self, batch, logs=None):
            told.append(batch)

        def on_train_end(self, logs=None):
            told.append("end")

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile("sgd", "mse", metrics=["mae"])
    model.fit(np.ones((6, 1)), np.ones((6, 1)), batch_size=4, epochs=5, verbose=0, callbacks=[Listen()])
    return told


def a_model_with_variables_of_its_own(tf):
    class Line(tf.keras.Model):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = self.add_weight(shape=(), initializer=tf.keras.initializers.Constant(5.0))
            self.b = self.add_weight(shape=(), initializer="zeros")

        def call(self, x):
            return self.w * x + self.b

    model, (x, y) = Line(), _data(tf)
    model.compile(run_eagerly=False, optimizer=tf.keras.optimizers.SGD(learning_rate=0.1), loss="mse")
    history = model.fit(x, y, epochs=10, batch_size=1000, verbose=0)
    return history.history, model.w.numpy(), model.b.numpy()


def callbacks_are_always_told_the_logs(tf):
    told = []

    class Listen(tf.keras.callbacks.Callback):
        def on_train_begin(self, logs):
            told.append(sorted(logs))

        def on_epoch_begin(self, epoch, logs):
            told.append([epoch, sorted(logs)])

        def on_train_batch_begin(self, batch, logs):
            told.append([batch, sorted(logs)])

        def on_train_end(self, logs):
            told.append(sorted(logs))

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 1)), np.ones((4, 1)), batch_size=2, epochs=2, verbose=0, callbacks=[Listen()])
    return told


def mistakes(tf):
    def raised(call):
        try:
            call()
        except Exception as error:
            return type(error).__name__

    keras = tf.keras
    dense = keras.layers.Dense(1)
    dense(tf.ones([1, 3]))

    class Forgot(keras.layers.Layer):
        def __init__(self):
            self.units = 1

        def call(self, x):
            return x

    return (
        raised(lambda: dense(tf.ones([1, 4]))),
        raised(lambda: dense(tf.ones([3]))),
        raised(lambda: Forgot()(tf.ones([1]))),
        raised(lambda: keras.layers.Layer()(tf.ones([1]))),
        raised(lambda: keras.Sequential([dense]).fit(np.ones((1, 3)), np.ones((1, 1)))),
        raised(lambda: keras.layers.Dense(1, activation="rely")),
        raised(lambda: keras.optimizers.SGD(0.1).apply_gradients([(None, tf.Variable(1.0))])),
        raised(lambda: keras.layers.Conv2D(1, 2)(tf.ones([2, 2]))),
        raised(lambda: keras.layers.Reshape([3])(tf.ones([2, 2]))),
        raised(lambda: keras.losses.get("no such loss")),
        raised(lambda: keras.Sequential([3])),
    )

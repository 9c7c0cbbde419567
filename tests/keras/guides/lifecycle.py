"""What becomes of a layer: made with arguments, built by hand or by its first call, frozen and thawed."""

import numpy as np

TRUE, SHARE = np.float32([[0, 1, 0]]), np.float32([[0.1, 0.8, 0.1]])


def built_by_hand(tf):
    class Scale(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.factor = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="factor")
            super().build(input_shape)

        def call(self, x):
            return x * self.factor

    found = []
    for layer in (Scale(), tf.keras.layers.Dense(2), tf.keras.layers.BatchNormalization()):
        found.append([layer.built, len(layer.weights)])
        layer.build((None, 3))
        found.append([layer.built, len(layer.weights)])
        layer(tf.ones([2, 3]))
        found.append([len(layer.weights), len(layer.trainable_variables), layer.count_params()])
    return found


def frozen_and_thawed(tf):
    keras, found = tf.keras, []
    late = keras.layers.Dense(2, trainable=False)
    late(tf.ones([1, 3]))
    bn = keras.layers.BatchNormalization()
    bn(tf.ones([2, 2]))
    model = keras.Sequential([late, bn, keras.layers.Dense(1)])
    model(tf.ones([2, 3]))
    for value in (True, False, False, True):
        bn.trainable = late.trainable = value
        found.append([len(part.trainable_variables) for part in (late, bn, model)])
        found.append([len(part.non_trainable_variables) for part in (late, bn, model)])
    model.trainable = False
    found.append([len(model.trainable_variables), len(bn.trainable_variables)])
    model.trainable = True
    found.append([len(model.trainable_variables), bn.moving_mean.trainable, bn.gamma.trainable])
    return found, [tuple(w.shape) for w in model.weights]


def thawed_layers_learn_again(tf):
    ones = tf.keras.initializers.Constant(1.0)
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(2, kernel_initializer=ones), tf.keras.layers.BatchNormalization(),
        tf.keras.layers.Dense(1, kernel_initializer=ones),
    ])  # fmt: skip
    model.build((None, 2))
    model.layers[1].trainable = False
    model.layers[1].trainable = True
    model.compile("sgd", "mse")
    model.fit(np.arange(8.0).reshape(4, 2) / 8, np.ones((4, 1)), shuffle=False, batch_size=2, verbose=0)
    return model.get_weights()


def the_order_of_weights_and_what_they_start_with(tf):
    class Mixed(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.seen = self.add_weight(shape=(), initializer="zeros", trainable=False, name="seen")
            self.w = self.add_weight(shape=(50,), name="w")
            self.inner = tf.keras.layers.Dense(1)
            self.count = self.add_weight(shape=(2,), dtype="int32", trainable=False, name="count")
            self.b = self.add_weight(shape=(), name="b")

        def call(self, x):
            return self.inner(x)

    layer = Mixed()
    layer(tf.ones([1, 2]))
    return [v.name for v in layer.weights], np.std(layer.w.numpy()) > 0.05, layer.b.numpy() != 0, layer.count.numpy()


def shapes_that_are_refused_before_anything_is_made(tf):
    layers, found = tf.keras.layers, []
    for layer, shape in (
        (layers.Dense(2), ()), (layers.Dense(2), (3,)), (layers.Conv2D(2, 2), (4, 4, 3)), (layers.Conv2D(2, 2), ()),
        (layers.Conv2D(2, 3), (1, 2, 5, 3)), (layers.SimpleRNN(2), (3, 4)), (layers.SimpleRNN(2), ()),
        (layers.MaxPooling2D(), (4, 4, 1)), (layers.Flatten(), ()),
    ):  # fmt: skip
        try:
            found.append(layer(tf.ones(shape)).shape)
        except Exception as error:
            found.append([type(error).__name__, len(layer.weights)])
    return [*found[:4], found[4][0], *found[5:]]


def layers_and_metrics_used_wrongly(tf):
    def raised(call):
        try:
            call()
        except Exception as error:
            return type(error).__name__

    two, three = np.ones((2, 2), np.float32), np.ones((3, 2), np.float32)
    make = tf.keras.metrics
    return [
        raised(lambda: tf.keras.Sequential([tf.keras.layers.Dense])),
        raised(lambda: make.SparseCategoricalAccuracy().update_state(np.ones(3), two)),
        raised(lambda: make.CategoricalAccuracy().update_state(three, two)),
        raised(lambda: make.Accuracy().update_state(three, two)),
        raised(lambda: make.MeanSquaredError().update_state(two, two, sample_weight=np.ones(3, np.float32))),
    ]


def arguments_that_are_refused(tf):
    def raised(make):
        try:
            make()
        except Exception as error:
            return type(error).__name__

    layers = tf.keras.layers
    return [
        raised(lambda: layers.Dense(0)),
        raised(lambda: layers.Dense(2.5)),
        raised(lambda: layers.Dense("two")),
        raised(lambda: layers.SimpleRNN(-1)),
        raised(lambda: layers.Conv2D(0, 3)),
        raised(lambda: layers.Conv2D(2, 3, padding="full")),
        raised(lambda: layers.Dense(2, units_of_measure="m")),
    ]


def the_shape_of_the_input_given_to_the_first_layer(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(4, input_shape=(3,)), layers.Dense(1)])
    return [tuple(w.shape) for w in model.weights], layers.Dense(2, input_shape=(3,))(tf.ones([1, 5])).shape


def a_layer_as_text(tf):
    layer = tf.keras.layers.Dense(2, name="top")
    before = repr(layer)
    layer(tf.ones([1, 3]))
    return before, str(layer), f"{tf.keras.layers.Flatten(name='flat')}"


def activations_with_arguments(tf):
    x = tf.constant(np.float32([-2.0, -0.5, 0.0, 0.5, 0.7, 3.0, 7.0]))
    make = tf.keras.activations
    return [
        make.relu(x), make.relu(x, 0.1), make.relu(x, max_value=6.0), make.relu(x, threshold=0.7),
        make.relu(x, negative_slope=0.5, max_value=1.0, threshold=0.6), make.elu(x, alpha=0.5), make.leaky_relu(x),
        make.leaky_relu(x, negative_slope=0.3), make.gelu(x, approximate=True), make.softmax(tf.stack([x, -x]), axis=0),
    ]  # fmt: skip


def names_of_layers(tf):
    class MyConv2DLayer(tf.keras.layers.Layer):
        pass

    class MLPBlock(tf.keras.Model):
        pass

    make = tf.keras.layers
    layers = [
        make.Dense(1), make.Conv2D(1, 1), make.MaxPooling2D(), make.SimpleRNN(1), make.LayerNormalization(),
        make.Lambda(abs), MyConv2DLayer(), MLPBlock(),
    ]  # fmt: skip
    return [layer.name.rstrip("_0123456789") for layer in layers]


def names_that_losses_and_metrics_go_by(tf):
    losses, metrics = tf.keras.losses, tf.keras.metrics
    model = tf.keras.models.Sequential([tf.keras.layers.Dense(1)])
    model.compile("SGD", "MSE", metrics=["mse", "MAE", "BinaryAccuracy", "acc", "mse", lambda t, p: t - p])
    logged = model.fit(np.ones((2, 1)), np.ones((2, 1)), verbose=0).history
    names = ("MSE", "mae", "MeanSquaredError", "Huber", "BinaryCrossentropy", "SparseCategoricalCrossentropy")
    known = ("MSE", "MeanAbsoluteError", "CategoricalAccuracy", "sparse_categorical_accuracy")
    return (
        sorted(logged), [losses.get(name)(TRUE, SHARE).shape for name in names[:5]],
        [type(metrics.get(name)).__name__ != "str" for name in known],
    )  # fmt: skip

"""Every layer, loss, metric and activation once, with its gradients."""

import numpy as np


def _input(*shape):
    size = int(np.prod(shape))
    return (np.sin(np.arange(size) * 1.7 + 0.3) * 2).astype(np.float32).reshape(shape)


def _through(tf, layer, x, **options):
    """The output, and the gradients of a weighted sum of it."""
    x = tf.constant(x)
    layer(x)
    layer.set_weights([_input(*w.shape) for w in layer.get_weights()])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x, **options)
        loss = tf.reduce_sum(y * _input(*y.shape))
    grads = tape.gradient(loss, [x, *layer.trainable_variables])
    return y, [tf.convert_to_tensor(g) for g in grads]


def dense(tf):
    return _through(tf, tf.keras.layers.Dense(3, "sigmoid"), _input(2, 4))


def dense_without_bias_on_three_axes(tf):
    return _through(tf, tf.keras.layers.Dense(3, use_bias=False), _input(2, 2, 4))


def conv2d(tf):
    return [
        _through(tf, tf.keras.layers.Conv2D(2, 3, activation="relu"), _input(2, 5, 5, 2)),
        _through(tf, tf.keras.layers.Conv2D(2, (2, 3), strides=2, padding="same"), _input(1, 5, 4, 3)),
    ]


def max_pooling(tf):
    return [
        _through(tf, tf.keras.layers.MaxPooling2D(), _input(1, 4, 4, 2)),
        _through(tf, tf.keras.layers.MaxPool2D((2, 3), strides=1, padding="same"), _input(1, 4, 5, 1)),
    ]


def layer_normalization(tf):
    return [
        _through(tf, tf.keras.layers.LayerNormalization(), _input(3, 4)),
        _through(tf, tf.keras.layers.LayerNormalization(axis=[1, 2], center=False), _input(2, 3, 4)),
    ]


def batch_normalization(tf):
    def shifted(**options):
        layer = tf.keras.layers.BatchNormalization(**options)
        x = tf.constant(_input(6, 3) if not options.get("axis") else _input(6, 3, 2))
        outs = [layer(x, training=True), layer(x), layer(x, training=False)]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(layer(x, training=True) ** 3)
        weights = [v.name for v in layer.variables], len(layer.trainable_variables)
        return outs, tape.gradient(y, [x, *layer.trainable_variables]), layer.get_weights(), weights

    return shifted(), shifted(axis=1, momentum=0.5, epsilon=0.1)


def frozen_batch_normalization(tf):
    layer = tf.keras.layers.BatchNormalization()
    layer.trainable = False
    return layer(tf.constant(_input(6, 3)), training=True), layer.trainable_variables


def simple_rnn(tf):
    return [
        _through(tf, tf.keras.layers.SimpleRNN(3), _input(2, 4, 2)),
        _through(tf, tf.keras.layers.SimpleRNN(3, return_sequences=True, activation="relu"), _input(2, 4, 2)),
    ]


def embedding(tf):
    layer = tf.keras.layers.Embedding(5, 2, embeddings_initializer=tf.keras.initializers.Constant(_input(5, 2)))
    ids = tf.constant([[1, 1], [4, 0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(ids) ** 2)
    grad = tape.gradient(y, layer.trainable_variables)[0]
    return y, type(grad).__name__, grad.indices, grad.values, tf.convert_to_tensor(grad)


def shapes(tf):
    keras, x = tf.keras.layers, tf.constant(_input(2, 3, 4))
    return (
        keras.Flatten()(x), keras.Reshape([4, 3])(x), keras.Reshape((-1, 2))(x).shape, keras.Lambda(lambda t: t * 2)(x),
        keras.Activation("tanh")(x), keras.Lambda(lambda t: t)(tf.constant([1])), keras.Flatten()(tf.ones([3])).shape,
    )  # fmt: skip


def dropout(tf):
    layer, x = tf.keras.layers.Dropout(0.5), tf.ones([1000])
    model = tf.keras.Sequential([layer])
    learns, rests = layer(x, training=True), layer(x)
    inside = model(x[tf.newaxis], training=True)
    kept = sorted(set(learns.numpy().tolist()))
    return kept, 400 < np.count_nonzero(learns) < 600, rests, np.any(inside == 0), np.any(model(x[tf.newaxis]) == 0)


def activations(tf):
    names = [
        "elu", "exponential", "gelu", "leaky_relu", "linear", "log_softmax", "relu", "relu6", "selu", "sigmoid", "silu",
        "softmax", "softplus", "softsign", "swish", "tanh",
    ]  # fmt: skip
    x = tf.constant(_input(2, 3))
    return {name: [tf.keras.activations.get(name)(x), getattr(tf.keras.activations, name)(x)] for name in names}


def losses(tf):
    keras = tf.keras.losses
    true, pred = _input(3, 2), _input(2, 3).reshape(3, 2)
    share, logits = np.float32([[0.2, 0.7, 0.1], [0.9, 0.05, 0.05]]), _input(2, 3)
    hot, label = np.float32([[0, 1, 0], [0, 0, 1]]), np.array([1, 2])
    yes, maybe = np.float32([[1, 0], [0, 1]]), np.float32([[0.9, 0.2], [0.6, 0.0]])
    found = {}
    for reduction in ("sum_over_batch_size", "sum", "none"):
        found[reduction] = [
            keras.MeanSquaredError(reduction=reduction)(true, pred),
            keras.MeanAbsoluteError(reduction=reduction)(true, pred),
            keras.Huber(0.5, reduction=reduction)(true, pred),
            keras.BinaryCrossentropy(reduction=reduction)(yes, maybe),
            keras.BinaryCrossentropy(from_logits=True, reduction=reduction)(yes, logits[:, :2]),
            keras.CategoricalCrossentropy(reduction=reduction)(hot, share),
            keras.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1, reduction=reduction)(hot, logits),
            keras.SparseCategoricalCrossentropy(reduction=reduction)(label, share),
            keras.SparseCategoricalCrossentropy(from_logits=True, reduction=reduction)(label[:, None], logits),
        ]
    found["functions"] = [
        keras.mse(true, pred), keras.MAE(true, pred), keras.huber(true, pred), keras.binary_crossentropy(yes, maybe),
        keras.categorical_crossentropy(hot, share), keras.sparse_categorical_crossentropy(label, logits, True),
    ]  # fmt: skip
    found["ranks"] = keras.MeanSquaredError()(np.float32([1, 2]), np.float32([[1], [4]]))
    found["weights"] = keras.MeanSquaredError()(true, pred, sample_weight=np.float32([1, 0, 2]))
    return found


def gradients_of_losses(tf):
    keras, x = tf.keras.losses, tf.Variable(_input(2, 3))
    found = []
    for loss, true in (
        (keras.MeanSquaredError(), tf.zeros([2, 3])),
        (keras.CategoricalCrossentropy(from_logits=True), tf.one_hot([1, 2], 3)),
        (keras.SparseCategoricalCrossentropy(from_logits=True), tf.constant([1, 2])),
        (keras.BinaryCrossentropy(from_logits=True), tf.one_hot([1, 2], 3)),
    ):
        with tf.GradientTape(persistent=True) as tape:
            value = loss(true, x)
            soft = loss(true, tf.nn.softmax(x)) if "Crossentropy" not in type(loss).__name__ else value
        found.append([value, tape.gradient(value, x), tape.gradient(soft, x)])
    return found


def a_loss_of_ones_own(tf):
    class Cubed(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_mean(abs(y_true - y_pred) ** 3, axis=-1)

    return Cubed()(np.float32([[1, 2]]), np.float32([[2, 4]])), Cubed(reduction="sum")(
        np.float32([[1]]), np.float32([[3]])
    )


def metrics(tf):
    keras = tf.keras.metrics
    mean, total = keras.Mean(name="loss"), keras.Sum()
    found = [mean.result(), mean.name]
    for values in ([1.0, 3.0], 5.0):
        mean.update_state(values)
        total.update_state(values)
    found += [mean.result(), total.result(), mean([1.0, 9.0], sample_weight=[0.0, 3.0])]
    mean.reset_state()
    found.append(mean.result())
    share = np.float32([[0.2, 0.7, 0.1], [0.9, 0.05, 0.05]])
    for metric, true, pred in (
        (keras.Accuracy(), [1.0, 2.0, 3.0], [1.0, 2.0, 0.0]),
        (keras.BinaryAccuracy(), np.float32([[1], [0], [1]]), np.float32([[0.6], [0.7], [0.9]])),
        (keras.CategoricalAccuracy(), np.float32([[0, 1, 0], [0, 0, 1]]), share),
        (keras.SparseCategoricalAccuracy(), np.array([1, 2]), share),
        (keras.SparseCategoricalAccuracy(), np.array([[1], [2]]), share),
        (keras.MeanSquaredError(), _input(2, 2), _input(4, 1).reshape(2, 2) * 2),
        (keras.MeanAbsoluteError(), _input(2, 2), _input(4, 1).reshape(2, 2) * 2),
        (keras.SparseCategoricalCrossentropy(), np.array([1, 2]), share),
    ):
        metric.update_state(true, pred)
        metric.update_state(true, pred)
        found.append([metric.name, metric.result()])
    return found


def initializers(tf):
    make = tf.keras.initializers
    tf.random.set_seed(1)
    found = [make.Zeros()([2]), make.Ones()([2, 1]), make.Constant(3.0)([2]), make.get("zeros")([1])]
    for kind, spread in (
        (make.GlorotUniform(), (6 / 300) ** 0.5 / 3**0.5), (make.GlorotNormal(), (2 / 300) ** 0.5),
        (make.HeNormal(), (2 / 200) ** 0.5), (make.HeUniform(), (2 / 200) ** 0.5), (make.LecunNormal(), 200**-0.5),
        (make.RandomNormal(stddev=0.3), 0.3), (make.RandomUniform(-1, 1), 3**-0.5),
    ):  # fmt: skip
        found.append(abs(np.std(kind([200, 100])) / spread - 1) < 0.05)
    q = make.Orthogonal()([4, 6]).numpy()
    found.append(np.abs(q @ q.T - np.eye(4)).max() < 1e-5)
    a, b = (make.RandomNormal(seed=3)([2, 2]).numpy() for _ in range(2))
    return [*found, np.array_equal(a, b)]


def a_layer_of_ones_own(tf):
    class Linear(tf.keras.layers.Layer):
        def __init__(self, units=2, **kwargs):
            super().__init__(**kwargs)
            self.units = units

        def build(self, input_shape):
            self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones", name="w")
            self.b = self.add_weight(shape=(self.units,), initializer="zeros", trainable=False, name="b")

        def call(self, inputs):
            return tf.matmul(inputs, self.w) + self.b

    class Block(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.first, self.more = Linear(3), [Linear(2), tf.keras.layers.Dropout(0.5)]

        def call(self, inputs, training=None):
            x = self.more[0](tf.nn.relu(self.first(inputs)))
            return x * (2.0 if training else 1.0)

    layer, block = Linear(4, name="mine"), Block()
    x = tf.ones([2, 3])
    return (
        layer(x), layer.name, layer.built, [v.name for v in layer.weights], [v.name for v in layer.trainable_weights],
        block(x), block(x, training=True), [v.shape for v in block.trainable_variables], layer.count_params(),
        layer(np.ones((2, 3))).dtype.name,
    )  # fmt: skip


def a_model_of_ones_own(tf):
    keras = tf.keras

    class Net(keras.Model):
        def __init__(self):
            super().__init__()
            make = keras.initializers.Constant(0.5)
            self.hidden = keras.layers.Dense(4, "relu", kernel_initializer=make)
            self.out = keras.layers.Dense(1, kernel_initializer=make)

        def call(self, x):
            return self.out(self.hidden(x))

    model = Net()
    x = _input(6, 3)
    y = x.sum(axis=1, keepdims=True)
    optimizer, loss_of = keras.optimizers.Adam(0.05), keras.losses.MeanSquaredError()
    seen = keras.metrics.Mean()
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        seen.update_state(loss)
    return loss, seen.result(), model(x), [len(model.layers), len(model.trainable_variables)]


def a_sequential(tf):
    keras = tf.keras
    model = keras.Sequential(name="net")
    model.add(keras.Input(shape=(3,)))
    model.add(
        keras.layers.Dense(4, activation=tf.nn.tanh, kernel_initializer=keras.initializers.Constant(_input(3, 4)))
    )
    model.add(keras.layers.Dense(2, kernel_initializer=keras.initializers.Constant(_input(4, 2))))
    shapes = [v.shape for v in model.weights]
    model.layers[0].trainable = False
    other = keras.Sequential([keras.layers.Dense(2)])
    other.build((None, 5))
    return shapes, model(_input(2, 3)), model.name, len(model.trainable_variables), [v.shape for v in other.weights]

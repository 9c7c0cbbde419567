"""Layers and models beyond what TensorFlow's guides show: messages, names, the learner's line, printed lines."""

import numpy as np
import pytest

import minitape as tf
from minitape.trace import Ran

keras = tf.keras


def message(call, error):
    with pytest.raises(error) as caught:
        call()
    what, fix, *_ = str(caught.value).splitlines()
    assert fix.startswith("fix: ")
    return what


@pytest.mark.parametrize(
    ("layer", "built_for", "got"),
    [
        (keras.layers.Dense(2), (1, 3), (1, 4)),
        (keras.layers.Dense(2), (1, 3), (3,)),
        (keras.layers.Conv2D(2, 2), (1, 4, 4, 3), (1, 4, 4, 1)),
        (keras.layers.Conv2D(2, 2), (1, 4, 4, 3), (4, 4, 3)),
        (keras.layers.BatchNormalization(), (2, 3), (2, 5)),
        (keras.layers.LayerNormalization(), (2, 3), (2, 5)),
        (keras.layers.SimpleRNN(2), (1, 4, 3), (1, 4, 2)),
        (keras.layers.Reshape([2, 2]), (1, 4), (1, 5)),
        (keras.layers.MaxPooling2D(), (1, 4, 4, 3), (4, 4, 3)),
        (keras.layers.MaxPooling2D(3), (1, 4, 4, 3), (1, 2, 4, 3)),
        (keras.layers.Conv2D(2, 3), (1, 4, 4, 3), (1, 4, 2, 3)),
        (keras.layers.BatchNormalization(), (2, 3), ()),
        (keras.layers.LayerNormalization(axis=[1, 2]), (1, 2, 3), (2, 3)),
        (keras.layers.Flatten(), (2, 3), ()),
        (keras.layers.Reshape([3]), (2, 3), ()),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, keras.Layer) else str(value),
)
def test_a_shape_that_does_not_fit_names_the_layer_and_both_shapes(layer, built_for, got):
    layer(tf.ones(built_for))
    what = message(lambda: layer(tf.ones(got)), ValueError)
    assert what.startswith(f"the layer {layer.name} takes inputs of shape (")
    assert what.endswith(f", and got {got}")
    needs = what.partition("of shape ")[2].partition(", and got")[0]
    assert needs != str(got)


def test_an_embedding_has_so_many_rows():
    layer = keras.layers.Embedding(4, 2)
    assert "rows 0 to 3" in message(lambda: layer(tf.constant([1, 4])), tf.errors.InvalidArgumentError)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: keras.layers.Dense(2.5), "units is a whole number above 0, and dense was given 2.5"),
        (lambda: keras.layers.Conv2D(0, 3), "filters is a whole number above 0, and conv2d was given 0"),
        (lambda: keras.layers.MaxPooling2D(padding="full"), 'padding is "valid" or "same", and not \'full\''),
        (lambda: keras.layers.Dense(2, kernel_regularizer="l2"), "Dense has no argument 'kernel_regularizer' here"),
    ],
    ids=["units", "filters", "padding", "unknown"],
)
def test_an_argument_that_a_layer_cannot_take(make, says):
    assert message(make, ValueError) == says


def test_a_model_of_inputs_and_outputs_says_what_to_write_instead():
    layer = keras.layers.Dense(2)
    with pytest.raises(TypeError, match=r"dense was called on an Input.*\nfix: tf.keras.Sequential") as caught:
        layer(keras.Input((3,)))
    made = eval(str(caught.value).partition("fix: ")[2], {"tf": tf, "layer": layer})
    assert [w.shape for w in made.weights] == [(3, 2), (2,)]


def test_what_a_failed_build_made_is_forgotten():
    class Half(keras.Layer):
        ready = False

        def build(self, input_shape):
            self.w = self.add_weight((2,), name="w")
            if not self.ready:
                raise RuntimeError("not yet")

        def call(self, x):
            return x * self.w

    layer = Half()
    with pytest.raises(RuntimeError, match="not yet"):
        layer(tf.ones([1, 2]))
    layer.ready = True
    layer(tf.ones([1, 2]))
    assert len(layer.weights) == 1


def test_freezing_reaches_variables_that_no_layer_made_and_keeps_the_order():
    class Mixed(keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = keras.layers.Dense(1)
            self.scale = tf.Variable(2.0, name="scale")
            self.fixed = tf.Variable(2.0, name="fixed", trainable=False)

        def call(self, x):
            return self.inner(x) * self.scale + self.fixed

    model = Mixed()
    model(tf.ones([1, 2]))
    names = [v.name for v in model.variables]
    model.trainable = False
    assert not model.trainable_variables
    assert [v.name for v in model.variables] == names
    model.inner.trainable = True
    assert [v.name for v in model.trainable_variables] == ["kernel", "bias"]
    model.trainable = True
    assert [v.name for v in model.trainable_variables] == ["scale:0", "kernel", "bias"]


@pytest.mark.parametrize("kind", ["activations", "initializers", "losses", "metrics", "optimizers"])
def test_a_name_that_nothing_has(kind):
    assert "'rely'" in message(lambda: getattr(keras, kind).get("rely"), ValueError)


def test_losses_say_which_shapes_do_not_go_together():
    sparse, hot = keras.losses.sparse_categorical_crossentropy, keras.losses.categorical_crossentropy
    assert "(3,)" in message(lambda: sparse([0, 1, 2], tf.ones([2, 3])), ValueError)
    assert "(2,)" in message(lambda: hot([0.0, 1.0], tf.ones([2, 3])), ValueError)
    message(lambda: keras.losses.Loss(reduction="average"), ValueError)


def test_a_crossentropy_reaches_the_probabilities_that_an_activation_gave():
    logits = tf.Variable([[3.0, 0.0]])
    with tf.GradientTape() as tape:
        share = keras.activations.softmax(logits)
        loss = keras.losses.CategoricalCrossentropy()([[0.0, 1.0]], share)
    to_share, to_logits = tape.gradient(loss, [share, logits])
    right = share.numpy()[0, 1]
    assert to_share.numpy()[0, 1] == pytest.approx(1 - 1 / right, rel=1e-4)  # shares are first made to add up to 1
    np.testing.assert_allclose(to_logits, [[1 - right, right - 1]], rtol=1e-5)


def test_a_sequential_numbers_its_layers_and_begins_anew_with_each_model():
    for _ in range(2):
        layers = [keras.layers.Dense(2), keras.layers.Dense(2, name="mine"), keras.layers.Dense(2)]
        assert [layer.name for layer in keras.Sequential(layers).layers] == ["dense", "mine", "dense_1"]


def test_a_layer_in_two_models_is_one_layer():
    shared = keras.layers.Dense(2)
    model = keras.Sequential([shared, shared])
    model(tf.ones([1, 2]))
    assert [v.ref() for v in model.variables] == [v.ref() for v in shared.variables]


def test_variables_among_a_models_attributes_are_found():
    class Mixed(keras.Model):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2.0)
            self.blocks = {"a": keras.layers.Dense(1), "b": [tf.Variable(1.0, trainable=False)]}

        def call(self, x):
            return self.blocks["a"](x) * self.scale + self.blocks["b"][0]

    class Holder(tf.Module):
        def __init__(self):
            super().__init__()
            self.model = Mixed()

    holder = Holder()
    holder.model(tf.ones([1, 2]))
    assert [v.name for v in holder.model.variables] == ["Variable:0", "Variable:0", "kernel", "bias"]
    assert len(holder.variables) == 4
    assert len(holder.trainable_variables) == 3
    assert [module.name for module in holder.submodules] == ["mixed", "dense"]


def test_a_build_that_fails_can_be_tried_again():
    layer = keras.layers.Dense(2)
    for wrong in (tf.constant(1.0), tf.ones([3])):
        with pytest.raises(ValueError, match=r"takes inputs of shape \(batch, features\)"):
            layer(wrong)
        assert not layer.built
    assert layer(tf.ones([1, 3])).shape == [1, 2]


def test_inputs_may_be_lists_of_numbers_arrays_and_structures():
    class Both(keras.layers.Layer):
        def call(self, pair):
            left, right = pair
            return left + right

    assert Both()([np.ones(2), tf.ones([2])]).dtype == tf.float32
    assert keras.layers.Dense(1)([[1, 2]]).shape == [1, 1]
    assert keras.layers.Dense(1, dtype="float64")(np.ones((1, 2), np.float32)).dtype == tf.float64


def test_weights_go_back_and_forth():
    layer = keras.layers.Dense(2)
    layer.build((None, 3))
    layer.set_weights([np.arange(6.0).reshape(3, 2), np.ones(2)])
    assert [w.tolist() for w in layer.get_weights()] == [[[0, 1], [2, 3], [4, 5]], [1, 1]]
    assert layer.count_params() == 8


def test_the_ops_of_a_module_and_its_layers_belong_to_the_learners_lines():
    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)

        @tf.Module.with_name_scope
        def __call__(self, x):
            return self.dense(x) * 2.0

    net, x = Net(), tf.ones([1, 2])
    net(x)
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            y = net(x)
        tape.gradient(y, net.trainable_variables)
    forward = [event for event in seen.of(Ran) if event.within is None]
    assert [event.text for event in forward] == [
        "matmul in self.dense(x)",
        "add in self.dense(x)",
        "self.dense(x) * 2.0",
    ]
    assert {event.line for event in forward} == {2}
    assert [value.name for value in forward[0].inputs] == ["x", "kernel"]


def test_an_optimizer_leaves_variables_without_a_gradient_alone_and_says_so():
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
    sgd = keras.optimizers.SGD(0.5)
    with pytest.warns(UserWarning, match=r"\['b:0'\]"):
        sgd.apply_gradients([(tf.constant(1.0), a), (None, b)])
    assert (a.numpy(), b.numpy()) == (0.5, 1.0)
    assert "all are None" in message(lambda: sgd.apply_gradients([(None, a)]), ValueError)


@pytest.mark.parametrize("make", [keras.optimizers.SGD, keras.optimizers.RMSprop, keras.optimizers.Adam])
def test_rows_used_twice_count_as_the_whole_gradient_does(make):
    tables = []
    for whole in (False, True):
        table, optimizer = tf.Variable(np.arange(8.0, dtype=np.float32).reshape(4, 2)), make(0.1)
        for rows in ([0, 2, 2], [1, 2], [3, 3]):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.gather(table, rows) ** 2)
            grad = tape.gradient(loss, table)
            optimizer.apply_gradients([(tf.convert_to_tensor(grad) if whole else grad, table)])
        tables.append(table.numpy())
    np.testing.assert_allclose(*tables, rtol=1e-6)


def test_an_optimizer_of_ones_own():
    class SignDescent(keras.optimizers.Optimizer):
        def step(self, gradient, memory, rate):
            memory["steps"] = memory.get("steps", 0) + 1
            return rate * np.sign(gradient) / memory["steps"]

    v, optimizer = tf.Variable([1.0, -1.0]), SignDescent(0.5)
    for _ in range(2):
        optimizer.apply_gradients([(v, v)])
    assert v.numpy().tolist() == [0.25, -0.25]


def line_model(**options):
    model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile(keras.optimizers.SGD(0.1), "mse", **options)
    return model


X = np.linspace(-1, 1, 20).reshape(20, 1)


def test_fit_prints_one_stable_line_an_epoch_or_nothing(capsys):
    line_model(metrics=["mae"]).fit(X, 3 * X, epochs=2, batch_size=20)
    first = capsys.readouterr().out
    assert first == "Epoch 1/2 - loss: 3.3158 - mae: 1.5789\nEpoch 2/2 - loss: 2.8451 - mae: 1.4626\n"
    line_model(metrics=["mae"]).fit(X, 3 * X, epochs=2, batch_size=20)
    assert capsys.readouterr().out == first
    model = line_model()
    model.fit(X, 3 * X, verbose=0)
    model.predict(X)
    assert capsys.readouterr().out == ""
    model.evaluate(X, 3 * X)
    assert capsys.readouterr().out.startswith("loss: ")


def test_the_order_of_the_examples_depends_on_the_seed_alone():
    def losses(seed, shuffle=True):
        tf.random.set_seed(seed)
        fitted = line_model().fit(X, X**2, epochs=3, batch_size=3, verbose=0, shuffle=shuffle)
        return fitted.history["loss"]

    assert losses(1) == losses(1)
    assert losses(1) != losses(2)
    assert losses(1, shuffle=False) == losses(2, shuffle=False)


def test_fit_takes_batches_too():
    batches = [(tf.constant(X[:10], tf.float32), X[:10]), (tf.constant(X[10:], tf.float32), X[10:])]
    model = line_model()
    assert len(model.fit(Twice(batches), epochs=2, verbose=0).epoch) == 2
    assert model.evaluate(Twice(batches), verbose=0) == pytest.approx(model.evaluate(X, X, verbose=0))


class Twice:
    """An iterable that is no list."""

    def __init__(self, parts):
        self.parts = parts

    def __iter__(self):
        return iter(self.parts)


def test_a_model_says_what_it_lacks():
    model = keras.Sequential([keras.layers.Dense(1)])
    assert "has not been told how to learn" in message(lambda: model.fit(X, X), ValueError)
    model.compile("sgd")
    assert "no loss" in message(lambda: model.fit(X, X), ValueError)
    assert "as many examples" in message(lambda: line_model().fit(X, X[:3]), ValueError)


def test_validation_is_measured_without_training():
    class Phase(keras.layers.Layer):
        def call(self, x, training=None):
            phases.append(training)
            return x

    phases = []
    model = keras.Sequential([Phase(), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(X, X, batch_size=20, epochs=1, verbose=0, validation_data=(X, X)).history
    assert phases == [True, False]
    assert list(history) == ["loss", "val_loss"]


def test_a_summary_is_short(capsys):
    model = keras.Sequential([keras.Input(shape=(3,)), keras.layers.Dense(2), keras.layers.Flatten()])
    model.summary()
    assert capsys.readouterr().out == (
        "sequential: 8 parameters\n  dense: kernel (3, 2), bias (2,)\n  flatten: no variables\n"
    )


def test_frozen_layers_stay_as_they_are():
    model = keras.Sequential([keras.layers.Dense(2), keras.layers.Dense(1)])
    model.build((None, 1))
    model.layers[0].trainable = False
    before = model.get_weights()
    model.compile("adam", "mse")
    model.fit(X + 1, X, verbose=0)
    after = model.get_weights()
    assert [np.array_equal(a, b) for a, b in zip(before, after, strict=True)] == [True, True, False, False]

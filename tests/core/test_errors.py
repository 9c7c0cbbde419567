"""Bad input: two lines, what happened in the learner's own names, then the fix as code; never NumPy's own words."""

import inspect
import operator
import traceback

import numpy as np
import pytest

import minitape as tf
from minitape.missing import INSTEAD


def message(call, kind=Exception):
    with pytest.raises(kind) as caught:
        call()
    what, fix, *rest = str(caught.value).splitlines()
    assert fix.startswith("fix: "), fix
    assert all(line.startswith(("TensorFlow: ", " ")) for line in rest), rest
    frames = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if "numpy" in frame.filename]
    assert frames == [], "a frame of NumPy's shows"
    assert caught.value.__cause__ is None
    return what


def test_shapes_that_do_not_fit():
    height, width = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])
    what = message(lambda: height + width, tf.errors.InvalidArgumentError)
    assert what == "add cannot be computed: height has shape (2,) and width has shape (3,)"
    assert "(2, 3)" in message(lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])), tf.errors.InvalidArgumentError)
    assert "matrices" in message(lambda: tf.matmul(tf.ones([2, 3]), height), tf.errors.InvalidArgumentError)
    message(lambda: tf.reshape(width, [2, 2]), tf.errors.InvalidArgumentError)
    message(lambda: tf.reduce_sum(width, axis=3), tf.errors.InvalidArgumentError)
    message(lambda: tf.clip_by_value(width, height, height), tf.errors.InvalidArgumentError)
    message(lambda: tf.where(width > 1.0, height, height), tf.errors.InvalidArgumentError)
    message(lambda: tf.broadcast_to(width, [2]), tf.errors.InvalidArgumentError)
    message(lambda: tf.transpose(width, [0, 1]), tf.errors.InvalidArgumentError)
    message(lambda: width[7], tf.errors.InvalidArgumentError)


def test_dtypes_that_do_not_fit():
    single, double, whole = tf.constant(1.0), tf.constant(1.0, tf.float64), tf.constant(1)
    assert message(lambda: single * double) == "multiply: single is float32, and double is float64"
    message(lambda: whole + single)
    message(lambda: tf.sin(whole))
    message(lambda: whole * 2.0, TypeError)
    message(lambda: tf.constant(1.5, tf.int32), TypeError)
    message(lambda: tf.constant([[1.0], [1.0, 2.0]]), ValueError)
    message(lambda: tf.constant(None), ValueError)
    message(lambda: tf.constant(object()), ValueError)
    message(lambda: tf.reduce_sum(tf.constant([True])))


def test_watching_what_is_not_a_tensor():
    with tf.GradientTape() as tape:
        assert message(lambda: tape.watch(3.0), ValueError) == "tape.watch follows tensors, and 3.0 is a float"
        message(lambda: tape.watch(np.ones(2)), ValueError)
        message(lambda: tape.watch(None), ValueError)


def test_a_second_gradient():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    assert "not persistent" in message(lambda: tape.gradient(y, x), RuntimeError)


def test_calls_on_a_tape_that_is_not_recording():
    tape = tf.GradientTape()
    x = tf.constant(1.0)
    message(lambda: tape.watch(x))
    message(lambda: tape.gradient(x, x), RuntimeError)
    message(lambda: tape.stop_recording().__enter__(), RuntimeError)
    message(lambda: tape.reset(), ValueError)
    with tape:
        message(lambda: tape.__enter__(), ValueError)
    message(lambda: tape.stop_recording().__enter__(), ValueError)


@pytest.mark.parametrize("bad", [None, 3.0, np.ones(2), "x"])
def test_gradient_of_what_is_not_a_tensor(bad):
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    message(lambda: tape.gradient(bad, x))
    message(lambda: tape.gradient(y, [x, bad]))
    message(lambda: tape.gradient(y, x, unconnected_gradients="zeros"), ValueError)
    assert tape.gradient(y, x).numpy() == 2.0  # and the tape is none the worse


def test_output_gradients_that_do_not_fit():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        total = tf.reduce_sum(x)
    message(lambda: tape.gradient(y, x, output_gradients=tf.ones([3])), tf.errors.InvalidArgumentError)
    message(lambda: tape.gradient(total, x, output_gradients=tf.ones([3])), tf.errors.InvalidArgumentError)
    message(lambda: tape.gradient(y, x, output_gradients=tf.ones([2], tf.float64)), tf.errors.InvalidArgumentError)
    message(lambda: tape.gradient(y, x, output_gradients=2), tf.errors.InvalidArgumentError)


def test_broken_custom_rules():
    x = tf.constant(1.0)
    v = tf.Variable(1.0)
    message(lambda: tf.custom_gradient(lambda x: x)(x), TypeError)
    message(lambda: tf.custom_gradient(lambda x: (x, 5))(x), TypeError)
    message(lambda: tf.custom_gradient(lambda x: (x, x, x))(x), ValueError)
    message(lambda: tf.custom_gradient(lambda x: (x * v, lambda dy: dy))(x), TypeError)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.custom_gradient(lambda a, b: (a * b, lambda dy: dy))(x, x)
    message(lambda: tape.gradient(y, x), ValueError)


def test_variables():
    v = tf.Variable([1.0, 2.0])
    message(lambda: tf.Variable(), ValueError)
    message(lambda: v.assign([1.0]), ValueError)
    message(lambda: v.assign_add(1.0), tf.errors.InvalidArgumentError)
    message(lambda: v.assign(tf.ones([2], tf.float64)), ValueError)
    message(lambda: hash(v), TypeError)
    with pytest.raises(RuntimeError, match=r"v\.assign_add"):
        v += 1.0
    with pytest.raises(TypeError, match=r"v\.assign"):
        v[0] = 1.0
    assert v.numpy().tolist() == [1.0, 2.0]


def test_layers():
    layer = tf.keras.layers.Dense(2, name="hidden")
    layer(tf.ones([1, 3]))
    assert "hidden" in message(lambda: layer(tf.ones([1, 4])), ValueError)
    message(lambda: tf.keras.layers.Dense(1)(tf.constant(1.0)), ValueError)
    message(lambda: tf.keras.layers.Dense(1, activation="rely"), ValueError)
    message(lambda: tf.keras.Sequential([tf.keras.layers.Lambda(lambda x: None), layer])(tf.ones([1, 3])), ValueError)
    message(lambda: tf.keras.Sequential([3]), ValueError)


def test_a_name_that_is_not_there():
    assert message(lambda: tf.function, AttributeError).startswith("module 'minitape' has no attribute 'function'")
    message(lambda: tf.device, AttributeError)
    message(lambda: tf.no_such_thing, AttributeError)
    assert not hasattr(tf, "no_such_thing")


@pytest.mark.parametrize(
    "module",
    ["math", "nn", "linalg", "random", "debugging", "keras"]
    + [f"keras.{part}" for part in tf.keras.__all__ if inspect.ismodule(getattr(tf.keras, part))],
)
def test_a_name_that_is_not_there_in_a_module_inside(module):
    here = operator.attrgetter(module)(tf)
    what = message(lambda: here.no_such_thing, AttributeError)
    assert what.startswith(f"module 'minitape.{module}' has no attribute 'no_such_thing'")


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_nothing_is_there_and_has_a_substitute_as_well(name):
    module, _, last = name.rpartition(".")
    here = operator.attrgetter(module)(tf) if module else tf
    with pytest.raises(AttributeError) as caught:
        getattr(here, last)
    assert str(caught.value).splitlines()[1] == f"fix: {INSTEAD[name]}"


@pytest.mark.parametrize("name", sorted(name for name in INSTEAD if name.startswith("keras.layers.")))
def test_a_layer_in_the_place_of_another_runs(name):
    fix = INSTEAD[name]
    if fix.startswith("tf.keras"):
        assert eval(fix, {"tf": tf})(tf.ones([1, 2, 2, 3])).shape[-1] == 3
    else:
        assert eval(fix, {"tf": tf, "x": tf.ones([1]), "y": tf.ones([1])}).ndim == 1


def test_the_traceback_of_a_rule_shows_the_learners_frames():
    def broken(dy):
        raise KeyError("mine")

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.custom_gradient(lambda x: (x, broken))(x)
    with pytest.raises(KeyError) as caught:
        tape.gradient(y, x)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "broken"
    assert len(names) <= 4, names


def test_a_rule_that_failed_can_be_mended_and_asked_again():
    factors = ["bad", 10.0]
    x = tf.constant(2.0)

    @tf.custom_gradient
    def f(x):
        return x * 1.0, lambda dy: dy * float(factors.pop(0))

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.square(f(tf.square(x)))
    with pytest.raises(ValueError, match="bad"):
        tape.gradient(y, x)
    assert tape.gradient(y, x).numpy() == 2.0 * 4.0 * 10.0 * 4.0
    with pytest.raises(RuntimeError):
        tape.gradient(y, x)


def test_a_gradient_of_the_wrong_shape_or_dtype_passes_and_is_logged_once(caplog):
    @tf.custom_gradient
    def f(x):
        return tf.reduce_sum(x), lambda dy: dy * 7.0

    for _ in range(2):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert tape.gradient(y, x).shape == ()
    (record,) = caplog.records
    what, fix = record.getMessage().splitlines()
    assert what == "the rule of f returned a gradient of shape (), float32 for input 1, which has shape (2,), float32"
    assert fix.startswith("fix: ")


def test_a_rule_that_refuses_says_why_in_its_own_words():
    x = tf.ones([2, 2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.linalg.det(x)
    for _ in range(2):
        what = message(lambda: tape.gradient(y, x), tf.errors.InvalidArgumentError)
        assert what == "inv: the matrix has no inverse: its determinant is 0"


def test_a_gradient_of_another_dtype_than_its_ops_result():
    @tf.custom_gradient
    def narrow(x):
        return x, lambda dy: tf.cast(dy, tf.float32)

    x = tf.constant(2.0, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = narrow(x * x)
        what = message(lambda: tape.gradient(y, x), tf.errors.InvalidArgumentError)
    assert what == "a gradient of shape (), float32 came back to multiply, whose result has shape (), float64"


def test_warnings_turned_into_errors_change_nothing():
    x = tf.constant([0.0, -1.0, 1e30])
    with np.errstate(all="warn"), tf.GradientTape() as tape:  # the suite turns every warning into an error
        tape.watch(x)
        y = tf.math.log(x) + x * x * x * x
    assert np.isinf(y.numpy()).tolist() == [True, False, True]
    assert np.isnan(y.numpy()).tolist() == [False, True, False]
    assert np.isinf(tape.gradient(y, x).numpy()[0])


def test_a_function_that_fails_leaves_no_tape_active():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(ZeroDivisionError):
            tf.recompute_grad(lambda x: 1 / 0)(x)
        with pytest.raises(ZeroDivisionError):
            tf.custom_gradient(lambda x: 1 / 0)(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 2.0
    from minitape import listeners, record

    assert record.live == 0
    assert listeners.here.now.tapes == []
    assert listeners.here.now.reads == []
    assert listeners.here.now.muted == 0

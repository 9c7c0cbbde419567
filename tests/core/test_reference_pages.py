"""The kind of program that the three reference pages show: it runs with only the import changed, and gives what
TensorFlow gives. Where weights are random, loss, metric and gradients must agree with each other by hand."""

import io
import sys

import numpy as np
import pytest

import minitape as tf


def test_an_op_under_stop_recording_leaves_no_trace():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tape.stop_recording():
            hidden = x * x
        seen = x * x
    assert tape.gradient(seen, x).numpy() == 4.0
    assert tape.gradient(hidden, x) is None
    assert tape.watched_variables() == ()


def test_a_metric_under_stop_recording_leaves_the_gradients_alone():
    tf.random.set_seed(0)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    x, y = tf.constant([[1.0], [2.0], [3.0]]), tf.constant([[2.0], [4.0], [6.0]])
    with tf.GradientTape() as tape:
        pred = model(x)
        loss = tf.reduce_mean(tf.square(pred - y))
        with tape.stop_recording():
            metric = tf.reduce_mean(tf.abs(pred - y))
    grads = tape.gradient(loss, model.trainable_variables)
    kernel, bias = (v.numpy() for v in model.trainable_variables)
    error = x.numpy() * kernel + bias - y.numpy()
    assert loss.numpy() == pytest.approx(np.mean(error**2), rel=1e-5)
    assert metric.numpy() == pytest.approx(np.mean(abs(error)), rel=1e-5)
    assert grads[0].shape == (1, 1)
    assert grads[1].shape == (1,)
    assert grads[0].numpy()[0, 0] == pytest.approx(np.mean(2 * error * x.numpy()), rel=1e-5)
    assert grads[1].numpy()[0] == pytest.approx(np.mean(2 * error), rel=1e-5)


def test_a_clipped_gradient_does_not_clip_the_value():
    @tf.custom_gradient
    def clip_grad(x):
        return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    x = tf.constant([1.0, 2.0, 3.0])
    for factor, value, grad in ((5.0, 30.0, 1.0), (0.5, 3.0, 0.5), (-5.0, -30.0, -1.0)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(clip_grad(x) * factor)
        assert y.numpy() == value
        assert tape.gradient(y, x).numpy().tolist() == [grad] * 3


@pytest.mark.parametrize("form", ["decorator", "two arguments"])
def test_both_forms_of_a_custom_rule(form):
    if form == "decorator":

        @tf.custom_gradient
        def scale(x, factor):
            return x * factor, lambda dy: (dy * factor, tf.reduce_sum(dy * x))

    else:
        scale = tf.custom_gradient(
            lambda x, factor: x * factor, lambda dy, x, factor: (dy * factor, tf.reduce_sum(dy * x))
        )
    x, factor = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0]), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, factor])
        y = tf.reduce_sum(scale(x, factor))
    assert y.numpy() == 30.0
    assert tape.gradient(y, x).numpy().tolist() == [2.0] * 5
    assert tape.gradient(y, factor).numpy() == 15.0


def test_two_arguments_with_variables():
    w = tf.Variable(3.0)

    def rule(dy, x, variables=None):
        assert variables == [w]
        return dy * 10.0, [dy * 100.0]

    f = tf.custom_gradient(lambda x: x * w, rule)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [g.numpy() for g in tape.gradient(y, [x, w])] == [10.0, 100.0]


@pytest.mark.parametrize("recompute", [True, False])
def test_a_chain_of_four_runs_again_on_the_way_back(recompute):
    v = tf.Variable(1.0)
    out = io.StringIO()

    def step(x):
        tf.print("running", output_stream=out)
        return x * v

    run = tf.recompute_grad(step) if recompute else step
    with tf.GradientTape() as tape:
        r = tf.constant(1.0)
        for _ in range(4):
            r = run(r)
    assert out.getvalue() == "running\n" * 4
    assert tape.gradient(r, [v])[0].numpy() == 4.0
    assert out.getvalue() == "running\n" * (8 if recompute else 4)


def test_a_recomputed_model_keeps_its_variables_under_wrapped(caplog):
    out = io.StringIO()

    def show(x):
        tf.print("running", output_stream=out)
        return x

    model = tf.keras.Sequential([tf.keras.layers.Lambda(show), tf.keras.layers.Dense(2)])
    recomputed = tf.recompute_grad(model)
    with tf.GradientTape(persistent=True) as tape, tf.GradientTape() as plain:
        r = p = tf.constant([[1, 2]])
        for _ in range(4):
            r = recomputed(r)
            p = model(p)
    assert out.getvalue() == "running\n" * 8
    grads = tape.gradient(r, model.variables)
    again = tape.gradient(r, recomputed.__wrapped__.variables)
    assert out.getvalue() == "running\n" * 16
    for a, b, c in zip(grads, again, plain.gradient(p, model.variables), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy())
        np.testing.assert_allclose(a.numpy(), c.numpy(), rtol=1e-4)
    assert recomputed.__wrapped__ is model
    assert not hasattr(recomputed, "variables")
    assert [record.message for record in caplog.records] == [
        "The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int32"
    ] * 2


def test_print_goes_to_stderr(capsys):
    tf.print("x", tf.constant([1.0, 2.5]), sys.maxsize)
    assert capsys.readouterr().err == f"x [1 2.5] {sys.maxsize}\n"

"""The warnings go through `logging` under the name `minitape`; how often, the recorded programs say."""

import logging

import pytest

import minitape as tf


@pytest.fixture
def heard(caplog):
    caplog.set_level(logging.DEBUG)
    return lambda: [(record.name, record.levelname) for record in caplog.records]


def test_an_integer_watched(heard, caplog):
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(3))
    assert heard() == [("minitape", "WARNING")]
    assert caplog.messages == ["The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int32"]


def test_an_integer_primal(heard, caplog):
    tf.autodiff.ForwardAccumulator(tf.constant(3), tf.constant(1))
    assert heard() == [("minitape", "WARNING")]
    assert caplog.messages == ["The dtype of the watched primal must be floating (e.g. tf.float32), got tf.int32"]


def test_a_persistent_tape_read_inside_its_block(heard, caplog):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        tape.gradient(y, x)
    assert heard() == [("minitape", "WARNING")]
    assert "significantly less efficient" in caplog.text


def rule_of_wrong_shape():
    return tf.custom_gradient(lambda x: (x * x, lambda dy: tf.constant(7.0)))


def test_a_gradient_of_another_shape_is_told_once_a_rule_in_two_lines(heard, caplog):
    x = tf.constant([1.0, 2.0])
    first, second = rule_of_wrong_shape(), rule_of_wrong_shape()
    for rule in (first, first, second, first):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = rule(x)
        assert tape.gradient(y, x).shape == ()
    assert heard() == [("minitape", "WARNING")] * 2
    for message in caplog.messages:
        what, fix = message.split("\n")
        assert "()" in what
        assert "(2,)" in what
        assert fix.startswith("fix: ")


def test_a_gradient_of_another_dtype_is_told(heard):
    f = tf.custom_gradient(lambda x: (x * x, lambda dy: tf.ones([2], tf.float64)))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).dtype == "float64"
    assert heard() == [("minitape", "WARNING")]


def test_a_right_gradient_is_silent(heard):
    f = tf.custom_gradient(lambda x: (x * x, lambda dy: dy * 2.0 * x))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    tape.gradient(y, x)
    assert heard() == []


def test_the_word_minitape_alone_silences_them(caplog):
    logging.getLogger("minitape").setLevel(logging.ERROR)
    try:
        with tf.GradientTape() as tape:
            tape.watch(tf.constant(3))
    finally:
        logging.getLogger("minitape").setLevel(logging.NOTSET)
    assert caplog.records == []

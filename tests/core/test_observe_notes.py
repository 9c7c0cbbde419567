"""What `observe()` notes while a program runs, and what the trace makes of it when it is read."""

import contextlib
import copy
import gc
import pickle
import sys
import weakref

import numpy as np
import pytest

import minitape as tf
from minitape.trace import Answered, Entered, Ran, Walked


def test_a_trace_is_put_into_words_once():
    with tf.observe() as seen:
        assert seen.events == ()  # it is complete when the block has ended
        tf.constant(2.0) * 3.0
    assert seen.events is seen.events
    assert seen.gone is seen.gone
    assert [op.text for op in seen.of(Ran)] == ["tf.constant(2.0) * 3.0"]


def test_what_is_read_later_is_what_was_then():
    x = tf.constant([1.0, 2.0])
    v = tf.Variable(2.0)
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * v
        v.assign(5.0)
        grad = tape.gradient(y, x)
        z = v * 3.0
    v.assign(7.0)
    old, x, y = x, grad, z
    assert old is not x
    first, last = seen.of(Ran)
    assert [(value.name, value.numbers) for value in first.inputs] == [("x", (1.0, 2.0)), ("v", (2.0,))]
    assert [(value.name, value.numbers) for value in first.outputs] == [("y", (2.0, 4.0))]
    assert [(value.name, value.numbers) for value in last.inputs] == [("v", (5.0,)), ("3.0", (3.0,))]
    assert [value.numbers for value in seen.of(Answered)[0].gradients] == [(2.0, 2.0)]


@pytest.mark.parametrize("size", [3, 100])
def test_an_unread_trace_keeps_no_array_alive(size):
    def program():
        x, k = tf.constant(np.arange(size, dtype=np.float32)), tf.constant(np.ones(size, np.float32))

        @tf.custom_gradient
        def scaled(t):
            return t * k, lambda dy: dy * k

        with tf.observe() as seen:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = scaled(tf.tanh(x) * x)
            grad = tape.gradient(y, x)
        return seen, [weakref.ref(thing.array) for thing in (x, k, y, grad)] + [weakref.ref(scaled), weakref.ref(tape)]

    seen, things = program()
    gc.collect()
    assert [thing() for thing in things] == [None] * len(things)
    assert [op.op for op in seen.recorded] == ["tanh", "multiply", "multiply", "scaled"]


def test_looking_for_a_name_keeps_no_array_alive():
    """Python before 3.13 keeps a copy of a function's locals once they were looked at."""

    def program():
        hidden = [tf.constant(np.ones(100, np.float32))]
        h = hidden[0] * 2.0
        array = weakref.ref(h.array)
        hidden[0] * h  # `hidden[0]` has no name of its own: it is looked for
        del h
        return array()

    with tf.observe():
        assert program() is None


def test_a_gradient_on_the_way_back_lives_no_longer_than_it_would():
    def program(listening):
        came, alive = [], []

        @tf.custom_gradient
        def spy(t):
            def rule(dy):
                alive.append(sum(array() is not None for array in came))
                came.append(weakref.ref(dy.array))
                return dy * 2.0

            return t * 1.0, rule

        with listening:
            x = tf.ones([100])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in range(5):
                    y = spy(y * y) + y
            tape.gradient(y, x)
        return alive

    assert program(tf.observe()) == program(contextlib.nullcontext())


def test_one_gift_after_the_other_adds_up():
    for size in (2, 20):
        with tf.observe() as seen:
            x = tf.constant(np.arange(size, dtype=np.float32))
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x + x
            grad = tape.gradient(y, x)
        gifts = [gift for step in seen.of(Walked) for gift in step.gifts if gift.to.name == "x"]
        assert [gift.total.high for gift in gifts] == [1.0, size, 2.0 * size - 1.0]
        assert grad.numpy().max() == 2.0 * size - 1.0


def test_a_way_back_that_was_broken_off_goes_on_with_its_sums():
    fail = [True]

    @tf.custom_gradient
    def shaky(t):
        def rule(dy):
            if fail.pop():
                fail.append(False)
                raise ZeroDivisionError
            return dy

        return t * 1.0, rule

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = shaky(x) + x * x
    with pytest.raises(ZeroDivisionError):
        tape.gradient(y, x)
    with tf.observe() as seen:
        assert tape.gradient(y, x).numpy() == 7.0
    assert [step.gifts[-1].total.text for step in seen.of(Walked)] == ["7.0"]


def test_an_unread_trace_can_be_copied_and_sent():
    with tf.observe() as seen:
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)
    for other in (copy.deepcopy(seen), pickle.loads(pickle.dumps(seen)), copy.copy(seen)):
        assert other == seen
        assert other.observed


def test_a_tape_keeps_its_number():
    with tf.observe() as seen:
        x = tf.constant(1.0)
        for _ in range(3):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            tape.gradient(y, x)
            del tape, y
    assert [event.tape for event in seen.of(Entered)] == [1, 2, 3]
    assert [op.recorded for op in seen.recorded] == [((1, 1),), ((2, 1),), ((3, 1),)]


def test_lines_where_the_block_runs_in_several_frames():
    @contextlib.contextmanager
    def listening():
        with tf.observe() as heard:
            yield heard

    def double(t):
        return t * 2.0

    with tf.observe() as seen:
        x = tf.constant(1.0)
        double(x)

        def triple(t):
            return t * 3.0

        triple(x)
        [part * 4.0 for part in (x,)]
    with listening() as heard:
        double(x)
    assert [op.line for op in seen.of(Ran)] == [2, 5, 8]
    assert heard.lines == ("yield heard",)
    assert [op.line for op in heard.of(Ran)] == [None]


def test_listening_adds_nothing_to_a_tape():
    def entries(listening):
        table = tf.Variable([1.0, 2.0, 3.0])
        with listening, tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(tf.gather(table, [0, 2, 2]) * table)
            inner.gradient(y, table)
        return [entry.op.name for entry in outer.entries]

    assert entries(tf.observe()) == entries(contextlib.nullcontext())


def test_words_are_values_too():
    with tf.observe() as seen:
        tf.constant(["a", "b"])
    assert seen.events[0].value.text == "(2,) string"


def calls(program):
    """How many functions written in Python a program calls."""
    count = 0

    def profile(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        program()
    finally:
        sys.setprofile(None)
    return count


def test_observing_an_op_and_its_gradient_takes_few_calls():
    x, w, b = (tf.constant(np.linspace(start, 1.0, 8, dtype=np.float32)) for start in (0.5, 0.9, 0.0))

    def program(steps, listening):
        with listening:
            with tf.GradientTape() as tape:
                tape.watch([x, w, b])
                y = x
                for _ in range(steps):
                    y = tf.tanh(y * w + b)
            tape.gradient(y, [x, w, b])

    def of_60_ops(listening):
        return calls(lambda: program(30, listening())) - calls(lambda: program(10, listening()))

    of_60_ops(tf.observe)  # what is worked out once for a place
    added = of_60_ops(tf.observe) - of_60_ops(contextlib.nullcontext)
    assert added <= 4 * 60  # being told, an op's note, its value's, and that of the way back

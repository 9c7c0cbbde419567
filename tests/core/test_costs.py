"""What an op costs, in counts and not in seconds: the same on every machine, so that one call more an op is found out.

Each count is a difference between a long program and a short one, so what a program costs once does not matter. Only
minitape's own functions are counted, and no comprehensions, which Python 3.12 no longer calls.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import minitape as tf

CORE = str(Path(tf.__file__).parent)
X = tf.constant(np.linspace(0.5, 1.5, 9, dtype=np.float32).reshape(3, 3))
W = tf.constant(np.linspace(0.9, 1.1, 9, dtype=np.float32).reshape(3, 3))
ROW = tf.constant([0.1, 0.2, 0.3])


def calls(run):
    """How many of minitape's functions are called."""
    found = []

    def look(frame, event, arg):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(CORE) and not code.co_name.endswith(("comp>", "expr>")):
            found.append(code.co_name)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        run()
    finally:
        sys.setprofile(before)
    return len(found)


def an_op(run, short=10, long=30):
    """The calls of one op more: `run` is a program of so many ops."""
    run(1)
    more, rest = divmod(calls(lambda: run(long)) - calls(lambda: run(short)), long - short)
    assert rest == 0
    return more


def plain(f):
    def run(ops):
        x = X
        for _ in range(ops):
            x = f(x)

    return run


def recorded(f):
    def run(ops):
        with tf.GradientTape() as tape:
            tape.watch([X, W, ROW])
            plain(f)(ops)

    return run


def gradient(f):
    def run(ops):
        with tf.GradientTape() as tape:
            tape.watch([X, W, ROW])
            x = X
            for _ in range(ops):
                x = f(x)
        tape.gradient(x, [X, W, ROW])

    return run


# fmt: off
#    an op                                                      alone, recorded, with its gradient
OPS = {
    "tanh":              (tf.tanh,                              1, 2, 3),
    "multiply":          (lambda x: x * W,                      1, 2, 4),
    "add":               (lambda x: x + W,                      1, 2, 4),
    "add, broadcasting": (lambda x: x + ROW,                    1, 2, 9),
    "by a number":       (lambda x: x * 2.0,                    3, 4, 5),
    "relu":              (tf.nn.relu,                           2, 3, 6),
    "matmul":            (lambda x: x @ W,                      2, 3, 7),
    "transpose":         (tf.transpose,                         17, 17, 21),
    "a sum taken away":  (lambda x: x - tf.reduce_sum(x),       7, 8, 20),
    "softmax":           (tf.nn.softmax,                        32, 39, 57),
}
# fmt: on


@pytest.mark.parametrize("name", OPS)
def test_calls_of_python_functions_an_op(name):
    f, *expected = OPS[name]
    assert [an_op(mode(f)) for mode in (plain, recorded, gradient)] == expected


def test_calls_of_python_functions_in_a_training_step():
    labels = tf.constant([0, 2, 1])
    variables = [tf.Variable(W), tf.Variable(ROW)]

    def steps(times):
        for _ in range(times):
            with tf.GradientTape() as tape:
                logits = tf.nn.relu(X @ variables[0] + variables[1])
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
            for variable, slope in zip(variables, tape.gradient(loss, variables), strict=True):
                variable.assign_sub(0.1 * slope)

    assert an_op(steps) == 87


def three(x):
    return tf.tanh(x * W + ROW)


class Counted(list):
    """A tape's record that counts how often an entry is looked at."""

    looks = 0

    def __getitem__(self, place):
        self.looks += 1
        return super().__getitem__(place)

    def __iter__(self):
        for place in range(len(self)):
            yield self[place]


@pytest.mark.parametrize(
    ("sources", "looks"), [([X, W, ROW], 1), ([X], 2)], ids=["all that is watched", "a part of it"]
)
def test_entries_are_looked_at_once_and_once_more_to_prune(sources, looks):
    def looked(steps):
        with tf.GradientTape() as tape:
            tape.watch([X, W, ROW])
            x = X
            for _ in range(steps):
                x = three(x)
        tape.rows = Counted(tape.rows)
        tape.gradient(x, sources)
        return tape.rows.looks

    assert [looked(100), looked(1000)] == [300 * looks, 3000 * looks]


def test_what_a_recorded_op_makes():
    """Of every three ops multiply keeps its inputs, add nothing, tanh its output, which is the next one's input."""
    with tf.GradientTape() as tape:
        tape.watch([X, W, ROW])
        x = X
        for _ in range(10):
            x = three(x)
    arrays = {id(array) for kept in tape.saved for array in kept}
    assert len(arrays) == 10 + 2  # and X and W
    assert [type(row) for row in tape.rows] == [tuple] * 30
    assert [len(kept) for kept in tape.saved] == [2, 0, 1] * 10
    assert len({id(kept) for kept in tape.saved}) == 20 + 1  # what holds nothing is one object for all
    made = {id(part) for row in tape.rows for part in row if type(part) is tuple}
    assert len(made) == 30 + 10  # the inputs' ids of each; their shapes where they differ
    assert len({id(row[4]) for row in tape.rows}) == 1  # one shape and dtype for all
    assert tape.notes == []

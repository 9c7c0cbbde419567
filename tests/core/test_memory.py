"""What the tape holds, and until when: counted by weak references and by the bytes NumPy has allocated."""

import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import minitape as tf
from minitape.backward import backward

SIZE = 100_000  # float32 numbers in an array: 400 kB, large beside everything else
BYTES = SIZE * 4


def chain(x, n):
    for _ in range(n):
        x = tf.sin(x)
    return x


def peak_of(run):
    """The most bytes that were allocated while `run` ran, in arrays of SIZE."""
    gc.collect()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        run()
        return (tracemalloc.get_traced_memory()[1] - before) / BYTES
    finally:
        tracemalloc.stop()


def test_nothing_is_alive_after_gradient():
    x = tf.ones([10])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(chain(x, 5))
    arrays = [weakref.ref(array) for kept in tape.saved[1:5] for array in kept]
    assert all(ref() is not None for ref in arrays)
    tape.gradient(y, x)
    del y
    assert [ref() for ref in arrays] == [None] * 4
    assert len(tape.entries) == 6  # the skeleton stays: it is what an explanation reads


def test_saved_arrays_die_one_by_one_on_the_way_back():
    x = tf.ones([10])
    alive = []

    @tf.custom_gradient
    def probe(x):
        def rule(dy):
            alive.append(sum(ref() is not None for ref in arrays))
            return dy

        return x, rule

    with tf.GradientTape() as tape:
        tape.watch(x)
        h = x
        for _ in range(4):
            h = tf.sin(probe(h))
        del h
        y = tape.entries[-1].out
    arrays = [weakref.ref(kept[0]) for kept in tape.saved[3::2]]
    seed = tf.ones([10])
    backward(tape, {y: seed}, {x.id})
    assert alive == [2, 1, 0, 0]


def test_a_persistent_tape_keeps_what_it_saved():
    x = tf.ones([10])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = chain(x, 3)
    arrays = [weakref.ref(kept[0]) for kept in tape.saved]
    tape.gradient(y, x)
    assert all(ref() is not None for ref in arrays)
    del tape, y, x
    gc.collect()
    assert all(ref() is None for ref in arrays)


def test_reset_and_leaving_scope_let_go():
    x = tf.ones([10])
    with tf.GradientTape() as tape:
        tape.watch(x)
        chain(x, 3)
        arrays = [weakref.ref(kept[0]) for kept in tape.saved[1:]]
        tape.reset()
        assert [ref() for ref in arrays] == [None] * 2
        assert tf.ledger(tape).bytes == 0


def test_an_array_saved_twice_counts_once():
    x = tf.ones([SIZE])
    with tf.GradientTape() as tape:
        tape.watch(x)
        tf.sin(x)
        tf.cos(x)
        tf.reshape(x, [-1, 10]) * 2.0
        tf.square(tf.reshape(x, [10, -1]))  # a view of the same memory
    assert tf.ledger(tape).bytes == BYTES + 4
    assert [row.entry for row in tf.ledger(tape).holdings] == [1, 2, 4, 6]


@pytest.mark.parametrize(("n", "k"), [(16, 4), (16, 2), (64, 8)])
def test_recompute_holds_what_theory_says(n, k):
    def block(x):
        return chain(x, n // k)

    def run(f, times):
        with tf.observe() as seen:
            x = tf.ones([SIZE])
            with tf.GradientTape() as tape:
                tape.watch(x)
                h = x
                for _ in range(times):
                    h = f(h)
            tape.gradient(h, x)
        return seen

    assert run(lambda x: chain(x, n), 1).peak == n * BYTES
    assert run(tf.recompute_grad(block), k).peak == (k + n // k - 1) * BYTES


def test_the_peak_of_a_chain_in_allocated_bytes():
    def gradient(f, times):
        x = tf.ones([SIZE])
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = x
            for _ in range(times):
                h = f(h)
        tape.gradient(h, x)

    assert peak_of(lambda: gradient(lambda x: chain(x, 64), 1)) <= 68
    assert peak_of(lambda: gradient(tf.recompute_grad(lambda x: chain(x, 8)), 8)) <= 20


@pytest.mark.parametrize(("n", "k"), [(16, 4), (64, 8), (100, 10)])
def test_beside_what_is_saved_there_are_at_most_four_working_arrays(n, k):
    def gradient(f, times):
        x = tf.ones([SIZE])
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = x
            for _ in range(times):
                h = f(h)
        tape.gradient(h, x)

    skeleton = 0.25  # of an array, for what the entries themselves take
    assert peak_of(lambda: gradient(lambda x: chain(x, n), 1)) <= n + 3 + skeleton
    assert peak_of(lambda: gradient(tf.recompute_grad(lambda x: chain(x, n // k)), k)) <= k + n // k - 1 + 4 + skeleton


def test_without_a_tape_nothing_is_kept():
    x = tf.ones([SIZE])
    assert peak_of(lambda: chain(x, 20)) <= 2.1


ROADS = {
    "sum": tf.reduce_sum,
    "mean": tf.reduce_mean,
    "mean, spread again": lambda x: tf.broadcast_to(tf.reduce_mean(x), [7]),
    "reshape": lambda x: tf.reshape(x, [10, -1]) + 0.0,
}


@pytest.mark.parametrize("road", ROADS.values(), ids=ROADS)
def test_a_gradient_that_repeats_or_moves_numbers_is_a_view(road):
    x = tf.ones([SIZE])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = road(x)
    seed = tf.ones(y.shape)
    assert peak_of(lambda: tape.gradient(y, x, output_gradients=seed)) < 0.1


def test_a_sum_over_an_axis_goes_back_as_a_view():
    x = tf.ones([SIZE // 10, 10])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x, axis=1)
    assert peak_of(lambda: tape.gradient(y, x)) < 0.2  # the seed is a tenth of an array


@pytest.mark.parametrize("uses", [3, 40])
def test_adding_up_takes_two_arrays_however_many_there_are_to_add(uses):
    x = tf.ones([SIZE])
    parts = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        for number in range(uses):
            parts.append(x * float(number))
    seed = tf.ones([SIZE])
    assert peak_of(lambda: tape.gradient(parts, x, output_gradients=[seed] * uses)) <= 3.1


def test_a_sum_made_on_the_way_back_is_written_into_by_nobody_else():
    """The first gradient of a value may be an array of the learner's, of a rule's or of another value's: it stays."""
    mine = tf.constant([1.0, 2.0])
    given = []

    @tf.custom_gradient
    def keeps(x):
        def rule(dy):
            given.append((dy, dy.numpy()))
            return dy

        return tf.identity(x), rule

    x = tf.constant([3.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        shared = x + 0.0
        outs = [shared, keeps(x), x + x, x * 2.0, keeps(x), shared + x]
    slopes = tape.gradient(outs, [x, shared], output_gradients=[mine] * len(outs))
    assert slopes[1].numpy().tolist() == [2.0, 4.0]
    assert slopes[0].numpy().tolist() == [9.0, 18.0]
    assert mine.numpy().tolist() == [1.0, 2.0]
    assert all(dy.numpy().tolist() == then.tolist() for dy, then in given)
    assert not np.shares_memory(slopes[0].array, slopes[1].array)


def test_a_step_of_a_variable_is_in_place_where_nothing_else_holds_its_array():
    v = tf.Variable(tf.ones([SIZE]) * 2.0)
    before = id(v.array)
    step = tf.ones([SIZE])

    def steps():
        for _ in range(3):
            v.assign_add(step)

    assert peak_of(steps) < 0.1
    assert id(v.array) == before
    assert v.numpy()[0] == 5.0


def test_a_step_of_a_variable_leaves_alone_what_anything_else_holds():
    step = tf.ones([2])

    def stepped(hold):
        v = tf.Variable([1.0, 2.0])
        held = hold(v)
        v.assign_add(step)
        v.assign_sub(v)
        assert v.numpy().tolist() == [0.0, 0.0]
        return held

    def saved(v):
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
        return y, tape, v

    assert stepped(lambda v: v.value()).numpy().tolist() == [1.0, 2.0]
    assert stepped(lambda v: tf.identity(v)).numpy().tolist() == [1.0, 2.0]
    assert stepped(lambda v: tf.reshape(v, [2, 1])).numpy().tolist() == [[1.0], [2.0]]
    assert stepped(lambda v: v[1:]).numpy().tolist() == [2.0]
    assert stepped(lambda v: v.array[::-1]).tolist() == [2.0, 1.0]
    assert list(stepped(lambda v: memoryview(v.array))) == [1.0, 2.0]
    y, tape, v = stepped(saved)
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0]
    first = tf.constant([1.0, 2.0])
    tf.Variable(first).assign_add(step)
    tf.Variable(tf.reshape(first, [1, 2])).assign_add([[1.0, 1.0]])
    assert first.numpy().tolist() == [1.0, 2.0]


def test_no_frame_and_no_array_hangs_on_a_tensor():
    x = tf.ones([10])
    y = tf.sin(x)
    array = weakref.ref(x.array)
    del x
    assert array() is None
    assert type(y.origin.code).__name__ == "code"


def test_a_skeleton_is_small():
    x = tf.constant(np.ones(8, np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(10):
            y = y * x
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(10_000):
            y = y * x
    tape.gradient(y, x)
    gc.collect()
    size = (tracemalloc.get_traced_memory()[0] - before) / 10_000
    tracemalloc.stop()
    assert size <= 330, size

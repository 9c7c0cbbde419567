"""What a tensor says of its shape and dtype is what its array has, whatever op made it."""

import math
import threading

import numpy as np
import pytest

import minitape as tf
from minitape.dtypes import ALL
from minitape.listeners import here
from minitape.ops.elementwise import add
from minitape.primitive import CALLS, REGISTRY, elementwise, primitive
from minitape.spec import Spec
from minitape.tensor import Tensor

SHAPES = [((), ()), ((2,), (2,)), ((2,), ()), ((), (2,)), ((2, 1), (2,))]
ELEMENTWISE = sorted(name for name, op in REGISTRY.items() if op.kind == "elementwise")


def true(tensor):
    return (tensor.spec.shape, tensor.spec.dtype) == (tensor.array.shape, tensor.array.dtype)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_of_every_elementwise_op_in_every_dtype(name):
    ran = 0
    for dtype in ALL:
        for shapes in SHAPES:
            given = [tf.constant(np.ones(shape, dtype.as_numpy_dtype)) for shape in (*shapes, shapes[0])]
            if name == "where":
                given[0] = tf.cast(given[0], tf.bool)
            if given[0].dtype.numpy_dtype.kind not in REGISTRY[name].takes:
                with pytest.raises(
                    tf.errors.InvalidArgumentError, match=f"^{name} works on .*\\nfix: .*\\nTensorFlow: "
                ):
                    CALLS[name](*given[: len(REGISTRY[name].inputs)])
                continue
            assert true(CALLS[name](*given[: len(REGISTRY[name].inputs)])), (dtype, shapes)
            ran += 1
    assert ran >= len(SHAPES)


def test_of_an_op_of_ones_own_that_changes_the_dtype():
    try:
        halves = elementwise("halves_of_ones_own", lambda x: x / 2, x=lambda g: g / 2)
        out = halves(tf.constant([1, 2]))
        assert true(out)
        assert out.dtype is tf.float64
    finally:
        REGISTRY.pop("halves_of_ones_own"), CALLS.pop("halves_of_ones_own")


def test_an_op_without_inputs_that_fails_says_so_in_our_words():
    try:
        nothing = primitive("nothing_of_ones_own", lambda: 1 // 0)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"^nothing_of_ones_own: integer division"):
            nothing()
    finally:
        REGISTRY.pop("nothing_of_ones_own"), CALLS.pop("nothing_of_ones_own")


def test_of_variables_and_what_assign_gives_back():
    v = tf.Variable([1.0, 2.0])
    given = v.assign([3.0, 4.0])
    v.assign([5.0, 6.0])
    assert given.numpy().tolist() == (given * 1.0).numpy().tolist() == [5.0, 6.0]  # reading it reads the variable
    assert true(v)
    assert true(given)
    assert true(v + given)


def test_equal_dtypes_are_one_whatever_numpy_object_says_so():
    swapped = np.array([1.0, 2.0], np.dtype("float32").newbyteorder("=").newbyteorder("S").newbyteorder("S"))
    one, two = tf.constant([1.0, 2.0]), tf.constant(swapped)
    assert one.spec is two.spec
    assert (one + two).numpy().tolist() == [2.0, 4.0]


def test_two_specs_may_be_equal_and_not_one():
    """After very many other shapes one is made anew: that must cost time, and no more."""
    old, new = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    new.spec = Spec(new.spec.shape, new.spec.dtype)
    with tf.GradientTape() as tape:
        tape.watch([old, new])
        y = add(old, new) * new
    assert y.numpy().tolist() == [12.0, 24.0]
    assert [g.numpy().tolist() for g in tape.gradient(y, [old, new])] == [[3.0, 4.0], [7.0, 10.0]]


def test_tapes_are_left_in_any_order():
    x = tf.constant(2.0)
    first, second, third = (tf.GradientTape(persistent=True) for _ in range(3))
    for tape in (first, second, third):
        tape.__enter__()
        tape.watch(x)
    y = x * x
    second.__exit__(None, None, None)
    z = y * x
    first.__exit__(None, None, None)
    w = z * x
    third.__exit__(None, None, None)
    assert here.now.tapes == []
    assert [len(tape.entries) for tape in (first, second, third)] == [2, 1, 3]
    assert second.gradient(z, x) is None
    assert third.gradient(w, x).numpy() == 32.0
    assert (first.outer, second.outer, third.outer) == (None, None, None)


def test_a_tape_that_is_left_on_another_thread_stays_where_it_was_entered():
    outer, inner = tf.GradientTape(), tf.GradientTape()
    outer.__enter__(), inner.__enter__()
    thread = threading.Thread(target=inner.__exit__, args=(None, None, None))
    thread.start(), thread.join()
    assert here.now.tapes == [outer, inner]
    inner._stop(), outer.__exit__(None, None, None)
    assert here.now.tapes == []


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.uint64])
def test_labels_of_any_whole_numbers(dtype):
    logits = tf.constant([[1.0, 2.0, 3.0], [0.5, 0.0, -0.5]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(logits)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(np.array([2, 1], dtype), logits)
        same = tf.nn.softmax_cross_entropy_with_logits(tf.one_hot([2, 1], 3), logits)
    np.testing.assert_allclose(loss.numpy(), same.numpy(), rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(loss, logits).numpy(), tape.gradient(same, logits).numpy(), rtol=1e-6)


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 3, 5), (7, 99), (7, 100), (2, 3, 120), (0, 3), (0, 0)])
def test_the_surprise_of_few_and_of_many_classes(shape):
    """Few are worked on class by class, many example by example: both are -log(softmax(x)) there, and its slopes."""
    logits = tf.Variable(np.sin(np.arange(math.prod(shape)) * 3.0).reshape(shape) * 5)
    labels = np.arange(math.prod(shape[:-1])).reshape(shape[:-1]) * 5 % max(shape[-1], 1)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            same = -tf.reduce_sum(tf.one_hot(labels, shape[-1], dtype=tf.float64) * tf.nn.log_softmax(logits), -1)
            squares = [y * y for y in (loss, same)]
        slopes = [tape.gradient(y, logits) for y in squares]
        steep = [slope * slope for slope in slopes]
    assert loss.shape == shape[:-1]
    np.testing.assert_allclose(loss.numpy(), same.numpy(), rtol=1e-12)
    plain = [outer.gradient(y, logits).numpy() for y in (loss, same)]
    curved = [outer.gradient(y, logits).numpy() for y in steep]
    for found in (plain, [slope.numpy() for slope in slopes], curved):
        np.testing.assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-12)
    assert plain[0].flags.c_contiguous


@pytest.mark.parametrize("wrong", [3, -1, 2**63 + 1])
@pytest.mark.parametrize("classes", [3, 300])
def test_a_label_that_is_no_class(classes, wrong):
    labels = np.array([0, wrong * classes // 3 if wrong == 3 else wrong], np.int64 if wrong < 2**63 else np.uint64)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=rf"^the label {labels[1]} is none of the {classes} classes"
    ):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.zeros([2, classes]))


def test_the_slope_of_a_surprise_is_kept_and_not_worked_out_again():
    logits = tf.Variable(np.asfortranarray(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)))
    with tf.GradientTape() as tape:
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits([0, 2], logits)
    assert tape.entries[-1].plan.names == ("x", "at", "axis", "residual")
    slope = tape.saved[-1][3]
    assert tape.gradient(loss, logits).numpy().tolist() == slope.tolist()
    assert isinstance(loss, Tensor)
    assert true(loss)

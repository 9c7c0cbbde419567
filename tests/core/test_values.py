"""Tensors and variables as values: conversions, text, indices, Python's and NumPy's numbers, matplotlib."""

import copy
import pickle

import numpy as np
import pytest

import minitape as tf


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1.5, "float32"),
        (1, "int32"),
        (2**31, "int64"),
        (-(2**31), "int32"),
        (True, "bool"),
        (1j, "complex128"),
        ("a", "string"),
        (b"a", "string"),
        ([1, 2.5], "float32"),
        ([[1], [2]], "int32"),
        ([], "float32"),
        (np.float64(1), "float64"),
        (np.ones(2, np.int8), "int8"),
        ([np.float64(1), 2.0], "float64"),
        ([np.float16(1), 2.0], "float16"),
        ([np.uint8(5), -1], "int32"),
        ([np.ones(2, np.uint8), np.ones(2, np.uint8)], "int32"),
        ([np.int64(5)], "int32"),
        ([np.uint32(2**32 - 1)], "int64"),
        ([np.complex64(1)], "complex128"),
        (np.array(["a", "b"]), "string"),
    ],
)
def test_what_a_value_becomes(value, dtype):
    assert tf.constant(value).dtype == dtype


def test_unsigned_numbers_in_a_list():
    image = np.array([[200, 3]], np.uint8)
    assert tf.constant([image, image], tf.uint8).numpy().tolist() == [[[200, 3]]] * 2
    assert tf.constant([image], tf.float32).numpy().tolist() == [[[200.0, 3.0]]]
    assert tf.constant([np.uint64(2**64 - 1)], tf.uint64).numpy().tolist() == [2**64 - 1]
    assert tf.constant([np.uint64(2**63)], tf.float32).numpy().tolist() == [2.0**63]
    for mixed in ([np.bool_(True), np.uint8(1)], [np.float32(1), 1j]):
        with pytest.raises(ValueError, match="mixes numbers"):
            tf.constant(mixed)


def test_a_stack_of_what_is_no_tensor_is_a_constant_along_the_first_axis():
    image = np.ones((2, 2), np.uint8)
    assert [tf.stack([image, image], axis).dtype.name for axis in (0, 1)] == ["int32", "uint8"]
    assert [tf.stack([image, tf.constant(image)], axis).dtype.name for axis in (0, 1)] == ["uint8", "uint8"]
    assert tf.stack([1.5, np.float64(2)]).dtype == tf.float32
    assert tf.stack([]).shape == (0,)
    with pytest.raises(IndexError, match=r"there is none\nfix: tf\.stack"):
        tf.stack([], axis=1)


def test_text_is_bytes():
    t = tf.constant(["é", "b"])
    assert t.numpy().tolist() == ["é".encode(), b"b"]
    assert tf.constant("hi").numpy() == b"hi"
    assert str(tf.constant("hi")) == "tf.Tensor(b'hi', shape=(), dtype=string)"
    assert (t == "b").numpy().tolist() == (t == ["a", "b"]).numpy().tolist() == [False, True]
    with pytest.raises(TypeError, match="cannot be compared"):
        tf.constant(1.0) == "a"  # noqa: B015


def test_python_numbers_take_the_tensors_dtype_exactly():
    x = tf.constant(1.0, tf.float64)
    assert (x * 0.1).numpy() == 0.1
    assert (0.1 + tf.constant([1.0], tf.float64)).numpy()[0] == 1.1
    assert (x + 1).dtype == tf.float64
    assert (tf.constant(1.0) + np.float64(2.0)).dtype == tf.float32
    assert isinstance(np.ones(2) * tf.constant([1.0, 2.0]), tf.Tensor)


@pytest.mark.parametrize("value", [1e300, [3.5e38], [[1.0, -1e39]], [1e39, float("nan")], 3.4028235677973366e38])
def test_a_float_too_large_for_float32_needs_a_wider_dtype(value):
    for make in (tf.constant, tf.Variable, tf.convert_to_tensor):
        with pytest.raises(ValueError, match=r"does not fit into float32\nfix: tf.constant\(\S+, tf.float64\)"):
            make(value)
    np.testing.assert_array_equal(tf.constant(value, tf.float64).numpy(), value)


def test_a_number_too_large_for_its_dtype_is_inf_where_the_dtype_is_given():
    x = tf.constant([1.0, 2.0])
    assert tf.constant(3.40282356779733e38).numpy() == np.finfo(np.float32).max
    assert tf.constant([1e400, 1.0]).numpy().tolist() == [np.inf, 1.0]  # Python's own inf
    assert tf.add(x, [1e39, 1.0]).numpy().tolist() == [np.inf, 3.0]
    assert tf.stack([x, [1e39, 1]]).numpy()[1].tolist() == [np.inf, 1.0]
    assert tf.Variable(x).assign([1e39, 1]).numpy().tolist() == [np.inf, 1.0]
    with pytest.raises(ValueError, match="does not fit into float16"):
        tf.constant([np.float16(1), 1e5])


def test_integers_of_more_than_64_bits_are_floats_where_floats_are_wanted():
    x, large = tf.constant([1.0, 2.0]), np.float32(2.0**70)
    assert tf.constant(2**70, tf.float32).numpy() == large
    assert tf.constant([2**63], tf.float64).numpy().tolist() == [2.0**63]
    assert tf.constant([1.5, 2**70, True]).numpy().tolist() == [1.5, large, 1.0]
    assert (x * 2**70).numpy().tolist() == [large, 2 * large]
    assert tf.add(x, [2**70, 1]).numpy().tolist() == [large, 3.0]
    assert tf.Variable(x).assign([2**70, 1]).numpy().tolist() == [large, 1.0]
    for make in (
        lambda: tf.constant(2**64),
        lambda: tf.constant([2**70, 1.5]),
        lambda: tf.constant(2**70, tf.int64),
        lambda: tf.constant(10**400, tf.float64),
        lambda: tf.constant([1.5, 10**400]),
        lambda: x + 10**400,
        lambda: tf.maximum(10**400, x),
    ):
        with pytest.raises(ValueError, match=r"does not fit into 64 bits\nfix: "):
            make()


def test_operators_on_bools_and_round():
    a, b = tf.constant([True, False]), tf.constant([True, True])
    assert [(a & b).numpy().tolist(), (a | b).numpy().tolist()] == [[True, False], [True, True]]
    assert [(a ^ b).numpy().tolist(), (~a).numpy().tolist()] == [[False, True], [False, True]]
    assert [round(tf.constant(2.5)).numpy(), round(tf.constant(2.345), 2).numpy()] == [2.0, np.float32(2.34)]


def test_what_python_and_numpy_make_of_a_tensor():
    x = tf.constant([1.0, 2.0, 3.0])
    assert [float(x[0]), int(x[1]), complex(x[2]), bool(x[0] > 0)] == [1.0, 2, 3 + 0j, True]
    assert [list(range(4))[tf.constant(2)], len(x), 2.0 in x, sum(x).numpy()] == [2, 3, True, 6.0]
    assert np.sin(x).dtype == np.float32
    assert np.stack([x, x]).shape == (2, 3)
    assert np.linalg.norm(x[:2] * [3.0, 2.0]) == 5.0
    assert [copy.deepcopy(x).numpy().tolist(), pickle.loads(pickle.dumps(x)).numpy().tolist()] == [[1.0, 2.0, 3.0]] * 2
    assert not any(hasattr(x, name) for name in ("T", "sum", "item", "grad", "backward", "name", "size"))


def test_shapes():
    shape = tf.zeros([2, 3]).shape
    assert [shape == [2, 3], shape[0], shape.rank, shape.num_elements(), len(shape)] == [True, 2, 2, 6, 2]
    longer = shape + [4]  # noqa: RUF005 (the operator is what is tested)
    assert [longer, (1,) + shape, shape[1:]] == [[2, 3, 4], [1, 2, 3], [3]]  # noqa: RUF005
    assert isinstance(longer, tf.TensorShape)
    assert tf.zeros([2]).get_shape() == (2,)


def test_what_assign_gives_back_reads_the_variable():
    v = tf.Variable([1.0, 2.0])
    back = v.assign([3.0, 4.0])
    assert back is not v
    assert isinstance(back, tf.Variable)
    v.assign_add([1.0, 1.0])
    assert back.numpy().tolist() == [4.0, 5.0]
    assert back.assign_sub([1.0, 1.0]).assign_add([0.5, 0.5]).numpy().tolist() == v.numpy().tolist() == [3.5, 4.5]
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v.assign([1.0, 2.0]) * [2.0, 3.0])
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 3.0]
    assert [w is v for w in tape.watched_variables()] == [True]


def test_parts_of_a_variable_are_tensors_with_gradients():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = v[0, 1] * v[1, 0] + tf.reduce_sum(v[:, 1])
    assert tape.gradient(y, v).numpy().tolist() == [[0.0, 4.0], [2.0, 1.0]]
    assert isinstance(v[0], tf.Tensor)
    before = v.numpy()
    v[:, 0].assign_sub([1.0, 1.0])
    assert (v.numpy() - before).tolist() == [[-1.0, 0.0], [-1.0, 0.0]]
    table = tf.Variable([[1.0], [2.0], [3.0]])
    table.scatter_sub(tf.IndexedSlices(tf.constant([[1.0], [1.0]]), tf.constant([0, 0])))
    assert table.numpy().ravel().tolist() == [-1.0, 2.0, 3.0]
    table.scatter_update(tf.IndexedSlices(tf.constant([[7.0]]), tf.constant([1])))
    table.scatter_nd_add([[2], [2]], [[1.0], [2.0]])
    table.scatter_nd_sub([[0, 0]], [1.0])
    table.scatter_nd_update([[0]], [[9.0]])
    assert table.numpy().ravel().tolist() == [9.0, 7.0, 6.0]
    assert table.sparse_read([1, 1]).numpy().tolist() == table.gather_nd([[1], [1]]).numpy().tolist() == [[7.0], [7.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not fit"):
        table.scatter_nd_add([[5]], [[1.0]])


def test_a_variable_starts_from_anything():
    x = tf.constant(2.0)
    assert tf.Variable([x, 3.0]).numpy().tolist() == [2.0, 3.0]
    assert tf.Variable(lambda: tf.ones([2])).shape == (2,)
    assert tf.Variable(1, dtype=tf.float64).dtype == tf.float64
    with pytest.raises(ValueError, match="float64 was asked for"):
        tf.Variable(x, dtype=tf.float64)


def test_matplotlib_takes_tensors():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    x = tf.linspace(0.0, 1.0, 5)
    figure, axes = plt.subplots()
    (line,) = axes.plot(x, tf.square(x))
    axes.scatter(x, tf.Variable(x))
    axes.bar(tf.range(2), [x[0], x[1]])
    axes.hist(x)
    axes.imshow(tf.ones([2, 2]))
    axes.axhline(x[2])
    figure.canvas.draw()
    assert np.asarray(line.get_ydata()).tolist() == tf.square(x).numpy().tolist()
    plt.close(figure)

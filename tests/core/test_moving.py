"""Ops that move, join, choose and combine numbers: values against NumPy, and where the gradients go."""

import itertools

import numpy as np
import pytest

import minitape as tf

X = np.arange(24.0).reshape(2, 3, 4)

SAME = {
    "tile": (lambda x: tf.tile(x, [2, 1, 3]), lambda x: np.tile(x, [2, 1, 3])),
    "repeat": (lambda x: tf.repeat(x, 2, axis=1), lambda x: np.repeat(x, 2, 1)),
    "repeat each": (lambda x: tf.repeat(x, [1, 0, 2], axis=1), lambda x: np.repeat(x, [1, 0, 2], 1)),
    "repeat flat": (lambda x: tf.repeat(x, 2), lambda x: np.repeat(x, 2)),
    "roll": (lambda x: tf.roll(x, [1, -1], [0, 2]), lambda x: np.roll(x, [1, -1], [0, 2])),
    "reverse": (lambda x: tf.reverse(x, [0, 2]), lambda x: x[::-1, :, ::-1]),
    "pad": (lambda x: tf.pad(x, [[1, 0], [0, 2], [0, 0]]), lambda x: np.pad(x, [[1, 0], [0, 2], [0, 0]])),
    "pad with 7": (
        lambda x: tf.pad(x, [[1, 0], [0, 2], [0, 0]], constant_values=7),
        lambda x: np.pad(x, [[1, 0], [0, 2], [0, 0]], constant_values=7),
    ),
    "reflect": (
        lambda x: tf.pad(x, [[0, 1], [2, 0], [1, 1]], "REFLECT"),
        lambda x: np.pad(x, [[0, 1], [2, 0], [1, 1]], "reflect"),
    ),
    "symmetric": (
        lambda x: tf.pad(x, [[0, 1], [2, 0], [1, 1]], "SYMMETRIC"),
        lambda x: np.pad(x, [[0, 1], [2, 0], [1, 1]], "symmetric"),
    ),
    "mask rows": (lambda x: tf.boolean_mask(x, [True, False]), lambda x: x[[True, False]]),
    "mask along": (lambda x: tf.boolean_mask(x, [True, False, True], axis=1), lambda x: x[:, [True, False, True]]),
    "mask": (lambda x: x[x > 5.5], lambda x: x[x > 5.5]),
    "sort": (lambda x: tf.sort(-x, axis=0), lambda x: np.sort(-x, 0)),
    "sort down": (lambda x: tf.sort(x, direction="DESCENDING"), lambda x: np.sort(x)[..., ::-1]),
    "argsort": (lambda x: tf.argsort(-x, axis=1), lambda x: np.argsort(-x, 1)),
    "top_k": (lambda x: tf.math.top_k(x, 2).values, lambda x: np.sort(x)[..., :-3:-1]),
    "concat": (lambda x: tf.concat([x, x[:, :1]], 1), lambda x: np.concatenate([x, x[:, :1]], 1)),
    "stack": (lambda x: tf.stack([x, -x], axis=-2), lambda x: np.stack([x, -x], -2)),
    "unstack": (lambda x: tf.unstack(x, axis=1)[2], lambda x: x[:, 2]),
    "split": (lambda x: tf.split(x, [1, -1], axis=2)[1], lambda x: x[:, :, 1:]),
    "squeeze": (lambda x: tf.squeeze(x[:1, :, :1]), lambda x: x[0, :, 0]),
    "squeeze one": (lambda x: tf.squeeze(x[:1, :, :1], [0]), lambda x: x[0, :, :1]),
    "expand_dims": (lambda x: tf.expand_dims(x, -2), lambda x: x[..., None, :]),
    "slice": (lambda x: tf.slice(x, [0, 1, 0], [1, -1, 2]), lambda x: x[:1, 1:, :2]),
    "strided_slice": (
        lambda x: tf.strided_slice(x, [0, 2, 3], [2, 0, 0], [1, -1, -2]),
        lambda x: x[0:2, 2:0:-1, 3:0:-2],
    ),
    "strided_slice masks": (
        lambda x: tf.strided_slice(x, [1, 0, 1], [2, 0, 9], [1, 1, 1], end_mask=4, ellipsis_mask=2, shrink_axis_mask=1),
        lambda x: x[1, ..., 1:],
    ),
    "index": (lambda x: x[1, ..., None, -1], lambda x: x[1, ..., None, -1]),
    "index by tensors": (lambda x: x[tf.constant(1), : tf.constant(2)], lambda x: x[1, :2]),
    "transpose": (lambda x: tf.transpose(x, [2, 0, 1]), lambda x: np.transpose(x, [2, 0, 1])),
    "gather": (lambda x: tf.gather(x, [2, 0, 2], axis=1), lambda x: x[:, [2, 0, 2]]),
    "linspace": (lambda x: tf.linspace(x[0], x[1], 3, axis=-1), lambda x: np.linspace(x[0], x[1], 3, axis=-1)),
    "cumsum": (lambda x: tf.cumsum(x, 1), lambda x: np.cumsum(x, 1)),
    "cumprod": (lambda x: tf.math.cumprod(x, 2), lambda x: np.cumprod(x, 2)),
    "logsumexp": (lambda x: tf.reduce_logsumexp(x, [0, 2]), lambda x: np.log(np.exp(x).sum((0, 2)))),
    "variance": (lambda x: tf.math.reduce_variance(x, 1), lambda x: np.var(x, 1)),
    "std": (lambda x: tf.math.reduce_std(x, 1, keepdims=True), lambda x: np.std(x, 1, keepdims=True)),
    "max": (lambda x: tf.reduce_max(x, [-1, 0]), lambda x: x.max((0, 2))),
    "prod": (lambda x: tf.reduce_prod(x, 0), lambda x: x.prod(0)),
    "norm of matrices": (lambda x: tf.norm(x, axis=[1, 2]), lambda x: np.linalg.norm(x, axis=(1, 2))),
    "norm 1 of matrices": (lambda x: tf.norm(x, 1, [1, 2]), lambda x: np.linalg.norm(x, 1, (1, 2))),
    "norm inf of matrices": (lambda x: tf.norm(x, np.inf, [1, 2]), lambda x: np.linalg.norm(x, np.inf, (1, 2))),
    "norm 3": (lambda x: tf.norm(x, 3, -1), lambda x: np.linalg.norm(x, 3, -1)),
    "argmax": (lambda x: tf.argmax(x, 2), lambda x: np.argmax(x, 2)),
    "count": (lambda x: tf.math.count_nonzero(x, [0, 1]), lambda x: np.count_nonzero(x, (0, 1))),
    "band": (lambda x: tf.linalg.band_part(x, 1, 0), lambda x: np.tril(x) - np.tril(x, -2)),
    "trace": (lambda x: tf.linalg.trace(x), lambda x: np.trace(x, 0, 1, 2)),
    "set_diag": (lambda x: tf.linalg.set_diag(x, x[..., 0]), lambda x: _with_diagonal(x, x[..., 0])),
}


def _with_diagonal(x, diagonal):
    x = np.array(x)
    for at in range(3):
        x[:, at, at] = diagonal[:, at]
    return x


@pytest.mark.parametrize("name", SAME)
def test_as_numpy(name):
    ours, numpys = SAME[name]
    wanted = numpys(X)
    got = ours(tf.constant(X))
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-12)


@pytest.mark.parametrize(
    "name", [name for name in SAME if name not in ("argsort", "argmax", "count", "cumprod", "prod")]
)
def test_a_gradient_goes_where_the_number_came_from(name):
    """These are all linear or smooth here: moving one number moves the weighted result by its gradient."""
    ours, numpys = SAME[name]
    x = tf.constant(X + 0.25 * np.cos(X))
    weights = np.sin(np.arange(numpys(X).size) + 1.0).reshape(numpys(X).shape)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(ours(x) * weights)
    grad = tf.convert_to_tensor(tape.gradient(y, x)).numpy()
    for at in itertools.islice(np.ndindex(*X.shape), 0, None, 5):
        ends = []
        for step in (1e-6, -1e-6):
            moved = np.array(x.numpy())
            moved[at] += step
            ends.append(np.sum(numpys(moved) * weights))
        np.testing.assert_allclose(grad[at], (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-6)


def test_of_equal_numbers_the_first_comes_first():
    x = tf.constant([2.0, 1.0, 2.0, 1.0])
    assert tf.argsort(x).numpy().tolist() == [1, 3, 0, 2]
    assert tf.argsort(x, direction="DESCENDING").numpy().tolist() == [0, 2, 1, 3]
    assert tf.math.top_k(x, 3).indices.numpy().tolist() == [0, 2, 1]


def test_segments():
    x, ids = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 0.0]]), [0, 0, 2]
    assert tf.math.segment_sum(x, ids).numpy().tolist() == [[4.0, 6.0], [0.0, 0.0], [5.0, 0.0]]
    assert tf.math.segment_mean(x, ids).numpy().tolist() == [[2.0, 3.0], [0.0, 0.0], [5.0, 0.0]]
    assert tf.math.segment_max(x, ids).numpy().tolist() == [[3.0, 4.0], [0.0, 0.0], [5.0, 0.0]]
    assert tf.math.segment_prod(x, ids).numpy().tolist() == [[3.0, 8.0], [1.0, 1.0], [5.0, 0.0]]
    low, high = np.finfo(np.float32).min, np.finfo(np.float32).max
    assert tf.math.unsorted_segment_max([1.0, 2.0], [0, 0], 2).numpy().tolist() == [2.0, low]
    assert tf.math.unsorted_segment_min([1.0, 2.0], [0, -1], 2).numpy().tolist() == [1.0, high]
    assert tf.math.unsorted_segment_sum([[1.0, 2.0], [3.0, 4.0]], [[0, 1], [1, -1]], 2).numpy().tolist() == [1.0, 5.0]


def test_updates():
    x, at = tf.zeros([3, 2]), [[0], [2]]
    assert tf.tensor_scatter_nd_update(x, at, [[1.0, 2.0], [3.0, 4.0]]).numpy().tolist() == [[1, 2], [0, 0], [3, 4]]
    assert tf.scatter_nd([[0, 1], [0, 1]], [1.0, 2.0], [2, 2]).numpy().tolist() == [[0, 3], [0, 0]]
    assert tf.tensor_scatter_nd_max([1.0, 5.0], [[0], [1]], [3.0, 3.0]).numpy().tolist() == [3.0, 5.0]


def test_a_list_of_tensors_is_stacked_wherever_a_tensor_is_taken():
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        y = tf.reduce_sum(tf.square([a, b, 1.0]))
        z = tf.reduce_prod(tf.convert_to_tensor([[a, 1.0], [b, a]]))
    assert [g.numpy() for g in tape.gradient(y, [a, b])] == [4.0, 6.0]
    assert [g.numpy() for g in tape.gradient(z, [a, b])] == [12.0, 4.0]


def test_what_is_searched_for():
    assert tf.unique([5.0, 3.0, 5.0]).y.numpy().tolist() == [5.0, 3.0]
    y, idx, count = tf.unique_with_counts([5, 3, 5])
    assert (y.numpy().tolist(), idx.numpy().tolist(), count.numpy().tolist()) == ([5, 3], [0, 1, 0], [2, 1])
    assert tf.math.bincount([1, 1, 4], minlength=2, maxlength=4).numpy().tolist() == [0, 2, 0, 0]
    assert tf.searchsorted([[1.0, 3.0], [2.0, 4.0]], [[3.0], [3.0]], side="right").numpy().tolist() == [[2], [1]]
    assert tf.math.in_top_k([2, 2], [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], 2).numpy().tolist() == [True, False]


def test_running_ops_run_both_ways():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    for exclusive, reverse in itertools.product([False, True], [False, True]):
        way = slice(None, None, -1) if reverse else slice(None)
        run = x.numpy()[way]
        sums, products = np.cumsum(run), np.cumprod(run)
        if exclusive:
            sums, products = np.r_[0.0, sums[:-1]], np.r_[1.0, products[:-1]]
        assert tf.cumsum(x, 0, exclusive, reverse).numpy().tolist() == sums[way].tolist()
        assert tf.math.cumprod(x, 0, exclusive, reverse).numpy().tolist() == products[way].tolist()
        logs = tf.math.cumulative_logsumexp(x, 0, exclusive, reverse).numpy()[way]
        wanted = np.logaddexp.accumulate(run)
        if exclusive:
            assert logs[0] == np.finfo(np.float32).min
            logs, wanted = logs[1:], wanted[:-1]
        np.testing.assert_allclose(logs, wanted, rtol=1e-6)


def test_what_is_made_from_nothing():
    assert tf.range(5, 0, -2).numpy().tolist() == [5, 3, 1]
    assert tf.range(3, dtype=tf.float64).dtype == tf.float64
    assert tf.range(tf.constant(2.0)).dtype == tf.float32
    assert tf.eye(2, 3, batch_shape=[2]).shape == (2, 2, 3)
    assert tf.one_hot([0, 5], 2, on_value=7, off_value=-1).numpy().tolist() == [[7, -1], [-1, -1]]
    assert tf.one_hot([[0], [1]], 3, axis=1).shape == (2, 3, 1)
    assert tf.zeros_like([1, 2], dtype=tf.float64).dtype == tf.float64
    assert tf.fill([2, 2], True).numpy().all()
    assert tf.zeros(()).shape == tf.ones([]).shape == ()
    assert tf.shape(tf.zeros([2, 3]), out_type=tf.int64).dtype == tf.int64
    assert [grid.numpy().tolist() for grid in tf.meshgrid([1, 2], [3], indexing="ij")] == [[[1], [2]], [[3], [3]]]
    assert tf.sequence_mask([1, 3]).numpy().tolist() == [[True, False, False], [True, True, True]]


def test_nothing_at_all():
    x = tf.zeros([0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x) + tf.reduce_prod(x)
    assert y.numpy() == 1.0
    assert tape.gradient(y, x).shape == (0,)
    assert tf.reduce_max(x).numpy() == -np.inf
    assert tf.reduce_min(tf.zeros([0], tf.int32)).numpy() == np.iinfo(np.int32).max
    assert np.isnan(tf.reduce_mean(x).numpy())
    for f in (
        tf.sort,
        tf.cumsum,
        tf.math.cumprod,
        lambda x: tf.concat([x, x], 0),
        lambda x: tf.tile(x, [3]),
        tf.argsort,
    ):
        assert f(x).shape == (0,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8])
@pytest.mark.parametrize("shape", [(31, 1), (31, 29), (31, 30), (30, 5), (200, 10), (200, 0)])
def test_the_largest_of_many_short_rows_is_that_of_each(shape, dtype):
    rows = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    if rows.size and np.dtype(dtype).kind == "f":
        rows[3, -1], rows[5, 0], rows[7] = np.nan, np.inf, -np.inf
    for ours, by_numpy, start in ((tf.reduce_max, np.max, -np.inf), (tf.reduce_min, np.min, np.inf)):
        lowest = {} if rows.size else {"initial": np.asarray(start).clip(*limits(dtype)).astype(dtype)}
        for keepdims in (False, True):
            found = ours(tf.constant(rows), -1, keepdims).numpy()
            np.testing.assert_array_equal(found, by_numpy(rows, axis=-1, keepdims=keepdims, **lowest))
            assert found.dtype == dtype


def limits(dtype):
    """The lowest and the highest number of a dtype."""
    return (-np.inf, np.inf) if np.dtype(dtype).kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)

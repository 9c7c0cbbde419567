"""Bad input to an op: what happened, then the fix as code; never a traceback through NumPy."""

import numpy as np
import pytest

import minitape as tf

from .test_errors import message

V, W, M = [1.0, 2.0, 3.0], [1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]]
ONE, CUBE = tf.constant(1.0), tf.zeros([2, 3, 4])
IMAGE, KERNEL = tf.zeros([1, 4, 4, 2]), tf.zeros([2, 2, 3, 1])
WHOLE, TRUTH = tf.constant([1, 2]), tf.constant([True, False])

INVALID = {
    "add_n shapes": lambda: tf.add_n([tf.constant(V), tf.constant(W)]),
    "argmax axis": lambda: tf.argmax(V, axis=3),
    "atan2 shapes": lambda: tf.atan2(tf.constant(V), tf.constant(W)),
    "bias_add": lambda: tf.nn.bias_add(M, V),
    "broadcast_to": lambda: tf.broadcast_to(V, [2]),
    "cholesky": lambda: tf.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]]),
    "concat ranks": lambda: tf.concat([M, V], 0),
    "concat lengths": lambda: tf.concat([M, [V]], 0),
    "concat axis": lambda: tf.concat([V, V], 1),
    "concat scalars": lambda: tf.concat([1.0, 2.0], 0),
    "conv2d channels": lambda: tf.nn.conv2d(IMAGE, KERNEL, 1, "SAME"),
    "conv2d rank": lambda: tf.nn.conv2d(M, KERNEL, 1, "SAME"),
    "conv2d too small": lambda: tf.nn.conv2d(IMAGE, tf.zeros([9, 9, 2, 1]), 1, "VALID"),
    "conv2d_transpose": lambda: tf.nn.conv2d_transpose(IMAGE, tf.zeros([2, 2, 1, 2]), [1, 9, 9, 1], 2),
    "cross": lambda: tf.linalg.cross(W, W),
    "cumsum axis": lambda: tf.cumsum(V, axis=1),
    "det": lambda: tf.linalg.det(CUBE),
    "einsum sizes": lambda: tf.einsum("ij,jk->ik", M, [V]),
    "ensure_shape": lambda: tf.ensure_shape(V, [2]),
    "expand_dims": lambda: tf.expand_dims(V, 5),
    "fill": lambda: tf.fill([2], V),
    "floordiv 0": lambda: WHOLE // 0,
    "floormod 0": lambda: WHOLE % 0,
    "gather": lambda: tf.gather(V, [3]),
    "gather_nd": lambda: tf.gather_nd(V, [[3]]),
    "in_top_k": lambda: tf.math.in_top_k([0, 1], [[1.0, 2.0]], 1),
    "inv": lambda: tf.linalg.inv([[1.0, 2.0], [2.0, 4.0]]),
    "inv not square": lambda: tf.linalg.inv([V]),
    "logical_and": lambda: tf.logical_and(WHOLE, WHOLE),
    "matvec": lambda: tf.linalg.matvec(M, V),
    "mirror": lambda: tf.pad(V, [[4, 0]], mode="REFLECT"),
    "negative length": lambda: tf.zeros([-1]),
    "not": lambda: tf.logical_not(WHOLE),
    "one_hot floats": lambda: tf.one_hot([1.0], 3),
    "pad": lambda: tf.pad(V, [1, 1]),
    "pool rank": lambda: tf.nn.max_pool2d(M, 2, 2, "VALID"),
    "pow": lambda: WHOLE**-1,
    "random seed": lambda: tf.random.stateless_normal([2], seed=3),
    "random nothing": lambda: tf.random.uniform([2], 5, 2, tf.int32),
    "range": lambda: tf.range(0, 3, 0),
    "reduce_any": lambda: tf.reduce_any(V),
    "reduce_max axis": lambda: tf.reduce_max(V, axis=1),
    "reduce_prod bools": lambda: tf.reduce_prod(TRUTH),
    "reshape": lambda: tf.reshape(V, [2, 2]),
    "reshape rest": lambda: tf.reshape(V, [2, -1]),
    "reshape two": lambda: tf.reshape(V, [-1, -1]),
    "roll axis": lambda: tf.roll(V, 1, 2),
    "scatter_nd": lambda: tf.scatter_nd([[5]], [1.0], [3]),
    "scatter_nd shapes": lambda: tf.scatter_nd([[0], [1]], [1.0], [3]),
    "searchsorted": lambda: tf.searchsorted(M, V),
    "segment order": lambda: tf.math.segment_sum(V, [1, 0, 0]),
    "segment length": lambda: tf.math.segment_sum(V, [0, 0]),
    "segment number": lambda: tf.math.unsorted_segment_sum(V, [0, 5, 0], 2),
    "sin of strings": lambda: tf.sin("hello"),
    "slice": lambda: tf.slice(V, [2], [4]),
    "slice numbers": lambda: tf.slice(V, [0, 0], [1, 1]),
    "softmax of a scalar": lambda: tf.nn.softmax(1.0),
    "solve": lambda: tf.linalg.solve([[1.0, 2.0], [2.0, 4.0]], [[1.0], [1.0]]),
    "solve rows": lambda: tf.linalg.solve(M, [V]),
    "sort axis": lambda: tf.sort(V, axis=2),
    "space_to_depth": lambda: tf.nn.space_to_depth(tf.zeros([1, 3, 3, 1]), 2),
    "sparse labels": lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[5], logits=[V]),
    "sparse floats": lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1.0], logits=[V]),
    "split": lambda: tf.split(V, 2),
    "split lengths": lambda: tf.split(V, [1, 1]),
    "squeeze": lambda: tf.squeeze(V, 0),
    "stack dtypes": lambda: tf.stack([tf.constant(1.0), tf.constant(1)]),
    "stack shapes": lambda: tf.stack([V, W]),
    "tensordot": lambda: tf.tensordot(M, V, 1),
    "tile": lambda: tf.tile(V, [1, 2]),
    "too many indices": lambda: tf.constant(V)[0, 0],
    "top_k": lambda: tf.math.top_k(V, 5),
    "transpose": lambda: tf.transpose(M, [0, 0]),
    "unique": lambda: tf.unique(M),
    "unstack": lambda: tf.unstack(V, num=2),
    "axis twice": lambda: tf.reduce_sum(M, [0, 0]),
    "where": lambda: tf.where(TRUTH, tf.constant(V), 0.0),
    "check_numerics": lambda: tf.debugging.check_numerics([np.nan], "loss"),
    "assert_near": lambda: tf.debugging.assert_near([1.0], [2.0]),
}
OTHER = {
    ValueError: {
        "boolean_mask": lambda: tf.boolean_mask(V, [True]),
        "case": lambda: tf.case([(tf.constant(False), lambda: ONE)]),
        "data_format": lambda: tf.nn.conv2d(IMAGE, KERNEL, 1, "SAME", "NCHW"),
        "dropout rate": lambda: tf.nn.dropout(V, 1.5),
        "einsum": lambda: tf.einsum("ij->i", V),
        "einsum inputs": lambda: tf.einsum("ij,jk->ik", M),
        "fold nothing": lambda: tf.foldl(lambda a, b: a, tf.zeros([0])),
        "meshgrid": lambda: tf.meshgrid(V, V, indexing="yx"),
        "norm": lambda: tf.norm(V, ord="largest"),
        "pad mode": lambda: tf.pad(V, [[1, 1]], mode="EDGE"),
        "padding": lambda: tf.nn.conv2d(IMAGE, KERNEL, 1, "FULL"),
        "searchsorted side": lambda: tf.searchsorted(V, V, side="middle"),
        "sigmoid shapes": lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=V, logits=tf.constant(W)),
        "sort direction": lambda: tf.sort(V, direction="UP"),
        "sparse shapes": lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 1], logits=[V]),
        "strides": lambda: tf.nn.conv2d(IMAGE, KERNEL, [1, 2, 3], "SAME"),
        "add_n of nothing": lambda: tf.add_n([]),
        "random whole numbers": lambda: tf.random.uniform([2], dtype=tf.int32),
        "index bool": lambda: tf.constant(V)[True],
        "conversion": lambda: tf.convert_to_tensor(ONE, tf.int32),
        "too large": lambda: tf.constant(2**70),
        "mixed": lambda: tf.constant([1.0, 2j]),
    },
    TypeError: {
        "random whole normals": lambda: tf.random.normal([2], dtype=tf.int32),
        "cond": lambda: tf.cond(True, 1.0, 2.0),
        "divide": lambda: tf.constant(1) / tf.constant(1, tf.int64),
        "index float": lambda: tf.constant(V)[1.0],
        "index list": lambda: tf.constant(V)[[0, 2]],
        "float of a vector": lambda: float(tf.constant(V)),
        "index of a list": lambda: V[ONE],
        "text": lambda: tf.constant("a", tf.float32),
    },
    AttributeError: {
        "T": lambda: tf.constant(M).T,
        "backward": lambda: ONE.backward(),
        "name": lambda: ONE.name,
    },
}


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_argument(name):
    message(INVALID[name], tf.errors.InvalidArgumentError)


@pytest.mark.parametrize(
    ("kind", "name"), [pytest.param(kind, name, id=name) for kind, calls in OTHER.items() for name in calls]
)
def test_another_error(kind, name):
    message(OTHER[kind][name], kind)


def test_parts_of_a_variable():
    v = tf.Variable(V)
    message(lambda: v[1:].assign([1.0, 2.0, 3.0]), tf.errors.InvalidArgumentError)
    message(lambda: v[5].assign(1.0), tf.errors.InvalidArgumentError)
    v[1:].assign([8.0, 9.0])
    v[0].assign_add(1.0)
    v[v > 8.5].assign_sub(0.5)
    assert v.numpy().tolist() == [2.0, 8.0, 8.5]


def test_names_of_the_learners_stand_in_the_message():
    heights, widths = tf.constant([1.0, 2.0]), tf.constant([[1.0], [2.0], [3.0]])
    assert "heights has shape (2,)" in message(lambda: tf.concat([heights, widths], 0))
    assert "widths" in message(lambda: tf.linalg.inv(widths))
    assert "axis 2 is not there: heights has shape (2,)" in message(lambda: tf.argmax(heights, axis=2))

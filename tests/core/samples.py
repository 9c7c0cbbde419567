"""For every op in the registry: inputs at which it is smooth, and its parameters. An op without samples fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import minitape.linalg
import minitape.math
import minitape.nn
import minitape.random  # noqa: F401
from minitape.ops import flow, scatter, search, segment  # noqa: F401 (modules whose ops come with them)
from minitape.ops.conv import Windows, largest


@dataclass(frozen=True)
class Sample:
    """Inputs (as nested lists of floats, or arrays where the dtype matters) and keyword parameters of one op."""

    inputs: tuple[Any, ...]
    params: dict[str, Any] = field(default_factory=dict)


def s(*inputs: Any, **params: Any) -> Sample:
    return Sample(tuple(np.asarray(x, np.float64) if not isinstance(x, np.ndarray) else x for x in inputs), params)


ANY, POSITIVE, MATRIX = [0.5, -1.5, 2.5], [0.5, 1.5, 2.5], [[1.0, -2.0, 0.5], [0.3, 4.0, -1.0]]
TWO = [s(ANY, [1.25, 0.75, -2.0]), s(MATRIX, ANY), s(2.0, ANY), s([[1.0], [2.0]], [[0.5, 1.5, 2.5]])]
ONE = [s(ANY), s(MATRIX), s(0.75)]
MASK = np.array([True, False, True])

UNIT, LARGE, SQUARE = [0.3, -0.6, 0.1], [1.5, 2.5, 4.0], [[4.0, 1.0], [1.0, 3.0]]
SKEW = [[2.0, -1.0, 0.5], [0.3, 4.0, -1.0], [1.0, 0.5, 3.0]]
IMAGE = np.cos(np.arange(2 * 4 * 5 * 2)).reshape(2, 4, 5, 2)
KERNEL = np.sin(np.arange(2 * 3 * 2 * 2)).reshape(2, 3, 2, 2)
W = Windows((2, 3), (1, 2), (1, 1), ((0, 1), (1, 1)), (4, 3), (4, 5))
DILATED = Windows((2, 3), (1, 1), (2, 1), ((0, 0), (0, 0)), (2, 3), (4, 5))
GROUPED = KERNEL[:, :, :1, :]
PLACES = [s(MATRIX, at=np.array([[5, 0], [5, 3], [1, 2]]), shape=(2, 3))]
PLACE = np.array([1, 2])
IDS = np.array([1, 0, 1, -1])
FLOAT64, INT32 = np.dtype(np.float64), np.dtype(np.int32)

# fmt: off
SAMPLES: dict[str, list[Sample]] = {
    # elementwise, two inputs
    "add": TWO, "subtract": TWO, "multiply": TWO, "divide": TWO, "maximum": TWO, "minimum": TWO, "floormod": TWO,
    "pow": [s(POSITIVE, [2.0, 0.5, -1.0]), s([POSITIVE, POSITIVE], POSITIVE), s(POSITIVE, 3.0)],
    "atan2": TWO, "squared_difference": TWO, "nextafter": TWO, "complex": TWO,
    "steady": [s(ANY, POSITIVE), s(MATRIX, ANY)], "relu_grad": [s(ANY, ANY)],
    "multiply_no_nan": TWO, "divide_no_nan": TWO, "xdivy": TWO, "leaky_relu": [s(ANY, 0.2), s(MATRIX, ANY)],
    "xlogy": [s(ANY, POSITIVE), s(MATRIX, 2.0)], "xlog1py": [s(ANY, POSITIVE), s(MATRIX, 2.0)],
    "polygamma": [s([1.0, 2.0, 0.0], [0.5, 1.5, -1.5])],
    # elementwise, one input
    "negative": ONE, "identity": ONE, "direction": ONE,
    "abs": ONE, "conj": ONE, "real": ONE, "imag": ONE, "sign": ONE, "square": ONE,
    "sqrt": [s(POSITIVE)], "rsqrt": [s(POSITIVE)], "reciprocal": ONE, "reciprocal_no_nan": ONE,
    "exp": ONE, "expm1": ONE, "log": [s(POSITIVE)], "log1p": [s(POSITIVE)],
    "sin": ONE, "cos": ONE, "tan": [s(UNIT)], "asin": [s(UNIT)], "acos": [s(UNIT)], "atan": ONE,
    "sinh": ONE, "cosh": ONE, "tanh": ONE, "asinh": ONE, "acosh": [s(LARGE)], "atanh": [s(UNIT)],
    "erf": ONE, "erfc": ONE, "lgamma": [s(ANY)], "digamma": [s(ANY)],
    "sigmoid": ONE, "softplus": ONE, "relu": ONE, "relu6": [s([0.5, -1.5, 7.0])], "elu": ONE, "selu": ONE,
    # no derivative
    "floor": ONE, "ceil": ONE, "rint": ONE, "round": ONE, "is_nan": ONE, "is_inf": ONE, "is_finite": ONE,
    "floordiv": TWO, "equal": TWO, "not_equal": TWO, "less": TWO, "less_equal": TWO, "greater": TWO,
    "greater_equal": TWO, "stop_gradient": ONE, "zeros_like": ONE, "ones_like": ONE,
    "logical_and": [s(MASK, ~MASK)], "logical_or": [s(MASK, ~MASK)], "logical_xor": [s(MASK, ~MASK)],
    "bitwise_and": [s(PLACE, PLACE)], "bitwise_or": [s(PLACE, PLACE)], "bitwise_xor": [s(PLACE, PLACE)],
    "invert": [s(PLACE)], "logical_not": [s(MASK)], "where_true": [s(ANY)], "shape": [s(MATRIX, dtype=INT32)],
    "size": [s(MATRIX, dtype=INT32)],
    "rank": [s(MATRIX)], "one_hot": [s(np.array([1, 0]), 1.0, 0.0, depth=2, axis=-1)],
    "argmax": [s(MATRIX, axis=-1, dtype=INT32)], "argmin": [s(MATRIX, axis=-1, dtype=INT32)],
    "argsort": [s(MATRIX, axis=-1, down=True)], "count_nonzero": [s(MATRIX, axis=(-1,), keepdims=False, dtype=INT32)],
    "reduce_any": [s(MASK, axis=(-1,), keepdims=False)], "reduce_all": [s(MASK, axis=(-1,), keepdims=False)],
    "searchsorted": [s(LARGE, ANY, side="left", dtype=INT32)], "unique": [s(ANY, dtype=INT32)],
    "bincount": [s(np.array([1, 1]), count=3, dtype=INT32)], "in_top_k": [s(np.array([0, 1]), MATRIX, k=1)],
    "random_shuffle": [s(ANY, order=np.array([2, 0, 1]))],
    "random_categorical": [s(MATRIX, noise=np.zeros((2, 1, 3)), dtype=INT32)], "full_qr": [s(MATRIX)],
    # sums, shapes, slices
    "reduce_sum": [s(MATRIX, axis=(-1,), keepdims=False), s(MATRIX, axis=(-2, -1), keepdims=True),
        s(0.5, axis=(), keepdims=False)],
    "reduce_mean": [s(MATRIX, axis=(-2,), keepdims=False), s(MATRIX, axis=(-2, -1), keepdims=True)],
    "reshape": [s(MATRIX, shape=(3, 2)), s(MATRIX, shape=(6,))],
    "transpose": [s(MATRIX, perm=(-1, -2)), s([MATRIX, MATRIX], perm=(-2, -1, -3))],
    "broadcast_to": [s(ANY, shape=(2, 3)), s([[1.0], [2.0]], shape=(2, 4))],
    "cast": [s(ANY, dtype=FLOAT64)],
    "slice": [s(MATRIX, key=(0,), rank=2), s(MATRIX, key=(slice(None), slice(None, None, 2)), rank=2),
        s(ANY, key=(slice(None, None, -1), None), rank=1)],
    "put": [s(ANY, key=(0,), shape=(2, 3))],
    "pad": [s(MATRIX, paddings=((1, 0), (0, 2))), s(MATRIX, paddings=((1, 1),))],
    "read_variable": ONE,
    # choosing and moving
    "where": [s(MASK, ANY, POSITIVE), s(MASK, MATRIX, 1.0)],
    "clip_by_value": [s(ANY, -1.0, 1.0), s(ANY, [-1.0, -1.0, -1.0], [1.0, 2.0, 3.0])],
    "sparse_softmax_cross_entropy_with_logits": [
        s(MATRIX, at=np.array([4, 1]), axis=0),
        s(MATRIX, at=np.array([2, 3]), axis=1),
        s(ANY, at=np.array(1), axis=0),
    ],
    "pick": PLACES, "tile": PLACES, "repeat": PLACES, "roll": PLACES, "reverse": PLACES, "mirror_pad": PLACES,
    "boolean_mask": PLACES, "sort": PLACES, "top_k": PLACES, "space_to_depth": PLACES, "depth_to_space": PLACES,
    "drop": [s(MATRIX, at=np.array([[5, 0, 1], [5, 3, 7]]), shape=(2, 4))],
    "gather": [s(MATRIX, indices=np.array([1, 0, 1]), axis=-2, batch=0),
        s(MATRIX, indices=np.array([[2, 0], [0, 0]]), axis=-1, batch=0),
        s(MATRIX, indices=np.array([[2, 0], [0, 0]]), axis=-1, batch=1)],
    "add_along": [s(MATRIX, indices=np.array([0, 0]), axis=-2, batch=0, shape=(4, 3))],
    "gather_nd": [s(MATRIX, indices=np.array([[1, 2], [0, 0], [1, 2]]), rank=2)],
    "scatter_at": [s(ANY, indices=np.array([[1, 2], [0, 0], [1, 2]]), shape=(2, 3))],
    "scatter_rows": [s(MATRIX, indices=np.array([2, 2]), shape=(3, 3))], "join_rows": [s(MATRIX, [ANY])],
    "tensor_scatter_nd_update": [s(MATRIX, [7.0, 8.0], indices=np.array([[0, 1], [1, 2]]), rank=2)],
    "tensor_scatter_nd_min": [s(MATRIX, [-7.0, 8.0], indices=np.array([[0, 1], [1, 2]]), rank=2)],
    "tensor_scatter_nd_max": [s(MATRIX, [-7.0, 8.0], indices=np.array([[0, 1], [1, 2]]), rank=2)],
    # joining and taking apart
    "add_n": [s(ANY, POSITIVE, ANY, count=3)],
    "concat": [s(MATRIX, [ANY], axis=-2, sizes=(2, 1)), s(ANY, [7.0], axis=-1, sizes=(3, 1))],
    "stack": [s(ANY, POSITIVE, axis=-1, count=2), s(MATRIX, MATRIX, axis=-3, count=2)],
    "split": [s(MATRIX, axis=-1, sizes=(1, 2))], "unstack": [s(MATRIX, axis=-1)],
    # reductions and running ops
    "reduce_max": [s(MATRIX, axis=(-1,), keepdims=False), s(MATRIX, axis=(-2, -1), keepdims=True)],
    "reduce_min": [s(MATRIX, axis=(-1,), keepdims=False), s(MATRIX, axis=(-2, -1), keepdims=True)],
    "reduce_prod": [s(MATRIX, axis=(-1,), keepdims=False), s(MATRIX, axis=(-2, -1), keepdims=True),
        s([2.0, 0.0, 4.0], axis=(-1,), keepdims=False), s([[0.0, 0.0], [3.0, 0.0]], axis=(-2,), keepdims=False)],
    "cumsum": [s(MATRIX, axis=-1, exclusive=False, reverse=False), s(MATRIX, axis=-2, exclusive=True, reverse=True)],
    "cumprod": [s(x, axis=-1, exclusive=exclusive, reverse=reverse)
        for x in (MATRIX, [2.0, 0.0, 4.0, 0.0, 3.0]) for exclusive in (False, True) for reverse in (False, True)],
    "cumulative_logsumexp": [s(MATRIX, axis=-1, reverse=False), s(MATRIX, axis=-2, reverse=True)],
    "carry": [s(MATRIX, ANY, axis=-1, reverse=False), s(MATRIX, MATRIX, axis=-2, reverse=True)],
    "segment_sum": [s([*MATRIX, *MATRIX], ids=IDS, count=3, rank=2)],
    "segment_prod": [s([*MATRIX, *MATRIX], ids=IDS, count=3, rank=2)],
    "segment_max": [s([1.0, 2.0, 3.0, 4.0], ids=IDS, count=2, rank=1)],
    "segment_min": [s([1.0, 2.0, 3.0, 4.0], ids=IDS, count=2, rank=1)],
    "hand_out": [s(MATRIX, ids=IDS, count=2, rank=2)],
    # products and linear algebra
    "matmul": [s(MATRIX, [[1.0], [0.5], [2.0]]), s([MATRIX, MATRIX], [[1.0, 2.0], [0.5, 1.0], [2.0, -1.0]])],
    "adjoint": [s(MATRIX)],
    "einsum": [s(MATRIX, MATRIX, equation="ij,kj->ki", shapes=((2, 3), (2, 3))),
        s([SKEW, SKEW, SKEW], ANY, equation="iij,j->i", shapes=((3, 3, 3), (3,))),
        s(MATRIX, ANY, equation="ij,k->k", shapes=((2, 3), (3,))),
        s([[1.0], [2.0]], MATRIX, equation="ij,ij->ij", shapes=((2, 1), (2, 3)))],
    "einsum_one": [s(MATRIX, equation="ij->ji", shapes=((2, 3),)), s(SKEW, equation="ii->i", shapes=((3, 3),)),
        s(SKEW, equation="ii->", shapes=((3, 3),)), s(MATRIX, equation="ij->j", shapes=((2, 3),))],
    "inv": [s(SKEW), s([SQUARE, [[1.0, 2.0], [-1.0, 0.5]]])], "det": [s(SKEW), s([SQUARE, SQUARE])],
    "slogdet": [s(SKEW)],
    "solve": [s(SKEW, [[1.0], [2.0], [3.0]]), s(SQUARE, [[[1.0], [2.0]], [[0.5], [1.5]]])],
    "triangular_solve": [s(SKEW, [[1.0], [2.0], [3.0]], lower=lower, adjoint=adjoint)
        for lower in (False, True) for adjoint in (False, True)],
    "cholesky": [], "qr": [s(SKEW), s([[1.0, 2.0], [0.5, -1.0], [3.0, 1.0]])],
    "band_part": [s(SKEW, lower=1, upper=0), s(MATRIX, lower=-1, upper=1)],
    "diag": [s(ANY, k=0, shape=(3, 3)), s(ANY, k=1, shape=(4, 4))],
    "diag_part": [s(SKEW, k=0, shape=(3, 3)), s(MATRIX, k=1, shape=(2, 3))], "cross": [s(ANY, POSITIVE)],
    # images
    "conv2d": [s(IMAGE, KERNEL, w=W, groups=1), s(IMAGE, GROUPED, w=DILATED, groups=2)],
    "conv2d_to_image": [s(IMAGE[:, :, :3], KERNEL, w=W, groups=1)],
    "conv2d_to_kernel": [s(IMAGE, IMAGE[:, :, :3], w=W, groups=1)],
    "avg_pool2d": [s(IMAGE, w=W)], "avg_pool2d_back": [s(IMAGE[:, :, :3], w=W)],
    "max_pool2d": [s(IMAGE, at=largest(IMAGE, W), shape=IMAGE.shape)],
}
# fmt: on

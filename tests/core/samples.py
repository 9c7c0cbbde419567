"""For every op in the registry: inputs at which it is smooth, and its parameters. An op without samples fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


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

# fmt: off
SAMPLES: dict[str, list[Sample]] = {
    "add": TWO, "subtract": TWO, "multiply": TWO, "divide": TWO, "maximum": TWO, "minimum": TWO, "floormod": TWO,
    "multiply_no_nan": TWO,
    "pow": [s(POSITIVE, [2.0, 0.5, -1.0]), s([POSITIVE, POSITIVE], POSITIVE), s(POSITIVE, 3.0)],
    "negative": ONE, "identity": ONE, "abs": ONE, "sign": ONE, "square": ONE, "exp": ONE, "sin": ONE, "cos": ONE,
    "tanh": ONE, "sigmoid": ONE, "relu": ONE, "relu_grad": [s(ANY, ANY)],
    "sqrt": [s(POSITIVE)], "log": [s(POSITIVE)],
    "conj": ONE,
    "gather": [s(MATRIX, indices=np.array([1, 0, 1]), axis=-2, batch=0), s(MATRIX, indices=np.array([[2, 0], [0, 0]]), axis=-1, batch=0),
               s(MATRIX, indices=np.array([[2, 0], [0, 0]]), axis=-1, batch=1)],
    "add_along": [s(MATRIX, indices=np.array([0, 0]), axis=-2, batch=0, shape=(4, 3))],
    "gather_nd": [s(MATRIX, indices=np.array([[1, 2], [0, 0], [1, 2]]), rank=2)],
    "scatter_at": [s(ANY, indices=np.array([[1, 2], [0, 0], [1, 2]]), shape=(2, 3))],
    "scatter_rows": [s(MATRIX, indices=np.array([2, 2]), shape=(3, 3))], "join_rows": [s(MATRIX, [ANY])],
    "floor": ONE, "ceil": ONE, "round": ONE, "floordiv": TWO, "equal": TWO, "not_equal": TWO, "less": TWO,
    "less_equal": TWO, "greater": TWO, "greater_equal": TWO, "stop_gradient": ONE, "zeros_like": ONE, "ones_like": ONE,
    "logical_and": [s(MASK, ~MASK)], "logical_or": [s(MASK, ~MASK)], "logical_not": [s(MASK)],
    "reduce_sum": [s(MATRIX, axis=(-1,), keepdims=False), s(MATRIX, axis=(-2, -1), keepdims=True),
        s(0.5, axis=(), keepdims=False)],
    "reduce_mean": [s(MATRIX, axis=(-2,), keepdims=False), s(MATRIX, axis=(-2, -1), keepdims=True)],
    "reshape": [s(MATRIX, shape=(3, 2)), s(MATRIX, shape=(6,))],
    "transpose": [s(MATRIX, perm=(-1, -2)), s([MATRIX, MATRIX], perm=(-2, -1, -3))],
    "broadcast_to": [s(ANY, shape=(2, 3)), s([[1.0], [2.0]], shape=(2, 4))],
    "cast": [s(ANY, dtype=np.dtype(np.float64))],
    "slice": [s(MATRIX, key=(0,), rank=2), s(MATRIX, key=(slice(None), slice(None, None, 2)), rank=2),
        s(ANY, key=(slice(None, None, -1), None), rank=1)],
    "put": [s(ANY, key=(0,), shape=(2, 3))],
    "where": [s(MASK, ANY, POSITIVE), s(MASK, MATRIX, 1.0)],
    "clip_by_value": [s(ANY, -1.0, 1.0), s(ANY, [-1.0, -1.0, -1.0], [1.0, 2.0, 3.0])],
    "matmul": [s(MATRIX, [[1.0], [0.5], [2.0]]), s([MATRIX, MATRIX], [[1.0, 2.0], [0.5, 1.0], [2.0, -1.0]])],
    "adjoint": [s(MATRIX)],
    "read_variable": ONE,
}
# fmt: on

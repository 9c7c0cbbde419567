"""Which dtypes each elementwise function takes, and some others, and which they give.

python -m tests.conformance.dtypes      # ask real TensorFlow again, and store what it says (see record_tensorflow.py)
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("dtypes.json")
DTYPES = (
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128"),
)


#: What takes more than tensors of one shape, on a matrix.
OF_A_MATRIX = {
    "matmul": lambda tf, x: tf.matmul(x, x),
    "tensordot": lambda tf, x: tf.tensordot(x, x, 1),
    "einsum": lambda tf, x: tf.einsum("ij,jk->ik", x, x),
    "conv2d": lambda tf, x: tf.nn.conv2d(x[None, :, :, None], x[None, None, :1, :1], 1, "SAME"),
    "avg_pool2d": lambda tf, x: tf.nn.avg_pool2d(x[None, :, :, None], 2, 2, "VALID"),
    "max_pool2d": lambda tf, x: tf.nn.max_pool2d(x[None, :, :, None], 2, 2, "VALID"),
    "add_n": lambda tf, x: tf.add_n([x, x]),
    "segment_sum": lambda tf, x: tf.math.segment_sum(x, [0, 1]),
    "segment_max": lambda tf, x: tf.math.segment_max(x, [0, 1]),
    "unsorted_segment_sum": lambda tf, x: tf.math.unsorted_segment_sum(x, [0, 1], 2),
    "top_k": lambda tf, x: tf.math.top_k(x, 1)[0],
    "unique": lambda tf, x: tf.unique(x[0])[0],
    "searchsorted": lambda tf, x: tf.searchsorted(x, x),
}


def function(tf: Any, name: str) -> Any:
    """A function by its name, in whichever part of the library it stands."""
    if name in OF_A_MATRIX:
        return partial(OF_A_MATRIX[name], tf)
    return next(getattr(part, name) for part in (tf, tf.math, tf.nn) if hasattr(part, name))


def answers(tf: Any, name: str, inputs: int) -> dict[str, str]:
    """For each dtype that a function takes, the dtype of its answer for ones (two of them, or a matrix)."""
    given = {}
    for dtype in DTYPES:
        ones = tf.constant(np.ones((2, 2) if name in OF_A_MATRIX else 2).astype(dtype))
        try:
            given[dtype] = function(tf, name)(*[ones] * inputs).dtype.name
        except (TypeError, ValueError, tf.errors.OpError):
            continue
    return given


if __name__ == "__main__":
    import tensorflow

    table = json.loads(FILE.read_text(encoding="utf-8"))
    rows = (
        f'"{name}": {json.dumps([inputs, answers(tensorflow, name, inputs)])}' for name, (inputs, _) in table.items()
    )
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")

"""Which dtypes each elementwise function takes, and which it gives.

python -m tests.conformance.dtypes      # ask real TensorFlow again, and store what it says (see record_tensorflow.py)
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("dtypes.json")
DTYPES = (
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128"),
)


def function(tf: Any, name: str) -> Any:
    """A function by its name, in whichever part of the library it stands."""
    return next(getattr(part, name) for part in (tf, tf.math, tf.nn) if hasattr(part, name))


def answers(tf: Any, name: str, inputs: int) -> dict[str, str]:
    """For each dtype that a function takes, the dtype of its answer for two ones."""
    given = {}
    for dtype in DTYPES:
        try:
            given[dtype] = function(tf, name)(*[tf.constant(np.ones(2).astype(dtype))] * inputs).dtype.name
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

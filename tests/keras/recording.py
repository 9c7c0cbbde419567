"""Record anew what the programs in guides/ give in real TensorFlow.

pip install --group tensorflow
python -m tests.keras.recording
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).parent / "recorded.json"


def plain(value: Any) -> Any:
    """A program's result as JSON has it: tensors and arrays as their dtype, shape and numbers."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if type(value).__name__ == "TensorShape":
        return list(value)
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    array = np.asarray(value)
    numbers = array.ravel().tolist()
    if array.dtype.kind == "f":
        numbers = [float(f"{number:.9g}") for number in numbers]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "numbers": numbers}


def main() -> None:
    """Run every program, and write what it gave."""
    import tensorflow as tf

    from .guides import PROGRAMS

    recorded = {name: plain(program(tf)) for name, program in PROGRAMS.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(outcome)}" for name, outcome in recorded.items()]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"TensorFlow {tf.__version__}: {len(recorded)} programs")


if __name__ == "__main__":
    main()

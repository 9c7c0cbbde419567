"""Batches: examples a few at a time, in an order drawn by lot or in their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .. import random
from ..errors import say
from ..nest import flatten, map_structure
from ..ops.create import range_
from ..tensor import Operand, wrap


class Batches:
    """x and y (which may be None), `size` examples at a time; each time through anew where shuffled."""

    def __init__(self, x: Any, y: Any, size: int, shuffle: bool) -> None:
        self.data = arrays(x), None if y is None else arrays(y)
        self.size, self.shuffle = size, shuffle
        counts = {len(array) for array in flatten(self.data) if array is not None}
        if len(counts) != 1:
            raise ValueError(
                say(
                    f"x and y must hold as many examples as each other, and hold {sorted(counts)}",
                    "model.fit(x[:100], y[:100])",
                    "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.",
                )
            )
        (self.count,) = counts

    def __len__(self) -> int:
        return -(-self.count // self.size)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        order = random.shuffle(range_(self.count)).array if self.shuffle else np.arange(self.count)
        for start in range(0, self.count, self.size):
            rows = order[start : start + self.size]
            x, y = map_structure(lambda array: None if array is None else wrap(array[rows]), self.data)  # noqa: B023
            yield x, y


def arrays(data: Any) -> Any:
    """Arrays, tensors, numbers in lists, or a structure of arrays; floats as float32."""
    if not isinstance(data, Operand | np.ndarray) and any(isinstance(x, Operand | np.ndarray) for x in flatten(data)):
        return map_structure(arrays, data)
    array = np.asarray(data.array if isinstance(data, Operand) else data)
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def batches(x: Any, y: Any, size: int | None, shuffle: bool = False) -> Iterable[tuple[Any, Any]]:
    """What a model goes through: x and y in batches; or x as it is, where it is an iterable of batches already."""
    if y is None and not isinstance(x, Operand | np.ndarray | list | tuple | dict):
        return x  # type: ignore[no-any-return]
    return Batches(x, y, size or 32, shuffle)

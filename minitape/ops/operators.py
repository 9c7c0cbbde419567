"""Python's operators on tensors and variables: which op each one is."""

from __future__ import annotations

from typing import Any

from ..errors import say
from ..operands import operand
from ..tensor import Operand
from .elementwise import (
    abs,
    add,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    divide,
    equal,
    floordiv,
    floormod,
    greater,
    greater_equal,
    invert,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    multiply,
    negative,
    not_equal,
    power,
    round,
    subtract,
)
from .product import matmul
from .slicing import get_item, iterate


def reflected(op: Any) -> Any:
    """`2 - x` is `subtract(2, x)`: the operands the other way round."""
    return lambda y, x: op(x, y)


def compared(op: Any, unequal: bool) -> Any:
    """`==` and `!=` go number by number; beside None, or a shape that does not broadcast, they say so plainly."""

    def compare(x: Operand, y: Any) -> Any:
        if y is None:
            return unequal
        if isinstance(y, int | float if x.array.dtype.kind == "O" else str | bytes):
            raise TypeError(
                say(
                    f"{y!r} cannot be compared with a tensor of {x.dtype.name}",
                    "t == tf.constant(...), of the same dtype",
                    f"Cannot convert {y!r} to EagerTensor of dtype {x.dtype.word}",
                )
            )
        y = operand(y, x)
        try:
            return op(x, y)
        except Exception:
            if x.array.dtype == y.array.dtype and not _broadcast(x._shape, y._shape):
                from ..tensor import constant

                return constant(unequal)
            raise

    return compare


def on_kind(logical: Any, bitwise: Any) -> Any:
    """`&`, `|`, `^` and `~` are logical for bools, and go bit by bit for integers."""

    def call(*inputs: Any) -> Any:
        whole = any(isinstance(x, Operand) and x.dtype.is_integer for x in inputs)
        return (bitwise if whole else logical)(*inputs)

    return call


def round_(x: Operand, digits: int | None = None) -> Any:
    """`round(t)`: to whole numbers, halves to the even one; they stay floats."""
    return round(x) if digits is None else round(x * 10.0**digits) / 10.0**digits


def _broadcast(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(x[::-1], y[::-1], strict=False))


# fmt: off
OPERATORS = {
    "add":      add,            "sub":      subtract,    "mul":  multiply,      "truediv": divide,
    "floordiv": floordiv,       "mod":      floormod,    "pow":  power,         "matmul":  matmul,
    "and":      on_kind(logical_and, bitwise_and),       "or":   on_kind(logical_or, bitwise_or),
    "xor":      on_kind(logical_xor, bitwise_xor),
}
ONE_WAY = {
    "neg": negative,  "abs": abs,       "invert": on_kind(logical_not, invert),
    "lt":  less,      "le":  less_equal, "gt": greater,  "ge": greater_equal,
    "eq":  compared(equal, False),      "ne": compared(not_equal, True),
    "getitem": get_item,                "iter": iterate,  "round": round_,
}
# fmt: on

for name, op in OPERATORS.items():
    setattr(Operand, f"__{name}__", op)
    setattr(Operand, f"__r{name}__", reflected(op))
for name, op in ONE_WAY.items():
    setattr(Operand, f"__{name}__", op)

"""How values, ops and names are spelled in pictures, captions and tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from minitape.trace import Ran, Value

from .player.svg import columns, cut

_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_PADDING = re.compile(r"(?<=\[)\s+|\s+(?=\])")  # NumPy lines numbers up in columns; one line needs none of that
_WORD = re.compile(r"[\w.#]+")


def number(value: Value) -> str:
    """A value's numbers, on one line: "9.0", "[1. 2. 3.]"."""
    said = " ".join(value.text.split())
    return _PADDING.sub("", said) if "[" in said else said


def brief(value: Value, most: int) -> str:
    """A value in at most so many columns: its numbers where they fit, else its shape, else what fits of it."""
    said = number(value)
    if columns(said) <= most and not said.startswith("("):
        return said
    shape = str(value.shape)
    return shape if value.shape and len(shape) <= most else cut(said, most)


def expression(ran: Ran) -> str:
    """What the learner wrote: "x * x"."""
    return " ".join(ran.text.split()) or ran.op


_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "matmul": "@", "pow": "**"}


class Words:
    """Spells values; `handles` gives short names to those that have none of their own, by id: "#2", made by entry 2."""

    def __init__(self, handles: Mapping[int, str] | None = None) -> None:
        self.handles = handles or {}

    def name(self, value: Value) -> str:
        """What to call a value: the learner's name, or the expression that made it."""
        return self.handles.get(value.id) or " ".join(value.name.split()) or number(value)

    def named(self, value: Value) -> bool:
        """Whether a value has a name: a literal like 5.0 has none."""
        return self.name(value) != number(value)

    def short(self, value: Value) -> str:
        """A value beside its name: "x 3.0"; a literal stands alone."""
        return f"{self.name(value)} {number(value)}" if self.named(value) else number(value)

    def equals(self, value: Value) -> str:
        """A value as an equation: "x = 3.0"; a literal stands alone."""
        return f"{self.name(value)} = {number(value)}" if self.named(value) else number(value)

    def inputs(self, ran: Ran) -> str:
        """What went in: "y 9.0, x 3.0"."""
        return ", ".join(self.short(value) for value in ran.inputs)

    def outputs(self, ran: Ran) -> str:
        """What came out: "w 27.0"; only the numbers where the value has no name of its own."""
        return ", ".join(self.short(value) if owned(value, ran) else number(value) for value in ran.outputs)

    def flow(self, ran: Ran) -> str:
        """In and out on one line: "y 9.0, x 3.0 → w 27.0"."""
        return f"{self.inputs(ran)} → {self.outputs(ran)}".strip()

    def brief(self, ran: Ran, most: int) -> list[str]:
        """The same in lines of `most` columns; if need be without values that went in, then names that came out."""
        names = ", ".join(self.name(value) for value in ran.inputs)
        numbers = ", ".join(number(value) for value in ran.outputs)
        for line in (self.flow(ran), f"{names} → {self.outputs(ran)}", f"{names} → {numbers}"):
            if columns(line) <= most or not names:
                return [line.strip()]
        return [names, f"→ {self.outputs(ran)}"]

    def saves(self, ran: Ran) -> tuple[str, ...]:
        """What an entry keeps, one equation for each value."""
        return tuple(self.equals(value) for value in ran.saves)

    def expression(self, ran: Ran) -> str:
        """What the learner wrote; an op of a way back is spelled from its inputs: "#3 * x"."""
        if ran.within != "gradient" or not any(value.id in self.handles for value in (*ran.inputs, *ran.outputs)):
            return expression(ran)
        names = [self.name(value) for value in ran.inputs]
        if ran.op in _SIGNS and len(names) == 2:
            return f"{names[0]} {_SIGNS[ran.op]} {names[1]}"
        return f"{ran.op}({', '.join(names)})"

    def statement(self, ran: Ran, most: int | None = None) -> str:
        """The expression with the name its value has: "y = x * x"; without one, the expression alone.

        Where that is more than `most` columns, an op of a layer is "matmul in hidden", or at last "matmul".
        """
        made = ", ".join(self.name(value) for value in ran.outputs if owned(value, ran) or value.id in self.handles)
        said = f"{made} = {self.expression(ran)}" if made else self.expression(ran)
        if most is None or columns(said) <= most or not ran.text.startswith(f"{ran.op} in "):
            return said
        layer, made = ran.scope.rpartition("/")[2], f"{made} = " if made else ""
        said = f"{made}{ran.op} in {layer}"
        return said if layer and columns(said) <= most else f"{made}{ran.op}"

    def shortened(self, rule: str, values: Sequence[Value]) -> str:
        """A rule in which long names are replaced by their handles."""
        for value in values:
            if value.id in self.handles and value.name:
                rule = rule.replace(f"({value.name})", self.name(value)).replace(value.name, self.name(value))
        return rule

    def derivative(self, targets: Sequence[Value], value: Value) -> str:
        """The gradient of the targets for a value, as a fraction: "dw/dx"; a name of several words gets brackets."""
        top = " + ".join(self.name(target) for target in targets)
        return f"d{_whole(top)}/d{_whole(self.name(value))}"


FULL = Words()
name, equals, saves, flow = FULL.name, FULL.equals, FULL.saves, FULL.flow
statement, derivative = FULL.statement, FULL.derivative


def owned(value: Value, ran: Ran) -> bool:
    """Whether the output of an op has a name of its own, and is not just called by its expression."""
    return " ".join(value.name.split()) not in ("", expression(ran))


def _whole(words: str) -> str:
    return words if _WORD.fullmatch(words) else f"({words})"


def answer(gradients: Sequence[Value | None]) -> str:
    """What `gradient` returned: "27.0", "None", "[4.0, None]"."""
    each = ["None" if gradient is None else number(gradient) for gradient in gradients]
    return each[0] if len(each) == 1 else f"[{', '.join(each)}]"


def count(many: int, thing: str = "", things: str = "") -> str:
    """A number in words up to twelve, with its noun: "three contributions"."""
    said = _COUNTS[many] if many < len(_COUNTS) else str(many)
    return f"{said} {thing if many == 1 else things or thing + 's'}" if thing else said


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a row: "x", "x and y", "x, y and z"."""
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)

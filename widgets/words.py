"""How values, ops and names are spelled in pictures, captions and tables."""

from __future__ import annotations

from collections.abc import Sequence

from minitape.trace import Ran, Value

_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number(value: Value) -> str:
    """A value's numbers, on one line: "9.0", "[1. 2. 3.]"."""
    return " ".join(value.text.split())


def named(value: Value) -> bool:
    """Whether a value has a name of its own: a literal like 5.0 has none."""
    return bool(value.name) and value.name != number(value)


def name(value: Value) -> str:
    """What to call a value: the learner's name, or the expression that made it."""
    return " ".join(value.name.split()) or number(value)


def short(value: Value) -> str:
    """A value beside its name: "x 3.0"; a literal stands alone."""
    return f"{name(value)} {number(value)}" if named(value) else number(value)


def equals(value: Value) -> str:
    """A value as an equation: "x = 3.0"; a literal stands alone."""
    return f"{name(value)} = {number(value)}" if named(value) else number(value)


def expression(ran: Ran) -> str:
    """What the learner wrote: "x * x"."""
    return " ".join(ran.text.split()) or ran.op


def statement(ran: Ran) -> str:
    """The expression with the name it was given: "y = x * x"; without one, the expression alone."""
    made = ", ".join(name(value) for value in ran.outputs)
    return f"{made} = {expression(ran)}" if made and made != expression(ran) else expression(ran)


def inputs(ran: Ran) -> str:
    """What went in: "y 9.0, x 3.0"."""
    return ", ".join(short(value) for value in ran.inputs)


def outputs(ran: Ran) -> str:
    """What came out: "w 27.0"; only the numbers where the expression is its own name."""
    own = [short(value) if name(value) != expression(ran) else number(value) for value in ran.outputs]
    return ", ".join(own)


def flow(ran: Ran) -> str:
    """In and out on one line: "y 9.0, x 3.0 → w 27.0"."""
    return f"{inputs(ran)} → {outputs(ran)}" if ran.inputs else f"→ {outputs(ran)}"


def saves(ran: Ran) -> tuple[str, ...]:
    """What an entry keeps, one equation for each value."""
    return tuple(equals(value) for value in ran.saves)


def derivative(targets: Sequence[Value], value: Value) -> str:
    """The gradient of the targets for a value, as a fraction: "dw/dx"; names of several words get brackets."""
    top = " + ".join(name(target) for target in targets)
    return f"d{_whole(top)}/d{_whole(name(value))}"


def _whole(words: str) -> str:
    return words if words.isidentifier() or words.replace(".", "").isalnum() else f"({words})"


def answer(gradients: Sequence[Value | None]) -> str:
    """What `gradient` returned: "27.0", "None", "[4.0, None]"."""
    each = ["None" if gradient is None else number(gradient) for gradient in gradients]
    return each[0] if len(each) == 1 else f"[{', '.join(each)}]"


def count(many: int, thing: str = "") -> str:
    """A number in words up to twelve, with its noun: "three contributions"."""
    said = _COUNTS[many] if many < len(_COUNTS) else str(many)
    return f"{said} {thing}{'' if many == 1 else 's'}" if thing else said


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a row: "x", "x and y", "x, y and z"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""

"""How an op is declared: its forward, its rules, and what they need saved.

    multiply = elementwise("multiply", np.multiply, x=lambda g, y: g * y, y=lambda g, x: g * x)

A rule says, in its parameters' names, what it needs: `g` is the upstream gradient, `x` and `y` are the op's inputs,
`z` is its output, `x_shape` and `x_dtype` are the first input's, and any other name is one of the op's other inputs or
keyword parameters, or `residual`. That, and only that, is saved on the tape: multiply keeps both inputs, exp its
output, add nothing.

Rules are written once and run in two ways: on plain arrays (fast), and on Tensors, when an outer tape records the way
back. What is not an operator they call through `f`, which serves both: `f.cos(x)`. And `g` may have more axes in front
than the output has (the rows of a whole jacobian): so a rule counts axes from the end, and keeps `front(g, rank)`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import record
from .dtypes import OF_NUMPY
from .place import parse
from .tensor import ARRAYS, Operand, Tensor

#: NumPy's letters for the dtypes, by the letter of their kind.
CHARS = {kind: [dtype.char for dtype in OF_NUMPY if dtype.kind == kind] for kind in "biufcO"}

Rule = Callable[..., Any]
Op = Callable[..., Tensor]


class Plan:
    """What to do on the way back through an op, for one choice of its inputs that are tracked."""

    __slots__ = ("joint", "keep", "names", "rules", "slots")

    def __init__(
        self,
        slots: tuple[int, ...],
        rules: tuple[tuple[int, Rule, Any], ...],
        joint: Rule | None,
        names: tuple[str, ...],
    ) -> None:
        self.slots = slots  # the places of the tracked inputs
        self.rules = rules  # (input's place, its rule, which of the kept values it takes)
        self.joint = joint  # or one rule for all inputs at once
        self.names = names  # what is kept, in order
        self.keep: Any = KEEP.get(names)  # picks it from x, y, z, where it is made of those alone


class Plans(dict[int, Plan]):
    """An op's plans by the set of its tracked inputs (bit 0: the first), each made when it is first needed."""

    def __init__(self, op: Primitive) -> None:
        self.op = op

    def __missing__(self, mask: int) -> Plan:
        plan = self[mask] = self.op.plan(mask)
        return plan


class Primitive:
    """One op: a name, a forward function on arrays, and a rule for each input that has a derivative."""

    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        rules: dict[str, Rule],
        *,
        inputs: str = "x",
        joint: Rule | None = None,
        kind: str = "general",
        takes: str = "biufcO",
        many: bool = False,
        one_dtype: bool = True,
        broadcasts: bool | None = None,
        conjugated: bool = True,
        residual: bool = False,
        kernel: str | None = None,
        says: str | None = None,
        hint: str = "print the shapes, and tf.reshape(...) one of them",
    ) -> None:
        self.name = name
        self.forward = forward
        self.rules = rules
        self.inputs = tuple(inputs.split())
        self.joint = joint
        self.kind = kind  # "elementwise", "linear", "general", "custom_gradient" or "recompute_grad"
        self.takes = takes  # the kinds of its first input's numbers, in NumPy's letters: others are refused
        self.many = many  # it has several outputs
        self.one_dtype = one_dtype  # its inputs must share one dtype
        self.broadcasts = kind == "elementwise" if broadcasts is None else broadcasts  # its inputs may be stretched
        self.conjugated = conjugated  # its complex derivative is that of a holomorphic function
        self.residual = residual  # its forward gives two: the output, and what its rule would work out again
        self.kernel = kernel or name.title().replace("_", "")  # TensorFlow's name for it, in error messages
        self.says = says  # its rule in words, where the code of it would not speak for itself
        self.hint = hint
        self.warned = False  # has its gradient of a wrong shape been logged?
        self.rule: CodeType | None = None  # of a custom rule: the code of the one that was made last
        self.differentiable = bool(rules) or joint is not None
        self.retypes = _retypes(forward, takes)  # its output may have another dtype than its inputs
        self.plans = Plans(self)

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def plan(self, mask: int) -> Plan:
        """The plan for the tracked inputs in `mask`: their rules, and the names of what those need."""
        if self.joint is not None:
            names = _needs(self.joint)
            tracked = tuple(slot for slot in range(mask.bit_length()) if mask >> slot & 1)
            return Plan(tracked, (), self.joint, names)
        slots = [slot for slot, name in enumerate(self.inputs) if mask >> slot & 1 and name in self.rules]
        rules = [self.rules[self.inputs[slot]] for slot in slots]
        order = (*self.inputs, "z")  # inputs first, then the output, then the rest as the rules name it
        asked = dict.fromkeys(name for rule in rules for name in _needs(rule))
        names = (*(name for name in order if name in asked), *(name for name in asked if name not in order))
        picked = tuple((slot, rule, _picks(rule, names)) for slot, rule in zip(slots, rules, strict=True))
        return Plan(tuple(slots), picked, None, names)


def _retypes(forward: Callable[..., Any], takes: str) -> bool:
    """May a function's output have another dtype than its inputs? Of a ufunc NumPy knows that (`ff->f`, `ff->?`)."""
    if not isinstance(forward, np.ufunc):
        return True
    same = {types[0] for types in forward.types if types.count(types[0]) == len(types) - 2}
    return any(char not in same for kind in takes for char in CHARS[kind])


def _needs(rule: Rule) -> tuple[str, ...]:
    """A rule's parameters after the upstream gradient: what it wants kept."""
    code = rule.__code__
    return code.co_varnames[1 : code.co_argcount]


def _picks(rule: Rule, kept: tuple[str, ...]) -> int | tuple[int, ...] | None:
    """The places of what a rule needs among the kept values: None for nothing, one place, or several."""
    places = tuple(kept.index(name) for name in _needs(rule))
    return places[0] if len(places) == 1 else places or None


def apply(rule: Rule, picks: int | tuple[int, ...] | None, g: Any, kept: tuple[Any, ...]) -> Any:
    """A rule on the upstream gradient and what was kept for it."""
    if picks is None:
        return rule(g)
    if isinstance(picks, int):
        return rule(g, kept[picks])
    return rule(g, *[kept[place] for place in picks])


#: How to pick what an elementwise op keeps, by its names.
KEEP: dict[tuple[str, ...], Callable[..., tuple[Any, ...]]] = {
    (): lambda x, y, z: (),
    ("x",): lambda x, y, z: (x,),
    ("y",): lambda x, y, z: (y,),
    ("z",): lambda x, y, z: (z,),
    ("x", "y"): lambda x, y, z: (x, y),
    ("x", "z"): lambda x, y, z: (x, z),
    ("y", "z"): lambda x, y, z: (y, z),
    ("x", "y", "z"): lambda x, y, z: (x, y, z),
}

#: Every op, by name.
REGISTRY: dict[str, Primitive] = {}


def elementwise(name: str, forward: Callable[..., Any], *, inputs: str | None = None, **traits: Any) -> Op:
    """Declare an op that works number by number; one rule an input, which serves reverse and forward mode alike."""
    rules: dict[str, Rule] = {slot: traits.pop(slot) for slot in ("x", "y") if slot in traits}
    inputs = inputs or ("x y" if "y" in rules else "x")
    traits.setdefault("takes", "iufc")
    op = Primitive(name, forward, rules, inputs=inputs, kind="elementwise", **traits)
    return _register(op, record.binary(op) if inputs == "x y" else record.unary(op))


def linear(name: str, forward: Callable[..., Any], *, transpose: Rule, **traits: Any) -> Op:
    """Declare an op that is linear in its one input: only the transpose is written."""
    op = Primitive(name, forward, {"x": transpose}, kind="linear", **traits)
    return _register(op, record.single(op))


def primitive(
    name: str,
    forward: Callable[..., Any],
    *,
    inputs: str = "x",
    vjp: Rule | None = None,
    call: Callable[[Primitive], Op] = record.general,
    **traits: Any,
) -> Op:
    """Declare any other op: a rule for each of its `inputs` by name, or one `vjp` for all of them at once.

    call: what makes its function; quicker ones are `record.single`, for one input and one output, and `record.binary`,
    for two inputs and no parameters.
    """
    rules = {slot: traits.pop(slot) for slot in inputs.split() if slot in traits}
    op = Primitive(name, forward, rules, inputs=inputs, joint=vjp, **traits)
    return _register(op, call(op))


def _register(op: Primitive, call: Op) -> Op:
    REGISTRY[op.name] = op
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = describe(op)
    call.op = op  # type: ignore[attr-defined]
    CALLS[op.name] = call
    setattr(f, op.name, either(op.forward, call))
    return call


CALLS: dict[str, Callable[..., Any]] = {}


def describe(op: Primitive) -> str:
    """A docstring made from the table: what the op is, and its rules as they stand there."""
    what = {"elementwise": "number by number, with broadcasting", "linear": "linear in its input"}.get(op.kind, "an op")
    if not op.differentiable:
        return f"{op.name}: {what}; it has no derivative, so no gradient passes through it."
    return f"{op.name}: {what}; `minitape.primitive.rule_text({op.name!r}, 0)` shows its rule."


def shape_of(g: Any) -> tuple[int, ...]:
    """The shape of an array or a Tensor."""
    return g.shape if isinstance(g, ARRAYS) else g._shape if isinstance(g, Operand) else np.shape(g)


def front(g: Any, rank: int) -> tuple[int, ...]:
    """The lengths of the axes that a gradient has in front of its output's `rank` axes (a whole jacobian's rows)."""
    have = shape_of(g)
    return have[: len(have) - rank]


def either(forward: Callable[..., Any], call: Op) -> Callable[..., Any]:
    """A function for rules: of one op, on plain arrays or on Tensors."""

    def run(*inputs: Any, **params: Any) -> Any:
        return (call if isinstance(inputs[0], Operand) else forward)(*inputs, **params)

    return run


class Either:
    """Functions for rules: each runs NumPy on plain arrays, and the recorded op on Tensors."""

    if TYPE_CHECKING:  # each is set when its op is declared

        def __getattr__(self, name: str) -> Callable[..., Any]: ...

    @staticmethod
    def fit(g: Any, shape: tuple[int, ...], rank: int) -> Any:
        """Undo broadcasting: add a gradient up over the axes along which an input of this shape was stretched.

        `rank` is the rank of the op's output; axes that the gradient has in front of those stay as they are.
        """
        axes, fitting = stretched(shape_of(g), shape, rank)
        if axes:
            g = f.reduce_sum(g, axis=axes, keepdims=False)
        return g if shape_of(g) == fitting else f.reshape(g, shape=fitting)


f = Either()


@lru_cache(maxsize=1000)
def stretched(have: tuple[int, ...], shape: tuple[int, ...], rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes, counted from the end, along which an input was stretched, and the shape its gradient should have."""
    if len(have) < rank:  # only where a custom rule's mistake passes, as in TensorFlow
        return (), have
    lead, whole = have[: len(have) - rank], have[len(have) - rank :]
    new = len(whole) - len(shape)
    ones = (1,) * new + shape
    axes = [at - len(whole) for at, one in enumerate(ones) if at < new or one != whole[at]]
    return tuple(axes), lead + shape


# --- the rules as text, for the explanations and pictures ----------------------------------------------------------


def rule_text(name: str, slot: int) -> str:
    """The rule for one input of an op, as it stands in its table, or in the table's own words.

    >>> rule_text("multiply", 0)
    'g * y'
    """
    op = REGISTRY[name]
    label = op.inputs[slot] if slot < len(op.inputs) else ""
    rule = op.joint or op.rules.get(label)
    if rule is None or op.says is not None:
        return (op.says or "") if rule is not None else ""
    keyword = "vjp" if op.joint is not None else "transpose" if op.kind == "linear" else label
    return _rules(rule.__code__.co_filename).get((name, keyword), "")


@lru_cache(maxsize=32)
def _rules(file: str) -> dict[tuple[str, str], str]:
    """The rules of a file of tables, by op and keyword."""
    found: dict[tuple[str, str], str] = {}
    for node in ast.walk(parse(file) or ast.Module([], [])):
        match node:
            case ast.Call(args=[ast.Constant(value=str(name)), *_], keywords=keywords):
                lambdas = {word.arg: word.value for word in keywords if isinstance(word.value, ast.Lambda)}
                found |= {(name, arg or ""): ast.unparse(rule.body) for arg, rule in lambdas.items()}
    return found

"""The calls of functions with their own rule in a trace: found by running the block again, with an ear at each call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import minitape as tf
from minitape.trace import Asked, Ran, Trace, Value, Walked

from .. import words
from ..rerun import Block
from .measure import short

SIGNS = {"multiply": "\N{MULTIPLICATION SIGN}", "add": "+", "subtract": "\N{MINUS SIGN}", "divide": "/"}
MOST = 8  # calls that are shown


@dataclass
class Call:
    """One call: the function, what went in, and the dy that came back to it."""

    name: str
    text: str
    hook: Callable[..., Any] | None = None
    args: list[Any] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    dy: np.ndarray | None = None
    ran: Ran | None = None  # what a trace says of it
    walked: Walked | None = None
    after: list[str] = field(default_factory=list)  # the ops that come after it, at most two
    end: str = ""  # the number at the end of the chain
    line: str = ""  # the line of the program that made it
    more: bool = False  # whether there are more ops than are named
    back: list[str] = field(default_factory=list)  # the gradients that come to the ops after it, from the end


def calls(seen: Trace, names: Mapping[str, Any]) -> list[Call]:
    """The calls of a trace, in the order in which they ran."""
    found = [
        _told(seen, event) for event in seen.of(Ran) if event.custom == "custom_gradient" and event.within != "gradient"
    ]
    if not found:
        return []
    heard: list[Call] = []
    block = Block(seen, names)
    if block.runs:
        block.run(frozenset(), _listened, __ear__=_ear(heard))
    for call in found[:MOST]:
        same = next((other for other in heard if other.name == call.name), None)
        if same is not None:
            heard.remove(same)
            call.hook, call.args, call.dy = same.hook, same.args, same.dy
        else:
            _remember(call, names)
    return found[:MOST]


def _listened(tree: ast.Module) -> None:
    """Every call f(...) of the block becomes __ear__(f)(...)."""

    class Ear(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            if isinstance(node.func, ast.Name) and node.func.id.startswith("__"):
                return node
            name = ast.copy_location(ast.Name("__ear__", ast.Load()), node.func)
            node.func = ast.copy_location(ast.Call(name, [node.func], []), node.func)
            return node

    Ear().visit(tree)


def _ear(heard: list[Call]) -> Callable[[Any], Any]:
    """Lets every function be, but notes the calls of those that have their own rule."""

    def ear(function: Any) -> Any:
        if getattr(getattr(function, "op", None), "kind", "") != "custom_gradient":
            return function

        def listening(*args: Any, **kwargs: Any) -> Any:
            call = Call(getattr(function, "__name__", "rule"), "", function, [_still(arg) for arg in args])
            heard.append(call)
            value = function(*args, **kwargs)
            return _caught(value, call) if hasattr(value, "numpy") and not kwargs else value

        return listening

    return ear


def _still(arg: Any) -> Any:
    """An argument as it is now: a tensor of its own."""
    return tf.constant(arg.numpy()) if hasattr(arg, "numpy") else arg


def _caught(value: Any, call: Call) -> Any:
    """The same value; what comes back to it is noted."""

    def rule(dy: Any) -> Any:
        if call.dy is None:
            call.dy = np.array(tf.convert_to_tensor(dy).numpy())
        return dy

    return tf.custom_gradient(lambda x: (tf.identity(x), rule))(value)


def _remember(call: Call, names: Mapping[str, Any]) -> None:
    """A call that was not heard: the function by its name, the inputs by their numbers, where the trace has all."""
    hook = names.get(call.name)
    if call.ran is None or not callable(hook):
        return
    inputs = [_array(value) for value in call.ran.inputs]
    if all(array is not None for array in inputs):
        call.hook, call.args = hook, [tf.constant(array) for array in inputs]
        if call.walked is not None:
            call.dy = _array(call.walked.upstream[0])


def _array(value: Value) -> np.ndarray | None:
    if len(value.numbers) != int(np.prod(value.shape, dtype=int)) or not value.dtype.startswith("float"):
        return None
    return np.asarray(value.numbers, value.dtype).reshape(value.shape)


def _told(seen: Trace, event: Ran) -> Call:
    """What a trace says of a call: what comes after it, and what came back."""
    out = event.outputs[0].id
    walked = next((way for way in seen.of(Walked) if way.outputs and way.outputs[0].id == out), None)
    call = Call(event.op, words.expression(event), ran=event, walked=walked)
    call.names = [words.name(value) for value in event.inputs]
    ran, at = seen.of(Ran), out
    chain: list[Ran] = []
    while (step := next((other for other in ran if _reads(other, at)), None)) is not None and len(chain) < 12:
        chain.append(step)
        at = step.outputs[0].id
    call.after = [label(step) for step in chain[:2]]
    call.more = len(chain) > 2
    asked = next((event for event in seen.of(Asked)), None)
    end = asked.targets[0] if asked and asked.targets else chain[-1].outputs[0] if chain else event.outputs[0]
    call.end = short(end.numbers[0]) if end.numbers and not end.shape else words.brief(end, 6)
    call.line = seen.lines[event.line - 1].strip() if event.line and event.line <= len(seen.lines) else ""
    ways = {
        way.outputs[0].id: words.brief(way.upstream[0], 11) for way in seen.of(Walked) if way.outputs and way.upstream
    }
    call.back = [ways[step.outputs[0].id] for step in chain[:2] if step.outputs[0].id in ways]
    return call


def _reads(event: Ran, id: int) -> bool:
    return event.within != "gradient" and any(value.id == id for value in event.inputs)


def label(ran: Ran) -> str:
    """An op in a few characters: "x 5.0" with the sign of the multiplication, "reduce_sum"."""
    if ran.op in SIGNS and len(ran.inputs) == 2:
        other = ran.inputs[1]
        said = words.brief(other, 8) if not words.FULL.named(other) else words.name(other)
        return f"{SIGNS[ran.op]} {said}"
    return ran.op


def given(name: str, hook: Callable[..., Any], args: Sequence[Any], dy: Any, names: Sequence[str]) -> Call:
    """A call that was given by hand."""
    came = None if dy is None else np.asarray(dy.numpy() if hasattr(dy, "numpy") else dy)
    return Call(name, f"{name}({', '.join(names)})", hook, list(args), list(names), came)

"""`check_custom_gradient`: does a custom rule keep its side of the contract?"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .causes import quoted, titled
from .control import Bind
from .diagnosis import Diagnosis, findings
from .errors import say
from .flow import Program, nested, statement_at, statements
from .marks import Mark, marks
from .nest import flatten
from .ops.composed import convert_to_tensor
from .place import Spot, learner_frame
from .probe import Listening, apart, returned_on
from .scope import Scope
from .slices import IndexedSlices
from .tape import GradientTape
from .tensor import Operand, Tensor, wrap

EXITS = ("numpy", "float", "int", "complex")


def check_custom_gradient(
    f: Callable[..., Any], at: Any = (), kwargs: dict[str, Any] | None = None, order: Any = 1
) -> Diagnosis:
    """What is wrong with a function made by `custom_gradient`: its rule's gradients, its inputs, what it captured.

    at: the positional inputs, a list; kwargs: those given by keyword; order=2: is the second derivative right too?
    The function is called at these inputs, its rule a few times. `also` holds further findings.

    >>> import minitape as tf
    >>> @tf.custom_gradient
    ... def square(x):
    ...     return x * x, lambda dy: 2.0 * x
    >>> found = tf.check_custom_gradient(square, at=[tf.constant(3.0)])
    >>> found.cause
    'forgot-dy'
    >>> print(found)
    line 3: the rule of square does not use `dy`: what comes after square is left out of its gradient
    fix: return dy * (2.0 * x)
    """
    if not isinstance(f, Bind) or f.op.kind != "custom_gradient":
        raise TypeError(say(f"{f!r} was not made by custom_gradient", "@tf.custom_gradient above its def"))
    frame = learner_frame(sys._getframe(1))
    check = Contract(f, list(at), kwargs or {}, Scope(frame))
    return findings(check.found(int(order)))


class Contract:
    """One custom function at one point."""

    def __init__(self, f: Bind, at: list[Any], kwargs: dict[str, Any], scope: Scope) -> None:
        self.f, self.at, self.kwargs, self.scope = f, at, kwargs, scope
        self.raw = f.op.forward
        self.title = titled(f.op, scope)
        self.heard = Listening()
        self.inputs = flatten(at)
        self.names = self._names()
        self.rule_code: Any = None
        self.back: Spot | None = None  # where the rule returned

    def _names(self) -> list[str]:
        parameters = list(inspect.signature(self.raw).parameters.values())
        names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        return [
            names[i] if i < len(names) and len(names) >= len(self.at) else f"input {i + 1}"
            for i in range(len(self.inputs))
        ]

    def made(self, cause: str, what: str, fix: str, spot: Spot | int | None, *detail: str) -> Diagnosis:
        """A finding; its sentence begins with the place."""
        line = spot.line if isinstance(spot, Spot) else spot
        return Diagnosis(cause, (f"{spot}: " if isinstance(spot, Spot) else "") + what, fix, line, detail)

    def found(self, order: int) -> list[Diagnosis]:
        """All findings, the most telling first."""
        with apart(self.heard) as read:
            results = self._keyword() or self._call(read)
            if order > 1 and not results:
                results += self._second()
        results += self._captured()
        fine = f"the contract is kept: {self.title} has a gradient for each input, of its shape and dtype, and uses dy"
        return results or [Diagnosis("works", fine, "")]

    # --- what can be seen before the rule runs ------------------------------------------------------------------------

    def _keyword(self) -> list[Diagnosis]:
        given = {name: x for name, x in self.kwargs.items() if isinstance(x, Operand)}
        if not given:
            return []
        name = next(iter(given))
        past = [m for m in marks if m.what == "keyword" and any(x.id in m.ids for x in given.values())]
        spot = Spot(past[0].code, past[0].at) if past else None
        ignored = "only inputs by position get a gradient" if self.inputs else "without one by position it has no rule"
        what = f"`{name}` is given to {self.title} by keyword, and {ignored}"
        inputs = [self.scope.name(x) or "x" for x in self.inputs if isinstance(x, Operand)]
        inputs += [self.scope.name(x) or name for name, x in given.items()]
        return [self.made("keyword-input", what, f"{self.title}({', '.join(inputs)})", spot)]

    def _call(self, read: dict[int, Any]) -> list[Diagnosis]:
        """Call the function, then its rule; stop at the first thing that makes the rest meaningless."""
        code = getattr(self.raw, "__code__", None)
        with GradientTape(persistent=True) as tape:
            tape.watch([x for x in self.inputs if isinstance(x, Operand) and x.array.dtype.kind in "fc"])
            result, line = returned_on(self.raw, code, *self.at, **self.kwargs)
        spot = self._return(code, line)
        if self.f.grad is not None:
            value, rule = result, self._apart
        elif isinstance(result, tuple | list) and len(result) == 2 and callable(result[1]):
            value, rule = result
        else:
            what = f"{self.title} returns one thing, and custom_gradient needs two: the value and its rule"
            return [self.made("wrong-count", what, "return value, grad", spot)]
        self.rule_code = getattr(inspect.unwrap(self.f.grad or rule), "__code__", None)
        variables = [v for v in read.values() if all(v is not x for x in [*self.inputs, *self.kwargs.values()])]
        if variables and not self._takes_variables(self.f.grad or rule):
            names = ", ".join(f"`{self.scope.name(v) or v.name.removesuffix(':0')}`" for v in variables)
            what = f"{self.title} reads the variable {names}, and its rule has no argument `variables`"
            fix = "def grad(dy, variables=None): return input_gradients, variable_gradients"
            line = self.rule_code.co_firstlineno if self.rule_code is not None else None
            return [self.made("missing-variables", (f"line {line}: " if line else "") + what, fix, line)]
        outputs = [convert_to_tensor(part) for part in flatten(value)]
        return self._rule(rule, outputs, variables)

    def _apart(self, *dys: Any, **more: Any) -> Any:
        """The rule of the two-argument form."""
        assert self.f.grad is not None
        return self.f.grad(*dys, *self.at, **more)

    @staticmethod
    def _takes_variables(rule: Any) -> bool:
        parameters = inspect.signature(rule).parameters
        return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())

    # --- what the rule gives ------------------------------------------------------------------------------------------

    def _rule(self, rule: Callable[..., Any], outputs: list[Tensor], variables: list[Any]) -> list[Diagnosis]:
        ones = [wrap(np.ones(out._shape, out.array.dtype)) for out in outputs]
        grads = self._ask(rule, ones, variables)
        if isinstance(grads, Diagnosis):
            return [grads]
        places = [*zip(self.names, self.inputs, strict=True)]
        places += [(self.scope.name(v) or v.name.removesuffix(":0"), v) for v in variables]
        found = [one for (name, x), g in zip(places, grads, strict=True) for one in self._fits(name, x, g)]
        return found + self._uses_dy(rule, ones, variables, grads) + self._exits()

    def _ask(self, rule: Callable[..., Any], dys: list[Tensor], variables: list[Any]) -> list[Any] | Diagnosis:
        """The rule's gradients, one for each input and variable; or what is wrong with their number."""
        from .failure import of_error

        more = {"variables": variables} if variables else {}
        try:
            result, line = returned_on(rule, self.rule_code, *dys, **more)
        except Exception as error:
            return of_error(error)
        self.back = self._return(self.rule_code, line)
        of_variables: list[Any] = []
        if variables:
            if not isinstance(result, tuple | list) or len(result) != 2:
                what = f"the rule of {self.title} returns one thing, and needs two: of the inputs, and of the variables"
                return self.made("wrong-count", what, "return input_gradients, variable_gradients", self.back)
            result, of_variables = result[0], flatten(result[1])
        grads = flatten(result)
        for have, wanted, what_of in ((grads, self.inputs, "input"), (of_variables, variables, "variable")):
            if len(have) != len(wanted):
                many = f"{len(have)} gradient{'s' * (len(have) != 1)}"
                what = f"the rule of {self.title} returns {many} for {len(wanted)} {what_of}{'s' * (len(wanted) != 1)}"
                fix = (
                    f"return {', '.join(f'd{n}' for n in self.names)}"
                    if what_of == "input"
                    else "one for each of `variables`"
                )
                return self.made("wrong-count", what, fix, self.back)
        return [*grads, *of_variables]

    def _fits(self, name: str, x: Any, g: Any) -> list[Diagnosis]:
        """Has a gradient the shape and the dtype of what it belongs to?"""
        if g is None or isinstance(g, IndexedSlices) or not isinstance(x, Operand) or x.array.dtype.kind not in "fc":
            return []
        g = convert_to_tensor(g)
        if g._shape != x._shape:
            what = f"the gradient for `{name}` has shape {g._shape}, and `{name}` has shape {x._shape}"
            fix = f"tf.reshape(g, tf.shape({name}))" if g.array.size == x.array.size else f"g * tf.ones_like({name})"
            return [self.made("wrong-shape", what, f"return {fix}  # one number for each of `{name}`", self.back)]
        if g.array.dtype != x.array.dtype:
            what = f"the gradient for `{name}` is {g.dtype.name}, and `{name}` is {x.dtype.name}"
            return [self.made("wrong-dtype", what, f"return tf.cast(g, {name}.dtype)", self.back)]
        return []

    def _uses_dy(self, rule: Any, ones: list[Tensor], variables: list[Any], grads: list[Any]) -> list[Diagnosis]:
        """With dy = 0 every gradient must be 0: whatever comes after does not depend on this function."""
        zeros = [wrap(np.zeros(one._shape, one.array.dtype)) for one in ones]
        nothing = self._ask(rule, zeros, variables)
        if isinstance(nothing, Diagnosis):
            return []
        if all(g is None or not np.any(_array(g)) for g in nothing):
            return []
        dy = next(iter(inspect.signature(inspect.unwrap(self.f.grad or rule)).parameters), "dy")
        what = (
            f"the rule of {self.title} does not use `{dy}`: what comes after {self.title} is left out of its gradient"
        )
        return [self.made("forgot-dy", what, f"return {dy} * ({_returns(self.back) or '...'})", self.back)]

    def _exits(self) -> list[Diagnosis]:
        """Numbers that left to NumPy or Python and reached the rule: a second derivative does not see them."""
        codes = [
            code for part in (getattr(self.raw, "__code__", None), self.rule_code) if part for code in nested(part)
        ]
        program = Program(codes)
        inside = [s for code in nested(self.rule_code) for s in statements(code)] if self.rule_code is not None else []
        for mark in self.heard.marks:
            statement = statement_at(mark.code, mark.at)
            if mark.what not in EXITS or statement is None or mark.code not in codes:
                continue
            in_rule = any(statement is s for s in inside)
            if (in_rule and (statement.returns or statement.writes)) or any(
                program.feeds(statement, s) for s in inside
            ):
                return [self._left(mark)]
        return []

    def _left(self, mark: Mark) -> Diagnosis:
        spot = Spot(mark.code, mark.at)
        what = f"the rule of {self.title} works with plain numbers{quoted(spot)}: second derivatives do not see them"
        line = re.sub(r"\.numpy\(\)|\bfloat(?=\()", "", spot.statement)
        line = re.sub(r"\btf\.constant\((.*)\)$", r"\1", line).replace("np.", "tf.")
        fix = f"{line}  # tensors all the way"
        return self.made("leaves-to-numpy-in-rule", what, fix, spot)

    def _captured(self) -> list[Diagnosis]:
        """Tensors from outside: no gradient will reach them."""
        found = []
        mine = set(nested(self.raw.__code__)) if hasattr(self.raw, "__code__") else set()
        if self.rule_code is not None:
            mine -= set(nested(self.rule_code))
        for x, out in self.heard.captured([self.inputs, list(self.kwargs.values())]):
            if out.code in mine:
                spot, name = Spot(out.code, out.at), self.scope.name(x) or "a tensor from outside"
                what = f"{self.title} uses `{name}`{quoted(spot)}, which is no argument: no gradient reaches it"
                fix = f"def {self.title}({', '.join([*self.names, name])}):  # pass it as an argument"
                found.append(self.made("captured-by-closure", what, fix, spot))
        return found

    # --- the second derivative ----------------------------------------------------------------------------------------

    def _second(self) -> list[Diagnosis]:
        """Is the derivative of the rule's gradient what differences of it say?"""
        from .check import slopes_of
        from .why import Case

        for x in self.inputs:
            if not isinstance(x, Operand) or x.array.dtype.kind != "f":
                continue

            def gradient(x: Any, before: Any = x) -> Any:
                at = [x if part is before else part for part in self.at]
                with GradientTape() as inner:
                    inner.watch(x)
                    y = self.f(*at, **self.kwargs)
                return inner.gradient(y, x)

            with GradientTape() as outer:
                outer.watch(x)
                g = gradient(x)
            if g is None:
                continue
            have = outer.gradient(g, x)
            wanted, trust = slopes_of(gradient, x)
            got = np.zeros(x._shape) if have is None else _array(have)
            if np.allclose(got, wanted, atol=trust, rtol=1e-2):
                continue
            why = Case(outer, g, x, self.scope).diagnosis()
            if not why.works:
                return [why]
            what = f"the second derivative of {self.title} is {got}, and differences of its gradient say {wanted}"
            return [self.made("wrong-rule", what, "write the rule with tf functions of its inputs", self.back)]
        return []

    def _return(self, code: Any, line: int | None) -> Spot | None:
        """The return statement on a line."""
        if code is None:
            return None
        ends = [s for part in nested(code) for s in statements(part) if s.returns]
        best = next((s for s in ends if s.line == line), ends[-1] if ends else None)
        return Spot(best.code, best.at) if best is not None else None


def _array(g: Any) -> Any:
    return np.asarray(convert_to_tensor(g).array)


def _returns(spot: Spot | None) -> str:
    """What a return statement or a lambda returns, as text."""
    if spot is None:
        return ""
    text = spot.statement
    if spot.code.co_name == "<lambda>":
        return text.rpartition("lambda")[2].partition(":")[2].strip()
    return text.removeprefix("return ")

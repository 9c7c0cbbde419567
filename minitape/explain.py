"""`explain`: why a gradient is None, or which part of a road is frozen. The front door to the other detectives."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .errors import say
from .nest import flatten
from .place import learner_frame
from .tape import GradientTape
from .tensor import Operand

if TYPE_CHECKING:
    from .diagnosis import Diagnosis
    from .scope import Scope


def explain(tape: Any, target: Any = None, source: Any = None) -> Diagnosis:
    """Why `tape.gradient(target, source)` gives None, or what on the way is held fixed; or that all is well.

    It works on an ordinary tape after the fact, also one that `gradient` has used up. Given an exception alone,
    `explain(error)` says what it means. Where several targets or sources are given, `also` holds the further findings.

    >>> import minitape as tf
    >>> x = tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    ...     tape.watch(x)
    >>> tape.gradient(y, x) is None
    True
    >>> found = tf.explain(tape, y, x)
    >>> found.cause
    'watched-late'
    >>> print(found)  # doctest: +ELLIPSIS
    line 2 used `x` before line 3 watched it, and watching does not look back
    fix: tape.watch(x)  # first thing in the block
    ...
    """
    if isinstance(tape, BaseException):
        from .failure import of_error

        return of_error(tape)
    if not isinstance(tape, GradientTape):
        raise TypeError(say(f"explain takes a tape, and {tape!r} is none", "explain(tape, target, source)"))
    from .diagnosis import Diagnosis, findings
    from .scope import Scope

    scope = Scope(learner_frame(sys._getframe(1)))
    found = [_for_source(tape, flatten(target), part, scope) for part in flatten(source)]
    faults = [one for one in found if not one.works]
    return findings(faults or found or [Diagnosis("works", "no source was given", "explain(tape, target, source)")])


def _for_source(tape: GradientTape, targets: list[Any], source: Any, scope: Scope) -> Diagnosis:
    """One source and all targets: what a connected one says, else the reason of the first that is not."""
    from .diagnosis import Diagnosis
    from .why import Case

    found: list[tuple[Any, ...]] = []
    for target in targets:
        for part, role in ((target, "target"), (source, "source")):
            if not isinstance(part, Operand):
                return _not_a_tensor(part, role)
        case = Case(tape, target, source, scope)
        one = case.diagnosis()
        found.append((not case.connected, one.works, one.cause == "unused", len(found), one))
    best: Diagnosis | None = min(found)[-1] if found else None
    return best or Diagnosis("works", "no target was given", "explain(tape, target, source)")


def _not_a_tensor(thing: Any, role: str) -> Diagnosis:
    from .diagnosis import Diagnosis

    what = "None" if thing is None else f"{thing!r}, a {type(thing).__name__}"
    return Diagnosis(
        "wrong-kind",
        f"the {role} is {what}: only a tensor or a variable has a gradient",
        "explain(tape, target, source)  # each a tensor",
    )

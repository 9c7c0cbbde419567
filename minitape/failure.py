"""What an exception says, as a diagnosis: minitape's own errors carry a fix; a None in a sum leads back to its tape."""

from __future__ import annotations

import re
import traceback

from .diagnosis import Diagnosis, findings
from .marks import foreign
from .place import where
from .scope import Scope
from .why import Case

#: What the first line of one of minitape's messages tells of, in this order.
CAUSES = (
    ("tape-state", r"this tape |a tape that is recording|reads the tape once"),
    ("wrong-shape", r"output_gradients has shape|shape \(.*\) and|have shapes|broadcast|has shape .*, and"),
    ("wrong-dtype", r"is (float|int|bool|complex|uint)\w*, and|is (float|int|bool|complex|uint)\w*$"),
    ("wrong-count", r"returned \d+ gradients|returned something else|its value and its rule"),
    ("missing-variables", r"no `variables` argument"),
)


def of_error(error: BaseException) -> Diagnosis:
    """What an exception says: its line in the learner's program, its cause and its fix."""
    steps = [step for step in traceback.walk_tb(error.__traceback__) if not foreign(step[0].f_code.co_filename)]
    frame, line = steps[-1] if steps else (None, None)
    at = f"{where(frame.f_code.co_filename, line)}: " if frame is not None and line is not None else ""
    first, _, rest = str(error).partition("\n")
    found = [_none_of_a_tape(Scope(frame))] if "None" in first and frame is not None else []
    if rest.startswith("fix: "):
        fix, *more = rest.removeprefix("fix: ").splitlines()
        cause = next((cause for cause, pattern in CAUSES if re.search(pattern, first)), "wrong-kind")
        found.append(Diagnosis(cause, at + first, fix, line, tuple(more)))
    else:
        what = f"{at}{type(error).__name__}: {first}"
        found.append(Diagnosis("error", what, "read the line, and print what it uses", line))
    return findings([one for one in found if one is not None])


def _none_of_a_tape(scope: Scope) -> Diagnosis | None:
    """Why the last gradient that is None is None."""
    calls = [(call, tape) for tape in scope.tapes for call in tape.readings if None in call.answers]
    for call, tape in sorted(calls, key=lambda pair: pair[0].when, reverse=True):
        for source, answer in zip(call.sources, call.answers, strict=True):
            if answer is None and source in scope.things:
                for target in call.targets:
                    if target in scope.things:
                        return Case(tape, scope.things[target], scope.things[source], scope).diagnosis()
    return None

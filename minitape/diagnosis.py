"""A diagnosis: what happened and how to mend it, in two lines; the detail below."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Diagnosis:
    """What a detective found: `cause` is one word, `line` the line to look at, `fix` code that mends it.

    `what` says it in one sentence, `detail` shows how it came about, `also` holds further findings, the most telling
    first. The cause "works" says that there is nothing to mend.

    >>> print(Diagnosis("unused", "line 4: `z` never used `u`", 'unconnected_gradients="zero"', line=4))
    line 4: `z` never used `u`
    fix: unconnected_gradients="zero"
    """

    cause: str
    what: str
    fix: str
    line: int | None = None
    detail: tuple[str, ...] = ()
    also: tuple[Diagnosis, ...] = ()
    data: Any = None  # the figures behind it, where a detective measured some

    @property
    def works(self) -> bool:
        """Is there nothing to mend?"""
        return self.cause == "works"

    def __str__(self) -> str:
        lines = [self.what, f"fix: {self.fix}" if self.fix else "nothing to mend"]
        lines += [f"  {line}" for line in self.detail]
        for other in self.also:
            lines += ["and: " + other.what] + ([f"     fix: {other.fix}"] if other.fix else [])
        return "\n".join(lines)

    def __repr__(self) -> str:
        at = "" if self.line is None else f", line {self.line}"
        return f"<Diagnosis {self.cause}{at}>\n{self}"

    def _repr_html_(self) -> str:
        def code(text: str) -> str:
            return f"<code>{html.escape(text)}</code>"

        def said(one: Diagnosis) -> str:
            mend = f"<br>fix: {code(one.fix)}" if one.fix else "<br>nothing to mend"
            return f"<p><strong>{html.escape(one.what)}</strong>{mend}</p>"

        detail = "".join(f"<li>{code(line)}</li>" for line in self.detail)
        return said(self) + (f"<ul>{detail}</ul>" if detail else "") + "".join(map(said, self.also))


def findings(found: list[Diagnosis]) -> Diagnosis:
    """Several diagnoses as one: the first, with the others beside it."""
    first, *rest = found
    return replace(first, also=(*first.also, *rest))

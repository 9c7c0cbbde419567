"""Which ops belong together: those of one call of a layer or a loss, or of a name scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from minitape.trace import Ran


@dataclass(frozen=True, slots=True)
class Scope:
    """Ops in a row, from number `first` to number `last`."""

    name: str
    first: int
    last: int

    def __contains__(self, number: int) -> bool:
        return self.first <= number <= self.last

    def __len__(self) -> int:
        return self.last - self.first + 1

    @property
    def label(self) -> str:
        """What stands on the node: "layer 1 (4 ops)"."""
        return f"{self.name} ({len(self)} ops)"


def layers(ops: Sequence[Ran], least: int = 2) -> list[Scope]:
    """The ops of each call of a layer, of a function made of ops, or of a `tf.name_scope`.

    A scope is called what the learner wrote, "model(x)"; where one call ran several layers, by the layer's own name.
    Such a layer's scope has at least `least` ops, any other one two.
    """
    homes = [_home(ran) for ran in ops]
    paths: dict[tuple[int | None, str], set[str]] = {}
    for line, call, path in homes:
        paths.setdefault((line, call), set()).add(path)
    found, at = [], 0
    for (line, call, path), run in groupby(homes):
        end = at + len(list(run))
        own = bool(path) and (not call or len(paths[line, call]) > 1)
        if (call or path) and end - at >= (least if own else 2):
            found.append(Scope(path.rpartition("/")[2] if own else call, at + 1, end))
        at = end
    return found


def _home(ran: Ran) -> tuple[int | None, str, str]:
    """What an op shares with the others of its scope: line, call and path; a name scope may have several lines."""
    call = " ".join(ran.text.partition(f"{ran.op} in ")[2].split())
    return (ran.line if call else None), call, ran.scope

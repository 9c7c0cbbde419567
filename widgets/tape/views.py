"""The ways to look at one tape: layers folded or open, contributions added up or written over each other."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from minitape.trace import Ran, Trace

from .. import words
from ..scopes import layers
from .fold import fold
from .layout import ROOMY
from .reader import tell
from .story import Story


@dataclass(frozen=True, slots=True)
class View:
    """One way to look at a tape; a picture is drawn for each."""

    folded: bool
    buggy: bool


@dataclass(frozen=True, slots=True)
class Switch:
    """What leads from one view to another."""

    name: str
    on: bool
    choice: int  # the number of the view that it leads to
    said: str


class Views:
    """All views of a trace, in order; `wrong` is the trace of a run that made the classic mistake."""

    def __init__(self, seen: Trace, tape: str | int | None, wrong: Trace | None, folded: bool | None) -> None:
        self.seen, self.tape, self.wrong = seen, tape, wrong
        ops = seen.of(Ran)
        layered = bool(layers(ops))
        first = layered and (len(ops) > ROOMY if folded is None else folded)
        folds = [first, not first] if layered else [False]
        self.views = [View(each, bug) for bug in ([False] if wrong is None else [False, True]) for each in folds]
        self.stories: list[Story] = []
        for view in self.views:
            self.stories.append(self._story(view))

    def _story(self, view: View) -> Story:
        seen = self.wrong if view.buggy and self.wrong is not None else self.seen
        trace, spans = fold(seen) if view.folded else (seen, {})
        story = tell(trace, self.tape, spans)
        if view.buggy:
            story.buggy = True
            right = self.stories[0].calls  # the first view makes no mistake
            story.right = [words.answer(call.answered.gradients) if call.answered else "" for call in right]
        return story

    def switches(self, view: View) -> list[Switch]:
        """The switches of a view."""
        found = []
        for field, name, said in (
            ("folded", "fold", "layers folded"),
            ("buggy", "buggy", "the bug: = in place of +="),
        ):
            on = getattr(view, field)
            other = dataclasses.replace(view, **{field: not on})
            if other in self.views:
                found.append(Switch(name, on, self.views.index(other), said))
        return found

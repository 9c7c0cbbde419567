"""TapePlayer: a recorded program that plays, forward onto the tape and then backward off it."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from minitape.trace import Trace

from ..player.picture import FUTURE, Picture, Step, Storyboard
from ..player.player import Player, no_collecting
from ..player.svg import Element, group, panel, path
from ..rerun import Block
from . import captions, long, twin
from .layout import BOX, Layout
from .program import Program
from .rows import Tape
from .story import MOST_ROWS, Story
from .sums import Sums
from .views import Switch, Views

MANY = 3  # of a line with more rows than this only the current hairline is shown


class TapePlayer(Player):
    """Plays what a tape did: each line, each op recorded or skipped, and the way back, step by step.

    Args:
        seen: what `with minitape.observe() as seen:` gave.
        tape: draw this one alone, by the name or the number it has in the trace; all of them where it is left out.
        folded: whether the calls of layers begin as one row each, where there are any (a switch opens and folds them);
            left out, they do where there are more than 12 ops.
        buggy: add a switch that shows the classic mistake, `=` in place of `+=`, with the gradients it gives. The block
            runs once more for that, in a copy of your names.
        names: the names that the block needs then; yours, where it is left out.

    `step` (an int, from 1) is where the player stands; set it, observe it, or link it with `ipywidgets.jslink`.
    Where there is no kernel or no JavaScript the finished picture is shown instead; `print(player.text)` gives the same
    as a table, and `player.save_html(path)` a page that plays anywhere.

    Raises:
        TypeError: `seen` is not a trace.
        ValueError: the trace has no such tape, or its block cannot run again for the switch.

    >>> import minitape as tf
    >>> with tf.observe() as seen:
    ...     x = tf.constant(3.0)
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = x * x
    ...     grad = tape.gradient(y, x)
    >>> player = TapePlayer(seen)
    >>> player.steps
    7
    >>> player.step = player.steps
    >>> player.caption
    'done: two contributions reached x, and their sum is the gradient, 6.0'
    """

    def __init__(
        self,
        seen: Trace,
        *,
        tape: str | int | None = None,
        folded: bool | None = None,
        buggy: bool = False,
        names: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(seen, Trace):
            raise TypeError(
                f"TapePlayer draws a trace, and this is a {type(seen).__name__}\n"
                "make one: with minitape.observe() as seen: ...  then TapePlayer(seen)"
            )
        wrong = None
        if buggy:
            caller = sys._getframe(1)
            wrong = _mistaken(seen, names if names is not None else {**caller.f_globals, **caller.f_locals})
        with no_collecting():
            super().__init__(draw(Views(seen, tape, wrong, folded)))


def _mistaken(seen: Trace, names: Mapping[str, Any]) -> Trace:
    """The trace of a run that writes contributions over each other."""
    block = Block(seen, names)
    if block.trouble:
        raise ValueError(
            f"no switch for the mistake: {block.trouble}\n"
            "observe lines that answer the same each time, without assign: with minitape.observe() as seen: ..."
        )
    return block.run(buggy=True)


def draw(views: Views) -> Picture:
    """The picture of the first view, with the others as its variants."""
    pictures = [_picture(story, views.switches(view)) for view, story in zip(views.views, views.stories, strict=True)]
    if len(pictures) == 1:
        return pictures[0]
    mistaken = [twin.mistake(story) for story in views.stories if story.buggy]
    text = "\n\n".join([pictures[0].text, *mistaken[:1]])  # folded or open, it is the same mistake
    return dataclasses.replace(pictures[0], text=text, variants=tuple(pictures))


def _picture(story: Story, switches: Sequence[Switch]) -> Picture:
    """Program, tape and sums, in a wide and a narrow layout."""
    return long.draw(story, switches) if len(story.rows) > MOST_ROWS else _short(story, switches)


def _short(story: Story, switches: Sequence[Switch]) -> Picture:
    """The picture of few ops: every one has its row."""
    board = Storyboard()
    steps = tuple(Step(beat.kind, captions.caption(story, beat)) for beat in story.beats)
    program, layout, sums = Program(story, board, switches), Layout(story), Sums(story, board)
    code = program.draw()
    below, under = layout.bottom + 16, program.under + 8
    drawing = (
        panel("code", (32, 0), (16, 0), code),
        panel("tape", (432, 0), (16, under), Tape(story, board, layout).draw()),
        panel("sums", (432, below), (16, under + below), sums.drawn),
        group(_links(story, board, program, layout), cls="wide-only"),
    )
    return Picture(
        name="tape",
        title=twin.title(story),
        drawing=drawing,
        wide=max(program.under, below + sums.bottom) + 16,
        narrow=under + below + sums.bottom + 16,
        steps=steps or (Step("none", ("nothing happened here: no line of the observed block used minitape",)),),
        timelines=board.timelines(),
        text=twin.table(story),
        chosen=bool(switches),
        texts=sums.texts,
    )


def _links(story: Story, board: Storyboard, program: Program, layout: Layout) -> list[Element]:
    """The hairlines from a line of code to its rows on the tape."""
    drawn = []
    rows = [(row, row.ran.line) for row in story.rows if row.ran.line is not None and row.ran.line in program.tops]
    many = Counter(line for _, line in rows)
    for row, line in rows:
        id = f"link{row.id.removeprefix('entry')}" if row.number is not None else f"link-{row.id}"
        steps = [(walk.step, 0) for call in story.calls for walk in call.walks if walk.row is row]
        for step, phase in [(row.step, 1), *steps]:
            board.ring(id, step, phase)
            if not layout.roomy or many[line] > MANY:
                board.set(id, FUTURE, step + 1)
        off = row.number is None
        x, y = program.edge + 32, program.middle(line)
        to = layout.tops[row.id] + (16 if not layout.roomy else BOX / 2 if off else 20)
        bend = f"C{x + (430 - x) * 0.54:g} {y:g} {x + (430 - x) * 0.44:g} {to:g} 430 {to:g}"
        across = "" if not off else f"H{474 if layout.roomy else 466}"
        drawn.append(path(f"M{x:g} {y:g}{bend}{across}", "link off" if off else "link", id=id))
    return drawn

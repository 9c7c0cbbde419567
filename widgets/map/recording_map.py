"""RecordingMap: what is on the tape and what is not, as a road map, with a switch for each line."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from minitape.trace import Trace

from .. import words
from ..player.picture import Caption, Picture, Step, Storyboard
from ..player.player import Player
from ..player.svg import CODE, Element, columns, panel, text
from ..rerun import Block
from ..tape import captions
from ..tape.reader import tell_one
from . import sentences
from .breaks import ends
from .column import column, differences, other_run, shown_on, why
from .draw import draw as draw_map
from .flips import Flips, Run
from .frame import Frame
from .marks import legend
from .survey import survey


class RecordingMap(Player):
    """Draws which roads the tape knows, and lets you take a line off the tape, or put it on.

    Each switch is a run of its own: the observed block has run again, in a copy of your names, with that line inside or
    outside `stop_recording`. So a flip needs no kernel. A block that cannot run again has no switches, and says why.

    With two traces there are no switches: the map goes from one run to the other, and says where they differ.

    Args:
        seen: what `with minitape.observe() as seen:` gave.
        other: another trace, to compare with.
        tape: which tape to show, by the name or the number it has in the trace; the first where it is left out.
        names: the names that the block needs when it runs again; yours, where it is left out.

    `choice` (an int, from 0) is the run that is shown; `flip(line)` chooses by line.

    Raises:
        TypeError: `seen` is not a trace.
        ValueError: the trace has no such tape.

    >>> import minitape as tf
    >>> with tf.observe() as seen:
    ...     x = tf.constant(3.0)
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = x * x
    ...         w = y * x
    ...     grad = tape.gradient(w, x)
    >>> roads = RecordingMap(seen)
    >>> roads.step = roads.steps
    >>> roads.caption
    'three roads lead from w back to x: 9.0 + 9.0 + 9.0 = 27.0'
    >>> roads.flip(4)
    >>> roads.caption
    'line 4 is off the tape: y became a plain number, and the gradient went from 27.0 to 9.0'
    """

    def __init__(
        self,
        seen: Trace,
        other: Trace | None = None,
        *,
        tape: str | int | None = None,
        names: Mapping[str, Any] | None = None,
    ) -> None:
        for thing in (seen,) if other is None else (seen, other):
            if not isinstance(thing, Trace):
                raise TypeError(
                    f"RecordingMap draws a trace, and this is a {type(thing).__name__}\n"
                    "make one: with minitape.observe() as seen: ...  then RecordingMap(seen)"
                )
        if other is not None:
            self._flips: Flips | None = None
            super().__init__(compare(seen, other, tape))
            return
        caller = sys._getframe(1)
        story = tell_one(seen, tape)
        block = Block(seen, names if names is not None else {**caller.f_globals, **caller.f_locals}, story.name)
        self._flips = Flips(seen, block, tape)
        super().__init__(draw(self._flips))

    def flip(self, line: int) -> None:
        """Flip the switch of a line.

        Raises:
            ValueError: the line has no switch.
        """
        if self._flips is None or line not in self._flips.lines:
            some = words.listed([str(number) for number in self._flips.lines], "or") if self._flips else ""
            raise ValueError(f"line {line} has no switch\nflip line {some}" if some else f"line {line} has no switch")
        run = self._flips.order[self.choice]
        self.choice = self._flips.choice(self._flips.after(run, line).flipped)


def draw(flips: Flips) -> Picture:
    """The picture of the first run, with the others as its variants."""
    pictures = [_picture(flips, run) for run in flips.order]
    return replace(pictures[0], variants=tuple(pictures)) if len(pictures) > 1 else pictures[0]


def compare(seen: Trace, other: Trace, tape: str | int | None) -> Picture:
    """Two runs, each the other's variant, and where they differ."""
    runs = [Run(frozenset(), survey(tell_one(trace, tape), trace)) for trace in (seen, other)]
    table = sentences.compared(*runs)
    pictures = []
    for at, run in enumerate(runs):
        board = Storyboard()
        frame = Frame(run.roads)
        road = draw_map(frame, board, [], {})
        beside, tall = column(frame, differences(*runs), *other_run(at))
        steps = _steps(run, sentences.ended(run.roads, []) if run.roads.call else ())
        pictures.append(_assemble(run, board, frame, road, beside, tall, steps, table, True))
    return replace(pictures[0], variants=tuple(pictures))


def _picture(flips: Flips, run: Run) -> Picture:
    first, roads = flips.order[0], run.roads
    board = Storyboard()
    found = ends(roads, flips.block, run.flipped)
    said: Caption = ()
    if roads.call is not None:
        said = sentences.flipped(first, run) if run.flipped else sentences.ended(roads, found)
    switches = {
        line: (flips.choice(flips.after(run, line).flipped), shown_on(first, run, line)) for line in flips.lines
    }
    frame = Frame(roads)
    road = draw_map(frame, board, found, switches)
    if run.flipped and len(roads.sources) == 1 and roads.call and roads.call.end:
        road.append(_was(frame, first, run))
    beside, tall = why(flips, run, found, frame, board)
    return _assemble(
        run, board, frame, road, beside, tall, _steps(run, said), sentences.table(flips, found), bool(flips.lines)
    )


def _steps(run: Run, end: Caption) -> list[Step]:
    """The steps of the tape's story, the answer told as roads."""
    story, call = run.roads.story, run.roads.call
    steps = [Step(beat.kind, captions.caption(story, beat)) for beat in story.beats]
    if call is not None and call.end:
        steps[call.end - 1] = Step("none", end)
    return steps


def _assemble(
    run: Run,
    board: Storyboard,
    frame: Frame,
    road: list[Element],
    beside: list[Element],
    tall: tuple[float, float],
    steps: list[Step],
    table: str,
    chosen: bool,
) -> Picture:
    """The map, its legend, and the column beside it, or below it where it is narrow."""
    below = frame.bottom + 28
    drawing = (
        panel("road", (32, 0), (16, 0), road),
        panel("why", (600, 0), (16, below + 16), beside),
        panel("key", (32, below), (16, below), [legend()]),
    )
    nothing = Step("none", ("nothing happened here: no line of the observed block used minitape",))
    return Picture(
        name="map",
        title=sentences.title(run.roads),
        drawing=drawing,
        wide=max(below + 24, tall[0] + 16),
        narrow=below + 32 + tall[1],
        steps=tuple(steps) or (nothing,),
        timelines=board.timelines(),
        text=table,
        chosen=chosen,
    )


def _was(frame: Frame, first: Run, run: Run) -> Element:
    """The gradient before the flip, beside the one after it."""
    spot = run.roads.sources[0][1]
    now = run.gradients[0]
    x = frame.x(spot) + columns(now) * CODE / 2 + 12
    return text(x, 50, f"was {first.gradients[0]}", "s q", most=18)

"""The picture of a long tape: the program, a map of all of it, a window on the rows around the current one."""

from __future__ import annotations

from collections.abc import Sequence

from .. import words
from ..player.picture import DIMMED, DONE, Picture, Step, Storyboard
from ..player.svg import WORD, Element, columns, cut, group, panel, text
from . import captions, twin
from .map import ROWS, Map
from .program import Program
from .story import Story
from .sums import Sums
from .views import Switch
from .window import PITCH, SIZE, Rows

TITLE = 12  # columns of a tape's name


def draw(story: Story, switches: Sequence[Switch]) -> Picture:
    """The picture of a story with more rows than can be drawn."""
    board = Storyboard()
    number = {id(row): at for at, row in enumerate(story.rows)}
    steps = tuple(
        Step(beat.kind, captions.caption(story, beat), number.get(id(beat.row or beat.at))) for beat in story.beats
    )
    program, rows, sums = Program(story, board, switches), Rows(story), Sums(story, board)
    window, map_ = rows.window(), Map(story, board)
    view = group(id=window.id, transform=f"translate(0 {ROWS})")
    tape = [*_heads(story, board, rows.adds), *rows.heads(), map_.draw(), view]
    code = program.draw()
    end = ROWS + PITCH * SIZE
    below, under = max(map_.bottom + 8, end) + 24, program.under + 8
    return Picture(
        name="tape",
        title=twin.title(story),
        drawing=(
            panel("code", (32, 0), (16, 0), code),
            panel("tape", (432, 0), (16, under), tape),
            panel("sums", (432, below), (16, under + below), sums.drawn),
        ),
        wide=max(program.under, below + sums.bottom) + 16,
        narrow=under + below + sums.bottom + 16,
        steps=steps,
        timelines=board.timelines(),
        text=twin.table(story),
        window=window,
        gauges=map_.gauges(),
        texts=sums.texts,
        chosen=bool(switches),
    )


def _heads(story: Story, board: Storyboard, right: float) -> list[Element]:
    """The tape's name, how much is on it, and over the right half which way it is read now."""
    kept, skipped = story.kept, story.skipped
    name = cut(story.name, TITLE) if story.others else "Tape"
    if story.several:
        name = words.listed([cut(lane.name, TITLE) for lane in story.lanes])
    said = f"{kept + skipped} ops" + (f": {kept} on the tape, {skipped} skipped" if skipped else " on the tape")
    board.set("head-back", DIMMED, 0)
    for call in story.calls:
        board.set("head-back", DONE, call.step)
    x = max(40, columns(name) * WORD + 12)
    back = text(right, 16, "the way back \N{UPWARDS ARROW}", id="head-back")
    return [text(0, 16, name, "b"), text(x, 16, said, "q", most=int((right - x - 8) // WORD)), back]

"""The spines: two rails for each tape, with its name on top and a cap where its `with` block ends."""

from __future__ import annotations

from minitape.trace import Skip

from ..player.picture import DONE, FUTURE, Storyboard
from ..player.svg import Element, cut, element, group, path, text
from .layout import DENSE, LANE_NAME, SPINE, Layout
from .story import Lane, Story

HEAD, CAP = 32, 8  # where the rails begin; how far they go on below a tape's last entry


def lane_names(story: Story, board: Storyboard, layout: Layout) -> list[Element]:
    """The names above the spines; a tape that takes the place of another one also takes its name's."""
    if not story.several:
        return []
    drawn = []
    for place, lane in enumerate(story.lanes, 1):
        id = f"lane-{place}"
        board.show(id, lane.began if _heir(story, lane) else 0)
        if lane.gone:
            board.set(id, FUTURE, lane.gone)
        x = lane.column * layout.lane
        drawn.append(text(x + SPINE / 2, 16, cut(lane.name, LANE_NAME), "s b m", id=id))
    return drawn


def spines(story: Story, board: Storyboard, layout: Layout) -> list[Element]:
    """The rails of each tape; of several, each is as long as its tape lives, with a cap at its end."""
    if len(story.lanes) < 2:
        return [path(_rails(0, HEAD, layout.bottom), "spine")]
    drawn = []
    for place, lane in enumerate(story.lanes, 1):
        x, top, end = lane.column * layout.lane, _top(story, layout, lane), _end(story, layout, lane)
        drawn.append(path(_rails(x, top, end or layout.bottom), "spine"))
        if end and lane.closed is not None:
            board.set(f"cap-{place}", DONE, lane.closed + 1)
            drawn.append(path(f"M{x:g} {end:g}h{SPINE}", "cap", id=f"cap-{place}"))
    return drawn


def away(x: float, y: float, skip: Skip) -> Element:
    """In a row that another tape recorded: this one skipped the op."""
    tip = element("title", f"skipped: {skip.why}")
    return group(tip, element("rect", x=x + 4.5, y=y + 8.5, width=15, height=DENSE - 17, cls="k-skip"))


def _rails(x: float, top: float, bottom: float) -> str:
    return f"M{x + 0.5:g} {top:g}V{bottom:g}M{x + SPINE - 0.5:g} {top:g}V{bottom:g}"


def _heir(story: Story, lane: Lane) -> bool:
    """Whether another tape had the spine before."""
    return any(other.column == lane.column for other in story.lanes[: story.lanes.index(lane)])


def _top(story: Story, layout: Layout, lane: Lane) -> float:
    rows = [layout.tops[row.id] for row in story.rows if lane.tape in row.numbers or lane.tape in row.skips]
    return rows[0] - 4 if _heir(story, lane) and rows else HEAD


def _end(story: Story, layout: Layout, lane: Lane) -> float | None:
    """Below the last row of the tape's `with` block, where rows follow that it did not hear; None if none does."""
    heard = [row for row in story.rows if lane.closed is None or row.step <= lane.closed]
    if lane.closed is None or len(heard) == len(story.rows):
        return None
    last = heard[-1] if heard else None
    return (layout.tops[last.id] + layout.heights[last.id] if last else HEAD) + CAP

"""GraphView: the computation graph of a tape, values flowing down and gradients flowing back up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, combinations
from typing import Any

from minitape.trace import Trace

from ..player.picture import DONE, FUTURE, Head, Picture, Step, Storyboard
from ..player.player import Player, still
from ..player.svg import CODE, Element, columns, group, path, rect, text
from . import dot, layers
from .draw import Drawing, Opener
from .layers import Places
from .nodes import View, view
from .sentences import caption, sentence, summary, table
from .story import Story, tell

PANE, LINE, TOP, MOST = 376, 24, 32, 36  # the program: its room, a line's pitch, the first line, the columns shown
NARROW, PAGE, SPINE = 528.0, 936.0, 212.0  # the graph's room, below the program; where its spine likes to stand
APART, BRANCHES = (1.3, 0.95, 0.5), 2  # inches between nodes: the first where more ops than this are off the spine
BETWEEN = (76, 40)  # pixels between nodes in our own layout
ALL, EACH, NODES = 3, 12, 60  # up to ALL scopes open in any combination, up to EACH one at a time; NODES in an open one
FINER = 'a finer layout needs Graphviz: pip install "minitape[lab]"'


class GraphView(Player):
    """Plays the graph that a tape recorded: values go down it, gradients come back up, and what stops them is shown.

    Args:
        seen: what `with minitape.observe() as seen:` gave.
        scopes: names for lines of the observed block, `{"layer 1": (2, 3)}`: each is drawn as one node, which a click
            opens. The calls of a layer and the rounds of a long loop become such nodes by themselves.
        title: the words above the picture.

    `dot` is the graph in the DOT language, the same on every machine. In a notebook the nodes stand where Graphviz
    places them (the program of `MINITAPE_DOT`, else `dot` on the PATH, else the package graphviz-pure); the still
    picture, and all pictures where there is no Graphviz, have our own layout. Of more than 300 nodes, lines and then
    whatever stands side by side are folded together.

    Raises:
        TypeError: `seen` is not a trace.

    >>> import minitape as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.observe() as seen:
    ...     with tf.GradientTape() as tape:
    ...         y = tf.square(x)
    ...     grad = tape.gradient(y, x)
    >>> graph = GraphView(seen)
    >>> graph.steps
    2
    >>> '"leaf-1" -> "op-1"' in graph.dot
    True
    """

    def __init__(
        self, seen: Trace, *, scopes: Mapping[str, int | tuple[int, int]] | None = None, title: str = "The graph"
    ) -> None:
        if not isinstance(seen, Trace):
            raise TypeError(
                f"GraphView draws a trace, and this is a {type(seen).__name__}\n"
                "make one: with minitape.observe() as seen: ...  then GraphView(seen)"
            )
        self._story, self._title = tell(seen, scopes), title
        self.dot = dot.source(view(self._story))
        super().__init__(draw(self._story, title, finer=True))

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget; the still picture, in the layout that is the same everywhere; the table and the DOT text."""
        data, metadata = super()._repr_mimebundle_(**kwargs)
        image = still(draw(self._story, self._title, finer=False))
        return {**data, "text/html": image, "text/plain": f"{self.text}\n\n{self.dot.rstrip()}"}, metadata


def draw(story: Story, title: str, *, finer: bool) -> Picture:
    """The picture of a story: all scopes folded, and a variant for each way of opening some that is offered."""
    opens = _opens(story)
    at = {scopes: choice for choice, scopes in enumerate(opens)}
    pictures = [_picture(story, title, scopes, at, finer) for scopes in opens]
    first = pictures[0]
    if len(pictures) == 1:
        return first
    return Picture(**{**_fields(first), "chosen": True, "variants": tuple(pictures)})


def _fields(picture: Picture) -> dict[str, Any]:
    return {name: getattr(picture, name) for name in Picture.__dataclass_fields__}


def _opens(story: Story) -> list[frozenset[int]]:
    """Which scopes are open in each variant; the first has none."""
    small = [number for number, scope in enumerate(story.scopes) if len(scope) <= NODES]
    if len(story.scopes) <= ALL:
        sets = chain.from_iterable(combinations(small, many) for many in range(len(small) + 1))
        return [frozenset(numbers) for numbers in sets]
    return [frozenset(), *(frozenset({number}) for number in small[:EACH])]


def _picture(story: Story, title: str, open: frozenset[int], at: Mapping[frozenset[int], int], finer: bool) -> Picture:
    """One variant: the program at the left, or its current line above where there is no room, and the graph."""
    seen = view(story, open)
    turn: Opener = lambda number: at.get(open ^ {number}, at.get(frozenset({number}) - open))  # noqa: E731
    graph, board = _drawn(seen, turn, finer)
    wide = graph.wide
    broad = wide > NARROW
    shift = -graph.left + 8 if broad else max(-graph.left + 8, min(SPINE, NARROW - 8 - graph.right))
    notes = _notes(story, seen, finer)
    down = max(0.0, -graph.top)
    parts = [group(graph.parts, transform=f"translate({shift:g} {down:g})")]
    for number, words in enumerate(notes):
        parts.append(text(8, graph.bottom + down + 24 + 16 * number, words, "s q", most=int(wide / 6) if broad else 84))
    bottom = graph.bottom + down + 16 + 16 * len(notes)
    pane, under = _program(story, board)
    current = _current(story, board)
    if broad:
        indent = max(0.0, (PAGE - wide) / 2)  # in the middle of the page
        drawing: tuple[Element, ...] = (
            _panel((32, 0), (16, 0), current),
            _panel((32 + indent, 40), (16, 40), parts),
        )
    else:
        drawing = (
            group(group(pane, transform="translate(32 0)"), cls="wide-only"),
            group(_panel((16, 0), (16, 0), current), cls="narrow-only"),
            _panel((432, 0), (16, 40), parts),
        )
    return Picture(
        name="graph",
        title=sentence(story),
        drawing=drawing,
        wide=(bottom + 40 if broad else max(under, bottom)) + 16,
        narrow=bottom + 56,
        steps=tuple(Step(beat.kind, caption(story, beat)) for beat in story.beats)
        or (Step("none", ("nothing to draw: no tape heard an op",)),),
        timelines=board.timelines(),
        text=f"{sentence(story)}\n\n{table(story)}",
        head=Head(title, summary(story)),
        chosen=len(at) > 1,
        least=wide + 64 if broad else 0,
    )


def _drawn(seen: View, turn: Opener, finer: bool) -> tuple[Drawing, Storyboard]:
    """A view drawn in the first layout that fits the page, or in the last one."""
    for places in _layouts(seen, finer):
        board = Storyboard()
        drawing = Drawing(seen, places, board, turn)
        if drawing.wide <= PAGE:
            break
    return drawing, board


def _layouts(seen: View, finer: bool) -> Iterator[Places]:
    """Graphviz's layouts of a view, each nearer together than the one before; where there are none, ours."""
    many = sum(bool(node.ops) for node in seen.nodes) - len(seen.spine) > BRANCHES
    words, none = dot.source(seen), True
    for apart in APART[not many :] if finer else ():
        places = dot.place(seen, words, apart)
        if places is None:
            break
        none = False
        yield places
    if none:
        yield from (layers.place(seen, between) for between in BETWEEN)


def _panel(wide: tuple[float, float], narrow: tuple[float, float], parts: list[Element]) -> Element:
    style = f"--nx:{narrow[0]:g}px;--ny:{narrow[1]:g}px"
    return group(parts, cls="panel", transform=f"translate({wide[0]:g} {wide[1]:g})", style=style)


def _notes(story: Story, seen: View, finer: bool) -> list[str]:
    """What stands below: which nodes are several ops, and how to get a finer picture."""
    folded = [scope.label for number, scope in enumerate(story.scopes) if number not in seen.open]
    named = ", ".join(folded[:3]) + (f" and {len(folded) - 3} more" if len(folded) > 3 else "")
    notes = [f"folded: {named}"] if folded else []
    return [*notes, FINER] if finer and story.ops and dot.find() is None else notes


# --- the program -----------------------------------------------------------------------------------------------------


def _lines(story: Story) -> list[tuple[int, int | None, int | None]]:
    """For each step: its number, its line, and the line that asked for the way back."""
    asked = story.asked.line if story.asked else None
    rows = []
    for step, beat in enumerate(story.beats, 1):
        line = beat.ops[0].ran.line if beat.ops else asked
        rows.append((step, line, asked if beat.back and line != asked else None))
    return rows


def _program(story: Story, board: Storyboard) -> tuple[list[Element], float]:
    """The lines with a ring on the current one, a triangle at the one that asked for the gradient, and the legend."""
    drawn, reached = [text(0, 16, "Program", "b")], 0
    lines = [line.expandtabs(4).rstrip() for line in story.lines]
    width = max(302.0, min(max(map(columns, lines), default=0), MOST) * CODE + 50)
    for step, line, caller in _lines(story):
        for passed in range(reached + 1, min(line or 0, len(lines)) + 1):
            board.show(f"line-{passed}", step)
        asked = story.asked.line if story.asked and caller else 0
        for passed in range(reached + 1, min(asked or 0, len(lines)) + 1):
            board.show(f"line-{passed}", step)
        reached = max(reached, line or 0, asked or 0)
        if line is not None and line <= len(lines):
            board.ring(f"line-{line}", step)
        if story.asked and story.asked.line:
            board.set("caller", DONE if caller else FUTURE, step)
    for number, code in enumerate(lines, 1):
        y = TOP + LINE * (number - 1)
        board.moments.setdefault(f"line-{number}", {}).setdefault((max(len(story.beats), 1), 0), DONE)
        words = (text(36, y + 16, str(number), "c q e"), text(48, y + 16, code, "c", most=MOST))
        drawn.append(group(*words, rect(12, y, width, LINE, "cur", rx=4), id=f"line-{number}", cls="line"))
    if story.asked and story.asked.line and story.asked.line <= len(lines):
        y = TOP + LINE * (story.asked.line - 1)
        drawn.append(path(f"M2 {y + 7:g}l6 5l-6 5z", "k-ink", id="caller"))
    if not lines:
        drawn.append(text(0, TOP + 16, "the program's text is not at hand", "q"))
    y = TOP + LINE * max(len(lines), 1) + 32
    return [*drawn, *_legend(story, y)], y + 4 * LINE


def _legend(story: Story, y: float) -> list[Element]:
    rows = [("wire is-done", "M12 0H42", "M48 0l-6 3.6v-7.2z", "value, forward: down")]
    if story.answered:
        rows.append(("wire back is-done", "M18 0H48", "M12 0l6 3.6v-7.2z", "gradient, backward: up"))
        rows.append(("wire unused is-done", "M12 0H48", "", "no gradient goes here"))
    drawn = []
    for number, (cls, line, head, words) in enumerate(rows):
        place = f"translate(0 {y + LINE * number:g})"
        tips = [path(head, "tip")] if head else []
        drawn.append(group(group(path(line, "way"), tips, cls=cls), text(60, 4.5, words, ""), transform=place))
    if story.answered:
        at = y + LINE * len(rows) + 4.5
        drawn += [text(12, at, "|g|", "c gi"), text(60, at, "the largest entry of a gradient, by size")]
    return drawn


def _current(story: Story, board: Storyboard) -> list[Element]:
    """Where there is no room for the program: the line that is running."""
    drawn: list[Element] = [rect(0, 0, NARROW, LINE, "box", rx=4)] if story.lines else []
    used = {line for _, line, _ in _lines(story) if line is not None and line <= len(story.lines)}
    for number in sorted(used):
        code = story.lines[number - 1].strip()
        id = f"running-{number}"
        drawn.append(group(text(28, 16, str(number), "c q e"), text(40, 16, code, "c", most=60), id=id))
    for step, line, _ in _lines(story):
        if line in used:
            board.flash(f"running-{line}", step)
    return drawn

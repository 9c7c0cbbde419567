"""A graph in words: the numbers beside its arrows, the captions, the sentence, and the text table."""

from __future__ import annotations

from minitape.trace import Passed, Value

from .. import words
from ..player.picture import Caption, Code
from ..player.svg import columns, cut
from .story import Beat, Flow, Op, Story, story_scope

ROOM, SHORT = 12, 7  # columns of numbers beside an arrow, and of a single one
EXPRESSION = 40  # columns of an expression in a caption
ROWS = 200  # ops that the table has


def shown(value: Value) -> str:
    """A value beside an arrow: its numbers where they are short, else its shape."""
    return _number(value) if _brief(value) else str(value.shape)


def slope(values: list[Value]) -> str:
    """Gradients beside an arrow: their numbers where they are short, else the largest entry."""
    said = " + ".join(_number(value) for value in values)
    if columns(said) <= ROOM + 8 and all(_brief(value) for value in values):
        return said
    ends = [abs(end) for value in values for end in (value.low, value.high) if end is not None]
    return f"max |g| {max(ends):.2g}" if ends else "max |g| none"


def _number(value: Value) -> str:
    said = words.number(value)
    return f"{value.numbers[0]:.4g}" if value.shape == () and columns(said) > SHORT and value.numbers else said


def _brief(value: Value) -> bool:
    number = words.number(value)
    return value.shape == () or (number.startswith("[") and columns(number) <= ROOM)


def expression(op: Op) -> Code:
    """What the learner wrote, or the op's name where it was not their line."""
    return Code(cut(words.expression(op.ran), EXPRESSION))


def caption(story: Story, beat: Beat) -> Caption:
    """What happens in a step."""
    if beat.last:
        return _missing(story)
    op = beat.ops[0]
    if len(beat.ops) > 1:
        scope = story_scope(story, op)
        said = f"{scope.name if scope else 'ops'}: {len(beat.ops)} ops"
        return (said, " give their gradients" if beat.back else " ran", *(() if beat.back else _counted(beat)))
    if not beat.back:
        if op.skip is not None:
            return (expression(op), " ran but was not recorded: ", op.skip.why)
        return (expression(op), f" ran and was recorded as entry {op.entry}, with its rule for the way back")
    if isinstance(op.walk, Passed):
        return ("no gradient comes back to ", expression(op), ": entry ", str(op.entry), " is passed over")
    flows = [flow for flow in story.flows if flow.op is op]
    to = [_called(flow) for flow in flows if flow.gifts]
    cuts = [_called(flow) for flow in flows if flow.cut]
    gradients = "the gradient of its result" if len(op.ran.outputs) == 1 else "the gradients of its results"
    gives = (" into ", *_listed(to, "those of " if len(to) > 1 else "that of ")) if to else (": no source needs it",)
    end: Caption = ("; the way into ", *_listed(cuts), " is cut") if cuts else ()
    return (Code(op.ran.op), f" turns {gradients}", *gives, *end)


def _counted(beat: Beat) -> Caption:
    skipped = sum(op.entry is None for op in beat.ops)
    return (f", {skipped} of them skipped" if skipped else " and were recorded",)


def _called(flow: Flow) -> Code:
    return Code(cut(words.name(flow.value), 24))


def _listed(names: list[Code], before: str = "") -> Caption:
    pieces: list[str] = [before] if before else []
    for place, name in enumerate(names):
        pieces += ([] if not place else [" and " if place == len(names) - 1 else ", "]) + [name]
    return tuple(pieces)


def _missing(story: Story) -> Caption:
    assert story.answered is not None
    pairs = zip(story.answered.sources, story.answered.gradients, strict=False)
    lost = [Code(cut(words.name(source), 24)) for source, gradient in pairs if gradient is None]
    return (
        "no road leads back to ",
        *_listed(lost),
        ": ",
        "its gradient is" if len(lost) == 1 else "they get",
        " None",
    )


def sentence(story: Story) -> str:
    """The graph in one sentence."""
    if not story.ops:
        return "GraphView: no tape heard an op"
    said = f"GraphView: {summary(story)}"
    if story.answered:
        targets = " + ".join(words.name(target) for target in story.asked.targets) if story.asked else ""
        reached = sum(gradient is not None for gradient in story.answered.gradients)
        sources = words.count(len(story.answered.sources), "source")
        said += f"; the gradient of {targets} reaches {words.count(reached)} of {sources}"
    cuts = sum(flow.cut for flow in story.flows)
    return said + (f"; {words.count(cuts, 'road')} cut" if cuts else "")


def summary(story: Story) -> str:
    """How many ops, and how many of them were skipped."""
    skipped = len(story.skipped)
    some = f", {words.count(skipped)} of them skipped" if skipped else ""
    return words.count(len(story.ops), "operation") + some


def table(story: Story) -> str:
    """The graph as a text table: each op, what went in, and the gradients that came back for it."""
    rows = []
    by_op: dict[int, list[Flow]] = {}
    for flow in story.flows:
        by_op.setdefault(flow.op.number, []).append(flow)
    for op in story.ops[:ROWS]:
        flows = by_op.get(op.number, [])
        into = ", ".join(f"{words.name(flow.value)} {shown(flow.value)}".replace("\n", " ") for flow in flows)
        back = [
            f"{words.name(flow.value)}: {slope(flow.gifts) if flow.gifts else 'cut'}"
            for flow in flows
            if flow.gifts or flow.cut
        ]
        out = ", ".join(shown(value) for value in op.ran.outputs)
        mark = str(op.entry) if op.entry is not None else "-"
        rows.append([mark, cut(op.ran.op, 24), cut(into, 48), "-> " + out, cut("; ".join(back), 48)])
    if not rows:
        return "Graph: no ops"
    wide = [max(columns(row[at]) for row in rows) for at in range(5)]
    lines = []
    for row in rows:
        cells = [cell + " " * (width - columns(cell)) for cell, width in zip(row, wide, strict=True)]
        lines.append("  " + "  ".join([cells[0].strip().rjust(wide[0]), *cells[1:]]).rstrip())
    head = "Graph (number: entry on the tape, -: skipped; after ->: result; then the gradients that it gives)"
    rest = len(story.ops) - len(rows)
    return "\n".join([head, *lines, *([f"  and {rest} more"] if rest else [])])

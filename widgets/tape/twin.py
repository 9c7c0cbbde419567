"""The tape as a text table: what a notebook shows where there is no picture, and what its tests compare."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import zip_longest

from minitape.trace import Passed, Rerun

from .. import words
from ..player.svg import columns, cut
from .layout import passed
from .story import Call, Row, Story, Walk

STATEMENT, FLOW = 40, 48  # columns
LISTED = 200  # ops; of more only the number is told
ANSWERS = 8  # gradients in one line; of more only the number is told
TERMS = 8  # of a longer sum only the first and the last terms are printed


def title(story: Story) -> str:
    """One sentence: what is on the tape and what came back."""
    kept, skipped = story.kept, story.skipped
    tapes = [(lane.name, sum(row.many for row in story.rows if lane.tape in row.numbers)) for lane in story.lanes]
    if story.tape is None:
        said = "no tape listened"
    elif not story.rows:
        said = "an empty tape"
    elif story.several:
        said = words.listed([f"{words.count(many, 'op')} on {name}" for name, many in tapes])
        said += f", {words.count(skipped)} skipped" if skipped else ""
    else:
        said = f"{words.count(kept, 'op')} on the tape" + (f", {words.count(skipped)} skipped" if skipped else "")
    for call in story.calls:
        if call.answered is not None:
            targets = " + ".join(story.said.name(target) for target in call.asked.targets)
            names = [story.said.name(source) for source in call.answered.sources]
            sources = words.listed(names) if len(names) <= ANSWERS else f"{len(names)} values"
            said += f"; the gradient of {targets} for {sources}{_is(call)}"
    return f"TapePlayer: {said}"


def _is(call: Call) -> str:
    """What a call answered, where that is not too much for a line."""
    gradients = call.answered.gradients if call.answered else ()
    return f" is {words.answer(gradients)}" if len(gradients) <= ANSWERS else ""


def mistake(story: Story) -> str:
    """What the way back gives when contributions are written over each other."""
    lines = ["With the bug, = in place of +="]
    for call, right in zip(story.calls, story.right, strict=False):
        if call.answered is not None:
            targets = " + ".join(story.said.name(target) for target in call.asked.targets)
            sources = words.listed([story.said.name(source) for source in call.answered.sources])
            now = words.answer(call.answered.gradients)
            lines.append(f"  the gradient of {targets} for {sources} is {now}, where it should be {right}")
    return "\n".join(lines)


def table(story: Story) -> str:
    """The whole story: the program with its marks, the tape, the ways back, the sums and the answers."""
    blocks = [[title(story)], _program(story), _tape(story)]
    listed = {id(row) for row in story.rows[:LISTED]}
    for call in story.calls:
        blocks += [_back(story, call, listed), _sums(story, call)]
    if story.others:
        blocks.append([f"Not shown: what {words.listed(story.others)} recorded"])
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)


def _program(story: Story) -> list[str]:
    if not story.lines:
        return []
    marks: dict[int, list[str]] = {}
    for row in story.rows:
        if row.ran.line:
            marks.setdefault(row.ran.line, []).append(_number(row))
    answers: dict[int, str] = {}
    for call in story.calls:
        if call.answered is not None and call.answered.line:
            answers[call.answered.line] = _is(call).removeprefix(" is ") or f"{len(call.answered.gradients)} gradients"
    rows = []
    for number, line in enumerate(story.lines, 1):
        mark = marks.get(number, [])
        shown = ",".join(mark) if len(mark) < 4 else f"{mark[0]}..{mark[-1]}"
        code = line.expandtabs(4).rstrip()
        rows.append(
            [f"[{shown}]" if mark else "", str(number), code + (f"  # {answers[number]}" if number in answers else "")]
        )
    return ["Program ([1] is entry 1, [-] was skipped)", *_aligned(rows, right={0, 1})]


def _tape(story: Story) -> list[str]:
    if not story.rows:
        return ["Tape: no entries"]
    tapes = range(story.columns)
    rows = []
    if story.several:
        rows.append([next(lane.name for lane in story.lanes if lane.column == at) for at in tapes])
    for row in story.rows[:LISTED]:
        flow = " ".join(story.said.brief(row.ran, FLOW))
        numbers = [_place(story, row, at) for at in tapes]
        rows.append([*numbers, cut(story.said.statement(row.ran), STATEMENT), cut(flow, FLOW), _note(story, row)])
    hidden = len(story.rows) - LISTED
    more = [f"  and {_spaced(hidden)} more"] if hidden > 0 else []
    return ["Tape, written downwards", *_aligned(rows, right=tapes), *more]


def _number(row: Row) -> str:
    """An entry's number, or a dash."""
    return "-" if row.number is None else row.span(row.number)


def _place(story: Story, row: Row, column: int) -> str:
    """The entry's number on the tape of a column; a dash where that one skipped it, nothing where it did not listen."""
    tapes = [lane.tape for lane in story.lanes if lane.column == column]
    numbers = [row.span(row.numbers[tape]) for tape in tapes if tape in row.numbers]
    return numbers[0] if numbers else "-" if any(tape in row.skips for tape in tapes) else ""


def _note(story: Story, row: Row) -> str:
    if row.skip is not None:
        word = "not kept" if row.skip.reason == "recompute_grad" else "skipped"
        return f"{word}: {' '.join(row.skip.why.split())}"
    saved = ", ".join(story.said.saves(row.ran)) or "nothing"
    more = {"custom_gradient": "; a rule of your own", "recompute_grad": "; will run again"}.get(
        row.ran.custom or "", ""
    )
    if row.born and story.several:
        more += f"; from the way back of {row.born[0].name} through its entry {row.born[1]}"
    if row.cleared:
        new = any(lane.tape in row.numbers and lane.gone == row.cleared for lane in story.lanes)
        more += "; gone with its tape" if new else "; forgotten by reset"
    return f"saves {saved}{more}"


def _back(story: Story, call: Call, listed: set[int]) -> list[str]:
    targets = " + ".join(story.said.name(target) for target in call.asked.targets)
    rows: list[list[str]] = []
    hidden = sum(id(walk.row) not in listed for walk in call.walks)
    for walk in call.walks:
        if id(walk.row) in listed:
            rows.extend(_walk(story, call, walk))
    of = f" of {call.name}" if story.several else ""
    return [f"The way back{of} from {targets}, read upwards", *_more(hidden), *_aligned(rows, right={0})]


def _more(hidden: int) -> list[str]:
    entries = "1 entry that is" if hidden == 1 else f"{_spaced(hidden)} entries that are"
    return [f"  {entries} not listed here, then"] if hidden else []


def _spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def _walk(story: Story, call: Call, walk: Walk) -> Iterable[list[str]]:
    number, said = walk.row.span(walk.event.entry), cut(story.said.statement(walk.row.ran), STATEMENT)
    event = walk.event
    if isinstance(event, Passed):
        return [[number, said, passed(walk)]]
    letter = "dy" if event.custom == "custom_gradient" else "g"
    came = [
        f"{letter} = {story.said.derivative(call.asked.targets, output)} = {words.number(value)}"
        for output, value in zip(event.outputs, event.upstream, strict=False)
    ]
    again = [f"run {run.run} of {run.name}" for run in walk.runs if isinstance(run, Rerun)]
    lines = [*came, *again]
    for gift in event.gifts:
        rule = story.said.shortened(" ".join(gift.rule.split()), (*walk.row.ran.inputs, *event.outputs))
        calc, value = " ".join(gift.calc.split()), words.number(gift.value)
        worked = f" = {calc}" if calc and calc != value else ""
        lines.append(f"{story.said.derivative(call.asked.targets, gift.to)} {story.sign} {rule}{worked} = {value}")
    if event.freed:
        lines.append(f"frees {', '.join(story.said.name(value) for value in event.freed)}")
    return [[number, said, lines[0]], *(["", "", line] for line in lines[1:])] if lines else [[number, said, ""]]


def _sums(story: Story, call: Call) -> list[str]:
    sums: dict[int, list[str]] = {}
    names: dict[int, str] = {}
    for source in call.asked.sources:
        sums[source.id], names[source.id] = [], story.said.name(source)
    for target, seed in zip(call.asked.targets, call.asked.seeds, strict=False):
        if target.id in sums:
            sums[target.id].append(words.number(seed))
    for walk in call.walks:
        for gift in () if isinstance(walk.event, Passed) else walk.event.gifts:
            if gift.to.id in sums:
                sums[gift.to.id].append(words.number(gift.value))
    if call.answered is None:
        return ["No answer: the way back did not come to its end"]
    targets = call.asked.targets
    rows = []
    for source, gradient in zip(call.answered.sources, call.answered.gradients, strict=False):
        terms = sums.get(source.id, [])
        total = "None" if gradient is None else words.number(gradient)
        if len(terms) > TERMS:
            terms = [*terms[: TERMS - 2], f"({len(terms) - TERMS + 1} more)", terms[-1]]
        between = ", then " if story.buggy else " + "
        worked = f"{between.join(terms)} = {total}" if len(terms) > 1 else total
        why = "" if gradient is not None else "  (no road on the tape leads here)"
        rows.append([f"{story.said.derivative(targets, source)} = {worked}{why}"])
    more = [f"  and {_spaced(len(rows) - LISTED)} more"] if len(rows) > LISTED else []
    return ["Answer", *_aligned(rows[:LISTED]), *more]


def _aligned(rows: list[list[str]], right: Collection[int] = ()) -> list[str]:
    """Rows in columns, two spaces in and two apart; the last column is as long as it likes."""
    widths = [max(map(columns, cells)) for cells in zip_longest(*rows, fillvalue="")]
    lines = []
    for row in rows:
        cells = []
        for at, cell in enumerate(row):
            space = " " * (widths[at] - columns(cell))
            cells.append(space + cell if at in right else cell + space)
        lines.append("  " + "  ".join(cells))
    return lines

"""The sentence of each step. The player shows it, a screen reader speaks it, the static picture ends with it."""

from __future__ import annotations

from collections.abc import Sequence

from minitape.trace import (
    Answered,
    Asked,
    Cleared,
    Entered,
    Event,
    Made,
    Passed,
    Paused,
    Ran,
    Rerun,
    Rested,
    Value,
    Walked,
    Watched,
)

from .. import words
from ..player.picture import Caption, Code
from ..player.svg import cut
from .story import Beat, Call, Row, Story

MOST = 40  # columns of a piece of code in a caption


def caption(story: Story, beat: Beat) -> Caption:
    """What happens in one step of a TapePlayer."""
    event = beat.events[-1]
    match event:
        case Ran(again=True):
            return (_code(story.said.expression(event)), " ran again, because its first run kept nothing")
        case Ran() if beat.call is not None:
            return ("your rule runs: ", _code(story.said.expression(event)), " gives ", _numbers(event.outputs))
        case Ran():
            return _ran(story, beat, event)
        case Asked() if beat.call is not None:
            return _asked(story, beat.call, event)
        case Answered() if beat.call is not None:
            return _answered(story, beat.call, event)
        case Walked() if beat.row is not None:
            return _walked(story, beat.row, event)
        case Passed() if beat.row is not None:
            names = [story.said.name(value) for value in beat.row.ran.outputs]
            passed = "is passed over" if beat.row.many == 1 else "are passed over"
            return (f"{_entry(story, beat.row, event)} {passed}: no gradient came for ", *_list(names, "or"))
        case Rerun(name=name, run=run):
            if run == 1:
                return (f"run {run} of ", _code(name), " begins: the tape keeps nothing of what happens inside")
            return (f"run {run} of ", _code(name), " begins: the way back needs what run 1 did not keep")
        case Rested(name=name, run=run):
            if run == 1:
                return (f"run {run} of ", _code(name), " is done: what it worked out on its way is let go")
            return (f"run {run} of ", _code(name), " is done: what it worked out is there for the way back")
    return _plain(story, beat)


def _code(words_: str) -> Code:
    return Code(cut(" ".join(words_.split()), MOST))


def _name(story: Story, value: Value) -> Code:
    return _code(story.said.name(value))


def _list(names: list[str], last: str = "and") -> list[str]:
    """Names as code, with commas and the last word between them."""
    pieces: list[str] = []
    for place, name in enumerate(names):
        if place:
            pieces.append(f" {last} " if place == len(names) - 1 else ", ")
        pieces.append(_code(name))
    return pieces


def _numbers(values: tuple[Value, ...]) -> str:
    return cut(", ".join(words.number(value) for value in values), 24)


def _plain(story: Story, beat: Beat) -> Caption:
    """A line that is not an op."""
    told = _told(story, beat.events)
    if beat.line is None or beat.line > len(story.lines):
        return tuple(told) or ("not an op",)
    code = Code(cut(story.lines[beat.line - 1].strip().removesuffix(":"), MOST))
    return (f"line {beat.line}, ", code, ": not an op", *(["; ", *told] if told else []))


def _told(story: Story, events: list[Event]) -> list[str]:
    """What a line without an op did."""
    pieces: list[str] = []
    watched = list(dict.fromkeys(story.said.name(event.value) for event in events if isinstance(event, Watched)))
    for event in events:
        said: list[str] = []
        match event:
            case Made(value=value):
                said = [_name(story, value), " is ", cut(words.number(value), 24)] if story.said.named(value) else []
            case Entered(name=name):
                said = [_code(name), " listens from here on"]
            case Watched(value=value) if story.said.name(value) == watched[0]:
                said = [_watchers(story, events), *(_list(watched) if len(watched) < 4 else [f"{len(watched)} values"])]
            case Paused():
                said = ["the recording stops"]
            case Cleared():
                said = ["the tape forgets all its entries"]
            case Asked():
                said = ["the way back of another tape"]
        if said and len([piece for piece in pieces if piece == "; "]) < 2:
            pieces += [*(["; "] if pieces else []), *said]
    return pieces


def _ran(story: Story, beat: Beat, event: Ran) -> Caption:
    said = _code(story.said.expression(event))
    if beat.row is None:
        return (said, " ran, and no tape was listening")
    if beat.row.skip is not None:
        why = " ".join(beat.row.skip.why.split())
        if beat.row.skip.reason == "recompute_grad":
            return (said, " ran, and the tape kept nothing of it: ", why)
        return (said, " ran but was not recorded: ", why)
    ran = f" ran on the way back of {beat.row.born[0].name} and" if beat.row.born and story.several else ""
    recorded = f"{ran} was recorded as {_entries(story, beat.row)}"
    if event.custom == "custom_gradient":
        recorded += ", with a rule of your own"
    kept = story.said.saves(event)
    if not kept:
        saved = ["; it needs to save nothing"]
    elif len(", ".join(kept)) > 48:
        saved = [
            "; it saves ",
            *_list([story.said.name(value) for value in event.saves[:4]]),
            *([f" and {len(kept) - 4} more"] if len(kept) > 4 else []),
            " for the way back",
        ]
    else:
        saved = ["; it saves ", Code(", ".join(kept)), " for the way back"]
    if event.custom == "recompute_grad":
        saved.append(", and will run again")
    tapes = [lane.tape for lane in story.lanes]
    met = [other for other in beat.events if isinstance(other, Watched) and other.tape in tapes]
    names = list(dict.fromkeys(story.said.name(other.value) for other in met))
    away = [f"; {story.lane(tape).name} skipped it: {skip.why}" for tape, skip in beat.row.skips.items()]
    return (said, recorded, *saved, *away, *(["; ", _watchers(story, met), *_list(names)] if met else []))


def _entries(story: Story, row: Row) -> str:
    """An entry by its number; where several tapes stand side by side, with their names."""
    if not story.several:
        return _numbered(row, row.number or 0)
    tapes: dict[int, list[str]] = {}
    for tape, number in row.numbers.items():
        tapes.setdefault(number, []).append(story.lane(tape).name)
    return words.listed([f"{_numbered(row, number)} of {words.listed(names)}" for number, names in tapes.items()])


def _numbered(row: Row, number: int) -> str:
    """An entry in words; of a folded layer, the first and the last."""
    if row.many == 1:
        return f"entry {number}"
    return f"entries {number} {'and' if row.many == 2 else 'to'} {number + row.many - 1}"


def _entry(story: Story, row: Row, event: Walked | Passed) -> str:
    """The entry that the way back goes through."""
    return _numbered(row, event.entry) + (f" of {story.lane(event.tape).name}" if story.several else "")


def _watchers(story: Story, events: Sequence[Event]) -> str:
    """Who watches from now on."""
    tapes = {event.tape for event in events if isinstance(event, Watched)}
    names = [lane.name for lane in story.lanes if lane.tape in tapes] if story.several else []
    return f"{words.listed(names)} now watch{'es' if len(names) == 1 else ''} " if names else "the tape now watches "


def _asked(story: Story, call: Call, event: Asked) -> Caption:
    starts = f"the way back of {call.name} starts" if story.several else "the way back starts"
    if len(event.targets) == 1 and event.seeds:
        target, seed = event.targets[0], event.seeds[0]
        return (f"{starts}: the gradient of ", _name(story, target), " for itself is ", cut(words.number(seed), 24))
    names = [story.said.name(target) for target in event.targets]
    return (f"{starts} from ", *_list(names), ": the gradient of each for itself comes first")


def _walked(story: Story, row: Row, event: Walked) -> Caption:
    came, through = _numbers(event.upstream), f"back through {_entry(story, row, event)}"
    if event.custom == "custom_gradient":
        pieces = [
            f"{through}, the rule of ",
            _code(event.op),
            ": ",
            Code(f"dy = {came}"),
            " came in",
        ]
        for gift in event.gifts:
            pieces += [", ", cut(words.number(gift.value), 24), " went out to ", _name(story, gift.to)]
        return tuple(pieces)
    pieces = [f"{through}, ", _code(story.said.statement(row.ran)), ": "]
    ids = [gift.to.id for gift in event.gifts]
    values = {words.number(gift.value) for gift in event.gifts}
    if len(ids) == 2 and len(set(ids)) == 1 and len(values) == 1:
        name = _name(story, event.gifts[0].to)
        value = values.pop()
        if story.buggy:
            return (*pieces, name, " was used twice, so it gets ", value, " twice, the second written over the first")
        return (*pieces, name, " was used twice, so it gets ", value, " twice")
    for place, gift in enumerate(event.gifts):
        pieces += [", " if place else "", _name(story, gift.to), " gets ", cut(words.number(gift.value), 24)]
        if not story.buggy and words.number(gift.total) != words.number(gift.value):
            pieces += [" (sum ", cut(words.number(gift.total), 24), ")"]
    return tuple(piece for piece in pieces if piece) if event.gifts else (*pieces, "nothing on the way to a source")


def _answered(story: Story, call: Call, event: Answered) -> Caption:
    said = _answer(story, call, event)
    if not story.buggy:
        return said
    now, right = words.answer(event.gradients), story.right[story.calls.index(call)]
    return (*said, "; with += it is the same" if now == right else f"; with += it is {cut(right, 32)}")


def _answer(story: Story, call: Call, event: Answered) -> Caption:
    pieces: list[str] = ["done: "]
    targets = [story.said.name(target) for target in call.asked.targets]
    pairs = list(zip(event.sources, event.gradients, strict=False))
    if len(pairs) > 1:
        for place, (source, gradient) in enumerate(pairs[:4]):
            said = "None" if gradient is None else words.number(gradient)
            pieces += ["; " if place else "", _name(story, source), " gets ", cut(said, 24)]
        if len(pairs) > 4:
            pieces.append(f"; and {len(pairs) - 4} more")
        return tuple(piece for piece in pieces if piece)
    if not pairs:
        return ("done: no source was asked for",)
    source, gradient = pairs[0]
    if gradient is None:
        return (
            "done: the answer is None, because no road on the tape leads from ",
            *_list(targets),
            " back to ",
            _name(story, source),
        )
    value, came = cut(words.number(gradient), 32), call.came(source.id)
    again = len([walk for walk in call.walks if walk.runs])
    more: Caption = (f"; {words.count(again, 'block')} had to run again",) if again else ()
    heard = {row.born[0].name for row in story.rows if row.born and call.asked.tape in row.numbers}
    if heard and story.several:
        more += (f"; {call.name} had recorded the way back of {words.listed(sorted(heard))}",)
    if came == 0:
        if any(source.id == target.id for target in call.asked.targets):
            return ("done: ", _name(story, source), " is the target itself, and its gradient is ", value)
        return ("done: no contribution reached ", _name(story, source), ", so zeros stand in for None: ", value)
    if came == 1:
        return ("done: one contribution reached ", _name(story, source), ", and it is the gradient, ", value, *more)
    return (
        f"done: {words.count(came, 'contribution')} reached ",
        _name(story, source),
        ", each written over the one before, and the last is the answer, "
        if story.buggy
        else ", and their sum is the gradient, ",
        value,
        *more,
    )

"""The sentence of each step. The player shows it, a screen reader speaks it, the static picture ends with it."""

from __future__ import annotations

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

from . import words
from .picture import Caption, Code
from .svg import cut
from .tape_story import Beat, Call, Row, Story

MOST = 40  # columns of a piece of code in a caption


def caption(story: Story, beat: Beat) -> Caption:
    """What happens in one step of a TapePlayer."""
    event = beat.events[-1]
    match event:
        case Ran(again=True):
            return (_code(words.expression(event)), " ran again, because its first run kept nothing")
        case Ran() if beat.call is not None:
            return ("your rule runs: ", _code(words.expression(event)), " gives ", _numbers(event.outputs))
        case Ran():
            return _ran(story, beat, event)
        case Asked() if beat.call is not None:
            return _asked(event)
        case Answered() if beat.call is not None:
            return _answered(story, beat.call, event)
        case Walked() if beat.row is not None:
            return _walked(beat.row, event)
        case Passed() if beat.row is not None:
            names = [words.name(value) for value in beat.row.ran.outputs]
            return (f"entry {event.entry} is passed over: no gradient came for ", *_list(names, "or"))
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


def _name(value: Value) -> Code:
    return _code(words.name(value))


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
    watched = [words.name(event.value) for event in events if isinstance(event, Watched)]
    for event in events:
        said: list[str] = []
        match event:
            case Made(value=value):
                said = [_name(value), " is ", cut(words.number(value), 24)] if words.FULL.named(value) else []
            case Entered(name=name):
                said = [_code(name), " listens from here on"]
            case Watched(value=value) if words.name(value) == watched[0]:
                said = ["the tape now watches ", *(_list(watched) if len(watched) < 4 else [f"{len(watched)} values"])]
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
    said = _code(words.expression(event))
    if beat.row is None:
        return (said, " ran, and no tape was listening")
    if beat.row.skip is not None:
        if beat.row.skip.reason == "recompute_grad":
            return (said, " ran, and the tape kept nothing of it: ", " ".join(beat.row.skip.why.split()))
        return (said, " ran but was not recorded: ", " ".join(beat.row.skip.why.split()))
    recorded = f" was recorded as entry {beat.row.number}"
    if event.custom == "custom_gradient":
        recorded += ", with a rule of your own"
    kept = words.saves(event)
    if not kept:
        saved = ["; it needs to save nothing"]
    elif len(", ".join(kept)) > 48:
        saved = [
            "; it saves ",
            *_list([words.name(value) for value in event.saves[:4]]),
            *([f" and {len(kept) - 4} more"] if len(kept) > 4 else []),
            " for the way back",
        ]
    else:
        saved = ["; it saves ", Code(", ".join(kept)), " for the way back"]
    if event.custom == "recompute_grad":
        saved.append(", and will run again")
    met = [words.name(other.value) for other in beat.events if isinstance(other, Watched) and other.tape == story.tape]
    return (said, recorded, *saved, *(["; the tape now watches ", *_list(met)] if met else []))


def _asked(event: Asked) -> Caption:
    if len(event.targets) == 1 and event.seeds:
        target, seed = event.targets[0], event.seeds[0]
        return ("the way back starts: the gradient of ", _name(target), " for itself is ", cut(words.number(seed), 24))
    names = [words.name(target) for target in event.targets]
    return ("the way back starts from ", *_list(names), ": the gradient of each for itself comes first")


def _walked(row: Row, event: Walked) -> Caption:
    came = _numbers(event.upstream)
    if event.custom == "custom_gradient":
        pieces = [
            f"back through entry {event.entry}, the rule of ",
            _code(event.op),
            ": ",
            Code(f"dy = {came}"),
            " came in",
        ]
        for gift in event.gifts:
            pieces += [", ", cut(words.number(gift.value), 24), " went out to ", _name(gift.to)]
        return tuple(pieces)
    pieces = [f"back through entry {event.entry}, ", _code(words.statement(row.ran)), ": "]
    ids = [gift.to.id for gift in event.gifts]
    values = {words.number(gift.value) for gift in event.gifts}
    if len(ids) == 2 and len(set(ids)) == 1 and len(values) == 1:
        name = _name(event.gifts[0].to)
        return (*pieces, name, " was used twice, so it gets ", values.pop(), " twice")
    for place, gift in enumerate(event.gifts):
        pieces += [", " if place else "", _name(gift.to), " gets ", cut(words.number(gift.value), 24)]
        if words.number(gift.total) != words.number(gift.value):
            pieces += [" (sum ", cut(words.number(gift.total), 24), ")"]
    return tuple(piece for piece in pieces if piece) if event.gifts else (*pieces, "nothing on the way to a source")


def _answered(story: Story, call: Call, event: Answered) -> Caption:
    pieces: list[str] = ["done: "]
    targets = [words.name(target) for target in call.asked.targets]
    pairs = list(zip(event.sources, event.gradients, strict=False))
    if len(pairs) > 1:
        for place, (source, gradient) in enumerate(pairs[:4]):
            said = "None" if gradient is None else words.number(gradient)
            pieces += ["; " if place else "", _name(source), " gets ", cut(said, 24)]
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
            _name(source),
        )
    value, came = cut(words.number(gradient), 32), call.came(source.id)
    again = len([walk for walk in call.walks if walk.runs])
    more = (f"; {words.count(again, 'block')} had to run again",) if again else ()
    if came == 0:
        if any(source.id == target.id for target in call.asked.targets):
            return ("done: ", _name(source), " is the target itself, and its gradient is ", value)
        return ("done: no contribution reached ", _name(source), ", so zeros stand in for None: ", value)
    if came == 1:
        return ("done: one contribution reached ", _name(source), ", and it is the gradient, ", value, *more)
    return (
        f"done: {words.count(came, 'contribution')} reached ",
        _name(source),
        ", and their sum is the gradient, ",
        value,
        *more,
    )

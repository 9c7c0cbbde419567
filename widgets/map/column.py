"""What stands beside a road map: reasons with their fixes, what each switch would do, or how two runs differ."""

from __future__ import annotations

from .. import words
from ..player.picture import Storyboard, chooser
from ..player.svg import CODE, WORD, Element, columns, panel, path, rect, text
from .breaks import Break
from .flips import Flips, Run, change, reason, unlike
from .frame import TALL, Frame
from .marks import badge
from .roads import Spot

WIDE, ITEM = 368, 48  # the width of the column; the room of one item
Item = tuple[int, str, list[Element]]  # the line it belongs to, its id, its parts


def shown_on(first: Run, run: Run, line: int) -> bool:
    """Whether a switch stands on "on the tape"."""
    return first.on(line) != (line in run.flipped)


def why(
    flips: Flips, run: Run, found: list[Break], frame: Frame, board: Storyboard
) -> tuple[list[Element], tuple[float, float]]:
    """The reasons and the switches, each beside its line; below each other where it is narrow."""
    none = any(gradient is None for _, _, gradient in run.roads.sources) and not run.flipped
    items: list[Item] = [(end.row, f"why-{number}", _reason(number, end)) for number, end in enumerate(found, 1)]
    if none:
        head, sub = "Where a road ends, why, and the fix", "None means: no road on the tape. It is not zero."
        items += [(spot.row or 1, f"whole-{spot.id}", said) for spot, said in _whole(run)]
    elif flips.lines:
        head, sub = _heading(run), "Off means: inside tape.stop_recording(). Before \N{RIGHTWARDS ARROW} after:"
        sub = sub.replace("tape.", f"{run.roads.story.name}.") if len(run.roads.story.name) < 12 else sub
        told = {row for row, _, _ in items}
        items += [(line, f"flip-{line}", _flip(flips, run, line)) for line in flips.lines if line not in told]
    else:
        head = "No switches"
        sub = flips.block.trouble or ("nothing asked for a gradient" if run.roads.call is None else "no line to switch")
    for _, id, _ in items:
        if run.roads.call and run.roads.call.end and id.startswith(("why", "whole")) and not run.flipped:
            board.show(id, run.roads.call.end)
    return column(frame, items, text(0, 16, head, "b", most=48), text(0, 40, sub, "q", most=60))


def column(frame: Frame, items: list[Item], *head: Element) -> tuple[list[Element], tuple[float, float]]:
    """Items beside their lines, or below each other where it is narrow, and how tall that is."""
    drawn = list(head)
    wide = narrow = 56.0
    for row, id, parts in sorted(items, key=lambda item: item[0]):
        level = max(frame.y(row) - frame.pitch / 2, wide)
        drawn.append(panel(id, (0, level), (0, narrow), parts))
        wide, narrow = level + (40 if frame.pitch == TALL else ITEM), narrow + ITEM
    return drawn, (wide, narrow)


def _heading(run: Run) -> str:
    call = run.roads.call
    if call is None or len(run.roads.sources) != 1:
        return "Flip one switch, and the gradients change"
    return f"Flip one switch, and {words.derivative(call.asked.targets, run.roads.sources[0][0])} changes"


def _rule() -> Element:
    return path(f"M0 -.5H{WIDE}", "hair")


def _gain(before: str, after: str) -> tuple[str, int]:
    said = f"{before} \N{RIGHTWARDS ARROW} {after}" if after else ""
    return said, columns(said)


def _reason(number: int, end: Break) -> list[Element]:
    """What closes a road; below it the fix as code, and the gradient before and after."""
    gain, wide = _gain(end.before, end.after)
    room = int((WIDE - 64 - (wide + 1) * CODE) // CODE)
    parts = [_rule(), *badge(number, 8, 12), text(24, 15, end.what, "", most=int((WIDE - 24) // (WORD - 0.6)))]
    if end.fix:
        parts += [text(24, 32, end.where, "s q"), text(64 if end.where else 24, 32, end.fix, "c", most=room)]
        after = 64 + columns(end.fix) * CODE + 12
        if end.note and after + len(end.note) * 5.6 < WIDE - (wide + 1) * CODE:
            parts.append(text(after, 32, end.note, "s q"))
    if gain:
        parts.append(text(WIDE, 32, gain, "c b e"))
    return parts


def _whole(run: Run) -> list[tuple[Spot, list[Element]]]:
    """The sources that are reached, each with its road."""
    found = []
    for value, spot, gradient in run.roads.sources:
        if gradient is None:
            continue
        names, at = [spot.name], spot
        while True:
            on = next((road for road in run.roads.of(at) if road.strands), None)
            if on is None:
                break
            at = on.end
            names.append(at.name)
        said = words.number(gradient)
        rate = f"{words.derivative(run.roads.call.asked.targets, value)} = {said}" if run.roads.call else said
        line = f"{words.name(value)} has a whole road: {', '.join(reversed(names))}."
        parts = [
            _rule(),
            text(24, 15, line, "", most=42),
            text(24, 32, rate, "q", most=46),
            text(WIDE, 15, said, "c gi bold e", most=12),
        ]
        found.append((spot, parts))
    return found


def _flip(flips: Flips, run: Run, line: int) -> list[Element]:
    """What flipping one switch would give."""
    after = flips.after(run, line)
    gain, _ = _gain(*change(run, after))
    on = shown_on(flips.order[0], run, line)
    return [
        _rule(),
        text(0, 15, f"line {line} {'off' if on else 'on'}"),
        text(WIDE, 15, gain, "c b e", most=38),
        text(0, 32, reason(run, after, line), "q", most=int(WIDE // (WORD - 0.7))),
    ]


def other_run(at: int) -> tuple[Element, Element]:
    """The heading of a comparison, and the button that leads to the other run."""
    here, there = ("first", "second") if at == 0 else ("second", "first")
    said = f"show the {there} run"
    box = rect(0.5, 24.5, len(said) * WORD + 16, 24, "button", rx=4)
    head = text(0, 16, f"Two runs; this is the {here}", "b")
    return head, chooser(1 - at, box, text(8, 41, said), id="other", label=said)


def differences(first: Run, second: Run) -> list[Item]:
    """The lines that one run recorded and the other did not, or that are not the same; and the two gradients."""
    items: list[Item] = []
    for line, before, after in unlike(first, second):
        parts = [_rule(), text(0, 15, f"line {line}"), text(0, 32, f"{before}, then {after}", "q", most=54)]
        items.append((line, f"unlike-{line}", parts))
    before, after = change(first, second)
    gain, _ = _gain(before, after)
    last = max(first.roads.end, second.roads.end)
    said = "the gradient changes" if before != after else "the gradient is the same"
    items.append((last, "unlike-gradient", [_rule(), text(0, 15, said), text(WIDE, 15, gain, "c b e", most=30)]))
    return items

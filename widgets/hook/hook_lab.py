"""HookLab: a backward rule of your own under the lens, beside the true derivative."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from minitape.trace import Trace

from ..player.picture import Picture, Step, Storyboard
from ..player.player import Player
from ..player.svg import group, text
from . import sentences
from .calls import Call, calls, given
from .charts import Charts
from .curves import SLOW, Curve, graph, train
from .draw import draw as draw_lens
from .lens import NARROW, WIDE, Lens
from .measure import Measured, measure, setting
from .source import source


class HookLab(Player):
    """Puts backward rules of your own under the lens: dy in, the rule's source, gradients out, the true slope beside.

    The true slope is measured: each entry of the input is nudged up and down, in float64 where the function bears it.
    A rule agrees with it, differs (on purpose?), or breaks its contract: one gradient per input, each of its input's
    shape, and 0 where dy is 0.

    Args:
        hook: a function made with `custom_gradient`, or what `with minitape.observe() as seen:` gave: then all the
            rules on the tape are shown, each with the input and the dy that it had.
        args: the function's arguments; lists and floats become float32 tensors.
        dy: what comes back to the function, as a number or an array of its output's shape; ones where it is left out.
        vary: one number that the rule reads, and the values for a slider: `{"limit": [0.25, 1.0, 5.0]}`.
        train: a loss to train with the rule, a function of the same tensors: 30 steps of gradient descent.
        rate: the learning rate of these steps.
        purpose: why the rule differs: "straight-through: round is flat, so its slope is 0".
        names: the names that an observed block needs when it runs again; yours, where it is left out.

    Raises:
        TypeError: `hook` is neither a trace nor a function.
        ValueError: the rule does not read the number to vary.

    >>> import minitape as tf
    >>> @tf.custom_gradient
    ... def clip_grad(x):
    ...     return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)
    >>> lab = HookLab(clip_grad, [1.0, 2.0, 3.0], dy=5.0)
    >>> lab.step = lab.steps
    >>> lab.caption
    'the rule returned [1. 1. 1.], the slope is [5. 5. 5.]: it differs from the true derivative'
    """

    def __init__(
        self,
        hook: Trace | Callable[..., Any],
        *args: Any,
        dy: Any = None,
        vary: Mapping[str, Sequence[float]] | None = None,
        train: Callable[..., Any] | None = None,
        rate: float = 0.1,
        purpose: str = "",
        names: Mapping[str, Any] | None = None,
    ) -> None:
        caller = sys._getframe(1)
        scope = names if names is not None else {**caller.f_globals, **caller.f_locals}
        if isinstance(hook, Trace):
            found = calls(hook, scope)
        elif callable(hook):
            name = getattr(hook, "__name__", "<lambda>")
            if name == "<lambda>":
                name = next((mine for mine, value in scope.items() if value is hook), "rule")
            found = [given(name, hook, args, dy, _names(hook, args, scope))]
        else:
            raise TypeError(
                f"HookLab looks at a rule, and this is a {type(hook).__name__}\n"
                "HookLab(clip_grad, [1.0, 2.0], dy=5.0)  or, with minitape.observe() as seen: ...  HookLab(seen)"
            )
        lines = hook.lines if isinstance(hook, Trace) else ()
        super().__init__(draw(found, lines, dict(vary or {}), train, rate, purpose))


def _names(hook: Callable[..., Any], args: Sequence[Any], scope: Mapping[str, Any]) -> list[str]:
    """What to call the arguments: your names for them, else the function's."""
    try:
        own = list(inspect.signature(inspect.unwrap(hook)).parameters)
    except (TypeError, ValueError):
        own = []
    mine = {id(value): name for name, value in scope.items() if hasattr(value, "numpy") and not name.startswith("_")}
    return [mine.get(id(arg)) or (own[at] if at < len(own) else f"x{at + 1}") for at, arg in enumerate(args)]


def draw(
    found: list[Call],
    lines: tuple[str, ...],
    vary: dict[str, Sequence[float]],
    loss: Callable[..., Any] | None,
    rate: float,
    purpose: str,
) -> Picture:
    """The picture of the first call; the others, and the other values of the parameter, are its variants."""
    shown = [call for call in found if call.hook is not None]
    if not shown:
        return _nothing(found)
    label, values = next(iter(vary.items()), ("", ()))
    tables: list[_Case] = []
    drawn: list[tuple[int, Measured]] = []
    tabs: list[int] = []
    for call in shown:
        run = _Case(call, lines, label, tuple(map(float, values)), loss, rate, purpose, len(drawn))
        tabs.append(len(drawn))
        drawn += run.cases
        tables.append(run)
    pictures = []
    for call, run in zip(shown, tables, strict=True):
        for at in range(len(run.cases)):
            here = [(other.name, tab, other is call) for other, tab in zip(shown, tabs, strict=True)]
            pictures.append(_picture(run, at, here if len(shown) > 1 else [], len(drawn) > 1))
    whole = "\n\n".join(picture.text for picture in (pictures[tab] for tab in tabs))
    pictures = [replace(picture, text=whole) for picture in pictures] if len(tabs) > 1 else pictures
    return replace(pictures[0], variants=tuple(pictures)) if len(pictures) > 1 else pictures[0]


class _Case:
    """One call, measured once for each value of its parameter; the value that it has now comes first."""

    def __init__(
        self,
        call: Call,
        lines: tuple[str, ...],
        label: str,
        values: tuple[float, ...],
        loss: Callable[..., Any] | None,
        rate: float,
        purpose: str,
        first: int,
    ) -> None:
        assert call.hook is not None
        self.call, self.label, self.values = call, label, values
        self.source = source(call.hook, lines)
        order = _now_first(call, label, values)
        self.cases: list[tuple[int, Measured]] = []  # the number of the value, and what was measured with it
        curves: dict[int, Curve] = {}
        for at in order:
            with setting(call.hook, {label: values[at]} if label else {}):
                found = replace(measure(call.hook, call.args, call.dy, call.names, call.text), purpose=purpose)
                if loss is not None and not found.broken:
                    curves[at] = Curve(f"{values[at]:g}" if label else "the rule", train(loss, _starts(found), rate))
            self.cases.append((at, found))
        self.variants = tuple(first + order.index(at) for at in range(len(order)))
        by = dict(self.cases)
        self.agrees = next((at for at in sorted(by) if all(by[to].verdict == "agrees" for to in by if to >= at)), None)
        self.counts = tuple(int(by[at].unlike.sum()) for at in sorted(by)) if label else ()
        self.curves = tuple(curves[at] for at in sorted(curves))
        size = sum(each.array.size for each in self.cases[0][1].inputs)
        if loss is not None and not label and curves and size <= SLOW:
            slope = train(loss, _starts(self.cases[0][1]), rate, slope=True)
            self.curves = (*self.curves, Curve("true slope", slope))
        name = getattr(loss, "__name__", "<lambda>")
        self.title = "" if name == "<lambda>" else f" on {name}"
        self.graph = None if label else graph(call.hook, self.cases[0][1])

    def charts(self, at: int) -> Charts:
        """What stands at the right for one value."""
        found = self.cases[at][1]
        if not self.label:
            return Charts(curves=self.curves, title=self.title, graph=self.graph)
        return Charts(
            self.label,
            self.values,
            self.variants,
            self.cases[at][0],
            self.agrees,
            self.curves,
            self.title,
            self.counts,
            found.rule.size,
        )


def _now_first(call: Call, label: str, values: tuple[float, ...]) -> list[int]:
    """The numbers of the values, that of the one the rule reads now in front."""
    if not label:
        return [0]
    function = inspect.unwrap(call.hook) if call.hook is not None else None
    free = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)) if function else {}
    now = free[label].cell_contents if label in free else getattr(function, "__globals__", {}).get(label)
    order = list(range(len(values)))
    return sorted(order, key=lambda at: values[at] != now)


def _starts(found: Measured) -> list[np.ndarray]:
    return [each.array for each in found.inputs]


def _picture(run: _Case, at: int, tabs: list[tuple[str, int, bool]], chosen: bool) -> Picture:
    found, board = run.cases[at][1], Storyboard()
    wide, wide_foot = draw_lens(Lens(run.call, found, run.source, board, WIDE), run.charts(at), tabs)
    narrow, narrow_foot = draw_lens(Lens(run.call, found, run.source, board, NARROW), run.charts(at), tabs)
    drawing = (
        group(wide, cls="wide-only", transform="translate(32 0)"),
        group(narrow, cls="narrow-only", transform="translate(16 0)"),
    )
    kinds = ("rec", "back", "back", "back", "none", "none")
    said = sentences.captions(run.call, found)
    return Picture(
        name="hook",
        title=sentences.title(run.call, found),
        drawing=drawing,
        wide=wide_foot + 16,
        narrow=narrow_foot + 16,
        steps=tuple(Step(kind, caption) for kind, caption in zip(kinds, said, strict=True)),
        timelines=board.timelines(),
        text=sentences.table(run.call, found, run.source, _values(run)),
        chosen=chosen,
    )


def _values(run: _Case) -> list[str]:
    """The values of the parameter, each with its verdict, for the text."""
    by = dict(run.cases)
    rows = [f"{run.label} = {run.values[at]:g}: {sentences.verdict(by[at])}" for at in sorted(by)] if run.label else []
    for curve in run.curves:
        if curve.values:
            rows.append(f"training, {curve.end}: {curve.values[0]:.4g} -> {curve.values[-1]:.4g}")
    return rows


def _nothing(found: list[Call]) -> Picture:
    """The picture where there is no rule to look at."""
    said = "no function with its own rule ran in this block"
    if found:
        said = f"{found[0].name} was not called in the block itself: HookLab({found[0].name}, ...)"
    drawing = (
        group(text(32, 16, "A backward rule under the lens", "b"), text(32, 48, said, "q", most=120), cls="wide-only"),
        group(text(16, 16, "A backward rule under the lens", "b"), text(16, 48, said, "q", most=70), cls="narrow-only"),
    )
    return Picture("hook", f"HookLab: {said}", drawing, 72, 72, (Step("none", (said,)),), {}, f"HookLab: {said}")

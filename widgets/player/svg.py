"""A tiny SVG writer: elements as data, everything that is not an element escaped.

An element may have an id. Ids are how a picture's parts are told apart while it plays: they are written as `data-id`,
not as `id`, because a page may show the same picture twice. What a part looks like at a moment is its state, a class.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any

CODE = 7.83  # the advance of a code character at 13 px
WORD = 7.2  # the mean advance of a letter of the UI font at 13 px, on the safe side
SMALL = 6.2  # the same at 11 px

_NARROW = re.compile("[\x00-\x7f\u2080-\u2089]*")  # one cell a letter: ASCII, and the numbers of h₁
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Element:
    """One SVG element, with what is inside it."""

    tag: str
    children: tuple[Element | str, ...] = ()
    id: str | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)

    def render(self, states: Mapping[str, str] | None = None) -> str:
        """The element as SVG text; `states` gives the classes that the parts have at this moment, by id."""
        state = (states or {}).get(self.id, "") if self.id else ""
        attributes = dict(self.attributes)
        if self.id:
            attributes = {"data-id": self.id, **attributes}
        if state:
            attributes["class"] = f"{attributes.get('class', '')} {state}".strip()
        head = self.tag + "".join(f' {name}="{_text(value)}"' for name, value in attributes.items())
        if not self.children:
            return f"<{head}/>"
        inside = "".join(
            child.render(states) if isinstance(child, Element) else _text(child) for child in self.children
        )
        return f"<{head}>{inside}</{self.tag}>"


def _text(value: object) -> str:
    """Any value as text that is safe inside SVG; characters that XML forbids become the replacement character."""
    if isinstance(value, float):
        value = f"{value:.2f}".rstrip("0").rstrip(".")
    return escape(_NOT_XML.sub("\ufffd", str(value)), quote=True)


def element(tag: str, *children: Element | str, cls: str = "", id: str | None = None, **attributes: object) -> Element:
    """Any element; `stroke_width=2` is written as `stroke-width="2"`."""
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    return Element(tag, tuple(children), id, {"class": cls, **named} if cls else named)


def group(
    *children: Element | Iterable[Element], cls: str = "", id: str | None = None, **attributes: object
) -> Element:
    """A `<g>`; children may be elements or sequences of them."""
    flat: list[Element] = []
    for child in children:
        flat.extend([child] if isinstance(child, Element) else child)
    return element("g", *flat, cls=cls, id=id, **attributes)


def panel(id: str, wide: tuple[float, float], narrow: tuple[float, float], parts: Iterable[Element]) -> Element:
    """A group that stands in one place where there is room, and in another where it is narrow."""
    style = f"--nx:{narrow[0]:g}px;--ny:{narrow[1]:g}px"
    return group(parts, id=id, cls="panel", transform=f"translate({wide[0]:g} {wide[1]:g})", style=style)


def rect(x: float, y: float, width: float, height: float, cls: str, **attributes: Any) -> Element:
    """A rectangle."""
    return element("rect", x=x, y=y, width=max(width, 0), height=max(height, 0), cls=cls, **attributes)


def path(d: str, cls: str, **attributes: Any) -> Element:
    """A path."""
    return element("path", d=d, cls=cls, **attributes)


def text(
    x: float, y: float, words: str, cls: str = "", *, most: int | None = None, full: str = "", **attributes: Any
) -> Element:
    """A line of text; longer than `most` columns it is cut with … and shows the whole (or `full`) as its tooltip."""
    shown = words if most is None else cut(words, most)
    title = full or words
    tip = [element("title", title)] if title != shown else []
    return element("text", *tip, shown, x=x, y=y, cls=cls, **attributes)


def columns(words: str) -> int:
    """How many character cells a text takes in the code font (CJK letters take two, combining marks none).

    >>> columns("dw/dx"), columns("重み"), columns("e\\u0301")
    (5, 4, 1)
    """
    return len(words) if _NARROW.fullmatch(words) else sum(map(_cells, words))


@cache
def _cells(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def cut(words: str, most: int) -> str:
    """A text in at most `most` columns, with … in place of what does not fit.

    >>> cut("reduce_mean(square(pred - y))", 16)
    'reduce_mean(squ…'
    """
    if columns(words) <= most:
        return words
    kept, room = [], max(most, 1) - 1
    for letter in words:
        room -= _cells(letter)
        if room < 0:
            break
        kept.append(letter)
    return "".join(kept).rstrip() + "…"

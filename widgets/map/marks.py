"""The marks of a road map: numbers in circles, arrow heads, and the legend."""

from __future__ import annotations

from ..player.svg import Element, element, group, path, text


def badge(number: int, x: float, y: float) -> list[Element]:
    """A number in a filled circle: on a road, and at the reason."""
    disc = element("circle", cls="k-ink", cx=x, cy=y, r=8)
    return [disc, text(x, y + 4, str(number), "s badge")]


def head_up(x: float, y: float) -> Element:
    """An arrow head that points upwards."""
    return path(f"M{x:g} {y - 6:g}l6.5 11h-13z", "flowhead")


def head_left(x: float, y: float) -> Element:
    """An arrow head that points to the left."""
    return path(f"M{x - 6:g} {y:g}l11 -6.5v13z", "flowhead")


def head_right(x: float, y: float) -> Element:
    """An arrow head that points to the right."""
    return path(f"M{x + 6:g} {y:g}l-11 -6.5v13z", "flowhead")


def legend() -> Element:
    """What the lines mean."""
    return group(
        path("M8 -4H32", "bed-edge"), path("M8 -4H32", "bed"), path("M4 -4H36", "lane"),
        text(48, 0, "watched by the tape", "s"),
        path("M176 -4h26", "flow"), head_left(180, -4), text(210, 0, "gradient flows", "s"),
        path("M304 -4h28", "lane off"), text(340, 0, "not on the tape", "s"),
        path("M444 -13v18", "stop"), text(454, 0, "road ends", "s"),
        id="legend",
    )  # fmt: skip

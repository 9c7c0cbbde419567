"""A sheet to plot on: a matplotlib Axes above, a strip below it, and what is written and drawn there in pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.patheffects import withStroke
from mpl_toolkits.axes_grid1 import make_axes_locatable

Box = tuple[float, float, float, float]  # left, top, width, height, in pixels

# Lengths are in pixels of a screen with 100 of them to an inch; matplotlib's own unit is the point.
DPI = 100
POINT = 72 / DPI
LETTER = 6.9  # the mean width of a letter, rather too much than too little
FONT = "DejaVu Sans"  # matplotlib brings it along


@dataclass(frozen=True)
class Palette:
    """Colours by meaning. Marks are the same on light and dark; words are not, so that they can be read."""

    ink: str
    soft: str
    kept_words: str
    again_words: str
    back_words: str
    outline: str
    kept: str = "#0072B2"
    again: str = "#E69F00"
    back: str = "#D55E00"
    skipped: str = "#BBBBBB"


LIGHT = Palette(
    "#1a1a1a", "#595959", kept_words="#0069A6", again_words="#855700", back_words="#A84A00", outline="#0072B2"
)
DARK = Palette(
    "#ececec", "#ababab", kept_words="#5AB0E6", again_words="#E69F00", back_words="#FF9A52", outline="#5AB0E6"
)


class Sheet:
    """The Axes of a curve (steps to the right, a quantity up) with a strip below it, whose y counts pixels down."""

    def __init__(self, ax: Axes, strip: float, steps: int, top: float) -> None:
        *colour, alpha = to_rgba(ax.figure.get_facecolor())
        self.ground = tuple(colour) if alpha else "white"
        self.colours = DARK if alpha and sum(colour) < 1.5 else LIGHT
        scale = DPI / ax.figure.dpi
        self.width, self.height = float(ax.bbox.width * scale), float(ax.bbox.height * scale)
        self.room = min(strip, 0.55 * self.height)
        self.squeeze = self.room / strip  # a small Axes shows smaller rows
        self.ax, self.steps, self.top = ax, steps, top
        self.below = make_axes_locatable(ax).append_axes("bottom", size=self.room / DPI, pad=0, sharex=ax)
        self.below.set(ylim=(strip, 0))
        self.below.axis("off")
        self.said = 0.0  # how far down the column left of the strip is written
        ax.set(xlim=(0, steps), xticks=[])
        ax.spines[:].set_visible(False)
        ax.spines["bottom"].set(visible=True, color=self.colours.soft)
        ax.patch.set_visible(False)

    def leave_head(self, pixels: float) -> None:
        """Leave so much room above the highest point of the curve."""
        self.head = pixels
        self.chart = self.height - self.room - pixels
        self.ax.set_ylim(0, self.up(-pixels))

    def x(self, step: float) -> float:
        """Pixels from the left end of the axis to a step."""
        return step * self.width / self.steps

    def step(self, pixels: float) -> float:
        """The x value so many pixels from the left end of the axis."""
        return pixels * self.steps / self.width

    def up(self, pixels: float) -> float:
        """The y value so many pixels below the highest point."""
        return self.top * (1 - pixels / self.chart)

    def down(self, value: float) -> float:
        """Pixels from the highest point down to a value."""
        return self.chart * (1 - value / self.top)

    def write(
        self,
        axes: Axes,
        x: float,
        y: float,
        words: str,
        colour: str,
        *,
        right: float = 0,
        up: float = 0,
        ha: str = "left",
        bold: bool = False,
    ) -> None:
        """Write words beside a point of the data, `right` and `up` in pixels."""
        axes.annotate(
            words,
            (x, y),
            xytext=(right * POINT, up * POINT),
            textcoords="offset points",
            annotation_clip=False,
            ha=ha,
            va="center_baseline",
            color=colour,
            fontsize=13 * POINT,
            fontweight="bold" if bold else "normal",
            fontfamily=FONT,
            path_effects=[withStroke(linewidth=4 * POINT, foreground=self.ground)],
            zorder=7,
        )

    def aside(self, y: float, words: str, colour: str, edge: float = 0) -> None:
        """Write into the column left of the strip, where there is still room."""
        if (y - self.said) * self.squeeze > 13:
            self.write(self.below, 0, y, words, colour, right=edge - 8, ha="right")
            self.said = y

    def boxes(self, boxes: Iterable[Box], colour: str, label: str, hatch: str = "", dashed: bool = False) -> None:
        """Draw boxes into the strip."""
        boxes = [(self.step(x), y, self.step(x + width), y + height) for x, y, width, height in boxes]
        corners = [[(left, top), (right, top), (right, foot), (left, foot)] for left, top, right, foot in boxes]
        style: dict[str, Any] = {"facecolors": colour, "linewidths": 0, "antialiaseds": False}
        if hatch:
            style = {"facecolors": "none", "edgecolors": colour, "hatch": hatch, "linewidths": POINT}
        if dashed:
            style["linestyles"] = (0, (2, 1.5))
        self.below.add_collection(PolyCollection(corners, label=label, zorder=2, **style), autolim=False)

    def stretches(self, steps: Sequence[int]) -> list[tuple[int, int]]:
        """Steps as boxes (first, end): one each where there is room to see them, else one for all that touch."""
        if self.x(1) > 8:
            return [(step, step + 1) for step in steps]
        numbered = groupby(enumerate(steps), key=lambda pair: pair[1] - pair[0])
        groups = [[step for _, step in group] for _, group in numbered]
        return [(group[0], group[-1] + 1) for group in groups]

    def fitting(self, choices: Sequence[str], room: float) -> str:
        """The first of some words that fits the room; nothing where none does."""
        return next((words for words in choices if long(words) <= room), "")


def long(words: str) -> float:
    """About how many pixels wide words are."""
    return LETTER * len(words)

"""The widget that plays a picture: the same for every picture, with a still image where nothing can play."""

from __future__ import annotations

import base64
import gc
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from .picture import Code, Picture, Step, frame
from .svg import Element, columns, cut

WIDTH = 1000  # of the wide layout
LETTER = 7.6  # the mean advance of a letter at 14 px, on the safe side

_HERE = Path(__file__).parent
_PICTURE_CSS = (_HERE / "picture.css").read_text(encoding="utf-8")
_WINDOW_CSS = (_HERE / "window.css").read_text(encoding="utf-8")
_CSS = _PICTURE_CSS + _WINDOW_CSS + (_HERE / "player.css").read_text(encoding="utf-8")
# anywidget ships one file, where a relative import would lead nowhere: the modules are put together.
_NAMES = ("model.js", "track.js", "window.js", "parts.js", "headline.js", "player.js")
_MODULES = [(_HERE / name).read_text(encoding="utf-8") for name in _NAMES]
_ESM = re.sub(r'^import .* from "\./.*";\n', "", "".join(_MODULES), flags=re.MULTILINE)


class Player(anywidget.AnyWidget):
    """Plays a picture in the browser; the kernel only hears which step is shown, 150 ms after the last move."""

    _esm = _ESM
    _css = _CSS
    picture = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(1, help="the step that is shown, from 1").tag(sync=True)
    choice = traitlets.Int(0, help="the variant that is shown, from 0").tag(sync=True)
    knobs = traitlets.Dict(help="the value of each knob, by name").tag(sync=True)

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        super().__init__(picture=picture.to_data(), knobs=_values(picture))

    def redraw(self, picture: Picture) -> None:
        """Show another picture; the step stays where it is, as far as the new one goes."""
        self._picture = picture
        with self.hold_sync():
            self.knobs = _values(picture)
            self.picture = picture.to_data()
            self.step = min(self.step, self.steps)

    @traitlets.validate("knobs")
    def _known(self, proposal: Mapping[str, Any]) -> dict[str, Any]:
        """Only values that a knob has; from another one it stays where it is."""
        now, wanted = _values(self._picture), proposal["value"]
        knobs = self._picture.head.knobs if self._picture.head else ()
        choices = {knob.name: knob.choices for knob in knobs}
        return {name: wanted[name] if wanted.get(name) in choices[name] else now[name] for name in now}

    @traitlets.validate("step")
    def _within(self, proposal: Mapping[str, Any]) -> int:
        step: int = proposal["value"]
        return min(max(step, 1), self.steps)

    @traitlets.validate("choice")
    def _among(self, proposal: Mapping[str, Any]) -> int:
        choice: int = proposal["value"]
        return min(max(choice, 0), max(len(self._picture.variants) - 1, 0))

    @traitlets.observe("choice")
    def _follow(self, change: Mapping[str, Any]) -> None:
        """Who stands at the end stays at the end, whatever the variant's length."""
        before = len(self._variant(change["old"]).steps)
        self.step = self.steps if self.step == before else self.step

    def _variant(self, choice: int) -> Picture:
        return self._picture.variants[choice] if self._picture.variants else self._picture

    @property
    def steps(self) -> int:
        """How many steps the picture has."""
        return len(self._variant(self.choice).steps)

    @property
    def caption(self) -> str:
        """What happens in the step that is shown."""
        return self._variant(self.choice).steps[self.step - 1].words

    @property
    def text(self) -> str:
        """The whole picture as a text table."""
        return self._picture.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}(step {self.step} of {self.steps})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget; the still picture for pages without a kernel or JavaScript; the text table."""
        shown = super()._repr_mimebundle_(**kwargs)
        data, metadata = shown if isinstance(shown, tuple) else (shown or {}, {})
        return {**data, "text/html": still(self._picture), "text/plain": self._picture.text}, metadata

    def save_html(self, path: str | PathLike[str]) -> None:
        """Write a page that plays without a kernel and without a network: it holds everything it needs.

        >>> import minitape as tf, tempfile
        >>> with tf.observe() as seen:
        ...     y = tf.constant(2.0) * 3.0
        >>> from minitape_widgets import TapePlayer
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TapePlayer(seen).save_html(Path(folder) / "tape.html")
        ...     (Path(folder) / "tape.html").read_text(encoding="utf-8")[:15]
        '<!doctype html>'
        """
        Path(path).write_text(page(self._picture), encoding="utf-8")


@contextmanager
def no_collecting() -> Iterator[None]:
    """Large pictures are made faster: the garbage collector would look at the whole trace again and again meanwhile."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def _values(picture: Picture) -> dict[str, Any]:
    return {knob.name: knob.value for knob in picture.head.knobs} if picture.head else {}


def still(picture: Picture) -> str:
    """The finished picture as an `<img>` that carries its own SVG: the one form that an untrusted notebook shows."""
    data = base64.b64encode(still_svg(picture).encode("utf-8")).decode("ascii")
    return f'<img alt="{escape(picture.title)}" src="data:image/svg+xml;base64,{data}">'


def still_svg(picture: Picture) -> str:
    """The finished picture as an SVG document of its own: last caption on top, light colours, its own background."""
    top, last = 48, len(picture.steps)
    width = max(WIDTH, picture.least)
    size = {"width": width, "height": picture.wide + top}
    style = Element("style", (_PICTURE_CSS + (_WINDOW_CSS if picture.window else ""),))
    back = Element("rect", (), None, {"class": "panel-back", **size})
    body = Element("g", picture.drawn(last), None, {"transform": f"translate(0 {top})"})
    head = {"xmlns": "http://www.w3.org/2000/svg", "class": "mt mt-pic", **size}
    head["viewBox"] = f"0 0 {width:g} {picture.wide + top:g}"
    return frame(picture, (style, back, _caption(picture.steps[-1], last), body), last, head)


def _caption(step: Step, last: int) -> Element:
    """The sentence of the last step, on one line."""
    room, pieces = int((WIDTH - 64) // LETTER) - len(f"step {last} of {last} · "), []
    for piece in step.caption:
        shown = cut(piece, room) if room > 0 else ""
        room -= columns(piece)
        pieces.append(Element("tspan", (shown,), None, {"class": "c"}) if isinstance(piece, Code) else shown)
    said = Element("tspan", (f"step {last} of {last}",), None, {"font-weight": 600})
    title = Element("title", (step.words,))
    return Element("text", (title, said, " · ", *pieces), None, {"x": 32, "y": 28, "class": "caption"})


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0; background: #fff; }}
body[data-jp-theme-light="false"] {{ background: #111; }}
{css}</style>
<body data-jp-theme-light="true">
<main>
<h1 class="mt-said">{title}</h1>
<div id="player"></div>
<noscript>{still}</noscript>
</main>
<script type="application/json" id="picture">{picture}</script>
<script type="module">
{esm}
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => (document.body.dataset.jpThemeLight = String(!dark.matches));
dark.addEventListener("change", follow);
follow();
const picture = JSON.parse(document.getElementById("picture").textContent);
render({{ model: standalone({{ picture, step: 1, choice: 0 }}), el: document.getElementById("player") }});
</script>
</body>
</html>
"""


def page(picture: Picture) -> str:
    """A page that plays the picture on its own."""
    data = json.dumps(picture.to_data(), ensure_ascii=True).replace("<", "\\u003c")
    return _PAGE.format(title=escape(picture.title), css=_CSS, still=still(picture), picture=data, esm=_ESM)

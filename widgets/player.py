"""The widget that plays a picture: the same for every picture, with a still image where nothing can play."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from .picture import Picture, Step
from .svg import Element, columns

_HERE = Path(__file__).parent
_PICTURE_CSS = (_HERE / "picture.css").read_text(encoding="utf-8")
_CSS = _PICTURE_CSS + (_HERE / "player.css").read_text(encoding="utf-8")
# anywidget ships one file, where a relative import would lead nowhere: the two modules are put together.
_IMPORT, _DOM = (_HERE / "player.js").read_text(encoding="utf-8").split('from "./model.js";\n', 1)
_ESM = (_HERE / "model.js").read_text(encoding="utf-8") + _DOM


class Player(anywidget.AnyWidget):
    """Plays a picture in the browser; the kernel only hears which step is shown, 150 ms after the last move."""

    _esm = _ESM
    _css = _CSS
    picture = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(1, help="the step that is shown, from 1").tag(sync=True)

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        super().__init__(picture=picture.to_data())

    @traitlets.validate("step")
    def _within(self, proposal: Mapping[str, Any]) -> int:
        return min(max(proposal["value"], 1), self.steps)

    @property
    def steps(self) -> int:
        """How many steps the picture has."""
        return len(self._picture.steps)

    @property
    def caption(self) -> str:
        """What happens in the step that is shown."""
        return self._picture.steps[self.step - 1].words

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


def still(picture: Picture) -> str:
    """The finished picture as an `<img>` that carries its own SVG: the one form that an untrusted notebook shows."""
    data = base64.b64encode(still_svg(picture).encode("utf-8")).decode("ascii")
    return f'<img alt="{escape(picture.title)}" src="data:image/svg+xml;base64,{data}">'


def still_svg(picture: Picture) -> str:
    """The finished picture as an SVG document of its own: light colours, its own background, the last caption on top."""
    last = len(picture.steps)
    top, height = 48, picture.wide + 48
    back = Element("rect", (), None, {"class": "panel-back", "width": 1000, "height": height})
    style = Element("style", (_plain_css(),))
    body = Element("g", picture.drawing, None, {"transform": f"translate(0 {top})"})
    framed = Picture(picture.name, picture.title, (style, back, *_heading(picture.steps[-1], last), body), height, 0, picture.steps, picture.timelines, "")
    return framed.svg(last, **{"class": "mt mt-pic", "xmlns": "http://www.w3.org/2000/svg", "width": 1000, "height": height, "viewBox": f"0 0 1000 {height:g}"})


def _plain_css() -> str:
    return _PICTURE_CSS


def _heading(step: Step, last: int) -> list[Element]:
    said = f"step {last} of {last}"
    parts = (Element("tspan", (said,), None, {"font-weight": "600"}), " · ", step.words)
    return [Element("text", parts, None, {"x": 32, "y": 28, "class": "caption", "data-columns": columns(step.words)})]


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
<div id="player"></div>
<noscript>{still}</noscript>
<script type="application/json" id="picture">{picture}</script>
<script type="module">
{esm}
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => (document.body.dataset.jpThemeLight = String(!dark.matches));
dark.addEventListener("change", follow);
follow();
const picture = JSON.parse(document.getElementById("picture").textContent);
render({{ model: standalone({{ picture, step: 1 }}), el: document.getElementById("player") }});
</script>
</body>
</html>
"""


def page(picture: Picture) -> str:
    """A page that plays the picture on its own."""
    data = json.dumps(picture.to_data(), ensure_ascii=True).replace("<", "\\u003c")
    return _PAGE.format(title=escape(picture.title), css=_CSS, still=still(picture), picture=data, esm=_ESM)

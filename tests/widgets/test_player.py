"""The widget around a picture: its step, what a notebook stores of it, and the page it is saved as."""

import base64
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import ipywidgets
import pytest
import traitlets

import minitape as tf
import minitape_widgets
from minitape_widgets import TapePlayer


def bundle(player):
    return player._repr_mimebundle_()[0]


def still(player):
    return base64.b64decode(re.search(r'base64,([^"]+)"', bundle(player)["text/html"])[1]).decode()


# --- the step --------------------------------------------------------------------------------------------------------


def test_the_step_starts_at_one_and_stays_within_the_picture(written):
    player = TapePlayer(written())
    assert (player.step, player.steps) == (1, 11)
    player.step = 99
    assert player.step == 11
    player.step = -3
    assert player.step == 1
    assert repr(player) == "TapePlayer(step 1 of 11)"


def test_only_whole_numbers_are_steps(written):
    player = TapePlayer(written())
    with pytest.raises(traitlets.TraitError):
        player.step = "two"


def test_the_step_can_be_observed_and_linked(written):
    one, two, slider = TapePlayer(written()), TapePlayer(written()), ipywidgets.IntSlider(min=1, max=20)
    heard = []
    one.observe(lambda change: heard.append(change["new"]), "step")
    traitlets.link((one, "step"), (two, "step"))
    ipywidgets.jslink((two, "step"), (slider, "value"))
    one.step = 6
    assert two.step == 6
    two.step = 7
    assert heard == [6, 7]


def test_what_the_browser_gets_is_sent_once_and_is_plain_data(written):
    player = TapePlayer(written())
    state = player.get_state()
    assert set(state["picture"]) == {"name", "title", "svg", "text", "steps", "timelines", "states"}
    assert state["picture"]["steps"][3] == {
        "kind": "rec",
        "caption": ["", "x * x", " was recorded as entry 1; it saves ", "x = 3.0", " for the way back"],
    }
    player.step = 5
    assert player.get_state("step") == {"step": 5}


def test_the_player_knows_nothing_of_tapes():
    names = ("model.js", "track.js", "window.js", "parts.js", "headline.js", "player.js", "window.css", "player.css")
    for name in names:
        source = (importlib.resources.files("minitape_widgets.player") / name).read_text(encoding="utf-8")
        assert not re.search(r"\b(tapes?|entry|gradients?|ops?)\b", source, re.IGNORECASE), name


# --- what a notebook stores ------------------------------------------------------------------------------------------


def test_a_notebook_gets_the_widget_a_still_picture_and_a_table(written):
    data = bundle(TapePlayer(written()))
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert re.fullmatch(r'<img alt="[^"<>]+" src="data:image/svg\+xml;base64,[A-Za-z0-9+/=]+">', data["text/html"])
    assert 'alt="TapePlayer: two ops on the tape, one skipped; the gradient of w for x is 27.0"' in data["text/html"]


def test_the_still_picture_is_the_finished_one_and_needs_nothing_else(written):
    svg = still(TapePlayer(written()))
    tree = ElementTree.fromstring(svg)
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    shown = "".join(tree.itertext())
    assert "step 11 of 11" in shown
    assert "their sum is the gradient, 27.0" in shown
    assert 'data-id="entry-2" class="entry is-done"' in svg
    assert set(re.findall(r"https?://[^\s\"')]+", svg)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<script|<foreignObject|\son\w+=|@import", svg)


def test_the_step_that_is_shown_does_not_change_what_is_stored(written):
    player = TapePlayer(written())
    before = bundle(player)
    player.step = 7
    after = bundle(player)
    assert (before["text/html"], before["text/plain"]) == (after["text/html"], after["text/plain"])


def test_other_tensor_ids_do_not_change_what_is_stored(written):
    one, two = bundle(TapePlayer(written())), bundle(TapePlayer(written(first=70_001)))
    assert one["text/html"] == two["text/html"]
    assert one["text/plain"] == two["text/plain"]


def test_a_program_that_runs_again_stores_the_same():
    def run():
        with tf.observe() as seen:
            x = tf.constant([1.0, 2.0])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(x * x * x)
            tape.gradient(y, x)
        return bundle(TapePlayer(seen))

    one, two = run(), run()
    assert one["text/html"] == two["text/html"]
    assert one["text/plain"] == two["text/plain"]


def test_the_table_reads_well_alone(written):
    assert bundle(TapePlayer(written()))["text/plain"] == TABLE


TABLE = """\
TapePlayer: two ops on the tape, one skipped; the gradient of w for x is 27.0

Program ([1] is entry 1, [-] was skipped)
       1  x = tf.constant(3.0)
       2  with tf.GradientTape() as tape:
       3      tape.watch(x)
  [1]  4      y = x * x
       5      with tape.stop_recording():
  [-]  6          z = x + x
  [2]  7      w = y * x
       8  grad = tape.gradient(w, x)  # 27.0

Tape, written downwards
  1  y = x * x  x 3.0, x 3.0 → y 9.0   saves x = 3.0
  -  z = x + x  x 3.0, x 3.0 → z 6.0   skipped: line 5 stopped the recording
  2  w = y * x  y 9.0, x 3.0 → w 27.0  saves y = 9.0, x = 3.0

The way back from w, read upwards
  2  w = y * x  g = dw/dw = 1.0
                dw/dy += g * x = 1.0 * 3.0 = 3.0
                dw/dx += g * y = 1.0 * 9.0 = 9.0
                frees y
  1  y = x * x  g = dw/dy = 3.0
                dw/dx += g * x = 3.0 * 3.0 = 9.0
                dw/dx += g * x = 3.0 * 3.0 = 9.0
                frees x

Answer
  dw/dx = 9.0 + 9.0 + 9.0 = 27.0"""


# --- the page --------------------------------------------------------------------------------------------------------


def test_a_saved_page_holds_all_it_needs(written, tmp_path):
    TapePlayer(written()).save_html(tmp_path / "tape.html")
    page = (tmp_path / "tape.html").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\s\"')<]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<link|<script[^>]*\ssrc=|@import", page)
    assert "<noscript><img alt=" in page


def test_code_cannot_leave_the_data_of_a_saved_page(written, tmp_path):
    bad = "</script><script>alert(1)</script>"
    TapePlayer(written(x=bad, lines=(f"# {bad}",))).save_html(tmp_path / "tape.html")
    page = (tmp_path / "tape.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert page.count("<script") == page.count("</script>") == 2


# --- the package -----------------------------------------------------------------------------------------------------


def test_the_package_opens_without_matplotlib_and_names_both_pictures():
    code = (
        "import sys, minitape_widgets as w; w.TapePlayer; assert 'matplotlib' not in sys.modules;"
        "w.plot_memory; assert 'matplotlib' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'plot'"):
        minitape_widgets.plot  # noqa: B018


def test_a_missing_anywidget_is_named_with_the_command_that_brings_it():
    code = "import sys; sys.modules['anywidget'] = None; import minitape_widgets"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'the pictures need anywidget, which is not installed\npip install "minitape[lab]"' in done.stderr


@pytest.mark.parametrize(
    "name", sorted(module.name for module in pkgutil.walk_packages(minitape_widgets.__path__, "minitape_widgets."))
)
def test_the_examples_in_the_docstrings_run(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_the_examples_in_the_documentation_run():
    page = Path(__file__).parents[2] / "docs" / "widgets.md"
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 10
    assert result.failed == 0

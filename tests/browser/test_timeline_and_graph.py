"""A timeline and a graph as a learner meets them in JupyterLab: knobs ask the kernel, scopes open without one."""

import nbformat
import pytest

SETUP = """\
import minitape as tf
from minitape_widgets import GraphView, MemoryTimeline

first, second = tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(2)
x = tf.constant([[1.0, 2.0]])
with tf.observe() as seen:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(second(first(x)))
    grads = tape.gradient(loss, first.trainable_variables)"""
TIMELINE, GRAPH = 1, 2


@pytest.fixture(scope="module")
def pictures(lab):
    """A notebook with a timeline and a graph: its path in JupyterLab."""
    sources = [SETUP, "timeline = MemoryTimeline.chain(8, 2, size=1000)\ntimeline", "graph = GraphView(seen)\ngraph"]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in sources], metadata=kernel)
    (lab.folder / "pictures").mkdir(exist_ok=True)
    nbformat.write(notebook, lab.folder / "pictures" / "pictures.ipynb")
    return "pictures/pictures.ipynb"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_knob_measures_anew_and_a_scope_opens(pictures, theme, window):
    page = window.open(pictures, theme)
    page.run_all()
    figure = page.player(TIMELINE).figure
    assert figure.query_selector(".mt-sum").text_content() == "peak 20 kB (store-all 32 kB) · 8 extra runs"
    page.player(TIMELINE).focus()
    page.player(TIMELINE).press("End")
    page.screenshot("timeline", figure)
    page.page.get_by_role("button", name="raise blocks k").press("Enter")
    page.wait_until(lambda: "peak 20 kB" not in page.page.locator(".mt-memory .mt-sum").inner_text())
    assert page.evaluate("timeline.knobs['k']") == "3"
    assert page.evaluate("timeline.memory.extra_runs") == "8"
    focused = page.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "raise blocks k"
    page.player(GRAPH)
    page.page.get_by_role("button", name="first(x) (3 ops): open it").press("Enter")
    graph = page.player(GRAPH)
    graph.focus()
    graph.press("End")
    page.wait_until(lambda: page.evaluate("graph.choice") == "1")
    page.screenshot("graph", graph.figure)


def test_without_its_kernel_a_timeline_still_plays_and_says_why_a_knob_does_not_turn(pictures, window):
    page = window.open(pictures)
    page.run_all()
    window.lab.end_kernels()
    player = page.player(TIMELINE)
    player.focus()
    player.press("End")
    assert player.step == player.steps
    page.page.get_by_role("button", name="raise blocks k").click()
    page.page.get_by_text("no answer: is the kernel running?").wait_for()
    window.errors.clear()  # JupyterLab reports the lost kernel itself

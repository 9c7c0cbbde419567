"""A RecordingMap and a HookLab in JupyterLab: switches and sliders without the kernel's help, and known to it."""

import nbformat
import pytest

OBSERVED = """import minitape as tf
from minitape_widgets import HookLab, RecordingMap

with tf.observe() as seen:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x + x
        w = y * x
    grad = tape.gradient(w, x)"""

RULE = """limit = 1.0

@tf.custom_gradient
def clip_grad(x):
    def grad(dy):
        return tf.clip_by_value(dy, -limit, limit)
    return x, grad

def loss(t):
    return tf.reduce_sum(2.5 * clip_grad(t) ** 2)"""

LAB = "lab = HookLab(clip_grad, [1.0, 2.0, 3.0], dy=5.0, vary={'limit': [0.25, 1.0, 2.0, 5.0]}, train=loss)\nlab"
MAP, HOOK = 1, 3


@pytest.fixture(scope="module")
def variants(lab):
    """A notebook with both, not run: its path in JupyterLab."""
    cells = [nbformat.v4.new_code_cell(code) for code in (OBSERVED, "roads = RecordingMap(seen)\nroads", RULE, LAB)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    (lab.folder / "demo").mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), lab.folder / "demo" / "variants.ipynb")
    return "demo/variants.ipynb"


def part(player, id):
    return player.figure.query_selector(f'[data-id="{id}"]')


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_switch_and_a_slider_move_at_once_and_the_kernel_hears(variants, theme, window):
    page = window.open(variants, theme)
    page.run_all()
    roads = page.player(MAP)
    roads.focus()
    roads.press("End")
    part(roads, "switch-4").focus()
    roads.press("Enter")
    assert roads.caption.endswith("the gradient went from 27.0 to 9.0")
    page.screenshot("map", roads.figure)
    page.wait_until(lambda: page.evaluate("roads.choice") == "1")
    assert page.active_cell() == MAP

    rule = page.player(HOOK)
    rule.focus()
    rule.press("End")
    dial = next(each for each in (part(rule, "dial"), part(rule, "n-dial")) if each.is_visible())
    dial.focus()
    rule.press("End")
    assert rule.caption.endswith(
        "the rule returned [5. 5. 5.], the slope is [5. 5. 5.]: it agrees with the true derivative"
    )
    page.screenshot("hook", rule.figure)
    page.wait_until(lambda: page.evaluate("lab.choice") == "3")
    page.evaluate("setattr(lab, 'choice', 0)")
    page.wait_until(lambda: "the rule returned [1. 1. 1.]" in rule.caption)


def test_both_go_on_without_a_kernel(variants, window, lab):
    page = window.open(variants)
    page.run_all()
    roads = page.player(MAP)
    lab.end_kernels()
    roads.focus()
    roads.press("End")
    part(roads, "switch-7").focus()
    roads.press(" ")
    assert roads.caption.endswith("the gradient changed from 27.0 to None")

"""The graph as a picture: nodes and wires, what stops the gradient, scopes, both layouts, and the pages it makes."""

import importlib.resources
import os
import re
import stat
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import minitape as tf
from minitape.trace import Trace
from minitape_widgets import GraphView
from minitape_widgets.graph import dot, layers
from minitape_widgets.graph.nodes import view
from minitape_widgets.graph.scopes import MOST
from minitape_widgets.graph.story import tell

from .collisions import collisions


@pytest.fixture(scope="module")
def training():
    """One step of training, with a skipped op on each side."""
    numbers = np.random.default_rng(1)
    x = tf.constant(numbers.normal(size=(4, 2, 2)).astype("float32"))
    W1 = tf.Variable(numbers.normal(size=(4, 8)).astype("float32"))  # noqa: N806
    b1 = tf.Variable(np.zeros(8, "float32"))
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            h = tf.reshape(x, (4, 4))
            h = tf.nn.relu(h @ W1 + b1)
            w = tf.stop_gradient(tf.abs(h))
            loss = tf.reduce_mean(w * tf.square(h))
        tape.gradient(loss, [W1, b1])
    return seen


@pytest.fixture
def layered():
    first, second = tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(2)
    x = tf.constant(np.ones((3, 2), "float32"))
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(second(first(x)))
        tape.gradient(loss, first.trainable_variables)
    return seen


def captions(graph):
    return ["".join(step.caption) for step in graph._picture.steps]


def shapes(graph, scopes=frozenset()):
    return {node.id: node.label for node in view(graph._story, scopes).nodes}


# --- the story -------------------------------------------------------------------------------------------------------


def test_ops_values_and_gradients(written):
    graph = GraphView(written())
    assert shapes(graph) == {
        "op-1": "multiply", "op-2": "add", "op-3": "multiply",
        "leaf-1": "x 3.0", "leaf-2": "x", "leaf-3": "x", "target-1": "w 27.0",
    }  # fmt: skip
    wires = {wire.id: (wire.said, wire.back) for wire in view(graph._story).wires if wire.live}
    assert wires["leaf-1-1"] == ("3.0", "9.0 + 18.0") or wires["leaf-1-1"] == ("3.0", "9.0 + 9.0")
    assert wires["1-3"] == ("9.0", "3.0")
    assert captions(graph) == [
        "x * x ran and was recorded as entry 1, with its rule for the way back",
        "x + x ran but was not recorded: line 5 stopped the recording",
        "y * x ran and was recorded as entry 2, with its rule for the way back",
        "multiply turns the gradient of its result into those of y and x",
        "multiply turns the gradient of its result into that of x",
    ]


def test_a_value_that_is_used_often_says_what_it_gets_in_all(recorded):
    nodes = {node.id: node for node in view(tell(recorded)).nodes}
    assert nodes["leaf-1"].more == "in all 27.0"
    assert nodes["leaf-3"].more == "9.0"


def test_a_skipped_op_cuts_the_road_and_an_unwatched_one_does_not(training):
    graph = GraphView(training)
    cut = [wire.id for wire in view(graph._story).wires if wire.cut]
    assert cut == ["6-8"]
    assert "is-future" in graph._picture.states(graph.steps - 6)["cut-6-8"]
    assert "is-future" not in graph._picture.states(graph.steps)["cut-6-8"]
    assert "; the way into w is cut" in "".join(captions(graph))
    assert graph.picture["title"].endswith("reaches two of two sources; one road cut")


def test_a_gradient_that_is_none_is_said():
    with tf.observe() as seen:
        x, k = tf.Variable(2.0), tf.Variable(5.0)
        with tf.GradientTape() as tape:
            out = tf.stop_gradient(x) + k
        tape.gradient(out, [x, k])
    graph = GraphView(seen)
    assert captions(graph)[-1] == "no road leads back to x: its gradient is None"
    assert next(node.more for node in view(graph._story).nodes if node.label == "x 2.0") == "gradient None"


def test_the_gradient_of_a_gradient_is_on_the_outer_tape():
    x = tf.Variable(1.5)
    with tf.observe() as seen:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x * x * x
            dy = inner.gradient(y, x)
        outer.gradient(dy, x)
    story = tell(seen)
    assert len(story.ops) == sum(any(tape == story.tape for tape, _ in ran.recorded) for ran in seen.recorded)
    assert "in all 9.0" in [node.more for node in view(story).nodes]


def test_a_recomputed_block_is_one_op(recomputed):
    ops = [op.ran for op in tell(recomputed).ops]
    assert len(ops) == 4
    assert all(op.custom == "recompute_grad" for op in ops)


# --- scopes ----------------------------------------------------------------------------------------------------------


def test_named_lines_are_one_node_until_they_are_opened(training):
    graph = GraphView(training, scopes={"layer 1": (2, 3)})
    assert "layer 1 (4 ops)" in shapes(graph).values()
    assert "reshape" not in shapes(graph).values()
    assert "reshape" in shapes(graph, {0}).values()
    assert len(graph.picture["variants"]) == 2
    before = graph.steps
    graph.choice = 1
    assert graph.steps == before
    assert "folded: layer 1 (4 ops)" in graph.picture["svg"]
    assert "folded" not in graph.picture["variants"][1]["svg"]


def test_the_calls_of_a_layer_are_scopes(layered):
    graph = GraphView(layered)
    assert [scope.name for scope in graph._story.scopes] == ["first(x)", "second(first(x))"]
    assert len(graph.picture["variants"]) == 4
    into = next(node for node in view(graph._story).nodes if node.label.startswith("kernel"))
    assert len(into.leaves) == 2


def test_above_the_cap_the_rounds_of_a_loop_are_folded_and_it_says_so(looped):
    graph = GraphView(looped(700))
    nodes = view(graph._story).nodes
    assert len(nodes) < 10
    assert re.search(r"folded: lines \d to \d, 700 rounds \(1400 ops\)", graph.picture["svg"])
    assert graph.steps < 20
    assert len(str(graph.picture)) < 600 * 1400
    assert "and 1200 more" in graph.text


def test_without_a_loop_lines_and_then_neighbours_are_folded():
    program = "y = x\n" + "".join(f"y = tf.sin(y) * {number}.5\n" for number in range(400))
    x = tf.Variable(0.5)
    with tf.observe() as seen, tf.GradientTape() as tape:
        names = {"tf": tf, "x": x}
        exec(program, names)
    assert tape
    assert len(view(tell(seen)).nodes) <= MOST


# --- the DOT text and the two layouts --------------------------------------------------------------------------------


def test_the_dot_text_is_the_same_for_other_ids_and_in_what_a_notebook_stores(written):
    one, two = GraphView(written()), GraphView(written(first=70_001))
    assert one.dot == two.dot
    assert '"op-1" -> "op-3" [weight=50]' in one.dot
    for form in ("text/html", "text/plain"):
        assert one._repr_mimebundle_()[0][form] == two._repr_mimebundle_()[0][form]
    assert one._repr_mimebundle_()[0]["text/plain"].endswith(one.dot.rstrip())


def test_what_a_notebook_stores_does_not_depend_on_a_dot(written, monkeypatch):
    with_dot = GraphView(written())._repr_mimebundle_()[0]["text/html"]
    monkeypatch.setattr(dot, "find", lambda: None)
    graph = GraphView(written())
    assert graph._repr_mimebundle_()[0]["text/html"] == with_dot
    assert "a finer layout needs Graphviz" in graph.picture["svg"]
    assert 'pip install "minitape[lab]"' in graph.picture["svg"].replace("&quot;", '"')


def test_dot_places_every_node_and_wire(training):
    seen = view(tell(training, {"layer 1": (2, 3)}))
    places = dot.place(seen, dot.source(seen))
    assert set(places.nodes) == {node.id for node in seen.nodes}
    assert set(places.wires) == {wire.id for wire in seen.wires}
    x, y = places.wires[seen.wires[-1].id][-1]
    to_x, to_y = places.nodes["target-1"]
    assert abs(x - to_x) < 4
    assert 0 < to_y - y < 16


def test_dot_is_looked_for_in_three_places(tmp_path, monkeypatch):
    monkeypatch.setenv("MINITAPE_DOT", sys.executable)
    assert dot.find() == [sys.executable]
    monkeypatch.delenv("MINITAPE_DOT")
    name = "dot.exe" if os.name == "nt" else "dot"
    (tmp_path / name).write_text("")
    (tmp_path / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path))
    (found,) = dot.find()
    assert found.lower() == str(tmp_path / name).lower()
    (tmp_path / name).unlink()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert dot.find() is None


def test_a_dot_that_fails_is_no_dot(training, monkeypatch):
    monkeypatch.setenv("MINITAPE_DOT", sys.executable)  # not a dot at all
    graph = GraphView(training)
    assert graph.steps == len(tell(training).beats)


def test_our_layout_keeps_the_main_road_straight_and_nothing_lies_on_anything(training, layered, written):
    for seen, open_ in ((training, set()), (layered, {0}), (layered, {0, 1}), (written(), set())):
        graph = view(tell(seen), open_)
        places = layers.place(graph)
        assert {round(places.nodes[node.id][0]) for node in graph.spine} == {0}
        boxes = [(*places.nodes[node.id], node.width / 2, node.height / 2) for node in graph.nodes]
        for at, (x, y, wide, high) in enumerate(boxes):
            for x2, y2, wide2, high2 in boxes[at + 1 :]:
                assert abs(x - x2) >= wide + wide2 - 1 or abs(y - y2) >= high + high2 - 8


# --- odd things ------------------------------------------------------------------------------------------------------


def test_only_a_trace_can_be_drawn():
    with pytest.raises(TypeError, match="draws a trace, and this is a int\nmake one"):
        GraphView(3)


def test_nothing_to_draw_is_said():
    graph = GraphView(Trace())
    assert (graph.steps, graph.caption) == (1, "nothing to draw: no tape heard an op")
    assert graph.text.startswith("GraphView: no tape heard an op")


def test_names_are_escaped(written):
    seen = written(x="<img onerror=alert(1)>" * 2, y="</svg>", w="<b>", text="<i>")
    graph = GraphView(seen, title="<h1>", scopes={"<u>": (4, 5)})
    tree = ElementTree.fromstring(graph.picture["svg"])
    assert not [node for node in tree.iter() if node.tag.split("}")[-1] in ("img", "b", "i", "u", "h1")]
    assert not re.search(r"label=<", graph.dot)


def test_values_without_numbers_are_drawn():
    with tf.observe() as seen:
        x = tf.Variable(np.zeros((0, 3), np.float32))
        with tf.GradientTape() as tape:
            y = tf.tanh(x * float("nan"))
        tape.gradient(y, x)
    assert "max |g| none" in GraphView(seen).text


def test_the_graph_needs_nothing_but_the_trace():
    files = [
        file for file in importlib.resources.files("minitape_widgets.graph").iterdir() if file.name.endswith(".py")
    ]
    assert len(files) > 5
    for file in files:
        source = file.read_text(encoding="utf-8")
        assert set(re.findall(r"^from minitape(\S*) import", source, re.MULTILINE)) <= {".trace"}


def test_a_model_s_layers_and_a_name_scope_are_scopes():
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, name="one"), tf.keras.layers.Dense(2, name="two")])
    x = tf.constant(np.ones((3, 2), "float32"))
    with tf.observe() as seen, tf.GradientTape() as tape:
        tape.watch(x)
        with tf.name_scope("outside"):
            y = x * 2.0
            y = y + 1.0
        model(y)
    assert [(scope.name, len(scope)) for scope in tell(seen).scopes] == [("outside", 2), ("one", 2), ("two", 2)]


# --- in a browser ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1000, 560])
@pytest.mark.parametrize("finer", [True, False])
def test_a_scope_opens_by_key_and_by_mouse_and_no_words_overlap(opened, training, width, finer, monkeypatch):
    if not finer:
        monkeypatch.setattr(dot, "find", lambda: None)
    graph = GraphView(training, scopes={"layer 1": (2, 3)})
    page = opened(graph, viewport={"width": width, "height": 700})
    button = page.get_by_role("button", name="layer 1 (4 ops): open it")
    button.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "layer 1 (4 ops): fold it"
    for _ in range(2):
        page.locator(".mt-track").press("Home")
        for _ in range(int(page.locator(".mt-track").get_attribute("aria-valuemax"))):
            assert collisions(page, tall=5) == []
            page.locator(".mt-track").press("ArrowRight")
        page.get_by_role("button", name="layer 1 (4 ops): fold it").or_(button).click()

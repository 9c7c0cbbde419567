"""The memory table and the memory plot: what they say is what the trace measured."""

import io
from dataclasses import dataclass, field

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

import minitape as tf
from minitape.trace import (
    Answered,
    Asked,
    Cleared,
    Entered,
    Event,
    Left,
    Made,
    Passed,
    Ran,
    Rerun,
    Rested,
    Skip,
    Trace,
    Value,
    Walked,
    Watched,
)
from minitape_widgets.memory.held import measure
from minitape_widgets.memory.held_words import memory_table
from minitape_widgets.memory.plot import plot_memory

MB = 1_000_000
KEPT, AGAIN, SKIPPED = "#0072b2", "#e69f00", "#bbbbbb"


@dataclass
class Script:
    """Writes a trace by hand: a chain of tanh, each of which keeps its output."""

    size: int = MB
    events: list[Event] = field(default_factory=list)
    held: int = 0
    values: int = 0
    skip: tuple[Skip, ...] = (Skip(1, "recompute_grad", "segment can be run again"),)

    def value(self, name):
        self.values += 1
        return Value(self.values, name, "(n,) float32", (self.size // 4,), "float32", self.size)

    def add(self, kind, *fields, change=0, **more):
        self.held += change * self.size
        self.events.append(kind(3, self.held, *fields, **more))

    def start(self):
        x = self.value("x")
        self.add(Made, x, "constant")
        self.add(Entered, 1, "tape")
        self.add(Watched, 1, x, True)
        return x

    def tanh(self, x, name, recorded=(), skipped=(), **more):
        y = self.value(name)
        saves = (y,) if recorded else ()
        self.add(Ran, "tanh", f"tf.tanh({x.name})", (x,), (y,), recorded, skipped, saves, change=len(saves), **more)
        return y

    def walk(self, tape, entry, y, freed=None, op="tanh", **more):
        freed = (y,) if freed is None else freed
        self.add(Walked, tape, entry, op, f"{op} {entry}", (y,), (y,), (), freed, change=-len(freed), **more)

    def trace(self):
        return Trace(("with tf.GradientTape() as tape:",), tuple(self.events))


def store_all(n, *, size=MB, back=True):
    script = Script(size)
    x = script.start()
    outputs = [x]
    for i in range(1, n + 1):
        outputs.append(script.tanh(outputs[-1], f"y{i}", recorded=((1, i),)))
    if back:
        script.add(Left, 1)
        script.add(Asked, 1, (outputs[-1],), (x,), (outputs[-1],))
        for i in range(n, 0, -1):
            script.walk(1, i, outputs[i])
        script.add(Answered, 1, (x,), (x,))
    return script.trace()


def recompute(n, k, *, size=MB, names=None):
    script = Script(size)
    names = names or ["segment"] * k
    x = r = script.start()
    blocks = []
    ops = [range(n // k * j + 1, n // k * (j + 1) + 1) for j in range(k)]
    for j in range(k):
        script.add(Rerun, names[j], 1)
        y = r
        for i in ops[j]:
            y = script.tanh(y, f"y{i}", skipped=script.skip, within=f"recompute_grad {names[j]}")
        script.add(Rested, names[j], 1)
        block = ("segment", f"{names[j]}(r)", (r,), (y,), ((1, j + 1),), (), (r,))
        script.add(Ran, *block, change=1, custom="recompute_grad")
        blocks.append((r, y))
        r = y
    script.add(Left, 1)
    script.add(Asked, 1, (r,), (x,), (r,))
    for j in range(k - 1, -1, -1):
        start, out = blocks[j]
        script.add(Rerun, names[j], 2)
        y, outputs = start, []
        for entry, i in enumerate(ops[j], 1):
            y = script.tanh(y, f"y{i}", recorded=((2 + j, entry),), within=f"recompute_grad {names[j]}", again=True)
            outputs.append(y)
        script.add(Rested, names[j], 2)
        script.add(Asked, 2 + j, (y,), (start,), (y,))
        for entry in range(len(outputs), 0, -1):
            script.walk(2 + j, entry, outputs[entry - 1])
        script.add(Answered, 2 + j, (start,), (start,))
        script.walk(1, j + 1, out, (start,), op="segment", custom="recompute_grad")
    script.add(Answered, 1, (x,), (x,))
    return script.trace()


def words(axes):
    return [text.get_text() for text in axes.texts]


def said(axes):
    """Every word of the picture: the curve's and the strip's."""
    return [*words(axes), *words(axes.figure.axes[-1])]


def stairs(axes):
    return {patch.get_label(): patch.get_data() for patch in axes.patches}


def strip_boxes(axes):
    return {part.get_label(): len(part.get_paths()) for part in axes.figure.axes[-1].collections}


@pytest.fixture(autouse=True)
def _agg():
    before = mpl.get_backend()
    plt.switch_backend("Agg")
    yield
    plt.close("all")
    plt.switch_backend(before)


# --- what is measured ---


def test_store_all_goes_up_by_each_output_and_down_again():
    memory = measure(store_all(4))
    assert memory.held == (MB, 2 * MB, 3 * MB, 4 * MB, 3 * MB, 2 * MB, MB, 0)
    assert memory.backs == ((4, 8),)
    assert [step.phase for step in memory.steps] == ["forward"] * 4 + ["backward"] * 4
    assert [life.value.name for life in memory.at_peak] == ["y1", "y2", "y3", "y4"]
    assert [(life.start, life.end) for life in memory.lives] == [(0, 7), (1, 6), (2, 5), (3, 4)]
    assert memory.extra_runs == 0
    assert memory.nobody == ()


def test_recompute_holds_the_inputs_of_its_blocks_and_one_block_that_runs_again():
    memory = measure(recompute(16, 4))
    forward = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4]
    back = [5, 6, 7, 8, 7, 6, 5, 3, 4, 5, 6, 7, 6, 5, 4, 2, 3, 4, 5, 6, 5, 4, 3, 1, 2, 3, 4, 5, 4, 3, 2, 0]
    assert [held // MB for held in memory.held] == forward + back
    assert memory.peak == 8 * MB
    assert memory.peak_step == 19
    assert memory.extra_runs == 16
    kept = [life.value.name for life in memory.at_peak if not life.again]
    again = [life.value.name for life in memory.at_peak if life.again]
    assert (kept, again) == (["x", "y4", "y8", "y12"], ["y13", "y14", "y15", "y16"])
    assert [life.input_of for life in memory.at_peak if not life.again] == [1, 2, 3, 4]


def test_a_program_has_the_same_forward_steps_with_recompute_and_without():
    assert measure(recompute(12, 3)).backs[0][0] == measure(store_all(12)).backs[0][0] == 12


def test_the_steps_that_run_again_know_their_block():
    again = [step.block for step in measure(recompute(4, 2)).steps if step.phase == "again"]
    assert again == [2, 2, 1, 1]


def test_kept_and_run_again_add_up_to_what_the_trace_measured():
    trace = recompute(16, 4)
    memory = measure(trace)
    assert memory.peak == trace.peak
    for number, step in enumerate(memory.steps):
        alive = [life for life in memory.lives if life.at(number)]
        assert step.kept == sum(life.value.bytes for life in alive if not life.again)
        assert step.again == sum(life.value.bytes for life in alive if life.again)


def test_nobody_holds_the_outputs_inside_a_block_except_the_next_blocks_input():
    assert measure(recompute(16, 4)).nobody == (0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15)


def test_an_array_that_two_entries_save_lives_once_until_both_let_it_go():
    script = Script()
    x = script.start()
    y = script.tanh(x, "y", recorded=((1, 1),))
    z = script.value("z")
    script.add(Ran, "square", "tf.square(y)", (y,), (z,), ((1, 2),), (), (y,))  # saves y once more: no new bytes
    script.add(Asked, 1, (z,), (x,), (z,))
    script.add(Walked, 1, 2, "square", "tf.square(y)", (z,), (z,), (), ())  # entry 1 still holds y
    script.walk(1, 1, y)
    script.add(Answered, 1, (x,), (x,))
    memory = measure(script.trace())
    assert memory.held == (MB, MB, MB, 0)
    assert [(life.value.name, life.start, life.end) for life in memory.lives] == [("y", 0, 3)]


def test_a_persistent_tape_holds_on_after_the_way_back():
    script = Script()
    x = script.start()
    y = script.tanh(x, "y", recorded=((1, 1),))
    script.add(Asked, 1, (y,), (x,), (y,))
    script.walk(1, 1, y, freed=())
    script.add(Answered, 1, (x,), (x,))
    memory = measure(script.trace())
    assert memory.held == (MB, MB)
    assert [life.end for life in memory.lives] == [None]
    script.add(Cleared, 1, change=-1)
    cleared = measure(script.trace())
    assert cleared.held == (MB, MB, 0)
    assert cleared.steps[-1].phase == "released"
    assert [life.end for life in cleared.lives] == [2]


def test_an_entry_that_is_passed_over_is_a_step():
    script = Script()
    x = script.start()
    y = script.tanh(x, "y", recorded=((1, 1),))
    script.add(Asked, 1, (x,), (x,), (x,))
    script.add(Passed, 1, 1, (y,), change=-1)
    assert measure(script.trace()).held == (MB, 0)


def test_ops_that_no_tape_hears_are_no_steps():
    script = Script()
    script.tanh(script.value("x"), "y")
    assert measure(script.trace()).steps == ()


# --- what is measured in programs that run ---


def tanh_four_times(x):
    for _ in range(4):
        x = tf.tanh(x)
    return x


def chain_of_four(f, size=250_000):
    x = tf.constant(np.linspace(0, 1, size, dtype=np.float32))
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(4):
                y = f(y)
        assert tape.gradient(y, x) is not None
    return seen


def two_layers(wrap):
    model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(2)])
    x = tf.constant(np.ones((4, 3), np.float32))
    model(x)
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(wrap(model)(x)))
        assert None not in tape.gradient(loss, model.trainable_variables)
    return seen


def shares_its_input():
    y = tf.Variable(5.0)
    multiply = tf.recompute_grad(lambda x: x * y)
    with tf.observe() as seen:
        with tf.GradientTape() as tape:
            r = tf.constant(3.0)
            for _ in range(4):
                r = multiply(r)
        assert tape.gradient(r, [y])[0] is not None
    return seen


def test_a_program_that_runs_is_measured_like_the_one_written_by_hand():
    ran, written = measure(chain_of_four(tf.recompute_grad(tanh_four_times))), measure(recompute(16, 4))
    assert ran.held == written.held
    assert ran.nobody == written.nobody
    assert [step.block for step in ran.steps] == [step.block for step in written.steps]
    assert [(life.start, life.end) for life in ran.lives] == [(life.start, life.end) for life in written.lives]
    assert measure(chain_of_four(tanh_four_times)).held == measure(store_all(16)).held


@pytest.mark.parametrize(
    "trace",
    [
        lambda: chain_of_four(tanh_four_times, 8),
        lambda: chain_of_four(tf.recompute_grad(tanh_four_times), 8),
        lambda: two_layers(lambda model: model),
        lambda: two_layers(tf.recompute_grad),
        shares_its_input,
    ],
    ids=["chain", "chain in blocks", "layers", "layers in a block", "a block that shares its input"],
)
def test_the_holders_together_hold_what_the_trace_measured(trace):
    seen = trace()
    memory = measure(seen)
    assert memory.peak == seen.peak
    for number, step in enumerate(memory.steps):
        alive = [life for life in memory.lives if life.at(number)]
        assert sum(life.value.bytes for life in alive) == step.held, number
        assert sum(life.value.bytes for life in alive if life.again) == step.again, number
    assert memory.held[-1] == 0
    assert all(life.end is not None for life in memory.lives)


def test_an_input_that_the_rerun_shares_with_its_block_is_held_once():
    assert memory_table(shares_its_input()).splitlines()[:3] == [
        "peak: 20 B",
        "  4 block inputs: r r₂ r₃ r₄",
        "  1 value kept by the rerun: y",
    ]


# --- what is printed ---


def test_the_table_gives_every_number_of_the_plot():
    assert memory_table(recompute(4, 2), store_all(4)).splitlines() == [
        "peak: 4 MB (store-all 4 MB)",
        "  2 block inputs: x y2",
        "  2 values kept by the rerun: y3 y4",
        "extra runs: 4",
        "held after each step, in MB:",
        "  forward   0 1 1 2",
        "  backward  3 4 3 1 2 3 2 0",
        "store-all, held after each step, in MB:",
        "  forward   1 2 3 4",
        "  backward  3 2 1 0",
    ]


def test_the_table_of_the_lesson_has_a_line_for_each_way():
    rows = memory_table(recompute(16, 4)).splitlines()[-2:]
    assert rows == [
        "  forward   0 0 0 1 1 1 1 2 2 2 2 3 3 3 3 4",
        "  backward  5 6 7 8 7 6 5 3 4 5 6 7 6 5 4 2 3 4 5 6 5 4 3 1 2 3 4 5 4 3 2 0",
    ]


def test_a_tape_that_is_asked_twice_has_two_ways_back():
    script = Script()
    x = script.start()
    y = script.tanh(x, "y", recorded=((1, 1),))
    for _ in range(2):
        script.add(Asked, 1, (y,), (x,), (y,))
        script.walk(1, 1, y, freed=())
        script.add(Answered, 1, (x,), (x,))
    script.tanh(y, "z", recorded=((1, 2),))
    ways = [("forward", 0, 1), ("backward", 1, 2), ("backward", 2, 3), ("forward", 3, 4)]
    assert list(measure(script.trace()).ways) == ways


def test_the_table_of_one_trace():
    assert memory_table(store_all(2, size=4)).splitlines() == [
        "peak: 8 B",
        "  2 values kept: y1 y2",
        "extra runs: 0",
        "held after each step, in B:",
        "  forward   4 8",
        "  backward  4 0",
    ]


def test_the_table_of_a_long_program_is_short():
    table = memory_table(store_all(3000))
    assert table.count("... 2800 more") == 2
    assert max(map(len, table.splitlines())) <= 100
    assert "3000 values kept: y1 … y3000" in table


def test_a_name_that_returns_is_said_once():
    script = Script()
    r = script.start()
    for entry in range(1, 4):
        r = script.tanh(r, "r", recorded=((1, entry),))
    assert "3 values kept: r (3)" in memory_table(script.trace())


@pytest.mark.parametrize(
    ("size", "peak"), [(4, "8 B"), (500, "1 kB"), (4096, "8.19 kB"), (MB, "2 MB"), (600 * MB, "1.2 GB")]
)
def test_sizes_are_in_a_unit_that_suits_them(size, peak):
    assert memory_table(store_all(2, size=size)).startswith(f"peak: {peak}\n")


def test_both_traces_are_in_one_unit():
    table = memory_table(recompute(1000, 25), store_all(1000))
    assert table.startswith("peak: 65 MB (store-all 1000 MB)\n")


def test_the_table_of_an_empty_trace_says_so():
    assert "nothing: no tape heard an op" in memory_table(Trace())


# --- what is drawn ---


def test_it_returns_the_axes_of_the_curve_with_a_strip_that_shares_its_steps():
    axes = plot_memory(store_all(4))
    strip = axes.figure.axes[-1]
    assert axes.figure.axes == [axes, strip]
    assert axes.get_xlim() == strip.get_xlim() == (0, 8)


def test_it_draws_in_the_axes_it_is_given():
    figure, (left, right) = plt.subplots(1, 2, figsize=(14, 5))
    box = right.get_position()
    assert plot_memory(store_all(4), ax=right) is right
    figure.canvas.draw()
    strip = figure.axes[-1]
    assert box.y0 == pytest.approx(strip.get_position().y0)
    assert box.y1 == pytest.approx(right.get_position().y1)
    assert strip.get_position().y1 == pytest.approx(right.get_position().y0)
    assert left.get_title(loc="left") == ""


def test_the_stairs_are_the_bytes_that_were_measured():
    trace, other = recompute(16, 4), store_all(16)
    memory = measure(trace)
    drawn = stairs(plot_memory(trace, other))
    assert drawn["kept"].values.tolist() == [step.kept for step in memory.steps]
    assert drawn["held by a rerun"].values.tolist() == list(memory.held)
    assert drawn["held by a rerun"].baseline.tolist() == [step.kept for step in memory.steps]
    assert drawn["store-all"].values.tolist() == list(measure(other).held)


def test_filled_is_the_trace_and_outlined_the_other():
    axes = plot_memory(recompute(16, 4), store_all(16), other_name="everything kept")
    parts = {patch.get_label(): patch for patch in axes.patches}
    colours = {label: mpl.colors.to_hex(patch.get_facecolor()) for label, patch in parts.items()}
    assert (colours["kept"], colours["held by a rerun"]) == (KEPT, AGAIN)
    assert not parts["everything kept"].get_fill()
    assert "everything kept" in words(axes)


def test_the_peak_is_marked_and_its_holders_are_named():
    axes = plot_memory(recompute(16, 4), store_all(16))
    dot = next(line for line in axes.lines if line.get_label() == "peak")
    assert (*dot.get_xdata(), *dot.get_ydata()) == (19.5, 8 * MB)
    for line in ("peak 8 MB", "4 block inputs: x y4 y8 y12", "4 values kept by the rerun: y13 y14 y15 y16"):
        assert line in words(axes)
    assert axes.get_title(loc="right") == "peak 8 MB (store-all 16 MB) · 16 extra runs"
    assert {label.get_text() for label in axes.get_yticklabels()} == {"0 MB", "8 MB", "16 MB"}


def test_words_stand_beside_every_colour():
    found = said(plot_memory(recompute(16, 4), store_all(16)))
    assert "forward: run, keep what is needed" in found
    assert "backward: use it, release it (and run blocks again)" in found
    assert found.count("run 4 again") == found.count("run 1 again") == 2  # under the axis, and beside the rows
    assert {"held by", "nobody", "blocks 1 to 4", "13 outputs skipped: they can be computed again"} <= set(found)


def test_blocks_with_names_of_their_own_are_called_by_them():
    found = said(plot_memory(recompute(8, 2, names=["encode", "decode"])))
    assert {"run encode again", "run decode again"} <= set(found)


def test_the_rule_stands_where_gradient_was_called():
    axes = plot_memory(recompute(16, 4))
    for part in axes.figure.axes:
        rules = [line for line in part.lines if list(line.get_ydata()) == [0, 1]]
        assert [list(line.get_xdata()) for line in rules] == [[16, 16]]


def test_the_strip_has_a_row_for_every_value_and_a_mark_where_it_is_let_go():
    boxes = strip_boxes(plot_memory(recompute(16, 4)))
    assert boxes["block"] == 4
    assert [boxes[f"again {block}"] for block in (1, 2, 3, 4)] == [4, 4, 4, 4]
    assert boxes["nobody"] == 13
    assert boxes["released"] == 20


def test_a_row_is_as_long_as_its_value_was_held():
    axes = plot_memory(store_all(4))
    rows = next(part for part in axes.figure.axes[-1].collections if part.get_label() == "kept")
    spans = [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in rows.get_paths()]
    assert spans == [pytest.approx(span) for span in [(0, 7), (1, 6), (2, 5), (3, 4)]]


def test_skipped_outputs_are_hatched_and_dashed():
    axes = plot_memory(recompute(16, 4))
    nobody = next(part for part in axes.figure.axes[-1].collections if part.get_label() == "nobody")
    assert nobody.get_hatch()
    assert mpl.colors.to_hex(nobody.get_edgecolor()[0]) == SKIPPED
    assert nobody.get_linestyle()[0][1] is not None


def test_a_theory_is_a_dashed_line_with_its_name():
    axes = plot_memory(recompute(16, 4), theory=7 * MB, theory_name="theory: k + n/k - 1 values")
    line = next(line for line in axes.lines if line.get_label() == "theory: k + n/k - 1 values")
    assert list(line.get_ydata()) == [7 * MB, 7 * MB]
    assert line.is_dashed()
    assert "theory: k + n/k - 1 values = 7 MB" in words(axes)


def test_one_trace_alone_has_no_word_of_another():
    axes = plot_memory(store_all(4))
    assert axes.get_title(loc="right") == "peak 4 MB"
    assert "store-all" not in said(axes)
    assert "nobody" not in said(axes)
    assert "recorded ops" in said(axes)


def test_a_program_without_a_way_back_draws_its_way_forward():
    axes = plot_memory(store_all(4, back=False))
    assert not any(word.startswith("backward") for word in said(axes))
    assert "released" not in strip_boxes(axes) or strip_boxes(axes)["released"] == 0
    assert axes.get_xlim() == (0, 4)


def test_an_empty_trace_says_that_there_is_nothing():
    axes = plot_memory(Trace())
    axes.figure.canvas.draw()
    assert "nothing to draw: no tape heard an op" in words(axes)


def test_light_words_on_a_dark_figure_and_the_same_marks():
    light = plot_memory(recompute(16, 4), store_all(16))
    with plt.style.context("dark_background"):
        dark = plot_memory(recompute(16, 4), store_all(16))

    def ink(axes):
        return next(sum(mpl.colors.to_rgb(text.get_color())) for text in axes.texts if text.get_text() == "peak 8 MB")

    def fills(axes):
        return [mpl.colors.to_hex(patch.get_facecolor()) for patch in axes.patches if patch.get_fill()]

    assert ink(light) < 1 < 2 < ink(dark)
    assert fills(light) == fills(dark) == [KEPT, AGAIN]


@pytest.mark.parametrize("width", [10, 7, 6.3])
@pytest.mark.parametrize(
    "traces",
    [(recompute(16, 4), store_all(16)), (recompute(64, 8), store_all(64)), (recompute(16, 4),), (store_all(16),)],
    ids=["both", "long", "recompute alone", "store-all alone"],
)
def test_no_word_lies_on_another_or_on_the_leader_or_leaves_the_figure(traces, width):
    figure = plt.figure(figsize=(width, 6))
    axes = plot_memory(*traces, ax=figure.add_axes((1.36 / width, 0, (width - 2) / width, 0.92)))
    figure.canvas.draw()
    parts = [child for part in figure.axes for child in part.get_children()]
    texts = [*axes.get_yticklabels(), *(part for part in parts if isinstance(part, Text))]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    leader = next(line for line in axes.lines if len(line.get_xdata()) == 3)
    for number, (word, box) in enumerate(boxes):
        assert figure.bbox.x0 <= box.x0, word
        assert box.x1 <= figure.bbox.x1, word
        assert not leader.get_path().transformed(leader.get_transform()).intersects_bbox(box, filled=False), word
        for other, its in boxes[:number]:
            assert not box.padded(-1).overlaps(its.padded(-1)), (word, other)


def test_the_picture_is_the_same_each_time():
    def png():
        axes = plot_memory(recompute(16, 4), store_all(16))
        stream = io.BytesIO()
        axes.figure.savefig(stream, format="png", dpi=100)
        return stream.getvalue()

    assert png() == png()

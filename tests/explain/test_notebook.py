"""In a notebook: places name the cell, and `%%tape` runs one and shows what its tapes did."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import minitape as tf


@pytest.fixture
def shell():
    """A notebook without a browser."""
    shell = InteractiveShell.instance()
    shell.run_cell("import minitape as tf\n%load_ext minitape_widgets", store_history=True)
    yield shell
    InteractiveShell.clear_instance()


def run(shell, cell):
    """A cell's outputs as text, and its result."""
    with capture_output() as shown:
        result = shell.run_cell(cell, store_history=True)
    return [shown.stdout, *(output.data["text/plain"] for output in shown.outputs)], result


def test_places_name_the_cell(shell):
    number = shell.execution_count
    run(shell, "x = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n    y = x * x\n")
    _, result = run(shell, "tf.explain(tape, y, x)")
    assert result.result.cause == "unwatched"
    assert result.result.line == 3
    assert f"so cell [{number}], line 3 (`x * x`) was not recorded" in str(result.result)


def test_a_cell_under_tape(shell):
    cell = "%%tape\nx = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x) is None\n"
    number = shell.execution_count
    (printed, value, table, player), result = run(shell, cell)
    assert result.success
    assert (printed, value) == ("", "True")
    assert "line 3   skipped      y = x * x" in table
    assert player.startswith("TapePlayer: no ops on the tape, one skipped")
    seen = shell.user_ns["seen"]
    assert seen.lines[0] == "x = tf.constant(3.0)"
    assert [op.line for op in seen.skipped] == [3]
    found = tf.explain(shell.user_ns["tape"], shell.user_ns["y"], shell.user_ns["x"])
    assert f"cell [{number}], line 4" in str(found)  # %%tape is line 1


def test_the_trace_can_have_another_name_and_cells_compare(shell):
    program = "with tf.GradientTape() as tape:\n    {}\n    y = x * x\n"
    run(shell, "x = tf.constant(3.0)")
    run(shell, "%%tape before\n" + program.format("pass"))
    run(shell, "%%tape after\n" + program.format("tape.watch(x)"))
    (text, *_), _ = run(shell, "print(before.compare(after))")
    assert text.splitlines()[0] == "1 more op recorded, 1 fewer skipped"


def test_an_error_shows_what_came_before_it(shell):
    outputs, result = run(shell, "%%tape\nwith tf.GradientTape():\n    y = tf.Variable(1.0) * 2.0\n    1 / 0\n")
    assert isinstance(result.error_in_exec, ZeroDivisionError)
    assert any("recorded     y = tf.Variable(1.0) * 2.0" in text for text in outputs)


def test_a_cell_without_ops_shows_no_player(shell):
    outputs, result = run(shell, "%%tape\na = 1\na + 1\n")
    assert result.success
    assert outputs == ["", "2"]
    assert run(shell, "%%tape\n\n")[1].success


def test_a_wrong_name_is_refused(shell):
    _, result = run(shell, "%%tape 3x\na = 1\n")
    assert "%%tape seen" in str(result.error_in_exec)


CELLS = {
    "a name given anew in a loop": (
        "rebound-name", 4, 2, "tf.explain(tape, loss, w)",
        "w = tf.Variable(2.0)",
        "for i in range(2):\n"
        "    with tf.GradientTape() as tape: loss = w * w\n"
        "    g = tape.gradient(loss, w)\n"
        "    w = w - 0.1 * g if g is not None else w",
    ),
    "the same name in an older cell": (
        "unwatched", 3, 2, "tf.explain(tape, y, x)",
        "x = tf.Variable(2.0)\nold = x * 1.0",
        "x = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n    y = x * x",
    ),
    "plain NumPy in a cell between": (
        "left-to-numpy", 1, 2, "tf.explain(tape, y, x)",
        "x = tf.Variable([2.0, 1.0])",
        "a = x.numpy()",
        "b = a / a.sum()",
        "with tf.GradientTape() as tape:\n    y = tf.reduce_sum(tf.constant(b) * 2.0)",
    ),
    "a function's cell, and the cell that calls it": (
        "before-block", 2, 3, "tf.explain(tape, y, x)",
        "x = tf.Variable(2.0)",
        "def f(x):\n    return x * x",
        "q = 1\nh = f(x)",
        "with tf.GradientTape() as tape:\n    y = h * 2.0",
    ),
    "after the block's cell": (
        "outside-block", 1, 3, "tf.explain(tape, y, x)",
        "x = tf.Variable(2.0)",
        "with tf.GradientTape() as tape:\n    h = x * x",
        "y = h * 2.0",
    ),
    "never used": (
        "unused", 3, 3, "tf.explain(tape, y, u)",
        "x, u = tf.Variable(2.0), tf.Variable(2.0)",
        "z = u * 3.0",
        "with tf.GradientTape() as tape:\n    h = x * x\n    y = h * 2.0",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("cause", "line", "cell", "call", *[f"c{i}" for i in range(4)]), [
    (*case, *[""] * (8 - len(case))) for case in CELLS.values()
], ids=CELLS)  # fmt: skip
def test_a_program_in_several_cells(shell, cause, line, cell, call, c0, c1, c2, c3):
    first = shell.execution_count
    for text in (c0, c1, c2, c3):
        if text:
            assert run(shell, text)[1].success
    _, result = run(shell, call)
    assert (result.result.cause, result.result.line) == (cause, line), result.result
    assert f"cell [{first + cell - 1}], line {line}" in str(result.result)

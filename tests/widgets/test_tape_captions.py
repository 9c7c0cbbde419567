"""What a TapePlayer tells: the steps of a program, their kinds, and their sentences."""

import pytest

import minitape as tf
from minitape.trace import Made, Trace, Value
from minitape_widgets import TapePlayer


def kinds(player):
    return [step.kind for step in player._picture.steps]


def sentences(player):
    return [step.words for step in player._picture.steps]


def test_the_steps_of_a_program_are_its_lines_forward_and_its_entries_backward(written):
    player = TapePlayer(written())
    assert kinds(player) == ["none"] * 3 + ["rec", "none", "skip", "rec", "back", "back", "back", "none"]
    assert sentences(player) == [
        "line 1, x = tf.constant(3.0): not an op; x is 3.0",
        "line 2, with tf.GradientTape() as tape: not an op; tape listens from here on",
        "line 3, tape.watch(x): not an op; the tape now watches x",
        "x * x was recorded as entry 1; it saves x = 3.0 for the way back",
        "line 5, with tape.stop_recording(): not an op; the recording stops",
        "x + x ran but was not recorded: line 5 stopped the recording",
        "y * x was recorded as entry 2; it saves y = 9.0, x = 3.0 for the way back",
        "the way back starts: the gradient of w for itself is 1.0",
        "back through entry 2, w = y * x: y gets 3.0, x gets 9.0",
        "back through entry 1, y = x * x: x was used twice, so it gets 9.0 twice",
        "done: three contributions reached x, and their sum is the gradient, 27.0",
    ]


def test_a_recorded_program_tells_the_same_as_the_trace_written_by_hand(recorded, written):
    # only the place of the block in this file differs: recorded lines are indented as they stand here
    assert sentences(TapePlayer(recorded)) == sentences(TapePlayer(written()))


def test_a_custom_gradient_tells_dy_in_and_gradients_out_and_shows_the_rule_run(clipped):
    told = sentences(TapePlayer(clipped))
    assert "back through entry 1, the rule of clip_grad: dy = [5. 5. 5.] came in, [1. 1. 1.] went out to t" in told
    assert "your rule runs: tf.clip_by_value(dy, -1.0, 1.0) gives [1. 1. 1.]" in told
    assert "clip_grad(t) was recorded as entry 1, with a rule of your own" in told[3]


def test_recomputed_blocks_are_marked_and_counted(recomputed):
    player = TapePlayer(recomputed)
    told = sentences(player)
    assert sum(said.startswith("run 1 of my_function begins") for said in told) == 4
    assert sum(said.startswith("run 2 of my_function begins") for said in told) == 4
    assert sum(said.startswith("x * y ran again") for said in told) == 4
    assert sum("kept nothing of it" in said for said in told) == 4
    assert told[-1].startswith("done: four contributions reached y, and their sum is the gradient, 32.0")
    assert told[-1].endswith("; four blocks had to run again")
    assert kinds(player).count("redo") == 12
    svg = player._picture.svg(player.steps)
    assert svg.count("ran again") == 4
    assert "run again \N{MULTIPLICATION SIGN}4" in svg  # the legend counts them


def test_an_entry_that_no_gradient_reaches_is_passed_over():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: dy * 2 * x

    with tf.observe() as seen:
        t = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(t)
            res = square(t)
        tape.gradient(res, t)
    player = TapePlayer(seen)
    assert "entry 1 is passed over: no gradient came for x * x" in sentences(player)
    assert kinds(player).count("pass") == 1
    assert "nothing came for x * x" in player._picture.svg(player.steps)


def test_none_is_told_with_its_reason(asked_twice):
    player = TapePlayer(asked_twice)
    assert player.text.count("\nAnswer\n") == 2
    player.step = player.steps
    assert player.caption == "done: the answer is None, because no road on the tape leads from inner back to x"
    assert "dinner/dx = None  (no road on the tape leads here)" in player.text


def test_a_variable_is_told_with_the_op_that_meets_it():
    with tf.observe() as seen:
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = w * w
        tape.gradient(y, w)
    told = sentences(TapePlayer(seen))
    assert "w * w was recorded as entry 1; it saves w = 2.0 for the way back; the tape now watches w" in told


def test_several_sources_each_get_their_gradient_named():
    with tf.observe() as seen:
        a, b = tf.Variable(2.0), tf.Variable(5.0)
        with tf.GradientTape() as tape:
            y = a * a
        tape.gradient(y, [a, b])
    player = TapePlayer(seen)
    player.step = player.steps
    assert player.caption == "done: a gets 4.0; b gets None"


def test_what_one_line_does_without_an_op_is_one_step():
    a, b = (Value(id, name, f"{id}.0", (), "float32", 4, (float(id),)) for id, name in ((1, "a"), (2, "b")))
    seen = Trace(("a, b = 1.0, 2.0", "with tape:"), (Made(1, 0, a, "constant"), Made(1, 0, b, "constant")))
    player = TapePlayer(seen)
    assert kinds(player) == ["none"]
    assert player.caption == "line 1, a, b = 1.0, 2.0: not an op; a is 1.0; b is 2.0"


def test_a_program_without_a_tape_says_that_nobody_listened():
    with tf.observe() as seen:
        x = tf.constant(0.5)
        y = x * x
    assert float(y) == 0.25
    player = TapePlayer(seen)
    assert sentences(player)[-1] == "x * x ran, and no tape was listening"
    assert "no tape listened" in player._picture.svg(1)


def test_an_empty_trace_has_one_step_that_says_so():
    player = TapePlayer(tf.observe().trace)
    assert player.steps == 1
    assert player.caption.startswith("nothing happened here")
    assert player.text.startswith("TapePlayer: no tape listened")
    assert "the program&#x27;s text is not at hand" in player._picture.svg(1)


def test_reset_is_told_and_the_entries_count_anew():
    with tf.observe() as seen:
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            tape.reset()
            tape.watch(x)
            y = x + x
        tape.gradient(y, x)
    player = TapePlayer(seen)
    told = sentences(player)
    assert any(said.endswith("not an op; the tape forgets all its entries") for said in told)
    assert "x + x was recorded as entry 1; it needs to save nothing" in told
    states = player._picture.states(player.steps)
    assert states["entry-1"] == "is-dimmed"
    assert states["entry-1x2"] == "is-done"
    assert "forgotten by reset" in player.text


def test_only_a_trace_is_taken():
    with pytest.raises(TypeError, match=r"this is a GradientTape\nmake one: with minitape.observe\(\) as seen"):
        TapePlayer(tf.GradientTape())

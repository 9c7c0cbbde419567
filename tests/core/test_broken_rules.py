"""A rule that raises breaks off the way back; mended, it can be asked again, and nothing wrong comes out."""

import pytest

import minitape as tf


class Broken:
    """x as it is, with a rule that raises until it is mended; then the gradient is seven times the upstream."""

    def __init__(self):
        self.mended = False
        self.call = tf.custom_gradient(lambda x: (x, self.rule))

    def rule(self, dy):
        if not self.mended:
            raise KeyError("in the rule")
        return dy * 7.0


@pytest.fixture
def program():
    """A tape that is used once, x, y = broken(x) * 3 and z = y * x; the first call of gradient has failed."""
    broken, x = Broken(), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = broken.call(x) * 3.0
        z = y * x
    with pytest.raises(KeyError, match="in the rule"):
        tape.gradient(z, x)
    broken.mended = True
    return tape, x, y, z


def test_the_same_question_is_answered(program):
    tape, x, _, z = program
    assert float(tape.gradient(z, x)) == 7.0 * 3.0 * 2.0 + 6.0
    with pytest.raises(RuntimeError, match="one set of gradients"):
        tape.gradient(z, x)


@pytest.mark.parametrize(
    "ask",
    [
        lambda tape, x, y, z: tape.gradient(y, x),
        lambda tape, x, y, z: tape.gradient(z, [x, y]),
        lambda tape, x, y, z: tape.gradient(z, x, output_gradients=tf.constant(2.0)),
        lambda tape, x, y, z: tape.jacobian(z, x),
    ],
    ids=["target", "sources", "output_gradients", "jacobian"],
)
def test_another_question_is_refused_and_the_first_still_stands(program, ask):
    tape, x, y, z = program
    with pytest.raises(RuntimeError, match=r"asks for something else[\s\S]*persistent=True"):
        ask(tape, x, y, z)
    assert float(tape.gradient(z, x)) == 48.0


def test_an_outer_tape_changes_the_question(program):
    tape, x, _, z = program
    with tf.GradientTape() as outer:
        outer.watch(x)
        with pytest.raises(RuntimeError, match="asks for something else"):
            tape.gradient(z, x)


def test_entered_again_the_tape_is_a_fresh_one(program):
    tape, x, _, _ = program
    with tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 4.0


def test_broken_off_inside_stop_recording_the_block_goes_on_afresh():
    broken, x = Broken(), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = broken.call(x) * 3.0
        with pytest.raises(KeyError), tape.stop_recording():
            tape.gradient(y, x)
        tape.watch(x)
        z = x * x
    assert float(tape.gradient(z, x)) == 4.0


def test_a_persistent_tape_answers_anything_afterwards():
    broken, x = Broken(), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = broken.call(x) * 3.0
        z = y * x
    with pytest.raises(KeyError):
        tape.gradient(z, x)
    broken.mended = True
    assert [float(tape.gradient(target, x)) for target in (y, z, y)] == [21.0, 48.0, 21.0]


def test_a_gradient_of_too_low_a_rank_passes_a_broadcasting_op():
    @tf.custom_gradient
    def f(x):
        return x * 1.0, lambda dy: tf.constant(5.0)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x * 3.0)
    grad = tape.gradient(y, x)
    assert (grad.numpy(), grad.shape) == (15.0, ())


def test_an_empty_list_fits_any_dtype():
    assert tf.constant([], tf.int32).dtype == tf.int32
    assert tf.gather(tf.constant([1.0]), tf.constant([], tf.int32)).shape == (0,)

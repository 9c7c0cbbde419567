"""inf and nan are numbers like any other, as in TensorFlow: nothing warns of them, whatever NumPy is told to do."""

import contextlib
import warnings

import numpy as np
import pytest

import minitape as tf

from .test_rules import CASES, Sample, floats, outputs

HARD = [0.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300]
#: NumPy's own state of things, and two that learners choose. (The suite makes an error of every warning.)
STATES = {"a warning": {"all": "warn"}, "an error": {"all": "raise"}}


@pytest.fixture(params=STATES)
def loud(request):
    """NumPy told to make an error of every inf and nan."""
    with np.errstate(**STATES[request.param]):
        yield


@contextlib.contextmanager
def as_imported():
    """Python's warnings as they are for a learner who has imported minitape: those that come through are listed."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minitape\.")
        yield told


def back(name: str, sample: Sample) -> list[np.ndarray] | str:
    """The op's outputs for such numbers, and the gradients for its inputs; or why it refuses them."""
    inputs = [tf.constant(np.resize(HARD, x.shape) if x.dtype.kind == "f" else x) for x in sample.inputs]
    try:
        with tf.GradientTape() as tape:
            tape.watch(floats(inputs))
            outs = outputs(name, sample, inputs)
        grads = tape.gradient(floats(outs), floats(inputs), unconnected_gradients="zero")
    except tf.errors.InvalidArgumentError as error:
        return str(error)
    return [tf.convert_to_tensor(thing).numpy() for thing in (*outs, *grads)]


@pytest.mark.parametrize(("name", "sample"), CASES)
def test_no_op_warns(name: str, sample: Sample):
    with as_imported() as told:
        back(name, sample)
    assert [f"{warning.message} in {warning.filename}" for warning in told] == []


@pytest.mark.parametrize(("name", "sample"), CASES)
def test_an_op_gives_the_same_where_warnings_are_errors(name: str, sample: Sample, loud):
    with np.errstate(all="ignore"):
        expected = back(name, sample)
    if isinstance(expected, str):
        assert back(name, sample) == expected
    else:
        for found, wanted in zip(back(name, sample), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("parts", [2, 3, 4])
def test_gradients_that_add_up_to_inf(parts: int, persistent: bool, loud):
    x = tf.constant([3e38, 1.0])
    with tf.GradientTape(persistent) as tape:
        tape.watch(x)
        y = tf.add_n([x * 3e38 * tf.constant([1.0, 2.0]) for _ in range(parts)])
    assert tape.gradient(y, x).numpy().tolist() == [np.inf, np.inf]
    assert tape.unfinished is None


def test_rows_that_add_up_to_inf(loud):
    table = tf.Variable([[3e38], [1.0]])
    with tf.GradientTape() as tape:
        y = 3e38 * (tf.gather(table, [0, 0]) + tf.gather(table, [0, 1]) + table * 1.0)
    assert tf.convert_to_tensor(tape.gradient(y, table)).numpy().tolist() == [[np.inf], [np.inf]]


@pytest.mark.parametrize("persistent", [False, True])
def test_a_rule_that_ran_already_does_not_run_again(persistent: bool, loud):
    ran = []

    @tf.custom_gradient
    def noted(x):
        def rule(dy):
            ran.append(dy.numpy().tolist())
            return dy

        return x, rule

    x = tf.constant([0.0, 4.0])
    with tf.GradientTape(persistent) as tape:
        tape.watch(x)
        y = noted(tf.sqrt(x))
    assert tape.gradient(y, x).numpy().tolist() == [np.inf, 0.25]
    assert ran == [[1.0, 1.0]]


def test_a_failing_rule_after_an_inf_tells_of_itself_alone(loud):
    @tf.custom_gradient
    def broken(x):
        return x, lambda dy: {}["no such key"]

    x = tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(broken(x))
    with pytest.raises(KeyError) as caught:
        tape.gradient(y, x)
    assert caught.value.__context__ is None


def test_numbers_too_large_for_their_dtype_are_inf(loud):
    x = tf.constant([1.0, 2.0])
    assert tf.constant(1e300, tf.float32).numpy() == np.inf
    assert tf.constant(np.float64(1e300), tf.float32).numpy() == np.inf
    assert tf.constant([1e5], tf.float16).numpy() == np.inf
    assert tf.cast(tf.constant(1e300, tf.float64), tf.float32).numpy() == np.inf
    assert (x * 1e39).numpy().tolist() == [np.inf, np.inf]
    assert (x + np.float64(1e39)).numpy().tolist() == [np.inf, np.inf]
    assert tf.maximum(x, 1e39).numpy().tolist() == [np.inf, np.inf]
    v = tf.Variable(x)
    assert v.assign([1.0, np.float64(1e39)]).numpy().tolist() == [1.0, np.inf]
    assert v.assign_add([3e38, 0.0]).assign_add([3e38, 0.0]).numpy().tolist() == [np.inf, np.inf]

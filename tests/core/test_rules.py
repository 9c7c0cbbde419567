"""Every rule in the tables against finite differences, against itself on Tensors, and against what it says it keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitape as tf
from minitape.primitive import CALLS, REGISTRY, rule_text
from minitape.tensor import Tensor

from .samples import SAMPLES, Sample

CASES = [
    pytest.param(name, sample, id=f"{name}-{i}") for name in REGISTRY for i, sample in enumerate(SAMPLES.get(name, []))
]
#: Ops whose rule is not their slope everywhere: steps, whole-number inputs, complex numbers, symmetric matrices.
APART = {"floormod", "polygamma", "complex", "real", "imag", "direction", "cholesky"}
SMOOTH = [case for case in CASES if REGISTRY[case.values[0]].differentiable and case.values[0] not in APART]


def run(name: str, sample: Sample) -> Callable[..., Any]:
    """The op as a function of its float inputs, weighted so that every output number counts differently."""

    def f(*inputs: Any) -> Any:
        total = 0.0
        for out in outputs(name, sample, inputs):
            weights = np.cos(np.arange(out.array.size, dtype=np.float64)).reshape(out.array.shape)
            total += tf.reduce_sum(out * tf.constant(weights))
        return total

    return f


def outputs(name: str, sample: Sample, inputs: Any) -> tuple[Tensor, ...]:
    out = CALLS[name](*inputs, **sample.params)
    return out if REGISTRY[name].many else (out,)


def tensors(sample: Sample) -> list[Tensor]:
    return [tf.constant(x) for x in sample.inputs]


def floats(inputs: list[Tensor]) -> list[Tensor]:
    return [x for x in inputs if x.dtype.is_floating]


def slopes(f: Callable[..., Any], inputs: list[Tensor], step: float = 1e-6) -> list[np.ndarray]:
    """Central differences, one number at a time."""
    out = []
    for place, x in enumerate(inputs):
        if not x.dtype.is_floating:
            continue
        slope = np.zeros_like(np.asarray(x.array))
        for index in np.ndindex(slope.shape):
            values = []
            for sign in (1, -1):
                moved = np.array(x.array)
                moved[index] += sign * step
                values.append(float(f(*inputs[:place], tf.constant(moved), *inputs[place + 1 :])))
            slope[index] = (values[0] - values[1]) / (2 * step)
        out.append(slope)
    return out


def first(f: Callable[..., Any], inputs: list[Tensor]) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(floats(inputs))
        y = f(*inputs)
    return [tf.convert_to_tensor(g) for g in tape.gradient(y, floats(inputs), unconnected_gradients="zero")]


def test_every_op_has_samples():
    assert set(SAMPLES) == set(REGISTRY)


@pytest.mark.parametrize(("name", "sample"), SMOOTH)
def test_the_gradient_is_the_slope(name: str, sample: Sample):
    inputs = tensors(sample)
    for grad, slope in zip(first(run(name, sample), inputs), slopes(run(name, sample), inputs), strict=True):
        assert grad.shape == slope.shape
        np.testing.assert_allclose(grad.numpy(), slope, rtol=2e-5, atol=2e-7)


@pytest.mark.parametrize(("name", "sample"), SMOOTH)
def test_the_second_derivative_is_the_slope_of_the_first(name: str, sample: Sample):
    inputs = tensors(sample)

    def weighted_gradient(*inputs: Tensor) -> Any:
        grads = first(run(name, sample), list(inputs))
        return sum(tf.reduce_sum(tf.sin(grad)) for grad in grads)

    found = first(weighted_gradient, inputs)
    for grad, slope in zip(found, slopes(weighted_gradient, inputs, 1e-5), strict=True):
        np.testing.assert_allclose(grad.numpy(), slope, rtol=2e-4, atol=2e-6)


@pytest.mark.parametrize(("name", "sample"), SMOOTH)
def test_arrays_and_tensors_give_equal_bits(name: str, sample: Sample):
    inputs = tensors(sample)
    on_arrays = first(run(name, sample), inputs)
    with tf.GradientTape() as outer:
        outer.watch(floats(inputs))
        on_tensors = first(run(name, sample), inputs)
    for a, b in zip(on_arrays, on_tensors, strict=True):
        assert a.numpy().tobytes() == b.numpy().tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "sample"), SMOOTH)
def test_a_dtype_goes_through_unchanged(name: str, sample: Sample, dtype: type):
    params = {k: np.dtype(dtype) if k == "dtype" else v for k, v in sample.params.items()}
    inputs = [tf.constant(x.astype(dtype) if x.dtype.kind == "f" else x) for x in sample.inputs]
    with tf.GradientTape() as tape:
        tape.watch(floats(inputs))
        y = outputs(name, Sample((), params), inputs)
    assert [out.array.dtype for out in y] == [dtype] * len(y)
    grads = [grad for grad in tape.gradient(list(y), floats(inputs)) if grad is not None]
    assert all(grad.dtype == dtype for grad in grads)


@pytest.mark.parametrize(("name", "sample"), [case for case in CASES if not REGISTRY[case.values[0]].differentiable])
def test_an_op_without_a_rule_is_noted_and_gives_none(name: str, sample: Sample):
    inputs = tensors(sample)
    with tf.GradientTape() as tape:
        tape.watch(floats(inputs))
        y = CALLS[name](*inputs, **sample.params)
    assert tape.entries == []
    assert [note.reason for note in tape.notes] == ["not differentiable" if floats(inputs) else "integer"]
    assert all(grad is None for grad in tape.gradient(y, floats(inputs)))


def test_floormod_follows_tensorflow():
    a, b = tf.constant([5.5, -5.5]), tf.constant([2.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = a % b
    da, db = tape.gradient(y, [a, b])
    assert (da.numpy().tolist(), db.numpy().tolist()) == ([1.0, 1.0], [-2.0, 3.0])


def test_only_what_the_rules_name_is_saved():
    x = tf.constant([1.0, 2.0])
    kept = {}
    with tf.GradientTape() as tape:
        tape.watch(x)
        for op in (tf.exp, tf.sin, tf.negative, tf.abs):
            op(x)
            kept[op.__name__] = tape.entries[-1].plan.names
        x * x
        kept["multiply"] = tape.entries[-1].plan.names
        x * 2.0
        kept["by a number"] = tape.entries[-1].plan.names
        x + x
        kept["add"] = tape.entries[-1].plan.names
    assert kept == {
        "exp": ("z",), "sin": ("x",), "negative": (), "abs": ("x",),
        "multiply": ("x", "y"), "by a number": ("y",), "add": (),
    }  # fmt: skip


def test_rules_can_be_read_as_text():
    assert rule_text("multiply", 0) == "g * y"
    assert rule_text("tanh", 0) == "g * (1 - z * z)"
    for name, op in REGISTRY.items():
        for slot, label in enumerate(op.inputs):
            assert bool(rule_text(name, slot)) == (label in op.rules or op.joint is not None), name
    assert (rule_text("subtract", 0), rule_text("subtract", 1)) == ("g", "-g")

"""Every rule with all of a jacobian's rows at once, and every op in forward mode: the same numbers as row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minitape as tf
from minitape.tensor import Tensor

from .samples import SAMPLES, Sample
from .test_rules import SMOOTH, floats, outputs, tensors

#: join_rows puts gathered rows together, which a whole jacobian never has: its gradients are dense.
CASES = [case for case in SMOOTH if case.values[0] != "join_rows"]
CASES = [*CASES, *(pytest.param(n, s, id=n) for n in ("floormod", "polygamma") for s in SAMPLES[n])]


def flat(name: str, sample: Sample, inputs: list[Tensor]) -> Tensor:
    """All the op's outputs as one vector."""
    parts = outputs(name, sample, inputs)
    return tf.concat([tf.reshape(part, [-1]) for part in parts], 0)


def rows(name: str, sample: Sample, inputs: list[Tensor], at_once: bool) -> list[Any]:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(floats(inputs))
        y = flat(name, sample, inputs)
    return tape.jacobian(y, floats(inputs), "zero", experimental_use_pfor=at_once)


@pytest.mark.parametrize(("name", "sample"), CASES)
def test_a_whole_jacobian_is_its_rows(name: str, sample: Sample):
    inputs = tensors(sample)
    for whole, each in zip(rows(name, sample, inputs, True), rows(name, sample, inputs, False), strict=True):
        np.testing.assert_allclose(whole.numpy(), each.numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "sample"), CASES)
def test_a_recorded_jacobian_is_differentiated_again(name: str, sample: Sample):
    inputs = tensors(sample)

    def second(at_once: bool) -> list[Any]:
        with tf.GradientTape() as outer:
            outer.watch(floats(inputs))
            total = [tf.reduce_sum(tf.sin(part)) for part in rows(name, sample, inputs, at_once)]
        return outer.gradient(total, floats(inputs), unconnected_gradients="zero")

    for whole, each in zip(second(True), second(False), strict=True):
        np.testing.assert_allclose(whole.numpy(), each.numpy(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("name", "sample"), CASES)
def test_forward_mode_is_the_jacobian_times_the_tangent(name: str, sample: Sample):
    inputs = tensors(sample)
    primals = floats(inputs)
    tangents = [tf.constant(np.cos(np.arange(x.array.size) + 1.0).reshape(x.shape)) for x in primals]
    with tf.autodiff.ForwardAccumulator(primals, tangents) as acc:
        y = flat(name, sample, inputs)
    moved = acc.jvp(y, unconnected_gradients="zero").numpy()
    wanted = sum(
        np.tensordot(j.numpy(), t.numpy(), t.ndim)
        for j, t in zip(rows(name, sample, inputs, True), tangents, strict=True)
    )
    np.testing.assert_allclose(moved, wanted, rtol=1e-10, atol=1e-10)

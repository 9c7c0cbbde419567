"""Random programs: ops, blocks under stop_recording, recomputed and custom rules, nested at will.

Every one is asked the same questions: is the gradient the slope, to first and second order; do forward and reverse mode
agree; are arrays and Tensors equal to the bit; and is nothing left alive when the gradient has been given?

500 programs in every run; 10,000 by `python run.py test tests/core/test_random_programs.py --hypothesis-profile=deep`.
"""

from __future__ import annotations

import contextlib
import gc
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import minitape as tf
from minitape.ledger import arrays, base


@tf.custom_gradient
def custom_sin(x):
    return tf.sin(x), lambda dy: dy * tf.cos(x)


@tf.custom_gradient
def custom_product(x, y):
    return x * y, lambda dy: (dy * y, dy * x)


# Smooth functions that keep vectors of three within reach of finite differences.
UNARY: dict[str, Callable[[Any], Any]] = {
    "sin": tf.sin,
    "cos": tf.cos,
    "tanh": tf.tanh,
    "sigmoid": tf.sigmoid,
    "negative": lambda x: -x,
    "square": lambda x: tf.square(tf.tanh(x)),
    "exp": lambda x: tf.exp(tf.sin(x)),
    "half": lambda x: x / 2.0,
    "root": lambda x: tf.sqrt(tf.square(x) + 1.0),
    "power": lambda x: (tf.sigmoid(x) + 1.0) ** 1.5,
    "sum": lambda x: x * tf.reduce_sum(x) / 3.0,
    "mean": lambda x: x - tf.reduce_mean(x),
    "turn": lambda x: tf.reshape(tf.matmul(tf.reshape(x, [1, 3]), MIX), [3]),
    "part": lambda x: x[:1] + x[1:2] * x,
    "rows": lambda x: tf.gather(x, [2, 0, 0]),
    "clip": lambda x: tf.clip_by_value(x, -100.0, 100.0),
    "custom": custom_sin,
    "recompute": tf.recompute_grad(lambda x: tf.sin(x) * tf.tanh(x)),
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: tf.tanh(x) * y,
    "divide": lambda x, y: x / (tf.square(y) + 2.0),
    "outer": lambda x, y: tf.reduce_sum(tf.reshape(x, [3, 1]) * y, axis=0) / 3.0,
    "custom2": custom_product,
    "recompute2": tf.recompute_grad(lambda x, y: tf.sin(x * y)),
}
MIX = tf.constant([[0.5, -0.25, 0.0], [0.25, 0.5, 1.0], [-0.5, 0.0, 0.25]], tf.float64)


class Step(NamedTuple):
    """One op on earlier values; `stopped` runs it with the recording stopped."""

    op: str
    first: int
    second: int
    stopped: bool


@st.composite
def programs(draw: Any) -> list[Step]:
    length = draw(st.integers(1, 7))
    ops = st.sampled_from([*UNARY, *BINARY])
    return [
        Step(draw(ops), draw(st.integers(0, 1 + n)), draw(st.integers(0, 1 + n)), draw(st.integers(0, 5)) == 0)
        for n in range(length)
    ]


numbers = st.lists(st.floats(-1.5, 1.5).map(lambda x: round(x, 3)), min_size=3, max_size=3)


def run(program: list[Step], x: Any, y: Any, tapes: tuple[Any, ...] = (), frozen: dict[int, Any] | None = None) -> Any:
    """The program's value, one number. `frozen` holds the values of stopped steps: constants to every derivative."""
    values = [x, y]
    for place, (op, first, second, stopped) in enumerate(program):
        with contextlib.ExitStack() as stack:
            if stopped:
                if frozen is not None and place in frozen:
                    values.append(frozen[place])
                    continue
                for tape in tapes:
                    stack.enter_context(tape.stop_recording())
            made = UNARY[op](values[first]) if op in UNARY else BINARY[op](values[first], values[second])
        if stopped and frozen is not None:
            frozen[place] = tf.constant(made.numpy())
        values.append(made)
    return tf.reduce_sum(values[-1] * tf.constant([1.0, -2.0, 0.5], tf.float64))


def gradient(program: list[Step], x: Any, y: Any, outer: tuple[Any, ...] = ()) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        loss = run(program, x, y, (*outer, tape))
    return [tf.convert_to_tensor(g) for g in tape.gradient(loss, [x, y], unconnected_gradients="zero")]


def slope(f: Callable[[Any, Any], float], x: Any, y: Any, step: float = 5e-4) -> list[np.ndarray]:
    """Central differences of fourth order, in float64: the error is step**4 times a fifth derivative."""
    out = []
    for which in (0, 1):
        grad = np.zeros(3)
        for i in range(3):
            for times, weight in ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0)):
                inputs = [x.numpy(), y.numpy()]
                inputs[which][i] += times * step
                grad[i] += weight * f(*(tf.constant(v) for v in inputs))
        out.append(grad / (12 * step))
    return out


def near(found: list[Any], wanted: list[np.ndarray]) -> None:
    scale = max(1.0, *(float(np.abs(w).max()) for w in wanted))
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f.numpy(), w, rtol=1e-6, atol=1e-7 * scale)


@given(programs(), numbers, numbers)
def test_a_random_program(program: list[Step], a: list[float], b: list[float]):
    x, y = tf.constant(a, tf.float64), tf.constant(b, tf.float64)
    frozen: dict[int, Any] = {}
    run(program, x, y, frozen=frozen)
    grads = gradient(program, x, y)

    # First order: the gradient is the slope.
    near(grads, slope(lambda u, v: float(run(program, u, v, frozen=frozen)), x, y))

    # Forward mode agrees: the change along a direction is the gradient's part along it.
    along = tf.constant([0.3, -1.0, 0.7], tf.float64)
    with tf.autodiff.ForwardAccumulator([x, y], [along, -along]) as acc:
        out = run([step._replace(stopped=False) for step in program], x, y, frozen=None)
    plain = gradient([step._replace(stopped=False) for step in program], x, y)
    jvp = acc.jvp(out, unconnected_gradients="zero")
    np.testing.assert_allclose(
        float(jvp), float(tf.reduce_sum(plain[0] * along - plain[1] * along)), rtol=1e-9, atol=1e-12
    )

    # Second order: differentiate the gradient itself.
    def bent(u: Any, v: Any, outer: tuple[Any, ...] = ()) -> Any:
        du, dv = gradient(program, u, v, outer)
        return tf.reduce_sum(tf.sin(du) + tf.cos(dv))

    with tf.GradientTape() as outer:
        outer.watch([x, y])
        value = bent(x, y, (outer,))
        on_tensors = gradient(program, x, y)
    second = [tf.convert_to_tensor(g) for g in outer.gradient(value, [x, y], unconnected_gradients="zero")]

    def frozen_bent(u: Any, v: Any) -> float:
        with tf.GradientTape() as tape:
            tape.watch([u, v])
            loss = run(program, u, v, frozen=frozen)
        du, dv = tape.gradient(loss, [u, v], unconnected_gradients="zero")
        return float(tf.reduce_sum(tf.sin(tf.convert_to_tensor(du)) + tf.cos(tf.convert_to_tensor(dv))))

    near(second, slope(frozen_bent, x, y))

    # Arrays and Tensors: equal to the bit.
    for p, q in zip(grads, on_tensors, strict=True):
        assert p.numpy().tobytes() == q.numpy().tobytes()


@given(programs(), numbers, numbers)
def test_nothing_but_the_result_is_left(program: list[Step], a: list[float], b: list[float]):
    x, y = tf.constant(a, tf.float64), tf.constant(b, tf.float64)
    gc.disable()  # no help from the collector: there must be no cycles either
    try:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            loss = run(program, x, y, (tape,))
        saved = [array for kept in tape.saved for array in arrays(kept) if isinstance(array, np.ndarray)]
        alive = [weakref.ref(array) for array in saved]
        del saved
        grads = tape.gradient(loss, [x, y])
        del loss
        parts = [part for g in grads for part in ((g.values, g.indices) if isinstance(g, tf.IndexedSlices) else (g,))]
        result = [x.array, y.array, MIX.array, *(base(part.array) for part in parts if part is not None)]
        assert [ref() for ref in alive if ref() is not None and not any(ref() is array for array in result)] == []
        assert tape.saved == []
    finally:
        gc.enable()

"""Exercises of the lesson on recompute_grad: less memory for more runs."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

import minitape as tf

from .exercise import Exercise, Facts, Wrong
from .probes import counted, peak

# --- Predict: how often does a recomputed function run? --------------------------------------------------------------


def runs_on_the_way_back() -> int:
    """The lesson's program: four calls of a recomputed function; how often it runs when the gradient is asked for."""
    gain = tf.Variable(2.0)
    louder, runs = counted(lambda sound: sound * gain)
    again = tf.recompute_grad(louder)
    with tf.GradientTape() as tape:
        sound = tf.constant(1.0)
        for _ in range(4):
            sound = again(sound)
    forward = runs[0]
    tape.gradient(sound, gain)
    return runs[0] - forward


RUNS = Exercise(
    key="recompute_grad.runs",
    asks="a number: how often louder runs while tape.gradient works",
    truth=runs_on_the_way_back,
    solution=4,
    wrong=(
        Wrong(0, "That is so without recompute_grad, where the tape kept the inner values. Here it must run again."),
        Wrong(8, "That is both ways together. How many of these runs belong to the way back?"),
        Wrong(1, "Each of the four calls is an entry of its own, and each is run again when its turn comes."),
        Wrong(3, "The last call is run again as well: its inner values were not kept either."),
    ),
    hint="The tape holds four entries, one a call. Each keeps only the input, so each must run again.",
)

# --- Do: build recompute_grad from parts -----------------------------------------------------------------------------

BLOCKS, STEPS, SIZE = 6, 6, 100
RAN = f"runs of the {BLOCKS} blocks"


def block(x: Any) -> Any:
    """A block that keeps STEPS arrays on the tape."""
    for _ in range(STEPS):
        x = tf.sin(x)
    return x


def chain(recompute: Any) -> tuple[Any, int, int]:
    """A chain of blocks, each wrapped by the learner's function: its gradient, runs of `block`, peak bytes."""
    x = tf.constant(np.linspace(0.5, 1.5, SIZE, dtype=np.float32))
    run_block, runs = counted(block)
    answers = []

    def program() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(BLOCKS):
                y = recompute(run_block, tape)(y)
        answers.append(tape.gradient(y, x))

    most = peak(program)
    return answers[0], runs[0], most


def _stored(f: Any, tape: Any) -> Any:
    return f


def what_recompute_does(recompute: Any) -> Facts:
    """How often the blocks of the chain ran, its gradient, and whether that saved memory."""
    grad, runs, most = chain(recompute)
    return {RAN: runs, "the gradient": grad, "peak below 60 % of store-all": most < 0.6 * chain(_stored)[2]}


def recompute_truth() -> Facts:
    """Two runs a block, the gradient of the same chain with everything stored, and less memory."""
    return {RAN: 2 * BLOCKS, "the gradient": chain(_stored)[0], "peak below 60 % of store-all": True}


def _recompute(f: Any, tape: Any) -> Any:
    @tf.custom_gradient
    def call(x: Any) -> Any:
        with tape.stop_recording():
            y = f(x)

        def grad(dy: Any) -> Any:
            with tf.GradientTape() as inner:
                inner.watch(x)
                again = f(x)
            return inner.gradient(again, x, output_gradients=dy)

        return y, grad

    return call


def _forgot_to_stop(f: Any, tape: Any) -> Any:
    @tf.custom_gradient
    def call(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            with tf.GradientTape() as inner:
                inner.watch(x)
                again = f(x)
            return inner.gradient(again, x, output_gradients=dy)

        return f(x), grad

    return call


def _forgot_dy(f: Any, tape: Any) -> Any:
    @tf.custom_gradient
    def call(x: Any) -> Any:
        with tape.stop_recording():
            y = f(x)

        def grad(dy: Any) -> Any:
            with tf.GradientTape() as inner:
                inner.watch(x)
                again = f(x)
            return inner.gradient(again, x)

        return y, grad

    return call


def _forgot_to_watch(f: Any, tape: Any) -> Any:
    @tf.custom_gradient
    def call(x: Any) -> Any:
        with tape.stop_recording():
            y = f(x)

        def grad(dy: Any) -> Any:
            with tf.GradientTape() as inner:
                again = f(x)
            return inner.gradient(again, x, output_gradients=dy)

        return y, grad

    return call


def _only_stopped(f: Any, tape: Any) -> Any:
    def call(x: Any) -> Any:
        with tape.stop_recording():
            return f(x)

    return call


BUILD = Exercise(
    key="recompute_grad.build",
    asks="a function recompute(f, tape) that returns call(x): f(x) run off the tape, and once more on the way back",
    truth=recompute_truth,
    look=what_recompute_does,
    solution=_recompute,
    wrong=(
        Wrong(_only_stopped, "f ran once. Under @tf.custom_gradient the rule can run it again, on a tape of its own."),
        Wrong(_forgot_to_watch, "x is a constant for the inner tape: inner.watch(x)."),
        Wrong(_forgot_dy, "Hand dy on: inner.gradient(again, x, output_gradients=dy)."),
        Wrong(_forgot_to_stop, "Nothing is saved: the first f(x) must run inside `with tape.stop_recording():`."),
    ),
    hint="First run f off the tape. In grad(dy), run it on an inner tape that watches x, and hand dy on.",
)

# --- Do: into how many blocks should a chain be cut? -----------------------------------------------------------------

LENGTHS = (16, 36)


@lru_cache
def alive(steps: int, blocks: int) -> int:
    """How many arrays the tape held at the peak: a real chain of `steps` sines, cut into equal recomputed blocks."""
    if steps % blocks:
        raise ValueError(f"{steps} steps cannot be cut into {blocks} equal blocks")

    def segment(x: Any) -> Any:
        for _ in range(steps // blocks):
            x = tf.sin(x)
        return x

    x = tf.ones([8])
    run = tf.recompute_grad(segment)

    def program() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(blocks):
                y = run(y)
        tape.gradient(y, x)

    return peak(program) // int(x.numpy().nbytes)


def what_a_cut_saves(best_blocks: Any) -> Facts:
    """The arrays at the peak, for each length, with the number of blocks that the learner's function gives."""
    return {f"arrays at the peak for {steps} steps": alive(steps, int(best_blocks(steps))) for steps in LENGTHS}


def least_alive() -> Facts:
    """Every way to cut the chain is run, and the best one taken."""
    return {
        f"arrays at the peak for {steps} steps": min(alive(steps, k) for k in range(1, steps + 1) if steps % k == 0)
        for steps in LENGTHS
    }


def _best_blocks(steps: int) -> int:
    return math.isqrt(steps)


CUT = Exercise(
    key="recompute_grad.cut",
    asks="a function best_blocks(steps): the number of equal blocks with the lowest peak, for any steps",
    truth=least_alive,
    look=what_a_cut_saves,
    solution=_best_blocks,
    wrong=(
        Wrong(lambda steps: 1, "One block runs again whole, blocks of one step keep every input: look in between."),
        Wrong(
            lambda steps: steps // 2,
            "Many short blocks: the kept inputs alone fill the memory. Balance k and steps / k.",
        ),
        Wrong(lambda steps: 4, "Four is best for 16 steps. A longer chain wants more blocks."),
    ),
    hint="k inputs are kept, and one block of steps / k runs again: k + steps / k - 1. Where is that least?",
)

EXERCISES = (RUNS, BUILD, CUT)

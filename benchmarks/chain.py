"""Row a: a chain of multiply, add and tanh. Small arrays show what a library costs, large ones what its memory does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .contest import BY_HAND, Contest, Side, plain, spaced
from .libraries import Library

STEPS = 200
SIZES: tuple[tuple[int, ...], ...] = ((), (8,), (1000,), (100_000,))


def program(library: Library, steps: int) -> Callable[..., Any]:
    """x = tanh(x * w + b), over and over."""
    tanh = library.tanh

    def chain(x: Any, w: Any, b: Any) -> Any:
        for _ in range(steps):
            x = tanh(x * w + b)
        return x

    return chain


def forward(steps: int, x: Any, w: Any, b: Any) -> Any:
    """The chain by hand."""
    for _ in range(steps):
        x = np.tanh(x * w + b)
    return x


def gradient(steps: int, x: Any, w: Any, b: Any) -> list[Any]:
    """Its gradient by hand: keep every x, and go back."""
    kept = [x]
    for _ in range(steps):
        x = np.tanh(x * w + b)
        kept.append(x)
    g, of_w, of_b = np.ones_like(x), np.zeros_like(w), np.zeros_like(b)
    for _ in range(steps):
        y = kept.pop()
        g = g * (1 - y * y)
        of_b += g
        of_w += g * kept[-1]
        g = g * w
    return [g, of_w, of_b]


def start(size: tuple[int, ...]) -> list[Any]:
    """x, w and b, such that neither the chain nor its gradient dies out or blows up in a few hundred steps."""
    random = np.random.default_rng(0)
    ranges = (0.5, 1.5), (0.99, 1.01), (-1e-3, 1e-3)
    return [np.float32(random.uniform(low, high, size)) for low, high in ranges]


def contests(
    libraries: list[Library],
    absent: dict[str, str],
    sizes: tuple[tuple[int, ...], ...] = SIZES,
    steps: int = STEPS,
) -> Iterator[Contest]:
    """Three for each size: nothing recorded, recorded, and recorded and read back."""
    for size in sizes:
        arrays = start(size)
        for mode in ("no tape", "recorded", "gradient"):
            sides = [*(side(library, arrays, steps, mode) for library in libraries), by_hand(arrays, steps, mode)]
            yield Contest("chain", f"chain, {numbers(size)}, {mode}", tuple(sides), absent, 3 * steps)


def side(library: Library, arrays: list[Any], steps: int, mode: str) -> Side:
    """One library's part. What it recorded is proved by reading it back."""
    f, inputs = program(library, steps), library.inputs(arrays)
    if mode == "no tape":
        return Side(library.name, lambda: library.forward(f, inputs), lambda y: library.numbers([y]))
    if mode == "recorded":
        return Side(library.name, lambda: library.record(f, inputs), lambda r: library.numbers([r[0], *r[1]()]))
    return Side(library.name, lambda: library.gradient(f, inputs), library.numbers)


def by_hand(arrays: list[Any], steps: int, mode: str) -> Side:
    """NumPy's part; without a tape, "recorded" is the forward pass alone."""
    if mode == "gradient":
        return Side(BY_HAND, lambda: gradient(steps, *arrays), plain)
    slopes = gradient(steps, *arrays) if mode == "recorded" else []
    return Side(BY_HAND, lambda: forward(steps, *arrays), lambda y: plain([y, *slopes]))


def numbers(size: tuple[int, ...]) -> str:
    """A size in words.

    >>> numbers(()), numbers((1000,))
    ('one number', '1 000 numbers')
    """
    return f"{spaced(size[0])} numbers" if size else "one number"

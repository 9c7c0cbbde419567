"""Row d: a convolutional network on images of 28 by 28 pixels, forward and gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .contest import BY_HAND, Contest, Side, plain
from .libraries import Library
from .mlp import cross_entropy

SIZE, BATCH, CHANNELS = 28, 16, (1, 8, 16, 10)


def program(library: Library, x: Any, labels: Any) -> Callable[..., Any]:
    """Twice convolution, relu and pooling; a third convolution to the classes, and the mean over the pixels."""

    def loss(k1: Any, k2: Any, k3: Any) -> Any:
        hidden = library.halve(library.relu(library.convolve(x, k1)))
        hidden = library.halve(library.relu(library.convolve(hidden, k2)))
        return library.cross_entropy(library.over_pixels(library.convolve(hidden, k3)), labels)

    return loss


def gradient(x: Any, labels: Any, k1: Any, k2: Any, k3: Any) -> list[Any]:
    """Its gradient by hand: a convolution is a matrix product with every pixel's neighbourhood."""
    kept = []
    for k in (k1, k2):
        rows = neighbourhoods(x, k)
        wide = np.maximum(rows @ k.reshape(-1, k.shape[-1]), 0)
        x = wide.reshape(*x.shape[:3], -1)
        small = pairs(x).max(axis=(2, 4))
        kept.append((rows, x, small))
        x = small
    rows = neighbourhoods(x, k3)
    pixels = x.shape[1] * x.shape[2]
    scores = (rows @ k3.reshape(-1, k3.shape[-1])).reshape(len(x), pixels, -1)
    g = cross_entropy(scores.mean(axis=1), labels)[1] / np.float32(pixels)
    g = np.broadcast_to(g[:, None, :], scores.shape).reshape(len(rows), -1)
    gradients = [(rows.T @ g).reshape(k3.shape)]
    for k, next_k in ((k2, k3), (k1, k2)):
        rows, wide, small = kept.pop()
        g = gathered(g @ next_k.reshape(-1, next_k.shape[-1]).T, small, next_k)
        # Where several pixels of a window are as large as its largest, they are 0, and relu stops the gradient.
        largest = (pairs(wide) == small[:, :, None, :, None]) & (pairs(wide) > 0)
        g = (g[:, :, None, :, None] * largest).reshape(len(rows), -1)
        gradients.append((rows.T @ g).reshape(k.shape))
    return gradients[::-1]


def neighbourhoods(x: Any, kernel: Any) -> Any:
    """A row for each pixel: the numbers that lie below the kernel there, zeros beyond the edge."""
    high, broad = kernel.shape[:2]
    padded = np.pad(x, ((0, 0), (high // 2, high // 2), (broad // 2, broad // 2), (0, 0)))
    windows = sliding_window_view(padded, (high, broad), axis=(1, 2))
    return windows.transpose(0, 1, 2, 4, 5, 3).reshape(-1, high * broad * x.shape[3])


def gathered(rows: Any, x: Any, kernel: Any) -> Any:
    """The way back of `neighbourhoods`: every pixel adds up what came for it."""
    high, broad = kernel.shape[:2]
    batch, height, width, channels = x.shape
    parts = rows.reshape(batch, height, width, high, broad, channels)
    padded = np.zeros((batch, height + high - 1, width + broad - 1, channels), rows.dtype)
    for i in range(high):
        for j in range(broad):
            padded[:, i : i + height, j : j + width] += parts[:, :, :, i, j]
    return padded[:, high // 2 : high // 2 + height, broad // 2 : broad // 2 + width]


def pairs(x: Any) -> Any:
    """Images with an axis of their own for the two pixels of each pair, down and across."""
    batch, height, width, channels = x.shape
    return x.reshape(batch, height // 2, 2, width // 2, 2, channels)


def start(size: int, batch: int, channels: tuple[int, ...]) -> tuple[Any, Any, list[Any]]:
    """Images, labels and kernels of 3 by 3."""
    random = np.random.default_rng(0)
    x = random.normal(0, 1, (batch, size, size, channels[0])).astype(np.float32)
    labels = random.integers(0, channels[-1], batch)
    shapes = [(3, 3, few, many) for few, many in pairwise(channels)]
    return x, labels, [np.float32(random.normal(0, (9 * shape[2]) ** -0.5, shape)) for shape in shapes]


def contests(
    libraries: list[Library],
    absent: dict[str, str],
    size: int = SIZE,
    batch: int = BATCH,
    channels: tuple[int, ...] = CHANNELS,
) -> Iterator[Contest]:
    """One: forward and gradient."""
    x, labels, kernels = start(size, batch, channels)
    able = [library for library in libraries if "images" not in library.lacks]
    missing = {library.name: library.lacks["images"] for library in libraries if library not in able}
    sides = [side(library, x, labels, kernels) for library in able]
    hand = Side(BY_HAND, lambda: gradient(x, labels, *kernels), plain)
    yield Contest("images", f"conv net, {batch} images of {size}x{size}, gradient", (*sides, hand), absent | missing)


def side(library: Library, x: Any, labels: Any, kernels: list[Any]) -> Side:
    """One library's part, with the axes in the order it likes."""
    if library.channels_first:
        x, kernels = x.transpose(0, 3, 1, 2).copy(), [k.transpose(3, 2, 0, 1).copy() for k in kernels]
    loss = program(library, library.constant(x), library.constant(labels))
    inputs = library.inputs(kernels)

    def numbers(gradients: Any) -> list[np.ndarray]:
        arrays = library.numbers(gradients)
        return [g.transpose(2, 3, 1, 0) for g in arrays] if library.channels_first else arrays

    return Side(library.name, lambda: library.gradient(loss, inputs), numbers)

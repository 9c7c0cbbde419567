"""Row b: one training step of a small network for digits. Most of it is matrix products, which cost everybody alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .contest import BY_HAND, Contest, Side
from .libraries import Library

LAYERS = (784, 256, 10)
BATCH = 128
RATE = 0.1


def program(library: Library, x: Any, labels: Any) -> Callable[..., Any]:
    """The loss of two dense layers."""

    def loss(w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        hidden = library.relu(x @ w1 + b1)
        return library.cross_entropy(hidden @ w2 + b2, labels)

    return loss


def train(x: Any, labels: Any, parameters: list[Any], rate: float) -> Any:
    """The step by hand; the loss before it."""
    w1, b1, w2, b2 = parameters
    before = x @ w1 + b1
    hidden = np.maximum(before, 0)
    logits = hidden @ w2 + b2
    loss, g = cross_entropy(logits, labels)
    of_w2, of_b2 = hidden.T @ g, g.sum(axis=0)
    g = (g @ w2.T) * (before > 0)
    of_w1, of_b1 = x.T @ g, g.sum(axis=0)
    for parameter, gradient in zip(parameters, (of_w1, of_b1, of_w2, of_b2), strict=True):
        parameter -= rate * gradient
    return loss


def cross_entropy(logits: Any, labels: Any) -> tuple[Any, Any]:
    """Softmax and cross entropy by hand, averaged over the batch, and the gradient."""
    right = np.arange(len(labels)), labels
    low = logits - logits.max(axis=1, keepdims=True)
    g = np.exp(low)
    total = g.sum(axis=1, keepdims=True)
    loss = np.mean(np.log(total[:, 0]) - low[right])
    g /= total
    g[right] -= 1
    g /= np.float32(len(labels))
    return loss, g


def start(layers: tuple[int, int, int], batch: int) -> tuple[Any, Any, list[Any]]:
    """Images, labels and parameters."""
    random = np.random.default_rng(0)
    inputs, hidden, classes = layers
    x = random.uniform(0, 1, (batch, inputs)).astype(np.float32)
    labels = random.integers(0, classes, batch)
    shapes = (inputs, hidden), (hidden,), (hidden, classes), (classes,)
    return x, labels, [random.normal(0, shape[0] ** -0.5, shape).astype(np.float32) for shape in shapes]


def contests(
    libraries: list[Library],
    absent: dict[str, str],
    layers: tuple[int, int, int] = LAYERS,
    batch: int = BATCH,
) -> Iterator[Contest]:
    """One: forward, gradient, and the parameters moved."""
    x, labels, parameters = start(layers, batch)
    sides = [*(side(library, x, labels, parameters) for library in libraries), by_hand(x, labels, parameters)]
    name = "-".join(map(str, layers))
    yield Contest("mlp", f"MLP {name}, batch {batch}, training step", tuple(sides), absent)


def side(library: Library, x: Any, labels: Any, parameters: list[Any]) -> Side:
    """One library's part; what it computed is the loss, and how far the parameters have moved."""
    loss = program(library, library.constant(x), library.constant(labels))
    variables = library.variables(parameters)

    def moved(loss: Any) -> list[np.ndarray]:
        return [library.numpy(loss), *slopes(parameters, library.numbers(variables))]

    return Side(library.name, lambda: library.train(loss, variables, RATE), moved)


def by_hand(x: Any, labels: Any, parameters: list[Any]) -> Side:
    """NumPy's part."""
    variables = [parameter.copy() for parameter in parameters]

    def moved(loss: Any) -> list[np.ndarray]:
        return [np.asarray(loss), *slopes(parameters, variables)]

    return Side(BY_HAND, lambda: train(x, labels, variables, RATE), moved)


def slopes(before: list[Any], after: list[Any]) -> list[np.ndarray]:
    """The gradients that moved the parameters."""
    return [(old - new) / np.float32(RATE) for old, new in zip(before, after, strict=True)]

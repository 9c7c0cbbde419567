"""Row e: whole jacobians and a Hessian of a layer of 64 units, tanh(x @ w)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .contest import BY_HAND, Contest, Side
from .libraries import Library

UNITS = 64


class Work(NamedTuple):
    """A derivative to be computed: by hand, and by a library."""

    kind: str  # as in Library.lacks
    what: str
    by_hand: Callable[[Any, Any], Any]
    by: Callable[[Library, Any, Any], Callable[[], Any]]


def by_input(x: Any, w: Any) -> Any:
    """The jacobian for x by hand: a column of w for each unit, times the unit's slope."""
    y = np.tanh(x @ w)
    return ((1 - y * y) * w).T


def by_weights(x: Any, w: Any) -> Any:
    """The jacobian for w by hand: a unit depends on its own column of w alone."""
    y = np.tanh(x @ w)
    units = np.arange(w.shape[1])
    jacobian = np.zeros((len(units), *w.shape), w.dtype)
    jacobian[units, :, units] = (1 - y * y).T * x
    return jacobian


def hessian_by_input(x: Any, w: Any) -> Any:
    """The second derivatives of the mean over the units, for x, by hand."""
    y = np.tanh(x @ w)
    return (w * (-2 * y * (1 - y * y) / np.float32(y.size))) @ w.T


def by_input_of(library: Library, x: Any, w: Any) -> Callable[[], Any]:
    """The jacobian for x by a library."""
    weights, (start,) = library.constant(w), library.inputs([x])
    return lambda: library.jacobian(lambda x: library.tanh(x @ weights), start)


def by_weights_of(library: Library, x: Any, w: Any) -> Callable[[], Any]:
    """The jacobian for w by a library."""
    given, (start,) = library.constant(x), library.inputs([w])
    return lambda: library.jacobian(lambda w: library.tanh(given @ w), start)


def hessian_of(library: Library, x: Any, w: Any) -> Callable[[], Any]:
    """The second derivatives for x by a library."""
    weights, (start,) = library.constant(w), library.inputs([x])
    return lambda: library.hessian(lambda x: library.mean(library.tanh(x @ weights)), start)


WORKS = (
    Work("jacobian", "jacobian of {} units by their input", by_input, by_input_of),
    Work("jacobian", "jacobian of {} units by their weights", by_weights, by_weights_of),
    Work("hessian", "Hessian of {} units by their input", hessian_by_input, hessian_of),
)


def contests(libraries: list[Library], absent: dict[str, str], units: int = UNITS) -> Iterator[Contest]:
    """One for each derivative."""
    random = np.random.default_rng(0)
    x = random.normal(0, 1, (1, units)).astype(np.float32)
    w = random.normal(0, units**-0.5, (units, units)).astype(np.float32)
    for work in WORKS:
        able = [library for library in libraries if work.kind not in library.lacks]
        missing = {library.name: library.lacks[work.kind] for library in libraries if library not in able}
        sides = [*(side(library, work, x, w) for library in able), by_hand(work, x, w)]
        yield Contest("curvature", work.what.format(units), tuple(sides), absent | missing)


def side(library: Library, work: Work, x: Any, w: Any) -> Side:
    """One library's part; axes of length 1 count for nothing."""
    return Side(library.name, work.by(library, x, w), lambda value: [library.numpy(value).squeeze()])


def by_hand(work: Work, x: Any, w: Any) -> Side:
    """NumPy's part."""
    return Side(BY_HAND, lambda: work.by_hand(x, w), lambda value: [value])

"""Special functions that NumPy lacks: erf and lgamma from Python's `math`, digamma and its slopes by their series."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..silence import silently


def float_of(x: Any) -> np.dtype[Any]:
    """The dtype of the answer: the input's own; an integer's would be a wider float, and the op refuses it for that."""
    return np.result_type(x, np.float16)


def from_math(function: Callable[[float], float], at_pole: float = math.nan) -> Callable[[Any], Any]:
    """One of `math`'s functions, number by number, in the dtype that came in; `at_pole` where it has no value."""

    def one(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return at_pole

    each = np.frompyfunc(one, 1, 1)
    return lambda x: np.asarray(each(x), np.float64).astype(float_of(x))[()]


erf, erfc, lgamma = from_math(math.erf), from_math(math.erfc), from_math(math.lgamma, at_pole=math.inf)

#: B(2k) / (2k)! for k = 1, 2, ...: the coefficients of an Euler-Maclaurin sum.
BERNOULLI = [1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600]
#: From here on the first of those terms give the sum to the last bit of float64.
FAR = 12


def digamma(x: Any) -> Any:
    """The slope of lgamma; nan at its poles 0, -1, -2, ..."""
    z = np.asarray(x, np.float64)
    far, near = step_up(np.where(z < 0, 1 - z, z), 1)
    rest = sum(math.factorial(2 * k + 1) * b / far ** (2 * k + 2) for k, b in enumerate(BERNOULLI))
    value = np.log(far) - 1 / (2 * far) - rest - near
    value = np.where(z < 0, value - np.pi / np.tan(np.pi * z), value)  # psi(1 - z) - psi(z) = pi cot(pi z)
    return np.where((z <= 0) & (z == np.floor(z)), np.nan, value).astype(float_of(x))[()]


def polygamma(n: Any, x: Any) -> Any:
    """The n-th slope of digamma, for whole n >= 0; nan for other n."""
    n, z = np.broadcast_arrays(n, np.asarray(x, np.float64))
    value = np.full(z.shape, np.nan)
    for order in np.unique(n):
        if order >= 0 and order % 1 == 0:
            here = n == order
            value[here] = slope_of_digamma(z[here], int(order)) if order else digamma(z[here])
    return value.astype(float_of(x))[()]


def slope_of_digamma(z: np.ndarray, n: int) -> np.ndarray:
    """For n >= 1: (-1)^(n+1) n! times the sum of 1 / (z + k)^(n+1) over k = 0, 1, 2, ..."""
    small = n <= 170  # beyond that n! is no float64
    far, total = step_up(np.where(z < 0, 1 - z, z), n + 1, FAR + min(n, 170))
    if small:  # what is left of the sum
        total = total + far ** float(-n) / n + far ** float(-n - 1) / 2
        for k, b in enumerate(BERNOULLI):
            total = total + b * math.perm(n + 2 * k + 1, 2 * k + 1) * far ** float(-n - 2 * k - 2)
    value = (-1) ** (n + 1) * (math.factorial(n) if small else math.inf) * total
    if np.any(z < 0):
        value = np.where(z < 0, (-1) ** n * value - np.pi * slope_of_cot(np.pi * z, n), value)
    return np.asarray(value)


def step_up(z: np.ndarray, power: int, past: int = FAR) -> tuple[np.ndarray, np.ndarray]:
    """Every number moved up by 1 until it is past such a number, and the sum of 1 / z^power over the steps."""
    total = np.zeros_like(z)
    for _ in range(past):
        near = z < past
        total = total + np.where(near, np.where(near, z, 1.0) ** float(-power), 0.0)
        z = np.where(near, z + 1, z)
    return z, total


def slope_of_cot(t: np.ndarray, n: int) -> np.ndarray:
    """The n-th slope of cot(pi x) where t = pi x: a polynomial in c = cot(t), since dc/dx = -pi (1 + c^2)."""
    from numpy.polynomial import Polynomial  # here, since it takes long to import and few programs need it

    slope = Polynomial([0, 1])
    for _ in range(n):
        slope = slope.deriv() * Polynomial([-np.pi, 0, -np.pi])
    return np.asarray(silently(slope, 1 / np.tan(t)))

"""What a program of the benchmarks asks of a library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Back = Callable[[], Sequence[Any]]


class Library(ABC):
    """One library: its arrays, its functions, and its ways to a gradient. Arrays go in and out as NumPy's."""

    name: str
    version: str
    channels_first = False  # are its images (batch, channels, height, width)?
    lacks: dict[str, str] = {}  # noqa: RUF012 (a class says it once) - what it cannot do, and why

    #: Functions of its own arrays. The operators + - * / and @ are the arrays' own.
    tanh: Callable[[Any], Any]
    relu: Callable[[Any], Any]
    mean: Callable[[Any], Any]
    cross_entropy: Callable[[Any, Any], Any]  # of logits and whole-number labels, the mean over the batch
    convolve: Callable[[Any, Any], Any]  # a kernel of odd size over images, that stay as large
    halve: Callable[[Any], Any]  # the largest of each 2 by 2 pixels
    over_pixels: Callable[[Any], Any]  # the mean over an image's pixels, channel by channel

    @abstractmethod
    def constant(self, array: np.ndarray) -> Any:
        """An array of its own that no gradient is asked for."""

    @abstractmethod
    def inputs(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        """Arrays of its own that `record` can follow."""

    @abstractmethod
    def forward(self, f: Callable[..., Any], inputs: list[Any]) -> Any:
        """The value of f, with nothing recorded."""

    @abstractmethod
    def record(self, f: Callable[..., Any], inputs: list[Any]) -> tuple[Any, Back]:
        """The value of f, recorded; and a function that gives the gradient of its sum for each input."""

    @abstractmethod
    def variables(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        """Parameters that `train` changes."""

    @abstractmethod
    def train(self, f: Callable[..., Any], variables: list[Any], rate: float) -> Any:
        """One step of gradient descent on the number f(*variables), which it returns; the list holds the new values."""

    def jacobian(self, f: Callable[..., Any], x: Any) -> Any:
        """Every number of f(x) by every number of x."""
        raise NotImplementedError

    def hessian(self, f: Callable[..., Any], x: Any) -> Any:
        """The second derivatives of the number f(x)."""
        raise NotImplementedError

    def numpy(self, value: Any) -> np.ndarray:
        """One of its arrays as NumPy's."""
        return np.asarray(value)

    def numbers(self, values: Sequence[Any]) -> list[np.ndarray]:
        """Some of its arrays as NumPy's."""
        return [self.numpy(value) for value in values]

    def gradient(self, f: Callable[..., Any], inputs: list[Any]) -> Sequence[Any]:
        """The gradient of f's sum for each input."""
        _, back = self.record(f, inputs)
        return back()

"""PyTorch on the CPU, op by op (eager), one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from .library import Back, Library


def library() -> Library:
    """PyTorch's eager mode on the CPU."""
    torch.set_num_threads(1)
    return PyTorch()


class PyTorch(Library):
    """PyTorch."""

    name = "PyTorch"
    version = torch.__version__.partition("+")[0]
    channels_first = True

    tanh = staticmethod(torch.tanh)
    mean = staticmethod(torch.mean)
    relu = staticmethod(torch.relu)
    cross_entropy = staticmethod(functional.cross_entropy)

    @staticmethod
    def convolve(x: Any, kernel: Any) -> Any:
        return functional.conv2d(x, kernel, padding="same")

    @staticmethod
    def halve(x: Any) -> Any:
        return functional.max_pool2d(x, 2)

    @staticmethod
    def over_pixels(x: Any) -> Any:
        return torch.mean(x, dim=(2, 3))

    def constant(self, array: np.ndarray) -> Any:
        return torch.tensor(array)

    def inputs(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return [torch.tensor(array, requires_grad=True) for array in arrays]

    def forward(self, f: Callable[..., Any], inputs: list[Any]) -> Any:
        with torch.no_grad():
            return f(*inputs)

    def record(self, f: Callable[..., Any], inputs: list[Any]) -> tuple[Any, Back]:
        y = f(*inputs)
        return y, lambda: torch.autograd.grad(y, inputs, torch.ones_like(y))

    def variables(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return self.inputs(arrays)

    def train(self, f: Callable[..., Any], variables: list[Any], rate: float) -> Any:
        loss = f(*variables)
        gradients = torch.autograd.grad(loss, variables)
        with torch.no_grad():
            for variable, gradient in zip(variables, gradients, strict=True):
                variable.sub_(gradient, alpha=rate)
        return loss

    def jacobian(self, f: Callable[..., Any], x: Any) -> Any:
        return torch.func.jacrev(f)(x.detach())

    def hessian(self, f: Callable[..., Any], x: Any) -> Any:
        return torch.func.hessian(f)(x.detach())

    def numpy(self, value: Any) -> np.ndarray:
        array: np.ndarray = value.detach().numpy()
        return array

"""MyGrad, with its memory guard off: that is how its documentation says to run it fast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mygrad as mg
import numpy as np
from mygrad.nnet.activations import relu
from mygrad.nnet.layers import conv_nd, max_pool
from mygrad.nnet.losses import softmax_crossentropy

from .library import Back, Library


def library() -> Library:
    """MyGrad, its memory guard off."""
    mg.turn_memory_guarding_off()
    return MyGrad()


class MyGrad(Library):
    """MyGrad."""

    name = "MyGrad"
    version = mg.__version__
    channels_first = True
    lacks = {"jacobian": "no jacobian", "hessian": "no second derivatives"}  # noqa: RUF012

    tanh = staticmethod(mg.tanh)
    mean = staticmethod(mg.mean)
    relu = staticmethod(relu)
    cross_entropy = staticmethod(softmax_crossentropy)

    @staticmethod
    def convolve(x: Any, kernel: Any) -> Any:
        return conv_nd(x, kernel, stride=1, padding=kernel.shape[-1] // 2)

    @staticmethod
    def halve(x: Any) -> Any:
        return max_pool(x, (2, 2), 2)

    @staticmethod
    def over_pixels(x: Any) -> Any:
        return mg.mean(x, axis=(2, 3))

    def constant(self, array: np.ndarray) -> Any:
        return mg.tensor(array, constant=True) if array.dtype.kind == "f" else array

    def inputs(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return [mg.tensor(array) for array in arrays]

    def forward(self, f: Callable[..., Any], inputs: list[Any]) -> Any:
        with mg.no_autodiff:
            return f(*inputs)

    def record(self, f: Callable[..., Any], inputs: list[Any]) -> tuple[Any, Back]:
        y = f(*inputs)

        def back() -> list[Any]:
            y.backward()
            return [x.grad for x in inputs]

        return y, back

    def variables(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return self.inputs(arrays)

    def train(self, f: Callable[..., Any], variables: list[Any], rate: float) -> Any:
        loss = f(*variables)
        loss.backward()
        for variable in variables:
            variable.data -= rate * variable.grad
        return loss

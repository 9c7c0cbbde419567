"""Optimizers: how variables change, given their gradients (`tf.keras.optimizers`)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import say
from ..missing import absent
from ..slices import IndexedSlices
from ..variable import Variable
from .naming import snake_case


class Optimizer:
    """What all optimizers share: `apply_gradients`, a learning rate, and a memory for each variable.

    Write `step(gradient, memory, rate)` in a subclass: it returns what is taken away from the variable. Gradient and
    memory are arrays; the memory is a dictionary that starts empty and is kept from step to step.
    """

    def __init__(self, learning_rate: Any, name: str | None = None) -> None:
        self.name = name or snake_case(type(self).__name__)
        self._rate = Variable(np.float32(learning_rate), trainable=False, name="learning_rate")
        self.iterations = Variable(np.int64(0), trainable=False, name="iteration")
        self._memory: dict[int, dict[str, np.ndarray]] = {}  # by the variable's id

    @property
    def learning_rate(self) -> Any:
        """How far a step goes; give it a new number at any time."""
        return self._rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self._rate.assign(np.float32(value))

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]]) -> Variable:
        """Change each variable by its gradient: `apply_gradients(zip(grads, variables))`.

        A gradient may be an IndexedSlices. A variable whose gradient is None is left alone, with a warning;
        ValueError where all are None.
        """
        pairs = list(grads_and_vars)
        without = [variable.name for grad, variable in pairs if grad is None]
        if len(without) == len(pairs):
            raise ValueError(
                say(
                    "none of the gradients is there: all are None",
                    "print(tf.explain(tape, loss, variable))",
                    "No gradients provided for any variable.",
                )
            )
        if without:
            text = f"Gradients do not exist for variables {without} when minimizing the loss."
            warnings.warn(text, stacklevel=2)
        rate = self._rate.array
        for grad, variable in pairs:
            if grad is not None:
                self._change(variable, grad, variable.array.dtype.type(rate))
        return self.iterations.assign_add(1)

    def apply(self, grads: Iterable[Any], trainable_variables: Iterable[Variable]) -> Variable:
        """The same, for gradients and variables in two lists."""
        return self.apply_gradients(zip(grads, trainable_variables, strict=True))

    def _change(self, variable: Variable, grad: Any, rate: Any) -> None:
        memory = self._memory.setdefault(variable.id, {})
        array = grad.to_tensor().array if isinstance(grad, IndexedSlices) else np.asarray(grad)
        variable.assign_sub(self.step(array, memory, rate))

    def step(self, gradient: np.ndarray, memory: dict[str, np.ndarray], rate: Any) -> Any:
        """What to take away from the variable."""
        raise NotImplementedError(
            say(f"the optimizer {self.name} has no step", "def step(self, gradient, memory, rate): ...")
        )


class SGD(Optimizer):
    """Gradient descent: variable -= learning_rate * gradient (`tf.keras.optimizers.SGD`).

    momentum: how much of the last step is taken again; nesterov: looks one step ahead.

    >>> import minitape as tf
    >>> v = tf.Variable(1.0)
    >>> _ = tf.keras.optimizers.SGD(learning_rate=0.1).apply_gradients([(tf.constant(2.0), v)])
    >>> print(v.numpy())
    0.8
    """

    def __init__(
        self, learning_rate: Any = 0.01, momentum: float = 0.0, nesterov: bool = False, name: str | None = None
    ) -> None:
        super().__init__(learning_rate, name)
        self.momentum, self.nesterov = momentum, nesterov

    def _change(self, variable: Variable, grad: Any, rate: Any) -> None:
        if isinstance(grad, IndexedSlices) and not self.momentum:
            variable.scatter_sub(
                IndexedSlices(grad.values * rate, grad.indices)
            )  # the rows that were used, and no other
        else:
            super()._change(variable, grad, rate)

    def step(self, gradient: np.ndarray, memory: dict[str, np.ndarray], rate: Any) -> Any:
        """rate * gradient, and what momentum adds."""
        change = rate * gradient
        if not self.momentum:
            return change
        memory["moved"] = moved = self.momentum * memory.get("moved", 0.0) + change
        return self.momentum * moved + change if self.nesterov else moved


class RMSprop(Optimizer):
    """Each number's step is divided by the size that its gradients lately had (`tf.keras.optimizers.RMSprop`)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, name)
        self.rho, self.momentum, self.epsilon = rho, momentum, epsilon

    def step(self, gradient: np.ndarray, memory: dict[str, np.ndarray], rate: Any) -> Any:
        """rate * gradient / sqrt(the running mean of its square)."""
        memory["square"] = square = self.rho * memory.get("square", 0.0) + (1 - self.rho) * np.square(gradient)
        change = rate * gradient / np.sqrt(square + self.epsilon)
        if self.momentum:
            memory["moved"] = change = self.momentum * memory.get("moved", 0.0) + change
        return change


class Adam(Optimizer):
    """Running means of the gradient and of its square, both freed from their start at 0 (`tf.keras.optimizers.Adam`).

    >>> import minitape as tf
    >>> v = tf.Variable(1.0)
    >>> _ = tf.keras.optimizers.Adam(learning_rate=0.1).apply_gradients([(tf.constant(2.0), v)])
    >>> print(f"{v.numpy():.4f}")
    0.9000
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, name)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def step(self, gradient: np.ndarray, memory: dict[str, np.ndarray], rate: Any) -> Any:
        """rate * mean / sqrt(mean of the square)."""
        one, t = rate.dtype.type(1), rate.dtype.type(self.iterations.array + 1)
        mean, square = memory.get("mean", np.zeros_like(gradient)), memory.get("square", np.zeros_like(gradient))
        memory["mean"] = mean = mean + (gradient - mean) * (1 - self.beta_1)
        memory["square"] = square = square + (np.square(gradient) - square) * (1 - self.beta_2)
        scale = rate * np.sqrt(one - (one * self.beta_2) ** t) / (one - (one * self.beta_1) ** t)
        return mean * scale / (np.sqrt(square) + self.epsilon)


BY_NAME: dict[str, type[Optimizer]] = {"sgd": SGD, "rmsprop": RMSprop, "adam": Adam}


def get(identifier: Any) -> Optimizer:
    """The optimizer with a name; one that is given already is itself."""
    if isinstance(identifier, str) and identifier.lower() in BY_NAME:
        return BY_NAME[identifier.lower()]()  # type: ignore[call-arg]
    if not hasattr(identifier, "apply_gradients"):
        raise ValueError(
            say(
                f"no optimizer is called {identifier!r}",
                f"one of {', '.join(map(repr, BY_NAME))}",
                f"Could not interpret optimizer identifier: {identifier}",
            )
        )
    found: Optimizer = identifier
    return found


__getattr__ = absent(__name__)

__all__ = ["SGD", "Adam", "Optimizer", "RMSprop", "get"]

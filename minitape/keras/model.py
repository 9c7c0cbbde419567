"""Model: a layer that can be trained, measured and asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from typing import Any

import numpy as np

from ..errors import say
from ..nest import flatten, map_structure
from ..ops.create import zeros
from ..tape import GradientTape
from . import losses, optimizers
from . import metrics as measures
from .batches import arrays, batches
from .callbacks import Callback, History, Logs, PrintEpochs, line
from .layer import Layer


class Model(Layer):
    """A layer with `compile`, `fit`, `evaluate` and `predict` (`tf.keras.Model`). Write `call` in a subclass.

    >>> import minitape as tf
    >>> class Line(tf.keras.Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = tf.Variable(0.0)
    ...     def call(self, x):
    ...         return self.w * x
    >>> model = Line()
    >>> model.compile(optimizer=tf.keras.optimizers.SGD(0.25), loss="mse")
    >>> history = model.fit(tf.constant([[1.0], [1.0]]), tf.constant([[3.0], [3.0]]), epochs=2)
    Epoch 1/2 - loss: 9.0000
    Epoch 2/2 - loss: 2.2500
    >>> history.history, model.w.numpy().item()
    ({'loss': [9.0, 2.25]}, 2.25)
    """

    optimizer: Any = None
    stop_training = False

    def build(self, input_shape: Any) -> None:
        """Call the model with zeros of this shape, so that every layer makes its variables; None is a batch of 1."""
        if not self.built:
            self(zeros([1 if length is None else length for length in input_shape], self.dtype))

    @property
    def layers(self) -> list[Any]:
        """The layers among its attributes."""
        return [part for part in flatten(list(self._parts())) if isinstance(part, Layer)]

    def summary(self) -> None:
        """Print the layers, and the shapes of their variables."""
        print(f"{self.name}: {self.count_params():,} parameters")
        for layer in self.layers:
            shapes = [f"{variable.name} {tuple(variable.shape)}" for variable in getattr(layer, "variables", [])]
            print(f"  {getattr(layer, 'name', layer)}: {', '.join(shapes) or 'no variables'}")

    def compile(
        self, optimizer: Any = "rmsprop", loss: Any = None, metrics: Sequence[Any] = (), run_eagerly: bool = True
    ) -> None:
        """Say how it learns: the optimizer, the loss and the metrics, by name or as objects.

        run_eagerly changes nothing: all of minitape runs eagerly.
        """
        self.optimizer = optimizers.get(optimizer)
        self._loss = loss if loss is None else losses.of_a_batch(loss)
        self._wanted = list(metrics or ())
        self._metrics: list[Any] = []  # made at the first batch: which accuracy is meant depends on its shapes
        self._mean = measures.Mean(name="loss")

    def fit(
        self,
        x: Any,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Iterable[Callback] | None = None,
        validation_data: Any = None,
        shuffle: bool = True,
    ) -> History:
        """Train: each epoch goes once through the examples, in batches of 32 unless batch_size says otherwise.

        x, y: arrays or tensors whose first axes agree; or x alone: an iterable of batches (x, y), gone through anew
        each epoch. verbose: 0 prints nothing, else one line an epoch. Returns the History.
        """
        self._must_be_compiled()
        data = batches(x, y, batch_size, shuffle)
        history = History()
        told = [history, *([PrintEpochs()] if verbose else []), *(callbacks or [])]
        steps = len(data) if isinstance(data, Sized) else None
        for callback in told:
            callback.set_model(self)
            callback.set_params({"epochs": epochs, "steps": steps})
        self.stop_training, logs = False, {}
        _tell(told, "on_train_begin", {})
        for epoch in range(epochs):
            _tell(told, "on_epoch_begin", epoch, {})
            logs = self._epoch(data, told)
            if validation_data is not None:
                inputs, true = validation_data
                measured = self.evaluate(inputs, true, batch_size, verbose=0, return_dict=True)
                logs |= {f"val_{name}": value for name, value in measured.items()}
            _tell(told, "on_epoch_end", epoch, logs)
            if self.stop_training:
                break
        _tell(told, "on_train_end", logs)
        return history

    def evaluate(
        self,
        x: Any,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        return_dict: bool = False,
    ) -> Any:
        """The loss over all examples; with metrics a list of the loss and each of them, or a dictionary."""
        self._must_be_compiled()
        self._reset()
        for inputs, true in batches(x, y, batch_size):
            predicted = self(inputs, training=False)
            self._measure(self._loss_of(true, predicted), inputs, true, predicted)
        logs = self._logs()
        if verbose:
            print(line(logs))
        if return_dict:
            return logs
        return list(logs.values()) if len(logs) > 1 else logs["loss"]

    def predict(self, x: Any, batch_size: int | None = None, verbose: Any = "auto") -> Any:
        """The outputs for all examples, as an array."""
        parts = [self(inputs, training=False) for inputs, _ in batches(arrays(x), None, batch_size)]
        leaves = [np.concatenate([leaf.array for leaf in each]) for each in zip(*map(flatten, parts), strict=True)]
        found = iter(leaves)
        return map_structure(lambda _: next(found), parts[0])

    # --- one epoch, one step -----------------------------------------------------------------------------------------

    def _epoch(self, data: Iterable[Any], told: list[Callback]) -> Logs:
        self._reset()
        for number, (inputs, true) in enumerate(data):
            _tell(told, "on_train_batch_begin", number, {})
            self._learn(inputs, true)
            _tell(told, "on_train_batch_end", number, self._logs())
        return self._logs()

    def _learn(self, inputs: Any, true: Any) -> None:
        """One step: the same few lines that a loop of your own has."""
        with GradientTape() as tape:
            predicted = self(inputs, training=True)
            loss = self._loss_of(true, predicted)
        variables = self.trainable_variables
        gradients = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        self._measure(loss, inputs, true, predicted)

    def _loss_of(self, true: Any, predicted: Any) -> Any:
        if self._loss is None:
            raise ValueError(
                say("the model has no loss to make smaller", 'model.compile(loss="mse")', "No loss to compute.")
            )
        return self._loss(true, predicted)

    def _measure(self, loss: Any, inputs: Any, true: Any, predicted: Any) -> None:
        if self._wanted and not self._metrics:
            self._metrics = [measures.get(wanted, true, predicted) for wanted in self._wanted]
            names_apart([self._mean, *self._metrics])
        self._mean.update_state(loss, sample_weight=len(flatten(inputs)[0]))
        for metric in self._metrics:
            metric.update_state(true, predicted)

    def _reset(self) -> None:
        for metric in (self._mean, *self._metrics):
            metric.reset_state()

    def _logs(self) -> Logs:
        return {metric.name: float(metric.result().array) for metric in (self._mean, *self._metrics)}

    def _must_be_compiled(self) -> None:
        if self.optimizer is None:
            raise ValueError(
                say(
                    f"the model {self.name} has not been told how to learn",
                    'model.compile(optimizer="adam", loss="mse")',
                    "You must call `compile()` before using the model.",
                )
            )


def names_apart(metrics: Iterable[Any]) -> None:
    """Number the names that stand there more than once: mean_squared_error, mean_squared_error_1."""
    taken: set[str] = set()
    for metric in metrics:
        name, count = metric.name, 0
        while metric.name in taken:
            count += 1
            metric.name = f"{name}_{count}"
        taken.add(metric.name)


def _tell(told: list[Callback], event: str, *about: Any) -> None:
    for callback in told:
        getattr(callback, event)(*about)

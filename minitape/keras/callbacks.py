"""Callbacks: what is told how the training goes (`tf.keras.callbacks`)."""

from __future__ import annotations

from typing import Any

from ..missing import absent

Logs = dict[str, float]


class Callback:
    """Write the methods that you need; `self.model` is the model, `self.params` holds "epochs" and "steps".

    logs: the loss and the metrics so far, by name.
    """

    model: Any = None
    params: dict[str, Any] = {}  # noqa: RUF012

    def set_model(self, model: Any) -> None:
        """Told once, before anything else."""
        self.model = model

    def set_params(self, params: dict[str, Any]) -> None:
        """Told once, before anything else."""
        self.params = params

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Before the first epoch."""

    def on_train_end(self, logs: Logs | None = None) -> None:
        """After the last epoch."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Before each epoch; the first is number 0."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """After each epoch."""

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before each batch; the first of an epoch is number 0."""

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After each batch."""


class History(Callback):
    """What `fit` returns: `history`, a list for the loss and for each metric; `epoch`, their numbers."""

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begin with empty lists."""
        self.history: dict[str, list[float]] = {}
        self.epoch: list[int] = []

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Keep what the epoch gave."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class PrintEpochs(Callback):
    """One line an epoch, the same on every run: no times, no bar."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Print the line."""
        print(f"Epoch {epoch + 1}/{self.params['epochs']} - {line(logs or {})}")


def line(logs: Logs) -> str:
    """The loss and the metrics, in one line."""
    return " - ".join(f"{name}: {value:.4f}" for name, value in logs.items())


__getattr__ = absent(__name__)

__all__ = ["Callback", "History"]

"""A progress bar for `model.fit`: a callback that counts epochs, with tqdm."""

from __future__ import annotations

import os
from typing import Any

from tqdm.auto import tqdm

from minitape.keras.callbacks import Callback, Logs, line


class ProgressBar(Callback):
    """A bar that grows with each epoch, and the loss and metrics beside it.

        model.fit(x, y, epochs=20, verbose=0, callbacks=[ProgressBar()])

    It says nothing where outputs are stored or compared: under pytest (nbval), and with TQDM_DISABLE=1 in the
    environment. Further arguments go to tqdm.
    """

    def __init__(self, **options: Any) -> None:
        self.options = options
        if "PYTEST_VERSION" in os.environ:
            self.options["disable"] = True

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Open the bar."""
        self.bar = tqdm(total=self.params["epochs"], unit="epoch", **self.options)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """One epoch more."""
        self.bar.set_postfix_str(line(logs or {}), refresh=False)
        self.bar.update()

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Close the bar; it stays where it is."""
        self.bar.close()

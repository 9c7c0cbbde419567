"""The progress bar: what it counts and says, and where it is silent."""

import io
import os
import subprocess
import sys

import numpy as np

import minitape as tf
from minitape_widgets import ProgressBar

X = np.linspace(-1, 1, 8).reshape(8, 1)


def fit(bar, epochs=3):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    model.fit(X, X, epochs=epochs, verbose=0, callbacks=[bar])


def test_it_counts_epochs_and_shows_the_loss(monkeypatch):
    monkeypatch.delenv("PYTEST_VERSION")
    written = io.StringIO()
    bar = ProgressBar(file=written)
    fit(bar)
    assert (bar.bar.n, bar.bar.total) == (3, 3)
    last = written.getvalue().rstrip().rpartition("\r")[2]
    assert "3/3" in last
    assert "loss: 0." in last
    fit(bar, epochs=2)
    assert bar.bar.n == 2


def test_it_is_silent_under_pytest_and_where_the_environment_says_so(capfd):
    fit(ProgressBar())
    assert capfd.readouterr() == ("", "")
    program = (
        "import numpy as np, minitape as tf\n"
        "from minitape_widgets import ProgressBar\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\n"
        "model.fit(np.ones((4, 1)), np.ones((4, 1)), epochs=2, verbose=0, callbacks=[ProgressBar()])\n"
    )
    said = {}
    plain = {name: value for name, value in os.environ.items() if name not in ("PYTEST_VERSION", "TQDM_DISABLE")}
    for name, env in {"plain": plain, "disabled": plain | {"TQDM_DISABLE": "1"}}.items():
        ran = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
        assert ran.stdout == ""
        said[name] = ran.stderr
    assert said["disabled"] == ""
    assert "2/2" in said["plain"]

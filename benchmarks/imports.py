"""Row g: `import minitape` against `import numpy`, each in a Python of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable

import numpy as np

from .agree import agree
from .contest import Finding
from .measure import ratio, rounds

ASK = """
import time
start = time.process_time()
import {module}
print(time.process_time() - start)
print(float({product}))
"""
MODULES = {
    "import minitape": ASK.format(module="minitape", product="minitape.constant(3.0) * 2.0"),
    "import numpy": ASK.format(module="numpy", product="numpy.float32(3.0) * 2.0"),
}


def findings(count: int) -> list[Finding]:
    """One: the ratio of the two. The first import of each compiles, and does not count."""
    with tempfile.TemporaryDirectory() as compiled:
        for name, code in MODULES.items():
            agree(name, [np.asarray(fresh(code, compiled)[1])], "3 times 2", [np.asarray(6.0)])
        said = rounds({name: clock(code, compiled) for name, code in MODULES.items()}, count)
    first, second = said
    return [Finding("import", first, second, *ratio(said[first], said[second]))]


def clock(code: str, compiled: str) -> Callable[[], float]:
    """The CPU seconds that a fresh Python counted."""
    return lambda: fresh(code, compiled)[0]


def fresh(code: str, compiled: str) -> list[float]:
    """The numbers that a program prints in a Python of its own, which keeps what it compiles in a folder."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = compiled
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return [float(line) for line in ended.stdout.split()]

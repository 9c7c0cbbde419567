"""The machine and the versions that a table was made with."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import numpy as np

from .libraries import Library


def machine() -> str:
    """The processor, its cores, and the system, in a line."""
    return f"{processor()}, {os.cpu_count()} cores, {platform.system()}"


def versions(libraries: list[Library]) -> str:
    """Python, NumPy and the libraries, in a line."""
    names = [f"Python {platform.python_version()}", f"NumPy {np.__version__}"]
    return ", ".join(names + [f"{library.name} {library.version}" for library in libraries])


def processor() -> str:
    """The processor's name, by the road that each system has for it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    if platform.system() == "Darwin":
        asked = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    return platform.processor() or platform.machine()

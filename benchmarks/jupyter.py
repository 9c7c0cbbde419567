"""A JupyterLab for a benchmark: on this machine alone, in a throw-away profile."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 120  # seconds that a slow machine may take to start JupyterLab
OPTIONS = [
    "--no-browser",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.allow_root=True",
    "--ServerApp.terminals_enabled=False",
    "--LabApp.expose_app_in_browser=True",  # the page's `jupyterapp`, which knows when a kernel is ready
    "--LabApp.news_url=None",
]
SILENT = {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}


@contextmanager
def running(notebooks: dict[str, list[str]]) -> Iterator[dict[str, str]]:
    """JupyterLab on notebooks that are given as the sources of their cells; the addresses that open them."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        profile, folder = Path(place, "profile"), Path(place, "notebooks")
        settings = profile / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        folder.mkdir()
        (settings / "notification.jupyterlab-settings").write_text(json.dumps(SILENT), encoding="utf-8")
        for name, cells in notebooks.items():
            (folder / f"{name}.ipynb").write_text(json.dumps(_notebook(cells)), encoding="utf-8")
        names = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
        own = {f"JUPYTER_{name}": str(profile / name.lower()) for name in names}
        own |= {f"JUPYTERLAB_{name}_DIR": str(profile / name.lower()) for name in ("SETTINGS", "WORKSPACES")}
        own |= {"IPYTHONDIR": str(profile / "ipython"), "JUPYTER_TOKEN": (token := secrets.token_hex())}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "jupyterlab",
            *OPTIONS,
            f"--ServerApp.port={port}",
            "--ServerApp.port_retries=0",
        ]
        with (profile / "log").open("wb") as log:
            server = subprocess.Popen(
                [*command, f"--ServerApp.root_dir={folder}"], env=os.environ | own, stdout=log, stderr=log
            )
            try:
                _wait(f"http://127.0.0.1:{port}/api/status?token={token}", server)
                yield {name: f"http://127.0.0.1:{port}/doc/tree/{name}.ipynb?token={token}" for name in notebooks}
            finally:
                _stop(f"http://127.0.0.1:{port}/api/shutdown?token={token}", token, server)


def _notebook(cells: list[str]) -> dict[str, Any]:
    """A notebook as nbformat writes it."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    code: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell-{at}",
            "metadata": {},
            "source": cell,
            "outputs": [],
            "execution_count": None,
        }
        for at, cell in enumerate(cells)
    ]
    return {"cells": code, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _ask(url: str, token: str = "", data: bytes | None = None) -> None:
    request = urllib.request.Request(url, data, {"Authorization": f"token {token}"} if token else {})
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10).close()


def _wait(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(PATIENCE * 5):
        if server.poll() is not None:
            raise RuntimeError('JupyterLab did not start\npip install "minitape[lab]"')
        try:
            return _ask(url)
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(f"JupyterLab did not answer within {PATIENCE} seconds")


def _stop(url: str, token: str, server: subprocess.Popen[bytes]) -> None:
    """Ask the server to end, kernels and all; only a deaf one is killed."""
    try:
        _ask(url, token, b"")
        server.wait(30)
    except (OSError, subprocess.TimeoutExpired):
        server.kill()
        server.wait()

"""The libraries that take part, each behind the same few functions: so a program is written once, for all of them."""

from __future__ import annotations

import importlib

from .library import Library

#: Module here, by the name on the command line; minitape is always there.
PEERS = {
    "autograd": "HIPS autograd",
    "mygrad": "MyGrad",
    "torch": "PyTorch",
    "tensorflow": "TensorFlow",
    "jax": "JAX",
}


def load(names: list[str]) -> tuple[list[Library], dict[str, str]]:
    """minitape and the named peers that are installed; and why the others are not there, by their full names."""
    libraries, absent = [_library("minitape")], {}
    for name, title in PEERS.items():
        if name not in names:
            absent[title] = "not asked for"
            continue
        try:
            libraries.append(_library(name))
        except ImportError:
            absent[title] = "not installed"
    return libraries, absent


def _library(name: str) -> Library:
    library: Library = importlib.import_module(f".{name}", __name__).library()
    return library


__all__ = ["PEERS", "Library", "load"]

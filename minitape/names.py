"""The scopes that are open: those that a new variable's name is put in, and the layers whose calls are running."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Now(threading.local):
    scope = ""  # on this thread: "", or "outer/inner/"
    path = ""  # the same with the layers that are being called: "model/hidden"


now = _Now()


class NameScope:
    """In its block, new variables are named "scope/name" (`tf.name_scope`); a name that ends in "/" begins anew.

    >>> import minitape as tf
    >>> with tf.name_scope("outer"), tf.name_scope("inner"):
    ...     print(tf.Variable(1.0, name="w").name)
    outer/inner/w:0
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._before: list[tuple[str, str]] = []

    def __enter__(self) -> str:
        self._before.append((now.scope, now.path))
        now.scope = self.name if self.name.endswith("/") or not self.name else f"{now.scope}{self.name}/"
        now.path = self.name.rstrip("/") if self.name.endswith("/") else f"{now.path}/{self.name}".strip("/")
        return now.scope

    def __exit__(self, *_: object) -> None:
        now.scope, now.path = self._before.pop()


name_scope = NameScope


@contextmanager
def calling(layer: str) -> Iterator[None]:
    """While a layer is called; its variables' names know nothing of that, as in Keras."""
    before, now.path = now.path, f"{now.path}/{layer}".lstrip("/")
    try:
        yield
    finally:
        now.path = before


def scoped(name: str) -> str:
    """A name, with the scopes that are open."""
    return now.scope + name

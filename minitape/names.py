"""The scopes that a new variable's name is put in."""

from __future__ import annotations

import threading


class _Now(threading.local):
    scope = ""  # on this thread: "", or "outer/inner/"


_now = _Now()


class NameScope:
    """In its block, new variables are named "scope/name" (`tf.name_scope`); a name that ends in "/" begins anew.

    >>> import minitape as tf
    >>> with tf.name_scope("outer"), tf.name_scope("inner"):
    ...     print(tf.Variable(1.0, name="w").name)
    outer/inner/w:0
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._before: list[str] = []

    def __enter__(self) -> str:
        self._before.append(_now.scope)
        _now.scope = self.name if self.name.endswith("/") or not self.name else f"{_now.scope}{self.name}/"
        return _now.scope

    def __exit__(self, *_: object) -> None:
        _now.scope = self._before.pop()


name_scope = NameScope


def scoped(name: str) -> str:
    """A name, with the scopes that are open."""
    return _now.scope + name

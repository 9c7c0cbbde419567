"""Modules: objects that own variables and other modules, and find them by looking at their own attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from .errors import say
from .names import NameScope, scoped
from .nest import flatten
from .variable import Variable

Kind = TypeVar("Kind")


class Module:
    """An object whose variables are those among its attributes, and those of modules among them (`tf.Module`).

    Lists, tuples and dictionaries are looked into. name: the class's own, as words, unless one is given.

    >>> import minitape as tf
    >>> class Line(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w, self.b = tf.Variable(2.0, name="w"), tf.Variable(1.0, name="b")
    ...     def __call__(self, x):
    ...         return self.w * x + self.b
    >>> line = Line()
    >>> print(line(3.0), [v.name for v in line.trainable_variables])
    tf.Tensor(7.0, shape=(), dtype=float32) ['b:0', 'w:0']
    """

    def __init__(self, name: str | None = None) -> None:
        name = snake_case(type(self).__name__) if name is None else name
        if not name.isidentifier():
            raise ValueError(
                say(
                    f"{name!r} is no name for a module: it takes letters, digits and _, and no digit first",
                    'super().__init__(name="my_module")',
                    f"{name!r} is not a valid module name. Module names must be valid Python identifiers "
                    "(e.g. a valid class name).",
                )
            )
        self._name = name
        self._name_scope = NameScope(f"{scoped(name)}/")

    @property
    def name(self) -> str:
        """What the module is called."""
        return self._name

    @property
    def name_scope(self) -> NameScope:
        """The scope for the names of its variables: `with self.name_scope: ...`."""
        return self._name_scope

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a method: the variables that it makes are named in the module's scope."""

        @functools.wraps(method)
        def call(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return call

    @property
    def variables(self) -> Any:
        """All variables: its own by attribute name, then those of its modules."""
        return tuple(each(self, Variable))

    @property
    def trainable_variables(self) -> Any:
        """The variables that training changes."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def non_trainable_variables(self) -> Any:
        """The variables that training leaves alone."""
        return tuple(variable for variable in self.variables if not variable.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules inside it, also those inside others."""
        return tuple(each(self, Module))

    def _parts(self) -> Iterable[Any]:
        """Its attributes, in the order in which they are looked at."""
        return (value for _, value in sorted(vars(self).items()))


def snake_case(name: str) -> str:
    """A class's name as words: BatchNormalization is batch_normalization."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def each(module: Module, kind: type[Kind], seen: set[int] | None = None) -> Iterator[Kind]:
    """Every object of a kind that a module's attributes lead to, once: its own first, then those of its modules."""
    seen = {id(module)} if seen is None else seen
    inside = []
    for leaf in (leaf for part in module._parts() for leaf in flatten(part)):
        if id(leaf) in seen or not isinstance(leaf, Variable | Module):
            continue
        seen.add(id(leaf))
        if isinstance(leaf, kind):
            yield leaf
        if isinstance(leaf, Module):
            inside.append(leaf)
    for part in inside:
        yield from each(part, kind, seen)

"""Structures of values: flatten a list, tuple, dict or namedtuple (nested at will) and build it again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

#: What has parts.
NESTED = (dict, list, tuple)


def flatten(structure: Any) -> list[Any]:
    """The leaves of a structure in order; a dict is read in the order of its sorted keys, as in TensorFlow.

    >>> flatten({"b": 2, "a": [1, (3,)]})
    [1, 3, 2]
    """
    if not isinstance(structure, NESTED):
        return [structure]
    leaves = []
    for part in [structure[key] for key in sorted(structure)] if isinstance(structure, dict) else structure:
        if isinstance(part, NESTED):
            leaves += flatten(part)
        else:
            leaves.append(part)
    return leaves


def pack_as(structure: Any, leaves: Iterable[Any]) -> Any:
    """Put leaves, in `flatten`'s order, into the shape of a structure.

    >>> pack_as({"b": 2, "a": [1, (3,)]}, "xyz")
    {'b': 'z', 'a': ['x', ('y',)]}
    """
    leaves = iter(leaves)  # the same one all the way down
    if isinstance(structure, dict):
        import copy  # here, since few structures are dictionaries

        packed = copy.copy(structure)  # a defaultdict or OrderedDict stays one, in its own order
        packed.update({key: pack_as(structure[key], leaves) for key in sorted(structure)})
        return packed
    if not isinstance(structure, NESTED):
        return next(leaves)
    parts = []
    for part in structure:
        parts.append(pack_as(part, leaves) if isinstance(part, NESTED) else next(leaves))
    if isinstance(structure, list):
        return parts
    return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)


def map_structure(function: Callable[[Any], Any], structure: Any) -> Any:
    """The same structure with `function` applied to every leaf."""
    return pack_as(structure, map(function, flatten(structure)))

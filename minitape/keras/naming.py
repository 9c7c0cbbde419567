"""Names as Keras makes them from those of classes."""

from __future__ import annotations

import re


def snake_case(name: str) -> str:
    """A class's name as words, a digit staying with the letters around it.

    >>> snake_case("BatchNormalization"), snake_case("MaxPooling2D")
    ('batch_normalization', 'max_pooling2d')
    """
    apart = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", apart).lower()

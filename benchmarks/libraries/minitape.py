"""minitape."""

from __future__ import annotations

import minitape

from .gradient_tape import TapeLibrary


def library() -> TapeLibrary:
    """minitape, as it stands in this repository."""
    return TapeLibrary("minitape", minitape)

"""Pictures of what a tape did, to play in a notebook. They read a trace, and nothing else of minitape.

`TapePlayer` plays a trace step by step, `RecordingMap` shows the roads back that the tape knows, with a switch a line,
`GraphView` the graph of its ops, `MemoryTimeline` the bytes that the tape held; `HookLab` puts your own backward rules
beside the true derivative. `plot_memory` plots the bytes, `memory_table` prints them.
"""

from typing import Any

try:
    from .graph.graph_view import GraphView
    from .hook.hook_lab import HookLab
    from .map.recording_map import RecordingMap
    from .memory.memory_timeline import MemoryTimeline
    from .tape.tape_player import TapePlayer
except ModuleNotFoundError as error:
    if error.name not in ("anywidget", "graphviz", "traitlets"):
        raise
    raise ModuleNotFoundError(
        f'the pictures need {error.name}, which is not installed\npip install "minitape[lab]"', name=error.name
    ) from None

__all__ = [
    "GraphView",
    "HookLab",
    "MemoryTimeline",
    "ProgressBar",
    "RecordingMap",
    "TapePlayer",
    "memory_table",
    "plot_memory",
]


def __getattr__(name: str) -> Any:
    """The memory plot and the progress bar, when first asked for: what they are drawn with takes its time to load."""
    if name == "ProgressBar":
        from .progress import ProgressBar

        return ProgressBar
    if name in ("memory_table", "plot_memory"):
        from .memory import plot

        return getattr(plot, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext minitape_widgets`: gives the notebook the cell magic `%%tape`."""
    from .magic import register

    register(shell)

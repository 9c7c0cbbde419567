"""`%%tape`: run a notebook cell under `observe()`, and show what its tapes did, as a table and a player.

    %load_ext minitape_widgets

    %%tape
    with tf.GradientTape() as tape: ...

The trace is kept under the name `seen`, or under the one that stands behind `%%tape`.
"""

from __future__ import annotations

import ast
from typing import Any

import minitape
from minitape.account import account


def register(shell: Any) -> None:
    """Give a notebook the magic; `%load_ext minitape_widgets` calls it."""

    def tape(line: str, cell: str) -> None:
        """Run the cell, and show what its tapes did."""
        run(shell, line.strip() or "seen", cell)

    shell.register_magic_function(tape, magic_kind="cell", magic_name="tape")


def run(shell: Any, name: str, cell: str) -> None:
    """Run a cell's code in the notebook's own names, observed; then show its value, its account and its player."""
    from IPython.display import display

    if not name.isidentifier():
        raise ValueError(f"%%tape takes the name for its trace, and {name!r} is none\nfix: %%tape seen")
    code = "\n" + shell.transform_cell(cell)  # the line of %%tape itself, so that lines are those of the cell
    number = len(shell.user_ns["In"]) - 1  # of the cell that is running
    file = shell.compile.cache(code, number, raw_code=cell)
    tree = ast.parse(code, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    block = minitape.observe()
    value = None
    try:
        with block as seen:
            block.follow(file, tuple(code.strip("\n").split("\n")), first=2)
            shell.user_ns[name] = seen
            exec(shell.compile(tree, file, "exec"), shell.user_ns)
            if last is not None:
                value = eval(shell.compile(ast.Expression(last.value), file, "eval"), shell.user_ns)
    finally:
        if value is not None:
            display(value)
        if seen.events:
            display(account(seen))
    if seen.recorded or seen.skipped:
        from .tape.tape_player import TapePlayer

        display(TapePlayer(seen))

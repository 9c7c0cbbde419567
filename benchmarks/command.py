"""The command line: which rows, how many rounds, beside whom, and where the tables go."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Iterable
from typing import NamedTuple

from . import chain, curvature, images, imports, long_tape, memory, mlp, observed, rnn
from .contest import Contest, Finding, held
from .libraries import PEERS, Library, load
from .table import PAGE, page, tables
from .targets import TARGETS


class Task(NamedTuple):
    """What the rows need to know."""

    libraries: list[Library]
    absent: dict[str, str]
    rounds: int


def timed(contests: Iterable[Contest], task: Task) -> list[Finding]:
    """Hold contests, one after the other."""
    found = []
    for contest in contests:
        print(f"  {contest.what}", file=sys.stderr, flush=True)
        found += held(contest, task.rounds)
    return found


ROWS: dict[str, Callable[[Task], list[Finding]]] = {
    "chain": lambda task: timed(chain.contests(task.libraries, task.absent), task),
    "mlp": lambda task: timed(mlp.contests(task.libraries, task.absent), task),
    "rnn": lambda task: timed(rnn.contests(task.libraries, task.absent), task),
    "images": lambda task: timed(images.contests(task.libraries, task.absent), task),
    "curvature": lambda task: timed(curvature.contests(task.libraries, task.absent), task),
    "tape": lambda task: timed(long_tape.contests(), task),
    "import": lambda task: imports.findings(task.rounds),
    "observed": lambda task: [*timed(observed.contests(task.libraries[0]), task), observed.skeleton()],
    "memory": lambda task: memory.findings(),
}


def parser() -> argparse.ArgumentParser:
    """What the command understands."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure minitape beside hand-written NumPy and its peers, and print the tables.",
        epilog="The peers come with: pip install --group bench (TensorFlow: --group tensorflow; JAX: jax). "
        "The exit code is 1 where a promised ratio was not reached.",
    )
    options.add_argument("rows", nargs="*", metavar="row", help=f"{', '.join(ROWS)}; default: all")
    options.add_argument("--rounds", type=int, default=15, help="how often every side is timed (default: %(default)s)")
    options.add_argument(
        "--peers", nargs="*", choices=PEERS, default=list(PEERS), help="beside whom; default: all that are installed"
    )
    options.add_argument("--write", action="store_true", help="write docs/performance.md, which needs all rows")
    return options


def main(arguments: list[str] | None = None) -> None:
    """Run the rows that were asked for, print their tables, and exit with 1 where a promise was not kept."""
    options = parser().parse_args(arguments)
    rows = options.rows or list(ROWS)
    for row in rows:
        if row not in ROWS:
            parser().error(f"there is no row {row!r}; there are {', '.join(ROWS)}")
    if options.write and set(rows) != set(ROWS):
        parser().error("--write needs all rows, so name none")
    task = Task(*load(options.peers), options.rounds)
    gc.collect()
    gc.freeze()  # the modules of six libraries are no part of anybody's work: the collector need not look at them
    findings = []
    for row in rows:
        print(row, file=sys.stderr, flush=True)
        findings += ROWS[row](task)
    print(tables(findings))
    if options.write:
        PAGE.write_text(page(findings, task.libraries, options.rounds), encoding="utf-8")
    sys.exit(not kept(findings))


def kept(findings: list[Finding]) -> bool:
    """Does every finding keep what was promised of it?"""
    return all(
        finding.value is None or finding.value <= target.must
        for target in TARGETS
        for finding in filter(target.meets, findings)
    )

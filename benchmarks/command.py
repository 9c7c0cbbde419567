"""The command line: which rows, how many rounds, beside whom, and where the tables go."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from . import apart, imports, long_tape, memory, observed
from .contest import BESIDE, BY_HAND, Contest, Finding, absent, findings, timed
from .libraries import PEERS, Library, load
from .measure import settle
from .table import PAGE, page, tables
from .targets import TARGETS


class Task(NamedTuple):
    """What the rows need to know."""

    libraries: list[Library]
    absent: dict[str, str]
    rounds: int


def told(contests: Iterable[Contest]) -> Iterator[Contest]:
    """Contests, one after the other, each told of before it is held."""
    for contest in contests:
        print(f"  {contest.what}", file=sys.stderr, flush=True)
        yield contest


def alone(contests: Iterable[Contest], task: Task) -> list[Finding]:
    """minitape against itself."""
    return [found for contest in told(contests) for found in findings(contest, timed(contest, task.rounds))]


def against(row: str, task: Task) -> list[Finding]:
    """minitape against NumPy by hand, in processes of their own, and against the peers, in this one."""
    by_hand, found = apart.measured(row, task.rounds), []
    for contest in told(apart.ROWS[row](task.libraries, task.absent)):
        found += findings(contest, by_hand[contest.what])
        if len(task.libraries) > 1:
            beside = findings(contest, timed(contest, task.rounds))
            found += [one._replace(against=BESIDE) if one.against == BY_HAND else one for one in beside]
        found += absent(contest)
    return found


ROWS: dict[str, Callable[[Task], list[Finding]]] = {
    **{row: partial(against, row) for row in apart.ROWS},
    "tape": lambda task: alone(long_tape.contests(), task),
    "import": lambda task: imports.findings(task.rounds),
    "observed": lambda task: [*alone(observed.contests(task.libraries[0]), task), observed.skeleton()],
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
    settle()
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

"""Against NumPy by hand: in processes that hold NumPy and minitape and nothing else, as a learner's does.

Other libraries change how a process comes by memory, and chance where its code lies: both move a ratio by some per
cent. So it is taken in many such processes, and the rounds of all of them count.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator

from . import chain, curvature, images, mlp, rnn
from .contest import Contest, timed
from .libraries import Library, load
from .measure import settle

PROCESSES = 24  # one finds 3 % more or less than another; all together half of a per cent
ROWS: dict[str, Callable[[list[Library], dict[str, str]], Iterator[Contest]]] = {
    "chain": chain.contests,
    "mlp": mlp.contests,
    "rnn": rnn.contests,
    "images": images.contests,
    "curvature": curvature.contests,
}
#: What the clocks said: the CPU seconds of each round, by side, by contest.
Said = dict[str, dict[str, list[float]]]


def measured(row: str, rounds: int) -> Said:
    """What the clocks said of a row, in all processes together: so many rounds, or a few more.

    Each process has as many that go backwards as others: a side that has just had its turn is a little quicker.
    """
    each = 2 * -(-rounds // (2 * PROCESSES))
    return joined(fresh(row, each) for _ in range(PROCESSES))


def joined(parts: Iterable[Said]) -> Said:
    """The rounds of several processes, one after the other.

    >>> joined([{"a": {"x": [1.0]}}, {"a": {"x": [2.0]}}])
    {'a': {'x': [1.0, 2.0]}}
    """
    whole: Said = {}
    for part in parts:
        for what, sides in part.items():
            for side, times in sides.items():
                whole.setdefault(what, {}).setdefault(side, []).extend(times)
    return whole


def fresh(row: str, rounds: int) -> Said:
    """What the clocks said in one such process."""
    asked = [sys.executable, "-m", __name__, row, str(rounds)]
    said: Said = json.loads(subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return said


def main(row: str, rounds: int) -> Said:
    """What this process finds."""
    contests = ROWS[row](load([])[0], {})
    settle()
    return {contest.what: timed(contest, rounds) for contest in contests}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))

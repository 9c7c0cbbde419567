"""What minitape promises: for some of the findings a ratio it must reach, and one it would like to."""

from __future__ import annotations

from typing import NamedTuple

from .contest import BY_HAND, OURS, Finding


class Target(NamedTuple):
    """A bound from above for one finding."""

    what: str
    against: str
    must: float
    goal: float
    why: str = ""  # where it is not reached: what stands in the way, and what was tried

    def meets(self, finding: Finding) -> bool:
        """Is this the finding that it speaks of?"""
        return (self.what, self.against) == (finding.what, finding.against)

    def verdict(self, value: float) -> str:
        """In words, whether it was reached."""
        return "goal" if value <= self.goal else "must" if value <= self.must else "no"


TARGETS = (
    Target(
        "chain, 8 numbers, no tape",
        BY_HAND,
        2.2,
        1.8,
        why="A bare call and a new object cost 1.5 times NumPy; type and dtype tests, an id and the learner's "
        "line bring it to 2.5. Measured piece by piece; tried: no __getattr__ on tensors (-13 %), the walk to"
        " the learner's frame cached (-3 %, not kept).",
    ),
    Target(
        "chain, 8 numbers, recorded",
        BY_HAND,
        3.6,
        3.0,
        why="By hand nothing is kept here; an entry is two tuples and an array that stays alive, and a look at "
        "the thread's listeners. Tried: plain tuples for named ones (-20 %), bound methods (nothing), no "
        "garbage collection (nothing).",
    ),
    Target("chain, 8 numbers, gradient", BY_HAND, 3.0, 2.6),
    Target("chain, 8 numbers, gradient", "HIPS autograd", 0.36, 0.30),
    Target("chain, 8 numbers, gradient", "MyGrad", 0.45, 0.40),
    Target("chain, 8 numbers, gradient", "PyTorch", 0.65, 0.55),
    Target(
        "chain, 100 000 numbers, gradient",
        BY_HAND,
        1.20,
        1.10,
        why="By hand, sums are added up in place. Tried on a sketch: the same where the sum is the loop's own "
        "(-11 %); not kept yet, since a gradient may share its array with another.",
    ),
    Target(
        "MLP 784-256-10, batch 128, training step",
        BY_HAND,
        1.15,
        1.05,
        why="Softmax cross entropy is nine recorded ops where by hand it is one; a Variable gets a new array at "
        "each step, so that what a tape saved stays true; relu's gradient keeps inf and nan apart.",
    ),
    Target("a tape of 100 000 ops, forward and gradient", "10 000 ops", 13, 11),
    Target("peak of 64 ops, all kept", OURS, 68, 66),
    Target("peak of 64 ops, 8 segments recomputed", OURS, 20, 18),
    Target(
        "import minitape",
        "import numpy",
        1.30,
        1.20,
        why="The tables of 174 ops are most of it. Tried: what few programs need is imported when it is first named.",
    ),
    Target(
        "chain, 8 numbers, gradient, 600 ops, observed",
        "not observed",
        3,
        2,
        why="While the block runs, numbers alone are noted; words are made when the trace is read. Measured by leaving "
        "parts out: of the time added, copies of an op's small result and of the gradients it gives take half, the two "
        "calls and what is done once a block a quarter, names, tapes and the notes themselves the rest. Tried: sums "
        "left to the reading (-0.07), bytes for copies (-0.08, not kept), the line without a walk over the frames "
        "(-0.1, not kept), no garbage collection (nothing).",
    ),
)

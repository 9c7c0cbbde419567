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
        why="Measured by leaving parts out, in NumPy's time for the same op: the learner's code and instruction, which "
        "`explain` needs, are 0.25 of it, an id 0.12, tests of types and dtypes 0.1; a call and a new object bring "
        "NumPy's 1 to 1.65. Tried and kept: no __getattr__ on tensors (-13 %), shape and dtype as one object (-7 %), "
        "no __init__ (-5 %), the last caller's code remembered (-3 %), no copies of what tensors hold (-2 %). Tried, "
        "and left: an id when it is first asked for (-6 %, but ids order things in time), an exception in place of the "
        "tests of types (-3 %, but a number beside a tensor would take half as long again), code of its own for each "
        "op (nothing).",
    ),
    Target(
        "chain, 8 numbers, recorded",
        BY_HAND,
        3.6,
        3.0,
        why="By hand nothing is kept here. Measured by leaving parts out, beyond what an op costs without a tape: a "
        "look at the thread's listeners is 0.25 of NumPy's time for the op, at what is tracked 0.25, the entry 0.25, "
        "what it saves 0.5, of which half is memory that cannot be used again while it is hot. Tried and kept: plain "
        "tuples for named ones (-20 %), one test where only tapes listen (-6 %), tapes as a chain in place of a list "
        "(-3 %). Tried and left: a context variable in place of a thread's own (-6 %, but asyncio.to_thread would take "
        "a tape into another thread), an entry without a tuple of ids (-2 %), tensors that know their tapes (nothing), "
        "a slice to pick what is saved (nothing), no garbage collection (nothing).",
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
        why="In `x * w + b` NumPy adds in place, into an array that nobody else holds; a library of ops makes one "
        "more. By hand without that, the forward half takes as long as ours (131 to 137 µs a step, by hand 98), and "
        "all else is the same. How much it counts depends on what the process did to its memory: 1.0 where only NumPy "
        "was imported, 1.17 to 1.26 beside all peers. Kept: sums in place where the sum is the loop's own, and dead "
        "arrays let go before the next rule needs memory (-10 %). Left: the same trick by counting references, which "
        "Python 3.14 counts in another way.",
    ),
    Target(
        "MLP 784-256-10, batch 128, training step",
        BY_HAND,
        1.15,
        1.05,
        why="A step calls 130 functions in Python that by hand are not there (they were 300). In a loop of their own "
        "they would take a tenth of a millisecond; here it is half as much again, since every matrix product empties "
        "the caches, and the step by hand takes one. So what counts is how much different code a step runs: a "
        "simulated cache (cachegrind) told which. Kept: one op for softmax and cross entropy, which keeps the slope "
        "it has worked out, and goes class by class where there are few (half of its time by hand); a step in place "
        "where nobody else holds the variable's array; relu's gradient as a product of floats, rows added up as a "
        "product with ones, a view for the gradient of a mean; labels checked and counted by one function of "
        "NumPy's; no comprehensions on the way back, marks that are no tuples; an errstate of NumPy's there only where "
        "a learner has turned warnings into errors, from where the way back stopped (from 1.8 to 1.14). Left: no notes "
        "of where a tape was entered and a variable assigned (-0.01), which `explain` needs; numbers kept as arrays "
        "from one use to the next (nothing). Where others use the machine's caches as well the ratio rises: 1.16 and "
        "1.17 in two whole runs on a busy machine, beside 1.14 in three on a quiet one.",
    ),
    Target(
        "a tape of 100 000 ops, forward and gradient",
        "10 000 ops",
        13,
        11,
        why="Entries are tuples, and Python's garbage collector looks through them again as a tape grows: in a process "
        "of its own the ratio is 11.5, without the collector 10.6, and 10.2 by hand, where two arrays an op are kept. "
        "Left: to switch it off while a tape records, which is the learner's to decide.",
    ),
    Target(
        "peak of 64 ops, all kept",
        OURS,
        68,
        66,
        why="When the way back begins, the 64 inputs are still kept; beside them are the result, its gradient and the "
        "cosine that the first rule works out. By hand it is as much.",
    ),
    Target(
        "peak of 64 ops, 8 segments recomputed",
        OURS,
        20,
        18,
        why="The 8 segments' inputs and 7 values of the one that runs again; beside them are the result, the "
        "segment's own result, the gradient and a cosine. By hand it is one less, since there nobody holds the result.",
    ),
    Target(
        "import minitape",
        "import numpy",
        1.30,
        1.20,
        why="The tables of ops are most of it. Kept: what few programs need is imported when its name is first used, "
        "and named tuples whose types are no strings (from 1.31 to 1.22).",
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

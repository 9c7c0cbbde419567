"""Every row at a tiny size: its sides agree, and a side that does not is found out. Nothing here looks at a clock."""

import sys

import numpy as np
import pytest

from benchmarks import chain, curvature, images, imports, long_tape, memory, mlp, observed, rnn
from benchmarks.agree import DisagreementError, agree
from benchmarks.contest import BY_HAND, OURS, Contest, Side
from benchmarks.libraries import PEERS, load

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # a peer's own affair
LIBRARIES, ABSENT = load(list(PEERS))
TINY = {
    "chain": lambda: chain.contests(LIBRARIES, ABSENT, sizes=((), (3,)), steps=4),
    "mlp": lambda: mlp.contests(LIBRARIES, ABSENT, layers=(6, 5, 3), batch=4),
    "rnn": lambda: rnn.contests(LIBRARIES, ABSENT, steps=3, batch=2, features=4, units=5),
    "images": lambda: images.contests(LIBRARIES, ABSENT, size=8, batch=2, channels=(2, 3, 4, 3)),
    "curvature": lambda: curvature.contests(LIBRARIES, ABSENT, units=5),
    "tape": lambda: long_tape.contests(short=4, long=10),
    "observed": lambda: observed.contests(LIBRARIES[0], steps=3),
}


@pytest.mark.parametrize("row", TINY)
def test_all_sides_compute_the_same(row):
    for contest in TINY[row]():
        contest.check()


@pytest.mark.parametrize("row", TINY)
def test_minitape_stands_first_and_meets_somebody(row):
    contests = list(TINY[row]())
    assert contests
    for contest in contests:
        assert contest.row == row
        assert len(contest.sides) >= 2
        if row not in ("tape", "observed"):
            assert (contest.sides[0].name, contest.sides[-1].name) == (OURS, BY_HAND)
            assert {side.name for side in contest.sides[1:-1]} | set(contest.absent) == set(PEERS.values())


def part(row, who):
    """One side of the first contest of a row, with the arrays it computed."""
    contest = next(iter(TINY[row]()))
    side = next(side for side in contest.sides if side.name == who)
    return side.numbers(side.run())


@pytest.mark.parametrize("row", ["chain", "mlp", "rnn", "images", "curvature"])
def test_one_number_that_is_off_by_a_hundredth_is_found_out(row):
    right = part(row, BY_HAND)
    for number, array in enumerate(right):
        wrong = [each.copy() for each in right]
        largest = np.unravel_index(np.abs(array).argmax(), array.shape)
        wrong[number][largest] *= 1.01
        with pytest.raises(DisagreementError, match=f"array {number} of a side"):
            agree("a side", wrong, BY_HAND, right)


@pytest.mark.parametrize(
    ("found", "what"),
    [
        ([np.ones(3, np.float64)], "float64"),
        ([np.ones((3, 1), np.float32)], r"\(3, 1\)"),
        ([np.full(3, np.nan, np.float32)], "off by nan"),
        ([], "computed 0 arrays"),
    ],
)
def test_another_dtype_shape_number_or_count_is_found_out(found, what):
    with pytest.raises(DisagreementError, match=what):
        agree("a side", found, BY_HAND, [np.ones(3, np.float32)])


def test_numbers_too_small_to_tell_are_refused():
    nothing = [np.zeros(3, np.float32)]
    with pytest.raises(DisagreementError, match="would hide a wrong one"):
        agree("a side", nothing, BY_HAND, nothing)


def test_a_contest_is_not_held_when_one_side_is_wrong():
    def side(name, value):
        return Side(name, lambda: np.full(3, value, np.float32), lambda array: [array])

    with pytest.raises(DisagreementError, match=r"a peer \(a work\)"):
        Contest("row", "a work", (side(OURS, 1), side("a peer", 2), side(BY_HAND, 1))).check()


def test_a_peer_that_is_not_installed_says_so(monkeypatch):
    for name in PEERS:
        monkeypatch.delitem(sys.modules, f"benchmarks.libraries.{name}", raising=False)
        monkeypatch.setitem(sys.modules, name, None)
    libraries, absent = load(["torch", "jax"])
    assert [library.name for library in libraries] == [OURS]
    assert absent["PyTorch"] == absent["JAX"] == "not installed"
    assert absent["MyGrad"] == "not asked for"
    (contest,) = mlp.contests(libraries, absent, layers=(6, 5, 3), batch=4)
    contest.check()
    assert contest.absent == absent


def test_peaks_by_tape_stay_near_those_by_hand():
    # NumPy puts a product in the place of a temporary only where that has 256 kB, so the arrays are larger.
    kept, kept_by_hand, again, again_by_hand = (finding.value for finding in memory.findings(16, 4, 100_000))
    assert 16 <= kept <= kept_by_hand + 2 <= 16 + 6
    assert 7 <= again <= again_by_hand + 2 <= 7 + 6


def test_a_used_tape_keeps_a_little_for_each_op():
    assert 50 < observed.skeleton(steps=50).value < 400


def test_imports_are_timed_in_a_python_of_their_own_that_need_not_compile(tmp_path):
    for name, code in imports.MODULES.items():
        spent, product = imports.fresh(code, str(tmp_path))
        assert list(tmp_path.rglob(f"{name.partition(' ')[2]}/__init__.*.pyc"))
        assert spent > 0
        assert product == 6

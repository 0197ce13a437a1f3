"""A million visitors: shares as allocated, experiments independent, and nobody moved who need not move.

The hash is vectorised here, and shown equal to the product's on a large sample before it speaks for it.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chi2_contingency, chisquare

from abtest.domain.assignment.allocation import ranges
from abtest.domain.assignment.hash import BUCKETS, bucket, fold
from abtest.domain.assignment.lanes import buckets
from tests.unit.assignment.configs import decided, experiment, share

VISITORS = 1_000_000
SIGNIFICANCE = 0.001
ALLOCATIONS: list[tuple[list[float], float]] = [
    ([0.5, 0.5], 1),
    ([0.5, 0.5], 0.1),
    ([0.9, 0.1], 1),
    ([0.99, 0.01], 1),
    ([1 / 3] * 3, 1),
    ([1 / 3] * 3, 0.33),
    ([0.1] * 10, 1),
    ([0.25, 0.25, 0.25, 0.25], 0.8),
    ([0.6, 0.3, 0.1], 0.5),
    ([0.05, 0.15, 0.2, 0.6], 1),
]

Numbers = npt.NDArray[np.uint64]


def identifiers(count: int) -> npt.NDArray[np.uint8]:
    """Ids as visitors have them, one a row: the digits of a counter behind a random half, in ASCII."""
    random = np.random.default_rng(20260101)
    digits = random.integers(0, 16, (count, 8), dtype=np.uint8)
    letters = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)[digits]
    counter = np.arange(count)[:, None] // 10 ** np.arange(7, -1, -1) % 10 + ord("0")
    return np.hstack([letters, counter.astype(np.uint8)])


def step(states: Numbers, units: npt.NDArray[np.uint8]) -> Numbers:
    return ((states ^ units.astype(np.uint64)) * np.uint64(16777619)) & np.uint64(0xFFFFFFFF)


def oracle(ids: npt.NDArray[np.uint8], state: int) -> npt.NDArray[np.int64]:
    """The bucket of each row."""
    folded: Numbers = np.full(len(ids), state, dtype=np.uint64)
    for column in ids.T:
        folded = step(folded, column)
    hashed: Numbers = np.full(len(ids), fold(""), dtype=np.uint64)
    for power in range(9, -1, -1):
        begun = (folded >= 10**power) | (power == 0)
        digit = (folded // np.uint64(10**power) % np.uint64(10)).astype(np.uint8) + np.uint8(ord("0"))
        hashed = np.where(begun, step(hashed, digit), hashed)
    return (hashed % np.uint64(BUCKETS)).astype(np.int64)


@cache
def million(seed: str) -> npt.NDArray[np.int64]:
    return oracle(everybody(), fold(seed))


@cache
def everybody() -> npt.NDArray[np.uint8]:
    return identifiers(VISITORS)


def cells(seed: str, allocation: tuple[list[float], float]) -> npt.NDArray[np.int64]:
    """The variation of each visitor; one more for those outside the traffic."""
    found = np.full(VISITORS, len(allocation[0]))
    for index, (start, end) in enumerate(ranges(*allocation)):
        found[(million(seed) >= start) & (million(seed) < end)] = index
    return found


def test_oracle__on_a_large_sample__is_the_product() -> None:
    sample = identifiers(20_000)
    names = [bytes(row).decode() for row in sample]
    for seed in ("experiment 0", "0191f5a0-7b3c-7def-8123-456789abcdef:2"):
        state = fold(seed)
        assert oracle(sample, state).tolist() == [bucket(name, state) for name in names]


def test_oracle__of_cells__is_what_is_decided() -> None:
    allocation = ALLOCATIONS[8]
    one = experiment("experiment 8", weights=allocation[0], coverage=allocation[1])
    drawn = cells("experiment 8", allocation)[:2000]
    for row, index in zip(everybody()[:2000], drawn, strict=True):
        assignments = decided({"experiments": [one]}, bytes(row).decode()).assignments
        assert [each.index for each in assignments] == ([index] if index < 3 else [])


@pytest.mark.parametrize("number", range(len(ALLOCATIONS)))
def test_shares__of_a_million_visitors__are_the_allocated_ones(number: int) -> None:
    weights, coverage = ALLOCATIONS[number]
    counts = np.bincount(cells(f"experiment {number}", (weights, coverage)), minlength=len(weights) + 1)
    widths = [end - start for start, end in ranges(weights, coverage)]
    expected = np.array([*widths, BUCKETS - sum(widths)]) * VISITORS / BUCKETS
    asked = expected > 0
    assert counts[~asked].sum() == 0
    assert chisquare(counts[asked], expected[asked]).pvalue > SIGNIFICANCE


def test_buckets__of_a_million_visitors__are_uniform() -> None:
    assert chisquare(np.bincount(million("experiment 0"), minlength=BUCKETS)).pvalue > SIGNIFICANCE


@pytest.mark.parametrize(
    ("one", "other"),
    [("experiment 0", "experiment 1"), ("experiment 0", "experiment 0:2"), ("holdout:s", "s"), ("group:g", "g")],
)
def test_two_experiments__put_the_same_visitors__independently(one: str, other: str) -> None:
    thirds, quarters = ALLOCATIONS[4], ALLOCATIONS[7]
    table = np.zeros((3, 5))
    np.add.at(table, (cells(one, thirds), cells(other, quarters)), 1)
    assert chi2_contingency(table).pvalue > SIGNIFICANCE


def test_traffic__when_it_rises__moves_nobody_who_is_in() -> None:
    weights = [0.3, 0.3, 0.4]
    before = cells("experiment 0", (weights, 0))
    for coverage in (0.01, 0.1, 0.333, 0.5, 0.9, 1):
        after = cells("experiment 0", (weights, coverage))
        inside = before < len(weights)
        assert (after[inside] == before[inside]).all()
        before = after
    assert (before < len(weights)).all()


def test_holdout__when_it_grows__only_adds_people() -> None:
    visitors = [f"visitor {number}" for number in range(3000)]
    held: set[str] = set()
    for below in (0, 1, 100, 500, 1000):
        config = {"holdout": share("holdout:shop", below)}
        now = {visitor for visitor in visitors if decided(config, visitor).cohort == "holdout"}
        assert held <= now
        held = now
    assert 200 < len(held) < 400


def test_lanes__of_many_states__are_the_buckets_one_by_one() -> None:
    random = np.random.default_rng(20260101)
    for count in (0, 1, 2, 3, 4, 7, 64, 257):
        states = random.integers(0, 2**32, count).tolist()
        for unit in ("v", "", "0191f5a0-7b3c-7def-8123-456789abcdef", "é€", "😀\ud800", "\uffff" * 50):
            assert list(buckets(unit, states)) == [bucket(unit, state) for state in states]


def test_lanes__of_every_length_of_decimal__are_the_buckets_one_by_one() -> None:
    inverse = pow(16777619, -1, 2**32)
    # States that one letter leads to 0, 9, 10, 99, 100 … and to the largest hash.
    wanted = [number for power in range(1, 10) for number in (10**power - 1, 10**power)] + [0, 2**32 - 1]
    states = [(number * inverse % 2**32) ^ ord("x") for number in wanted]
    assert [fold("x", state) for state in states] == wanted
    assert list(buckets("x", states)) == [bucket("x", state) for state in states]

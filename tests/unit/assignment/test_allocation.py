"""Cut points: third-party cases, rounding, monotone coverage."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.assignment.allocation import equal_weights, ranges, variation_index
from abtest.domain.assignment.hash import BUCKETS

CASES = json.loads(Path("tests/data/growthbook/cases.json").read_text())
# An experiment whose weights are not its variations' and do not sum to 1 cannot be launched, so nothing corrects them.
CORRECTED = {"weights sum below 1", "weights sum above 1", "weights.length not equal to num variations"}
BUCKET_RANGES = [case for case in CASES["getBucketRange"] if case[0] not in CORRECTED]


def in_buckets(shares: list[list[float]]) -> list[tuple[int, int]]:
    return [(round(start * BUCKETS), round(end * BUCKETS)) for start, end in shares]


@pytest.mark.parametrize("case", BUCKET_RANGES, ids=lambda case: case[0])
def test_ranges__of_a_third_party_case__are_its_ranges_in_buckets(case: list[Any]) -> None:
    _, (count, coverage, weights), expected = case
    assert ranges(weights or equal_weights(count), coverage) == in_buckets(expected)


@pytest.mark.parametrize("case", CASES["chooseVariation"], ids=lambda case: case[0])
def test_variation_index__of_a_third_party_case__is_its_choice(case: list[Any]) -> None:
    _, share, given_ranges, expected = case
    chosen = variation_index(round(share * BUCKETS), in_buckets(given_ranges))
    assert (-1 if chosen is None else chosen) == expected


@pytest.mark.parametrize(("count", "expected"), CASES["getEqualWeights"])
def test_equal_weights__of_a_third_party_case__are_its_weights(count: int, expected: list[float]) -> None:
    assert equal_weights(count) == pytest.approx(expected, abs=1e-8)


def test_ranges__of_thirds__leave_no_bucket_out() -> None:
    assert ranges([1 / 3] * 3, 1) == [(0, 3333), (3333, 6667), (6667, 10000)]


weight_lists = st.lists(st.integers(1, 1000), min_size=2, max_size=10).map(
    lambda parts: [part / sum(parts) for part in parts]
)
coverages = st.floats(0, 1)


@given(weight_lists)
def test_ranges__of_full_coverage__part_all_buckets(weights: list[float]) -> None:
    cut = ranges(weights, 1)
    assert cut[0][0] == 0
    assert cut[-1][1] == BUCKETS
    assert all(before[1] == after[0] for before, after in pairwise(cut))


@given(weight_lists, coverages, coverages)
def test_ranges__when_coverage_rises__keep_everybody_who_was_in(weights: list[float], one: float, other: float) -> None:
    low, high = sorted([one, other])
    for (start, end), (wider_start, wider_end) in zip(ranges(weights, low), ranges(weights, high), strict=True):
        assert start == wider_start
        assert start <= end <= wider_end


@given(weight_lists, coverages)
def test_ranges__of_any_coverage__do_not_overlap(weights: list[float], coverage: float) -> None:
    cut = ranges(weights, coverage)
    assert all(before[1] <= after[0] for before, after in pairwise(cut))

"""Caps of visitors' totals."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.ledger.cells import GoalCount, Step
from abtest.services.results.winsorization import capped_at, ceiling_for

steps = st.dictionaries(st.integers(1, 40), st.integers(1, 6), min_size=1, max_size=8)


@given(by_ceiling=steps, share=st.sampled_from([0.0, 0.01, 0.05, 0.07, 0.1]))
def test_ceiling__is_the_smallest_that_few_enough_exceed(by_ceiling: Mapping[int, int], share: float) -> None:
    counts = {Step("v", ceiling): GoalCount(number, number, number, number) for ceiling, number in by_ceiling.items()}
    everybody = sum(by_ceiling.values())

    def above(cap: int) -> int:
        return sum(number for ceiling, number in by_ceiling.items() if ceiling > cap)

    smallest = min(cap for cap in by_ceiling if above(cap) * 100 <= round(share * 100) * everybody)
    assert ceiling_for(counts, share) == (None if smallest == max(by_ceiling) else smallest)


def test_totals__above_the_ceiling__count_as_the_ceiling() -> None:
    counts = {Step("v", 10): GoalCount(2, 3, 18, 164), Step("v", 90): GoalCount(1, 1, 88, 7744)}
    assert capped_at(counts, 10) == {"v": GoalCount(3, 4, 28, 264)}


def test_nobody__has_no_ceiling() -> None:
    assert ceiling_for({}, 0.1) is None

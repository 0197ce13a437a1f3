"""Scales: round, wide enough, and marks that do not lie on each other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abtest.services.report_page.scales import round_up, scale, spread

values = st.floats(-1e9, 1e9).filter(lambda value: value == 0 or abs(value) > 1e-9)


@given(values, values)
@example(1.0, 1.0 + 1e-15)
@example(6.223681127952916e-09, 6.223681127952922e-09)
def test_scale__of_any_values__holds_them_between_few_round_ticks(one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)
    found = scale(low, high)
    room = found.step * 1e-6
    assert found.low - room <= low <= high <= found.high + room
    assert 2 <= len(found.ticks) <= 8


@pytest.mark.parametrize(("size", "round_"), [(0.3, 0.5), (1.0, 1.0), (2.1, 2.5), (51.0, 100.0)])
def test_round_up__takes_the_next_round_number(size: float, round_: float) -> None:
    assert round_up(size) == pytest.approx(round_)


def test_round_up__of_an_end__has_more_to_choose_from() -> None:
    assert round_up(268, is_end=True) == pytest.approx(300)


def test_scale__of_one_value__has_room_around_it() -> None:
    assert scale(5.0, 5.0).low < 5 < scale(5.0, 5.0).high
    assert scale(0.0, 0.0).low < 0 < scale(0.0, 0.0).high


@given(st.lists(st.floats(0, 200), min_size=1, max_size=10))
def test_spread__keeps_order_and_distance_within_the_ends(wanted: list[float]) -> None:
    found = spread(wanted, 14, 0, 200)
    assert all(-1e-6 <= at <= 200 + 1e-6 for at in found)
    ordered = [at for _, at in sorted(zip(wanted, found, strict=True))]
    assert all(after - before >= 14 - 1e-6 for before, after in pairwise(sorted(ordered)))


def test_spread__leaves_alone_what_has_room() -> None:
    assert spread([150.0, 20.0], 14, 0, 200) == [150.0, 20.0]

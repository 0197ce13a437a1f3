"""How long shops are due without being counted."""

from __future__ import annotations

from abtest.services.rollups.overdue import Overdue


def test_overdue__of_a_shop_that_is_not_counted__grows_until_it_is() -> None:
    overdue = Overdue()
    assert overdue.longest({}, 0) == 0
    assert overdue.longest({"a": 7}, 100) == 0
    assert overdue.longest({"a": 7, "b": 1}, 400) == 300
    assert overdue.longest({"a": 8, "b": 1}, 700) == 300, "a was counted and is due again"
    assert overdue.longest({"a": 8}, 900) == 200, "b is not due any more"
    assert overdue.longest({}, 1000) == 0

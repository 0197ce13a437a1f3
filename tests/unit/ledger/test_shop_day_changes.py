"""A shop's day after rows were replaced: equal to what all rows that are there now say."""

from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.ledger.events import Row
from abtest.domain.ledger.shop_day_changes import changed
from abtest.domain.ledger.shop_days import ShopDay, shop_day
from tests.support.ledgers import SHOP, random_ledger

DATE = "2026-02-02"
KEYS = st.integers(0, 2**32)
NUMBERS = st.integers(0, 60)


def day(rows: list[Row]) -> ShopDay:
    return shop_day(rows, SHOP, DATE, "EUR")


def apart(rows: list[Row], name: str) -> list[Row]:
    """The rows, with visitors, events and orders that are nobody else's."""
    told: list[Row] = []
    for row in rows:
        order_id = row["order_id"] and f"{name}-{row['order_id']}"
        names = {"visitor_id": f"{name}-{row['visitor_id']}", "event_id": f"{name}-{row['event_id']}"}
        told.append({**row, **names, "order_id": order_id})  # type: ignore[typeddict-item]
    return told


@settings(max_examples=60, deadline=None)
@given(KEYS, NUMBERS, KEYS, NUMBERS, NUMBERS)
def test_changed__rows_of_some_visitors_replaced__equals_the_day_of_all_rows(
    key: int, number: int, other_key: int, before: int, after: int
) -> None:
    rest = apart(random_ledger(key, number), "rest")
    old, new = (apart(random_ledger(other_key, rows), "some") for rows in (before, after))
    assert changed(day(rest + old), day(old), day(new)) == day(rest + new)


def test_changed__nothing_left__has_no_entries() -> None:
    rows = random_ledger(7, 60)
    assert changed(day(rows), day(rows), day([])) == day([])
    assert day(rows) != day([])

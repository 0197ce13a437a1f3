"""Which lines of a raw object are rows."""

import pytest

from abtest.domain.ledger.columns import COLUMNS, row_of
from abtest.domain.ledger.events import Row
from abtest.kit.canonical_json import Json

LEAST: dict[str, Json] = {
    "event_id": "e",
    "shop_id": "s",
    "type": "order",
    "visitor_id": "v",
    "ts": 1,
    "received_at": 2,
}


def test_columns__are_those_of_the_row() -> None:
    assert list(COLUMNS) == list(Row.__annotations__)


def test_row_of__line_of_an_older_release__has_every_column() -> None:
    row = row_of(LEAST | {"unknown": 1, "url": None, "qa_mode": None, "data": None})

    assert row is not None
    assert list(row) == list(COLUMNS)
    assert (row["qa_mode"], row["data"], row["url"], row["event_id"]) == (False, "{}", None, "e")


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 0, None])
def test_row_of__integers_that_fit__is_a_row(value: Json) -> None:
    assert row_of(LEAST | {"revenue_minor": value}) is not None


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 1.0, 1e300, "1", True, [], {}])
def test_row_of__no_integer_that_fits__is_none(value: Json) -> None:
    assert row_of(LEAST | {"revenue_minor": value}) is None


@pytest.mark.parametrize("line", [None, [], "text", 1, {}, LEAST | {"url": 1}, LEAST | {"qa_mode": 0}])
def test_row_of__wrong_types__is_none(line: Json) -> None:
    assert row_of(line) is None


@pytest.mark.parametrize("name", ["event_id", "shop_id", "type", "visitor_id", "ts", "received_at"])
def test_row_of__without_something_essential__is_none(name: str) -> None:
    assert row_of({key: value for key, value in LEAST.items() if key != name}) is None
    assert row_of(LEAST | {name: None}) is None


@pytest.mark.parametrize("shop_id", ["", "a/b", "..", "a b", "a\n", "x" * 65])
def test_row_of__shop_that_cannot_be_part_of_a_name__is_none(shop_id: str) -> None:
    assert row_of(LEAST | {"shop_id": shop_id}) is None

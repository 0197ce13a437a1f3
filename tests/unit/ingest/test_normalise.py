"""From an event to a row or to the reason against it, through the routes where shoppers' browsers send them."""

from typing import Any

import pytest

from abtest.domain.ledger.events import DAY_MS
from tests.unit.ingest.edge import NOW_MS, OTHER, SHOP, Edge, event


def nested(levels: int) -> dict[str, Any]:
    """Data with that many objects and lists in each other."""
    data: Any = 1
    for level in range(levels - 1):
        data = [data] if level % 2 else {"a": data}
    return {"a": data}


GOOD: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("pageview", event(), {"type": "pageview", "visitor_id": "v-1", "session_id": "s-1", "qa_mode": False}),
    (
        "exposure",
        event(type="experiment_viewed", experimentId="x", variationId="v", assignment_epoch=2, qa_mode=True),
        {"experiment_id": "x", "variation_id": "v", "assignment_epoch": 2, "qa_mode": True},
    ),
    (
        "aliases at the top",
        event(type="experiment_viewed", eventId=..., event_id="e-9", experiment_id="x", variation_id="v"),
        {"event_id": "e-9", "experiment_id": "x", "variation_id": "v", "assignment_epoch": None},
    ),
    (
        "aliases in the data",
        event(type="experiment_viewed", data={"experiment_id": "x", "variationId": "v"}),
        {"experiment_id": "x", "variation_id": "v"},
    ),
    (
        "goal with money",
        event(type="goal", data={"goalId": "g", "revenue": 49.9, "currency": "eur", "orderId": 1001}),
        {"goal_id": "g", "revenue_minor": 4990, "currency": "EUR", "order_id": "1001"},
    ),
    ("yen", event(type="order", data={"revenue": "500", "currency": "JPY"}), {"revenue_minor": 500, "currency": "JPY"}),
    (
        "money of an unknown currency",
        event(type="order", data={"revenue": 5, "currency": "ZZZ"}),
        {"revenue_minor": 500, "currency": None, "data": '{"currency":"ZZZ","revenue":5}'},
    ),
    ("money of no currency", event(type="order", data={"revenue": "1.005"}), {"revenue_minor": 100, "currency": None}),
    (
        "money that the shop has converted",
        event(type="order", data={"revenue": 10, "currency": "USD", "shopRevenue": "9.31", "shopCurrency": "eur"}),
        {"revenue_minor": 1000, "currency": "USD", "shop_revenue_minor": 931, "shop_currency": "EUR"},
    ),
    (
        "converted money of an unknown currency",
        event(type="order", data={"revenue": 10, "currency": "USD", "shopRevenue": "?", "shopCurrency": "ZZZ"}),
        {"revenue_minor": 1000, "shop_revenue_minor": None, "shop_currency": None},
    ),
    (
        "a currency without an amount converted",
        event(type="order", data={"revenue": 10, "currency": "USD", "shopCurrency": "EUR"}),
        {"shop_revenue_minor": None, "shop_currency": None},
    ),
    (
        "the largest order",
        event(type="order", data={"revenue": 10**10, "currency": "EUR"}),
        {"revenue_minor": 10**12},
    ),
    (
        "the cohort of a page view",
        event(data={"cohort": "holdout", "holdout_config_epoch": 3}),
        {"cohort": "holdout", "holdout_config_epoch": 3},
    ),
    (
        "a cohort of the page's own",
        event(data={"cohort": "summer", "holdout_config_epoch": 3}),
        {"cohort": None, "holdout_config_epoch": None},
    ),
    (
        "a cohort without its epoch",
        event(data={"cohort": "active", "holdout_config_epoch": "3"}),
        {"cohort": None, "holdout_config_epoch": None},
    ),
    ("custom", event(type="custom", data={"event_name": "add_to_cart"}), {"event_name": "add_to_cart"}),
    ("shop id in capitals", event(shopId=SHOP.upper()), {"shop_id": SHOP}),
    ("no shop id", event(shopId=...), {"shop_id": SHOP}),
    ("no data", event(data=...), {"data": "{}"}),
    ("a long address", event(url="https://shop.example/" + "x" * 9000), {}),
    ("a week ago", event(ts=NOW_MS - 7 * DAY_MS), {"ts": NOW_MS - 7 * DAY_MS}),
    ("a day ahead", event(ts=NOW_MS + DAY_MS), {"ts": NOW_MS + DAY_MS}),
    ("data of 32 KiB", event(data={"x": "y" * (32 * 1024 - 8)}), {}),
    ("data of 64 levels", event(data=nested(64)), {}),
    ("data of many lists in a row", event(data={"x": [[]] * 1000}), {}),
    ("emoji", event(data={"x": "👍"}), {"data": '{"x":"👍"}'}),
    ("a backslash that looks like an escape", event(data={"x": "\\u0000"}), {}),
]

BAD: list[tuple[str, Any]] = [
    ("not_an_object", 5),
    ("not_an_object", None),
    ("not_an_object", []),
    ("unknown_type", event(type="exposure")),
    ("unknown_type", event(type=["pageview"])),
    ("unknown_type", event(type=...)),
    ("foreign_shop", event(shopId=OTHER)),
    ("foreign_shop", event(shopId=7)),
    ("missing_visitor_id", event(visitorId=...)),
    ("missing_visitor_id", event(visitorId="")),
    ("invalid_field", event(visitorId=5)),
    ("invalid_field", event(visitorId="v" * 257)),
    ("invalid_field", event(eventId="e" * 257)),
    ("invalid_field", event(eventId=5)),
    ("invalid_field", event(sessionId={})),
    ("missing_ts", event(ts=...)),
    ("invalid_field", event(ts="now")),
    ("invalid_field", event(ts=True)),
    ("invalid_field", event(ts=1.5)),
    ("ts_in_future", event(ts=NOW_MS + DAY_MS + 1)),
    ("ts_in_future", event(ts=10**30)),
    ("ts_too_old", event(ts=NOW_MS - 7 * DAY_MS - 1)),
    ("ts_too_old", event(ts=-1)),
    ("invalid_field", event(data=[])),
    ("data_too_large", event(data={"x": "y" * (32 * 1024 - 7)})),
    ("data_too_large", event(data={"x": "ä" * (16 * 1024)})),
    ("data_too_deep", event(data=nested(65))),
    ("data_too_deep", event(data=nested(900))),
    ("invalid_field", event(qa_mode=1)),
    ("invalid_field", event(url=5)),
    ("invalid_field", event(assignment_epoch=0)),
    ("invalid_field", event(assignment_epoch="1")),
    ("missing_experiment_id", event(type="experiment_viewed", variationId="v")),
    ("missing_variation_id", event(type="experiment_viewed", experimentId="x")),
    ("missing_goal_id", event(type="goal")),
    ("missing_event_name", event(type="custom")),
    ("missing_revenue", event(type="order", data={"orderId": "1"})),
    ("invalid_revenue", event(type="order", data={"revenue": "a lot", "currency": "EUR"})),
    ("invalid_revenue", event(type="order", data={"revenue": True, "currency": "EUR"})),
    ("invalid_revenue", event(type="order", data={"revenue": -1, "currency": "EUR"})),
    ("invalid_revenue", event(type="order", qa_mode="no", data={"revenue": -1, "currency": "EUR"})),
    ("invalid_revenue", event(type="order", data={"revenue": "NaN", "currency": "EUR"})),
    ("invalid_revenue", event(type="order", data={"revenue": "1e400", "currency": "EUR"})),
    ("invalid_revenue", event(type="order", data={"revenue": 1e300, "currency": "EUR"})),
    ("invalid_revenue", event(type="order", data={"revenue": 10**10 + 0.01, "currency": "EUR"})),
    ("invalid_revenue", event(type="refund", data={"revenue": 10**13, "currency": "???"})),
    (
        "invalid_revenue",
        event(type="order", data={"revenue": 1, "currency": "USD", "shopRevenue": -1, "shopCurrency": "EUR"}),
    ),
    ("invalid_text", event(data={"x": "\ud800"})),
    ("invalid_text", event(data={"x": "a\u0000b"})),
    ("invalid_text", event(visitorId="v\uffff")),
]


@pytest.mark.parametrize(("sent", "expected"), [case[1:] for case in GOOD], ids=[case[0] for case in GOOD])
def test_event__that_is_good__becomes_a_row(sent: dict[str, Any], expected: dict[str, Any]) -> None:
    edge = Edge()
    assert edge.send(sent).json()["ingested"] == 1
    (row,) = edge.rows()
    assert {name: row[name] for name in expected} == expected


@pytest.mark.parametrize(("reason", "sent"), BAD, ids=[f"{number}-{case[0]}" for number, case in enumerate(BAD)])
def test_event__that_is_bad__is_set_aside_with_its_reason_and_a_sample(reason: str, sent: Any) -> None:
    edge = Edge()
    answer = edge.send(event(eventId="good"), sent)
    assert (answer.status, answer.json()["ingested"], answer.json()["quarantined"]) == (202, 1, 1)
    (error,) = answer.json()["errors"]
    assert (error["index"], error["reason"]) == (1, reason)
    (line,) = edge.quarantined()
    assert (line["reason"], line["shop_id"], line["received_at"]) == (reason, SHOP, NOW_MS)
    assert len(line["sample"]) <= 2048 * 10


def test_event__without_an_id__has_the_same_one_each_time_and_another_when_it_differs() -> None:
    edge = Edge()
    first = event(eventId=..., type="experiment_viewed", experimentId="x", variationId="a")
    edge.send(first, sentAt=NOW_MS)
    edge.clock.advance(seconds=30)
    edge.send(first, {**first, "experimentId": "y"}, {**first, "ts": NOW_MS + 1})
    ids = [row["event_id"] for row in edge.rows()]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


@pytest.mark.parametrize(
    ("name", "wrong_by_ms", "expected_ts"),
    [
        ("an hour slow", -3_600_000, NOW_MS - 1000),
        ("a month fast", 30 * DAY_MS, NOW_MS - 1000),
        ("sixteen minutes slow", -960_000, NOW_MS - 1000),
        ("four minutes fast", 240_000, NOW_MS - 1000),
        ("just over a minute fast", 60_001, NOW_MS - 1000),
        ("slow, or a request that was under way for a quarter of an hour", -900_000, NOW_MS - 901_000),
        ("a minute fast", 60_000, NOW_MS + 59_000),
        ("nonsense", -40 * 366 * DAY_MS, None),
    ],
)
def test_clock__of_a_sender_that_is_wrong__is_corrected_by_sent_at(
    name: str, wrong_by_ms: int, expected_ts: int | None
) -> None:
    edge = Edge()
    answer = edge.send(event(ts=NOW_MS - 1000 + wrong_by_ms), sentAt=NOW_MS + wrong_by_ms)
    found = [row["ts"] for row in edge.rows()]
    assert found == ([] if expected_ts is None else [expected_ts])
    assert answer.json()["quarantined"] == (1 if expected_ts is None else 0)

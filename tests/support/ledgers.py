"""Ledgers for tests: rows made by hand, and random ones of few visitors and ids, so that everything meets."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from abtest.domain.ledger.events import DAY_MS, REVENUE_GOAL_ID, Row
from abtest.domain.ledger.plans import COHORTS, SHOP_REVENUE, CountingPlan, GoalPlan, parts_of_ratio

SHOP, OTHER_SHOP = "shop-a", "shop-b"
EXPERIMENT = "exp-1"
BEGIN = 1_770_000_500_000
"""2026-02-02T02:48:20Z: within a quarter of an hour."""

VARIATIONS = ("control", "blue", "red")
SCOPE = {"url": {"path": r"\/?checkout\/?"}}
BUY_FILTER = {"version": 1, "conditions": [{"property": "plan", "operator": "equals", "value": "pro"}]}
LARGE_FILTER = {"version": 1, "orderValue": [{"operator": "gte", "value": 5}]}
SHOES_FILTER = {
    "version": 1,
    "lineItems": {
        "match": "any",
        "missingItems": "include",
        "conditions": [{"property": "productType", "operator": "equals", "value": "shoes"}],
    },
}


def goal(goal_id: str, kind: str = "click", **changes: Any) -> GoalPlan:
    """A goal plan, once a visitor, thirty days."""
    fields = {"event_name": None, "count_once": True, "window_ms": 30 * DAY_MS, "filter": None} | changes
    return GoalPlan(goal_id=goal_id, type=kind, **fields)  # type: ignore[arg-type]


def plan(*goals: GoalPlan, **changes: Any) -> CountingPlan:
    """A plan of the one experiment."""
    fields: dict[str, Any] = {
        "experiment_id": EXPERIMENT,
        "shop_id": SHOP,
        "assignment_epoch": 2,
        "measurement_epoch": 3,
        "begins_at": BEGIN,
        "currency": "EUR",
        "variation_ids": VARIATIONS,
    }
    return CountingPlan(**(fields | changes), goals=goals)


GOALS = (
    goal("click"),
    goal("clicks", count_once=False, looks_back=True),
    goal("signup", "custom", event_name="sign_up", looks_back=True),
    goal(
        "signups", "custom", event_name="sign_up", count_once=False, window_ms=2_000, filter=BUY_FILTER, looks_back=True
    ),
    goal("scoped", "custom", event_name="sign_up", scope=SCOPE),
    goal("values", "custom", event_name="sign_up", sums_value=True, winsorize_pct=0.1, looks_back=True),
    goal("money", "revenue", winsorize_pct=0.05, looks_back=True),
    goal("large", "revenue", filter=LARGE_FILTER, window_ms=3_000, looks_back=True),
    goal("shoes", "revenue", filter=SHOES_FILTER, scope=SCOPE),
    *parts_of_ratio(goal("order value", "revenue"), "value", "events"),
    *parts_of_ratio(goal("items per order", "revenue", filter=LARGE_FILTER), "items", "events"),
    *parts_of_ratio(goal("unit price", "revenue", window_ms=3_000), "value", "items"),
    *parts_of_ratio(goal("cart value", "custom", event_name="add_to_cart"), "value", "events"),
    *parts_of_ratio(goal("cart price", "custom", event_name="sign_up", scope=SCOPE), "value", "items"),
)
PLAN = plan(*GOALS)
HOLDOUT_PLAN = plan(
    SHOP_REVENUE,
    experiment_id=SHOP,
    assignment_epoch=BEGIN,
    measurement_epoch=BEGIN,
    exposure="cohort",
    variation_ids=tuple(COHORTS),
)


def row(**changes: Any) -> Row:
    """A ledger row, by default an event of one visitor at the beginning."""
    fields: dict[str, Any] = {
        **dict.fromkeys(Row.__annotations__),
        "event_id": "e-1",
        "shop_id": SHOP,
        "type": "pageview",
        "visitor_id": "v-1",
        "ts": BEGIN,
        "qa_mode": False,
        "data": "{}",
    }
    fields |= changes
    fields["received_at"] = changes.get("received_at", max(fields["ts"], BEGIN))
    return fields  # type: ignore[return-value]


def exposure(visitor_id: str, variation_id: str, /, ts: int = BEGIN, **changes: Any) -> Row:
    """A visitor sees a variation."""
    fields: dict[str, Any] = {
        "event_id": f"x-{visitor_id}-{variation_id}-{ts}",
        "type": "experiment_viewed",
        "visitor_id": visitor_id,
        "variation_id": variation_id,
        "experiment_id": EXPERIMENT,
        "assignment_epoch": 2,
        "ts": ts,
    }
    return row(**(fields | changes))


def delivery(visitor_id: str, variation_id: str, kind: str, /, ts: int = BEGIN, **changes: Any) -> Row:
    """An `sdk_error` or `sdk_perf` of a variation."""
    told = {"event_id": f"{kind}-{visitor_id}-{variation_id}-{ts}-{changes.get('session_id')}", "type": kind}
    return exposure(visitor_id, variation_id, ts, **(told | changes))


def click(visitor_id: str, /, ts: int = BEGIN + 1, goal_id: str = "click", **changes: Any) -> Row:
    """A goal's own event."""
    fields = {"event_id": f"g-{visitor_id}-{ts}-{goal_id}", "type": "goal", "goal_id": goal_id}
    return row(**(fields | {"visitor_id": visitor_id, "ts": ts} | changes))


def order(visitor_id: str, minor: int | None, /, ts: int = BEGIN + 1, **changes: Any) -> Row:
    """An order in euros."""
    fields = {"event_id": f"o-{visitor_id}-{ts}-{minor}", "type": "order", "revenue_minor": minor, "currency": "EUR"}
    return row(**(fields | {"visitor_id": visitor_id, "ts": ts} | changes))


_DATA = (
    "{}",
    '{"plan":"pro","value":12.345}',
    '{"plan":"pro","value":"3"}',
    '{"items":[{"category":"shoes","price":5}],"value":-1}',
    '{"items":[{"category":"hats","quantity":2}]}',
    '{"items":[{"sku":"a","quantity":"1.5"},{"sku":"b"},{"note":"no item"}],"value":4}',
    '{"items":[{"sku":"a"},{"sku":"b","quantity":"many"}],"value":4}',
    '{"items":[{"sku":"a","quantity":0}]}',
)
SESSIONS = (None, "", "v-1", "s-1", "s-1", "s-2")
"""Sessions that different visitors have; one is called as a visitor is."""
_KINDS = ("exposure",) * 5 + ("pageview", "goal", "custom", "order") * 3 + ("refund", "other", "delivery")


def random_ledger(key: int, number: int) -> list[Row]:
    """Rows around BEGIN: most within seconds, many at the same moment, some up to nine days to either side.

    A fifth are copies, some of them altered.
    The same key gives the same rows, and with a smaller number the first of them.
    """
    chance = random.Random(key)
    ledger: list[Row] = []
    for index in range(number):
        if ledger and chance.random() < 0.2:
            ledger.append(_copy(chance, chance.choice(ledger)))
        else:
            ledger.append(_random_row(chance, f"e-{key}-{index}"))
    return ledger


def _copy(chance: random.Random, original: Row) -> Row:
    changes: dict[str, Any] = {"received_at": original["received_at"] + chance.choice([0, 0, -1, 700, DAY_MS])}
    if chance.random() < 0.5:
        changes |= {"event_id": original["event_id"], **_context(chance), "data": chance.choice(_DATA)}
    if chance.random() < 0.3:
        changes |= {"session_id": chance.choice(SESSIONS)}
    if chance.random() < 0.1:
        changes |= {"visitor_id": f"v-{chance.randrange(12)}"}
    return original | changes  # type: ignore[return-value]


def _random_row(chance: random.Random, event_id: str) -> Row:
    pick = chance.choice
    kind = pick(_KINDS)
    ts = BEGIN + (
        chance.randrange(-1, 18) * 500 if chance.random() < 0.7 else chance.randrange(-9 * DAY_MS, 9 * DAY_MS)
    )
    received_at = ts + pick([0, 0, 0, 1, -1, 900, DAY_MS])
    skew = pick([None, None, 0, 5, 8_000, -60_000, -60_001, -62_000, 900_000, 900_001, 902_000])
    visitor = chance.randrange(12)
    common = {
        "event_id": event_id,
        "shop_id": pick([SHOP] * 12 + [OTHER_SHOP]),
        "visitor_id": f"v-{visitor}",
        "ts": ts,
        "received_at": received_at,
        "sent_at": None if skew is None else received_at - skew,
        "qa_mode": chance.random() < 0.05,
        "session_id": pick(SESSIONS),
        "sender": pick(["browser", "browser", "server", None]),
        "url": pick([None, "https://shop.example/checkout", "https://shop.example/cart", "not an address"]),
        "data": pick(_DATA),
    }
    return row(**common, **_context(chance), **_FIELDS[kind](chance, visitor))


def _context(chance: random.Random) -> dict[str, Any]:
    return {
        "device": chance.choice([None, "desktop", "mobile"]),
        "country": chance.choice([None, "DE", "FR"]),
        "visitor_kind": chance.choice([None, "new", "returning"]),
        "source": chance.choice([None, "search", "email"]),
    }


def _exposure_fields(chance: random.Random, visitor: int) -> dict[str, Any]:
    right = VARIATIONS[visitor % 3]
    return {
        "type": "experiment_viewed",
        "experiment_id": chance.choice([EXPERIMENT] * 6 + ["exp-2"]),
        "variation_id": chance.choice([right] * 12 + [*VARIATIONS, "gone"]),
        "assignment_epoch": chance.choice([2, 2, 2, 2, 1, None]),
        "event_name": chance.choice([None, "without_sticky"]),
    }


def _delivery_fields(chance: random.Random, visitor: int) -> dict[str, Any]:
    names = [None, "selector_missing", "without_sticky"]
    kind, name = chance.choice(["sdk_error", "sdk_perf"]), chance.choice(names)
    return _exposure_fields(chance, visitor) | {"type": kind, "event_name": name}


def _pageview_fields(chance: random.Random, visitor: int) -> dict[str, Any]:
    return {
        "type": "pageview",
        "cohort": chance.choice([COHORTS[visitor % 2]] * 12 + [None, *COHORTS]),
        "holdout_config_epoch": chance.choice([BEGIN] * 6 + [None, BEGIN - 1]),
    }


def _money(chance: random.Random, _: int = 0) -> dict[str, Any]:
    return {
        "revenue_minor": chance.choice([None, 0, 10**12, *[chance.randrange(2_000)] * 6]),
        "currency": chance.choice(["EUR", "EUR", "EUR", "USD", None]),
        "shop_revenue_minor": chance.choice([None, None, 700]),
        "shop_currency": chance.choice(["EUR", "EUR", "USD"]),
    }


def _order_fields(kind: str) -> Callable[[random.Random, int], dict[str, Any]]:
    orders = [None, None, *(f"o-{number}" for number in range(8))]
    return lambda chance, _: {"type": kind, "order_id": chance.choice(orders), **_money(chance)}


def _goal_fields(chance: random.Random, visitor: int) -> dict[str, Any]:
    ids = [*(each.goal_id for each in GOALS), *[REVENUE_GOAL_ID] * 3, "x"]
    return _order_fields("goal")(chance, visitor) | {"goal_id": chance.choice(ids)}


def _custom_fields(chance: random.Random, _: int) -> dict[str, Any]:
    names = ["sign_up", "sign_up", "sign_up", "add_to_cart", "checkout_started"]
    return {"type": "custom", "event_name": chance.choice(names), **_money(chance)}


_FIELDS: Mapping[str, Callable[[random.Random, int], dict[str, Any]]] = {
    "exposure": _exposure_fields,
    "pageview": _pageview_fields,
    "goal": _goal_fields,
    "custom": _custom_fields,
    "order": _order_fields("order"),
    "refund": _order_fields("refund"),
    "delivery": _delivery_fields,
    "other": lambda chance, _: {"type": chance.choice(["identify", "consent", "sdk_error", "sdk_perf"])},
}

ledgers = st.builds(random_ledger, st.integers(0, 2**32), st.integers(0, 150))
"""A strategy: ledgers of up to 150 rows. (Lists of rows drawn one by one would have five on average.)"""

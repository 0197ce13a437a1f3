"""Ledgers for tests: rows made by hand, and random ones of few visitors and ids, so that everything meets."""

from typing import Any

from hypothesis import strategies as st

from abtest.domain.ledger.events import DAY_MS, REVENUE_GOAL_ID, Row
from abtest.domain.ledger.plans import COHORTS, SHOP_REVENUE, CountingPlan, GoalPlan

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
    goal("clicks", count_once=False),
    goal("signup", "custom", event_name="sign_up"),
    goal("signups", "custom", event_name="sign_up", count_once=False, window_ms=2_000, filter=BUY_FILTER),
    goal("scoped", "custom", event_name="sign_up", scope=SCOPE),
    goal("values", "custom", event_name="sign_up", sums_value=True, winsorize_pct=0.1),
    goal("money", "revenue", winsorize_pct=0.05),
    goal("large", "revenue", filter=LARGE_FILTER, window_ms=3_000),
    goal("shoes", "revenue", filter=SHOES_FILTER, scope=SCOPE),
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


def click(visitor_id: str, /, ts: int = BEGIN + 1, goal_id: str = "click", **changes: Any) -> Row:
    """A goal's own event."""
    fields = {"event_id": f"g-{visitor_id}-{ts}-{goal_id}", "type": "goal", "goal_id": goal_id}
    return row(**(fields | {"visitor_id": visitor_id, "ts": ts} | changes))


def order(visitor_id: str, minor: int | None, /, ts: int = BEGIN + 1, **changes: Any) -> Row:
    """An order in euros."""
    fields = {"event_id": f"o-{visitor_id}-{ts}-{minor}", "type": "order", "revenue_minor": minor, "currency": "EUR"}
    return row(**(fields | {"visitor_id": visitor_id, "ts": ts} | changes))


_moment = st.one_of(
    st.integers(BEGIN - 2_000, BEGIN + 8_000),
    st.integers(BEGIN - 9 * DAY_MS, BEGIN + 9 * DAY_MS),
)
_late = st.sampled_from([0, 0, 0, 1, -1, 900, DAY_MS])
_common = {
    "event_id": st.integers(0, 60).map(str),
    "shop_id": st.sampled_from([SHOP, SHOP, SHOP, SHOP, SHOP, OTHER_SHOP]),
    "visitor_id": st.integers(0, 9).map(lambda number: f"v-{number}"),
    "ts": _moment,
    "late": _late,
    "qa_mode": st.sampled_from([False, False, False, False, False, False, True]),
    "url": st.sampled_from([None, "https://shop.example/checkout", "https://shop.example/cart", "not an address"]),
    "device": st.sampled_from([None, "desktop", "mobile"]),
    "country": st.sampled_from([None, "DE", "FR"]),
    "visitor_kind": st.sampled_from([None, "new", "returning"]),
    "source": st.sampled_from([None, "search", "email"]),
}
_money: dict[str, st.SearchStrategy[Any]] = {
    "order_id": st.sampled_from([None, None, "o-1", "o-2", "o-3", "o-4"]),
    "revenue_minor": st.one_of(st.integers(0, 2_000), st.sampled_from([10**12, None])),
    "currency": st.sampled_from(["EUR", "EUR", "EUR", "USD", None]),
    "shop_revenue_minor": st.sampled_from([None, None, 700]),
    "shop_currency": st.sampled_from(["EUR", "EUR", "USD"]),
}
_data = st.sampled_from(
    [
        "{}",
        '{"plan":"pro","value":12.345}',
        '{"plan":"pro","value":"3"}',
        '{"items":[{"category":"shoes","price":5}],"value":-1}',
        '{"items":[{"category":"hats","quantity":2}]}',
    ]
)
_kinds = st.one_of(
    st.fixed_dictionaries(
        _common
        | {
            "type": st.just("experiment_viewed"),
            "experiment_id": st.sampled_from([EXPERIMENT, EXPERIMENT, EXPERIMENT, "exp-2"]),
            "variation_id": st.sampled_from([*VARIATIONS, "gone"]),
            "assignment_epoch": st.sampled_from([2, 2, 2, 1, None]),
        }
    ),
    st.fixed_dictionaries(
        _common
        | {
            "type": st.just("pageview"),
            "cohort": st.sampled_from([None, *COHORTS]),
            "holdout_config_epoch": st.sampled_from([None, BEGIN, BEGIN, BEGIN - 1]),
        }
    ),
    st.fixed_dictionaries(
        _common
        | _money
        | {
            "type": st.just("goal"),
            "data": _data,
            "goal_id": st.sampled_from([*(each.goal_id for each in GOALS), REVENUE_GOAL_ID, REVENUE_GOAL_ID, "x"]),
        }
    ),
    st.fixed_dictionaries(
        _common
        | {name: _money[name] for name in ("revenue_minor", "currency")}
        | {
            "type": st.just("custom"),
            "event_name": st.sampled_from(["sign_up", "sign_up", "sign_up", "add_to_cart", "checkout_started"]),
            "data": _data,
        }
    ),
    st.fixed_dictionaries(_common | _money | {"type": st.sampled_from(["order", "order", "refund"]), "data": _data}),
    st.fixed_dictionaries(_common | {"type": st.sampled_from(["identify", "consent", "sdk_error", "sdk_perf"])}),
)


def _row(fields: dict[str, Any]) -> Row:
    return row(received_at=fields["ts"] + fields["late"], **{k: v for k, v in fields.items() if k != "late"})


rows = st.lists(_kinds.map(_row), max_size=150)
"""Up to 150 rows, copies that differ among them; around BEGIN, nine days to either side."""

"""Random ledgers: few visitors and few ids, so that copies, two variations, late goals and refunds all happen."""

import gzip

from hypothesis import strategies as st

from abtest.domain.ledger.counting import CountingPlan, GoalPlan
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.kit import canonical_json

SHOP, OTHER_SHOP = "shop-a", "shop-b"
EXPERIMENT = "exp-1"
BEGIN = 1_770_000_000_000
VARIATIONS = ("control", "blue", "red")

BUY_FILTER = {"version": 1, "conditions": [{"property": "plan", "operator": "equals", "value": "pro"}]}
LARGE_FILTER = {"version": 1, "orderValue": [{"operator": "gte", "value": 5}]}


def goal(goal_id: str, kind: str = "click", **changes: object) -> GoalPlan:
    """A goal plan, once a visitor, thirty days."""
    fields = {"event_name": None, "count_once": True, "window_ms": 30 * DAY_MS, "filter": None} | changes
    return GoalPlan(goal_id=goal_id, type=kind, **fields)  # type: ignore[arg-type]


def plan(*goals: GoalPlan, **changes: object) -> CountingPlan:
    """A plan of the one experiment."""
    fields: dict[str, object] = {
        "experiment_id": EXPERIMENT,
        "shop_id": SHOP,
        "assignment_epoch": 2,
        "measurement_epoch": 3,
        "begins_at": BEGIN,
        "currency": "EUR",
        "variation_ids": VARIATIONS,
    }
    return CountingPlan(**(fields | changes), goals=goals)  # type: ignore[arg-type]


GOALS = (
    goal("click"),
    goal("clicks", count_once=False),
    goal("signup", "custom", event_name="sign_up"),
    goal("signups", "custom", event_name="sign_up", count_once=False, window_ms=2_000, filter=BUY_FILTER),
    goal("money", "revenue"),
    goal("large", "revenue", filter=LARGE_FILTER, window_ms=3_000),
    goal("items", "revenue", filter={"version": 1, "lineItems": {"match": "any", "conditions": []}}),
)
PLAN = plan(*GOALS)


def row(**changes: object) -> Row:
    """A ledger row, by default the exposure of one visitor at the beginning."""
    fields: dict[str, object] = dict.fromkeys(Row.__annotations__) | {
        "event_id": "e-1",
        "shop_id": SHOP,
        "type": "experiment_viewed",
        "visitor_id": "v-1",
        "ts": BEGIN,
        "received_at": BEGIN,
        "qa_mode": False,
        "data": "{}",
    }
    return fields | changes  # type: ignore[return-value]


def exposure(visitor_id: str, variation_id: str, ts: int = BEGIN, **changes: object) -> Row:
    """A visitor sees a variation."""
    fields: dict[str, object] = {
        "event_id": f"x-{visitor_id}-{variation_id}-{ts}",
        "visitor_id": visitor_id,
        "variation_id": variation_id,
        "experiment_id": EXPERIMENT,
        "assignment_epoch": 2,
        "ts": ts,
        "received_at": max(ts, BEGIN),
    }
    return row(**(fields | changes))


def ledger_object(rows: list[Row]) -> bytes:
    """What the worker writes."""
    return gzip.compress(b"".join(canonical_json.encode(line) + b"\n" for line in rows))


_moment = st.integers(BEGIN - 2_000, BEGIN + 8_000)
_common = {
    "event_id": st.integers(0, 40).map(str),
    "shop_id": st.sampled_from([SHOP, SHOP, SHOP, SHOP, OTHER_SHOP]),
    "visitor_id": st.integers(0, 7).map(lambda number: f"v-{number}"),
    "ts": _moment,
    "received_at": _moment,
    "qa_mode": st.sampled_from([False, False, False, False, True]),
}
_money = {
    "order_id": st.sampled_from([None, None, "o-1", "o-2", "o-3", "o-4"]),
    "revenue_minor": st.one_of(st.integers(0, 2_000), st.sampled_from([10**15, None])),
    "currency": st.sampled_from(["EUR", "EUR", "EUR", "USD", None]),
    "data": st.sampled_from(['{"plan":"pro"}', "{}"]),
}
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
        | _money
        | {
            "type": st.just("goal"),
            "goal_id": st.sampled_from(["click", "clicks", "signup", "signups", "money", "large", "__revenue__", "x"]),
        }
    ),
    st.fixed_dictionaries(
        _common
        | {
            "type": st.just("custom"),
            "event_name": st.sampled_from(["sign_up", "sign_up", "other"]),
            "data": _money["data"],
        }
    ),
    st.fixed_dictionaries(_common | _money | {"type": st.sampled_from(["order", "order", "refund"])}),
)
rows = st.lists(_kinds.map(lambda fields: row(**fields)), max_size=120)

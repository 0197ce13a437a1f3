"""Parts of the overview: the leading treatment, findings in short, publications that wait, heads of large shops."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from abtest.adapters.catalog_pages import page
from abtest.contract.results import HealthFinding
from abtest.kit.clock import ManualClock, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, Head, HeadPage, OutboxRow
from abtest.services.context import World
from abtest.services.overview import heads as heads_module
from abtest.services.overview.heads import heads_of
from abtest.services.overview.pending import MOST_ROWS, waiting_of
from abtest.services.overview.rows import findings_of, lead_of
from tests.support.memory import MemoryCatalog
from tests.support.report_facts import ident
from tests.support.report_shop import Shop

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def goal_of(lifts: Sequence[float], **fields: Any) -> Any:
    shop = Shop(["Control", *(f"V{number}" for number in range(1, len(lifts)))], days=20, daily=900)
    return shop.goal(0, name="Buy", base=0.1, lifts=lifts, **fields)


@pytest.mark.parametrize(
    ("direction", "named", "place"),
    [("increase", None, 2), ("decrease", None, 1), ("increase", 1, 1), ("increase", 0, 2)],
)
def test_lead__of_several_treatments__is_that_of_the_verdict_or_the_best(
    direction: str, named: int | None, place: int
) -> None:
    goal = goal_of([0, -0.3, 0.4, 0.1], direction=direction)
    lead = lead_of(goal, None if named is None else ident(1, named))
    assert lead is not None
    assert (lead.variation_id, lead.lift, lead.is_adjusted) == (ident(1, place), goal.rows[place].lift, False)


def test_lead__without_a_treatment__is_none() -> None:
    assert lead_of(goal_of([0]), None) is None


def test_lead__without_any_difference__is_the_first_treatment() -> None:
    goal = goal_of([0, 0, 0])
    rows = [row.model_copy(update={"difference": None, "lift": None}) for row in goal.rows]
    lead = lead_of(goal.model_copy(update={"rows": rows}), None)
    assert lead is not None
    assert lead.variation_id == ident(1, 1)


def finding(severity: str, message: str) -> HealthFinding:
    return HealthFinding.model_validate(
        {
            "kind": "event_gap",
            "severity": severity,
            "message": message,
            "action": None,
            "detected_at": None,
            "variation_id": None,
            "goal_id": None,
        }
    )


def test_findings__of_several_severities__name_the_first_of_the_worst() -> None:
    health = [finding("notice", "a"), finding("critical", "b"), finding("warning", "c"), finding("critical", "d")]
    assert findings_of(health).model_dump() == {"count": 4, "worst": "critical", "first": "b"}
    assert findings_of([]).model_dump() == {"count": 0, "worst": None, "first": None}


def waiting(shop_id: str, seconds: float, **payload: Any) -> OutboxRow:
    at = timestamp(NOW - timedelta(seconds=seconds))
    return OutboxRow(id=f"{shop_id}{seconds}", shop_id=shop_id, topic="publish", payload=payload, created_at=at)


def world_with(rows: Sequence[OutboxRow]) -> World:
    catalog = MemoryCatalog()
    for row in rows:
        catalog.commit(Commit(outbox=[row]))
    return World(catalog=catalog, clock=ManualClock(NOW), random=SystemRandomness())


def test_pending__of_a_shop__is_its_oldest_change_without_those_of_pages() -> None:
    rows = [waiting("a", 200, landing_page_id="x"), waiting("b", 100), waiting("a", 60), waiting("a", 2)]
    world = world_with(rows)
    shown = waiting_of(world, "a")
    assert shown is not None
    assert (shown.state, shown.since) == ("pending", timestamp(NOW - timedelta(seconds=60)))
    assert shown.of_change(timestamp(NOW - timedelta(seconds=71))) == "published"
    # The row of a change is made a little later than the change.
    assert shown.of_change(timestamp(NOW - timedelta(seconds=60, milliseconds=3))) == "pending"
    other, none = waiting_of(world, "b"), waiting_of(world, "c")
    assert other is not None
    assert none is not None
    assert (other.state, none.state, none.since) == ("failed", "published", None)


def test_pending__behind_a_crowd_of_other_shops__is_not_known() -> None:
    world = world_with([waiting("b", 500 - number) for number in range(MOST_ROWS)])
    assert waiting_of(world, "a") is None
    assert waiting_of(world, "b") is not None


def test_heads__of_a_shop_beyond_the_limit__are_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads_module, "MOST_HEADS", 3)
    monkeypatch.setattr(heads_module, "HEADS_A_READ", 2)
    stored = [
        Head(shop_id="s", kind="EXP", id=f"{n}", version=1, created_at="", updated_at=f"{9 - n}", status=status)
        for n, status in enumerate(["running", "draft", "paused", "awaiting_client_approval"])
    ]

    class Heads(MemoryCatalog):
        def list(self, shop_id: str, kind: Any, *, limit: int, after_id: str | None = None, **_: Any) -> Any:
            older = [head for head in reversed(stored) if after_id is None or head.id < after_id]
            heads, last = page(older, limit)
            return HeadPage(heads=heads, last_id=last)

    shown = heads_of(Heads(), "s")
    assert (shown.is_whole, [head.id for head in shown.heads], [head.id for head in shown.live]) == (
        False,
        ["3", "2", "1"],
        ["2"],
    )
    assert (shown.by_status["running"], shown.by_status["paused"], shown.approvals.count) == (0, 1, 1)

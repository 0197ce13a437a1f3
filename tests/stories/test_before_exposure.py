"""Shoppers who bought before: CUPED out of the edge, the ledger and the roll-up, beside the same from what was sent."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import Any

import pytest
from scipy.stats import ttest_ind

from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from tests.stories.shop import Shop
from tests.stories.shoppers import HOUR, Event
from tests.support.auditing import Auditing

DAY = 24 * HOUR
LOOK_BACK = 14 * DAY
SHOPPERS = 100
BEFORE, AFTER, EVERY = 7, 2, 3
"""Rounds of shopping before the launch, more than anybody looks back, and since; days between them."""


@dataclass
class Season:
    """Most buy in each round, some for much and some for little; the treatment adds two euros to an order."""

    shop: Shop
    experiment: dict[str, Any] = field(default_factory=dict)
    sent: list[Event] = field(default_factory=list)

    def run(self) -> Season:
        """Three weeks without the experiment, then one with it."""
        chance = Random(7)
        budgets = {f"shopper-{number}": chance.randrange(500, 30_000) for number in range(SHOPPERS)}
        self._rounds(BEFORE, budgets, chance)
        self._launch()
        self._rounds(1, budgets, chance)  # they buy, and have not seen it yet
        self.shop.rollup.fire_twice(dies=False)
        self._order_again()
        self._show(budgets)
        self._rounds(AFTER, budgets, chance, more=200)
        self.shop.rollup.fire_twice(dies=False)
        return self

    def reweigh(self) -> None:
        """The shares change, and everybody comes again and buys."""
        wish = {"weights": dict(zip(self.arms, (0.4, 0.6), strict=True)), "confirm_live_impact": True}
        changed = self.shop.client.put(f"/experiments/{self.experiment['id']}/variations/weights", wish)
        assert changed.status == 200, changed.body
        self.shop.clock.advance(hours=1)
        visitors = {event["visitor"]: 100 for event in self.sent}
        self._show(visitors)
        self._rounds(1, visitors, Random(1))
        self.shop.rollup.fire_twice(dies=False)

    @property
    def arms(self) -> list[str]:
        """Control and treatment."""
        found = sorted(self.experiment["variations"], key=lambda each: not each["is_control"])
        return [each["id"] for each in found]

    def goal(self, engine: str = "frequentist") -> dict[str, Any]:
        """Return the goal with its rows."""
        answer = self.shop.client.get(
            f"/experiments/{self.experiment['id']}/results", query={"correction": "none", "engine": engine}
        )
        assert answer.status == 200, answer.body
        (goal,) = answer.json()["goals"]
        shown: dict[str, Any] = goal
        return shown

    @property
    def row(self) -> dict[str, Any]:
        """Of the treatment."""
        return treatment_of(self.goal())

    def _launch(self) -> None:
        body = {"name": "Dearer", "goals": [{"name": "Revenue", "type": "revenue"}]}
        made = self.shop.client.post("/experiments", body)
        assert made.status == 201, made.body
        path, goal = f"/experiments/{made.json()['id']}", made.json()["goals"][0]["id"]
        plan = {"goal_id": goal, "baseline_rate": 0.3, "mde": 0.1, "covariate_adjustment": "cuped"}
        planned = self.shop.client.put(f"{path}/plan", plan)
        assert planned.status == 200, planned.body
        launched = self.shop.client.post(f"{path}/launch", {"override_checklist_warnings": True})
        assert launched.status == 200, launched.body
        self.experiment = launched.json()

    def _rounds(self, number: int, budgets: Mapping[str, int], chance: Random, more: int = 0) -> None:
        for _ in range(number):
            for place, (visitor, budget) in enumerate(budgets.items()):
                if chance.random() < 0.8:
                    self._send("order", visitor, minor=budget + chance.randrange(400) + more * (place % 2))
            self._flush()
            self.shop.clock.advance(days=EVERY)

    def _show(self, visitors: Iterable[str]) -> None:
        for number, visitor in enumerate(visitors):
            self._send("seen", visitor, variation=self.arms[number % 2], experiment=self.experiment["id"])
        self._flush()

    def _order_again(self) -> None:
        """A webhook tells of orders from before the launch once more."""
        for first in [event for event in self.sent if event["kind"] == "order"][-5:]:
            self._send("order", first["visitor"], minor=first["minor"], order=first["order"])

    def _send(self, kind: str, visitor: str, **fields: Any) -> None:
        name = f"{kind}-{len(self.sent)}"
        told = {"id": name, "kind": kind, "visitor": visitor, "session": visitor, "at": self.shop.now, "qa": False}
        self.sent.append({**told, "device": "desktop", "order": name, **fields})

    def _flush(self) -> None:
        self.shop.send([event for event in self.sent if event["at"] == self.shop.now])


def treatment_of(goal: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of the treatment."""
    (row,) = (row for row in goal["rows"] if not row["is_control"])
    shown: dict[str, Any] = row
    return shown


@pytest.fixture(scope="module")
def season(event_loop_of_handlers: asyncio.AbstractEventLoop) -> Season:
    """At its end."""
    asyncio.set_event_loop(event_loop_of_handlers)  # Mangum would make one of its own here and leave it open
    return Season(Shop(3)).run()


def by_hand(season: Season) -> tuple[Sequence[float], Sequence[float], float]:
    """Of both arms what is left of each visitor's money after the exposure; and how much of the variance went."""
    exposed = {event["visitor"]: event for event in season.sent if event["kind"] == "seen"}
    told: set[str] = set()
    x, y = defaultdict[str, float](float), defaultdict[str, float](float)
    for event in season.sent:
        if event["kind"] == "order" and event["order"] not in told:
            told.add(event["order"])
            exposure = exposed[event["visitor"]]["at"]
            if event["at"] >= exposure:
                y[event["visitor"]] += event["minor"] / 100
            elif event["at"] >= exposure - LOOK_BACK:
                x[event["visitor"]] += event["minor"] / 100
    arms = [[name for name, event in exposed.items() if event["variation"] == arm] for arm in season.arms]
    xx = xy = yy = 0.0
    for arm in arms:
        middle_x, middle_y = fmean(x[name] for name in arm), fmean(y[name] for name in arm)
        xx += sum((x[name] - middle_x) ** 2 for name in arm)
        yy += sum((y[name] - middle_y) ** 2 for name in arm)
        xy += sum((x[name] - middle_x) * (y[name] - middle_y) for name in arm)
    centre = fmean(x[name] for name in exposed)
    control, treatment = ([y[name] - xy / xx * (x[name] - centre) for name in arm] for arm in arms)
    return control, treatment, xy * xy / xx / yy


def test_results__of_shoppers_who_bought_before__tell_cuped_as_by_hand(season: Season) -> None:
    control, treatment, reduction = by_hand(season)
    found = season.row["cuped"]
    assert found["difference"] == pytest.approx(fmean(treatment) - fmean(control), rel=1e-9)
    assert found["p_value"] == pytest.approx(ttest_ind(treatment, control, equal_var=False).pvalue, rel=1e-6)
    assert found["variance_reduction"] == pytest.approx(reduction, rel=1e-9)
    assert reduction > 0.3
    assert _width(found) < 0.9 * _width(season.row)


def test_results__of_a_plan_that_adjusts__decide_by_the_same_difference(season: Season) -> None:
    control, treatment, reduction = by_hand(season)

    goal = season.goal("sequential")

    row = treatment_of(goal)
    assert goal["adjustment"]["status"] == "decides"
    assert row["cuped"]["decides"]
    assert row["cuped"]["difference"] == pytest.approx(fmean(treatment) - fmean(control), rel=1e-9)
    assert row["cuped"]["variance_reduction"] == pytest.approx(reduction, rel=1e-9)
    assert _width(row["cuped"]) < 0.9 * _width(row)


def _width(row: Mapping[str, Any]) -> float:
    interval = row["difference_ci"]
    return float(interval["upper"]) - float(interval["lower"])


def test_results__counted_by_a_new_process_out_of_compacted_hours__are_the_same(season: Season) -> None:
    before = season.row
    season.shop.compact.fire_twice(dies=False)
    season.shop.rollup.bury()
    season.shop.rollup.fire_twice(dies=False)
    assert season.row == before


def test_audit__counts_what_was_before_out_of_raw_objects__and_finds_the_same(season: Season) -> None:
    shop = season.shop
    audited = Auditing(
        world=shop.management.world,
        ledger=shop.ledger,
        warehouse=DuckDbWarehouse(shop.ledger),
        store=shop.management.rollups,
    ).run()
    assert (audited.equal, audited.different, audited.changed) == ([season.experiment["id"]], [], [])


def test_results__after_the_weights_changed__tell_no_cuped(season: Season) -> None:
    """Whoever comes now may have been treated in the fourteen days before."""
    season.reweigh()
    found = season.row
    assert found["p_value"] is not None
    assert found["cuped"] is None
    assert season.goal("sequential")["adjustment"]["status"] == "not_counted"

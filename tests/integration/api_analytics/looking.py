"""What the schedules do to a laboratory's experiments, and many shoppers at once."""

from __future__ import annotations

from typing import Any

from abtest.contract.report import Report
from abtest.services.context import Caller
from abtest.services.experiments.store import ExperimentStore
from abtest.services.results import ReportReading, RollupReader
from abtest.services.storefronts import Storefronts
from tests.integration.api_analytics.conftest import Lab, reached, seen
from tests.support.deciding import Deciders
from tests.support.memory import MemoryLeases


def _deciders(lab: Lab) -> Deciders:
    base = lab.api.management
    store = ExperimentStore(base.world, Storefronts(base.catalog, base.publication), base.budget)
    return Deciders(store=store, rollups=lab.store, leases=MemoryLeases(), looks=lab.looks)


def look(lab: Lab) -> dict[str, Any]:
    """A round of auto-stop."""
    lab.api.clock.advance(minutes=5)
    return dict(_deciders(lab).run("autostop").results)


def watch(lab: Lab) -> dict[str, Any]:
    """A round of Guardian."""
    lab.api.clock.advance(minutes=15)
    return dict(_deciders(lab).run("guardian").results)


def report(lab: Lab, experiment: dict[str, Any]) -> Report:
    """The report's facts."""
    caller = Caller(key_id="", kind="shop", user_id="", shop_id=lab.tenant.shop.id, scopes=frozenset(), request_id="")
    return ReportReading(lab.api.world, RollupReader(lab.store), lab.looks).read(caller, experiment["id"])


def shoppers(
    lab: Lab,
    experiment: dict[str, Any],
    *,
    buying: tuple[int, ...],
    visitors: int = 200,
    name: str = "v",
) -> None:
    """So many visitors an arm, of whom so many reach the first goal, counted."""
    events = []
    for variation, buyers in enumerate(buying):
        for number in range(visitors):
            visitor = f"{name}-{variation}-{number}"
            events.append(seen(experiment, visitor, variation))
            if number < buyers:
                events.append(reached(experiment, visitor, 0))
    for start in range(0, len(events), 200):
        lab.send(*events[start : start + 200])
    lab.settle()

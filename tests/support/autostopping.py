"""Running experiments with roll-ups made by hand, and the round that looks at them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.domain.settings.runtime import CONSENT
from abtest.kit.clock import ManualClock, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Catalog, Commit, Head, OutboxRow, Put, Record, Topic
from abtest.services.context import World
from abtest.services.decisions.shop_round import Round
from abtest.services.experiments.records import EXPERIMENTS, experiment_in
from abtest.services.experiments.store import ExperimentStore
from abtest.services.publication import PublicationOutcome
from abtest.services.publication.budget import CodeBudget
from abtest.services.shop_records import puts_of
from abtest.services.storefronts import Storefronts
from tests.faults.faults import Fate, Fated, KilledError
from tests.support.deciding import Deciders
from tests.support.memory import (
    MemoryBlobs,
    MemoryCatalog,
    MemoryLeases,
    MemoryLookStore,
    MemoryMetrics,
    MemoryRollupStore,
)
from tests.support.storefronts import MOMENT, SHOP_ID, experiment_id, goal, shop, variation

BEGIN = datetime(2026, 3, 2, tzinfo=UTC)
GOAL = goal().id
CONTROL, TREATMENT, OTHER = (variation(number).id for number in range(3))
SEQUENTIAL = {"mode": "sequential_significance"}
PLANNED = {"mode": "fixed_horizon_planned_end"}
GROUP_SEQUENTIAL = {"mode": "group_sequential"}

Arm = tuple[int, int]
"""Visitors, converters."""


def plan(**fields: Any) -> Any:
    """A stated plan for the goal: 3,000 visitors of a rate of 10 %, two-sided."""
    made = {
        "computed_at": MOMENT,
        "epoch_started_at": MOMENT,
        "endpoint_reached_at": None,
        "goal_id": GOAL,
        "correction_method": "holm",
        "baseline_rate": 0.1,
        "mde": 0.3,
        "alpha": 0.05,
        "power": 0.8,
        "window_days": 28,
        "tail": "two-sided",
        "required_sample_per_variant": 1500,
        "required_total_visitors": 3000,
        "estimated_days": 10.0,
        "evaluation": None,
        "revenue_evaluation": None,
    }
    return {**made, **fields}


def running(number: int = 1, **fields: Any) -> Experiment:
    """A running experiment with a primary click goal that auto-stop watches by always-valid p-values."""
    moment = timestamp(BEGIN)
    made: dict[str, Any] = {
        "id": experiment_id(number),
        "shop_id": SHOP_ID,
        "version": 1,
        "name": f"Experiment {number}",
        "status": "running",
        "started_at": moment,
        "measurement_started_at": moment,
        "created_at": moment,
        "updated_at": moment,
        "auto_stop_override": SEQUENTIAL,
        "variations": (variation(0), variation(1)),
        "goals": (goal(is_primary=True, role="primary"),),
    }
    return Experiment(**{**made, **fields})


def totals(experiment: Experiment, generation: int, arms: Mapping[str, Arm], **fields: Any) -> dict[str, Any]:
    """The roll-up of an experiment each of whose goals was reached by the same visitors, once each."""
    counted = {
        arm: {"converters": hits, "count": hits, "sum_minor": hits, "sum_squares_minor": str(hits), "excluded": 0}
        for arm, (_, hits) in arms.items()
    }
    made = {
        "experiment_id": experiment.id,
        "measurement_epoch": experiment.measurement_epoch,
        "generation": generation,
        "computed_at": MOMENT,
        "through": MOMENT,
        "currency": "EUR",
        "variations": {arm: {"visitors": visitors} for arm, (visitors, _) in arms.items()},
        "goals": {goal.id: counted for goal in experiment.goals},
        "money": {},
        "spread": {},
        "multiple_exposure": 0,
        "days": [],
        "digests": {},
        "source": f"{generation}",
    }
    return {**made, **fields}


def paying(orders: int, each: int, excluded: int = 0) -> dict[str, Any]:
    """A money goal in one variation: so many orders, half of them a tenth dearer, half a tenth cheaper, in cents."""
    dear = orders // 2
    cheap = orders - dear
    high, low = each + each // 10, each - each // 10
    return {
        "converters": orders,
        "count": orders,
        "sum_minor": dear * high + cheap * low,
        "sum_squares_minor": str(dear * high**2 + cheap * low**2),
        "excluded": excluded,
    }


@dataclass
class Doom(Fate):
    """A fate after which nothing of the process happens any more."""

    is_dead: bool = False

    def before_call(self, name: str) -> bool:
        if self.is_dead:
            raise KilledError
        try:
            dies = super().before_call(name)
        except KilledError:
            self.is_dead = True
            raise
        self.is_dead = dies
        return dies


class Publisher:
    """A publisher that does as it is told."""

    def __init__(self) -> None:
        self.outcome = PublicationOutcome(ok=True, revision=1)
        self.published: list[str] = []

    def publish(self, shop_id: str) -> PublicationOutcome:
        """Note it."""
        self.published.append(shop_id)
        return self.outcome


class Shopkeeper:
    """One shop's experiments in memory, or on the ports that are given."""

    def __init__(self, catalog: Catalog | None = None) -> None:
        self.clock = ManualClock(BEGIN + timedelta(days=1))
        self.catalog: Any = catalog or MemoryCatalog()
        self.rollups, self.looks = MemoryRollupStore(), MemoryLookStore()
        self.leases, self.metrics, self.publisher = MemoryLeases(), MemoryMetrics(), Publisher()
        self.catalog.commit(Commit(puts=puts_of(shop())))

    def keep(self, *experiments: Experiment) -> None:
        """Store experiments, whatever version stands there."""
        for experiment in experiments:
            present = self.catalog.get(experiment.shop_id, "EXP", experiment.id)
            version = present.head.version if present else 0
            record = EXPERIMENTS.record(replace(experiment, version=version + 1))
            self.catalog.commit(Commit(puts=[Put(record=record, expected_version=version)]))

    def default(self, settings: Mapping[str, Any]) -> None:
        """Set the shop's defaults."""
        self._settings("SET#DEFAULTS", settings)

    def ask_consent(self) -> None:
        """Visitors are not seen before they consent."""
        self._settings(CONSENT, {"enabled": True})

    def _settings(self, record_id: str, body: Mapping[str, Any]) -> None:
        moment = timestamp(BEGIN)
        head = Head(shop_id=SHOP_ID, kind="SET", id=record_id, version=1, created_at=moment, updated_at=moment)
        self.catalog.commit(Commit(puts=[Put(record=Record(head=head, body=body), expected_version=0)]))

    def found(self, number: int = 1) -> Experiment:
        """The experiment as it is stored."""
        return experiment_in(self.catalog.get(SHOP_ID, "EXP", experiment_id(number)))

    def count(self, generation: int, arms: Mapping[str, Arm], number: int = 1, **fields: Any) -> None:
        """Store the roll-up of an experiment's present measurement."""
        assert self.rollups.put(totals(self.found(number), generation, arms, **fields), {}, {})

    def use(self, fate: Fate | None = None) -> Deciders:
        """The use cases in a process of their own, with a fate if one is told."""
        tied = (lambda port: Fated(port, fate)) if fate else (lambda port: port)
        catalog = tied(self.catalog)
        world = World(catalog=catalog, clock=self.clock, random=SystemRandomness())
        publishing = Storefronts(catalog, tied(self.publisher))
        return Deciders(
            store=ExperimentStore(world, publishing, CodeBudget(MemoryBlobs())),
            rollups=tied(self.rollups),
            looks=tied(self.looks),
            leases=tied(self.leases),
            metrics=self.metrics,
        )

    def round(self, fate: Fate | None = None) -> Round:
        """One round of auto-stop."""
        return self.use(fate).run("autostop")

    def one(self) -> str:
        """What became of the one experiment in a round."""
        (result,) = self.round().results
        return result

    def outbox(self, topic: Topic) -> list[OutboxRow]:
        """What is promised and not done."""
        return list(self.catalog.outbox(topic, created_before="9999", limit=1000))

    def events(self) -> list[str]:
        """Webhook events in the order in which they are told."""
        return [str(row.payload["event"]) for row in self.outbox("webhook")]

    def audited(self, number: int = 1) -> list[Any]:
        """Audit rows of an experiment, newest first."""
        return list(self.catalog.audit(SHOP_ID, entity_id=experiment_id(number), limit=100)[0])

    def look(self, number: int = 1, epoch: int = 1) -> Any:
        """The newest look."""
        return self.looks.looks(experiment_id(number), epoch)[-1]

    def state(self, number: int = 1, epoch: int = 1) -> Any:
        """The state of the looks."""
        return self.looks.state(experiment_id(number), epoch)

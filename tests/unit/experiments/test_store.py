"""Use cases against a catalog where others are faster, and against public ids that are taken."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.changes.consent import NO_CONSENT, Consent
from abtest.domain.settings.shop import Shop
from abtest.kit.clock import ManualClock
from abtest.kit.errors import DatabaseBusyError, VersionConflictError
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import (
    COUNTED_FOR_EVER,
    Commit,
    DueEntry,
    Kind,
    OutboxRow,
    Record,
    StaleVersionError,
    Topic,
)
from abtest.services.context import Caller, World
from abtest.services.experiments.due import BATCH, ScheduledActions
from abtest.services.experiments.editor import ExperimentEditor
from abtest.services.experiments.lifecycle import Lifecycle
from abtest.services.experiments.plans import Plans
from abtest.services.experiments.publish_failure import PostCommitPublishFailedError
from abtest.services.experiments.store import ExperimentStore
from abtest.services.planning import Planner
from abtest.services.publication import PublicationOutcome
from abtest.services.publication.budget import CodeBudget
from abtest.services.republication import Republication
from abtest.services.shop_records import puts_of
from abtest.services.storefronts import Storefronts
from tests.support.memory import MemoryBlobs, MemoryLeases, MemoryRollupStore, MemorySessions
from tests.support.races import RacedCatalog
from tests.unit.experiments.examples import NOW, SHOP, USER

CALLER = Caller(
    key_id="k", kind="shop", user_id=USER, shop_id=SHOP, scopes=frozenset({"experiments:launch"}), request_id="r"
)


class Scripted:
    """Random bits that repeat what they are told, then are random."""

    def __init__(self) -> None:
        self.public: list[int] = []
        self._system = SystemRandomness()

    def bits(self, count: int) -> int:
        return self.public.pop(0) if count == 64 and self.public else self._system.bits(count)


class Storefront:
    """A publisher that does as it is told."""

    def __init__(self) -> None:
        self.outcome: PublicationOutcome | Exception = PublicationOutcome(ok=True, revision=1)
        self.published: list[str] = []

    def publish(self, shop_id: str) -> PublicationOutcome:
        self.published.append(shop_id)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class House:
    """Use cases on a catalog with one shop."""

    def __init__(self) -> None:
        self.catalog = RacedCatalog()
        self.random = Scripted()
        self.storefront = Storefront()
        self.clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        self.world = World(catalog=self.catalog, clock=self.clock, random=self.random)
        storefronts = Storefronts(self.catalog, self.storefront)
        self.store = ExperimentStore(self.world, storefronts, CodeBudget(MemoryBlobs()))
        self.planner = Planner(self.world, MemoryRollupStore())
        self.editor = ExperimentEditor(self.store, QuickJsChecker())
        republication = Republication(
            world=self.world, storefronts=storefronts, leases=MemoryLeases(), sessions=MemorySessions()
        )
        self.lifecycle = Lifecycle(self.store, self.planner, republication)
        shop = Shop(id=SHOP, name="S", domain="s.example", currency="EUR", org_id=USER, created_at=NOW, updated_at=NOW)
        self.catalog.commit(Commit(puts=puts_of(shop)))

    def create(self, **fields: Any) -> str:
        return self.editor.create(CALLER, {"name": "x", **fields}).value.id

    def rename(self, experiment_id: str, name: str, version: int | None = None) -> None:
        self.editor.update(CALLER, experiment_id, {"name": name}, consent=NO_CONSENT, expected_version=version)

    def outbox(self) -> list[OutboxRow]:
        topics: tuple[Topic, ...] = ("webhook", "publish")
        return [row for topic in topics for row in self.catalog.outbox(topic, created_before="9999", limit=100)]


@pytest.fixture
def house() -> House:
    return House()


def test_create__many_goals__asks_for_the_shops_defaults_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty goals would else cost a hundred reads, one after the other, while somebody waits."""
    read: list[tuple[str, ...]] = []
    get = house.catalog.get

    def noted(shop_id: str, kind: Kind, record_id: str) -> Record | None:
        read.append((kind, record_id))
        return get(shop_id, kind, record_id)

    monkeypatch.setattr(house.catalog, "get", noted)
    house.create(goals=[{"name": f"goal {n}", "type": "revenue"} for n in range(50)])
    assert read.count(("SET", "SET#DEFAULTS")) == 1


def test_update__race_lost_three_times__wins_the_fourth(house: House) -> None:
    made = house.create()
    rival = ExperimentEditor(house.store, QuickJsChecker())

    def overtake(description: str) -> Callable[[], None]:
        def change() -> None:
            rest, house.catalog.first = house.catalog.first, []
            rival.update(CALLER, made, {"description": description}, consent=NO_CONSENT)
            house.catalog.first = rest

        return change

    house.catalog.first = [overtake(str(n)) for n in range(3)]
    house.rename(made, "mine")
    found = house.store.get(SHOP, made)
    assert (found.name, found.description, found.version) == ("mine", "2", 5)
    house.catalog.first = [overtake(f"again {n}") for n in range(4)]
    with pytest.raises(StaleVersionError):
        house.rename(made, "late")


def test_update__race_lost_with_a_stated_version__is_refused(house: House) -> None:
    made = house.create()
    house.catalog.first = [lambda: house.rename(made, "theirs")]
    with pytest.raises(VersionConflictError):
        house.rename(made, "mine", version=1)
    assert house.store.get(SHOP, made).name == "theirs"


def test_launch__twice_at_once__starts_once(house: House) -> None:
    made = house.create()

    def launch_first() -> None:
        house.lifecycle.act(CALLER, made, "launch")

    house.catalog.first = [launch_first]
    assert house.lifecycle.act(CALLER, made, "launch").value.status == "running"
    rows, _ = house.catalog.audit(SHOP, entity_id=made, limit=10)
    assert sorted(row.action for row in rows) == ["experiment.create", "experiment.launch"]
    assert [row.payload["event"] for row in house.outbox() if row.topic == "webhook"] == ["experiment.started"]


def test_create__public_ids_taken__draws_again(house: House) -> None:
    first = house.store.get(SHOP, house.create())
    assert first.public_id is not None
    taken = int(first.public_id) - 10**9
    house.random.public = [taken]
    second = house.store.get(SHOP, house.create())
    assert second.public_id != first.public_id
    assert house.store.get(SHOP, first.public_id).id == first.id
    arm = first.variations[0].public_id
    assert arm is not None
    house.random.public = [5, int(arm) - 10**9]
    third = house.store.get(SHOP, house.create())
    assert arm not in [variation.public_id for variation in third.variations]


def test_launch__publication_raises_busy__is_committed_and_told(house: House) -> None:
    made = house.create()
    house.storefront.outcome = DatabaseBusyError()
    with pytest.raises(PostCommitPublishFailedError):
        house.lifecycle.act(CALLER, made, "launch")
    assert house.store.get(SHOP, made).status == "running"
    assert {row.topic for row in house.outbox()} == {"webhook", "publish"}


def test_draft__edited__publishes_nothing(house: House) -> None:
    made = house.create()
    house.rename(made, "y")
    assert house.storefront.published == []
    assert house.outbox() == []


def test_running__renamed__is_published_and_ticked_off(house: House) -> None:
    made = house.create()
    house.lifecycle.act(CALLER, made, "launch")
    house.rename(made, "y")
    assert house.storefront.published == [SHOP, SHOP]
    assert [row.topic for row in house.outbox()] == ["webhook"]


def test_work_index__follows_the_life(house: House) -> None:
    def due(queue: str) -> list[str]:
        return [entry.id for entry in entries(queue)]

    def entries(queue: str) -> list[DueEntry]:
        # The shop is counted, too.
        found = house.catalog.due(queue, COUNTED_FOR_EVER, limit=10)
        return [entry for entry in found if entry.kind == "EXP"]

    made = house.create(scheduled_start_at="2026-03-03T00:00:00.000Z")
    assert (due("LAUNCH"), due("RUN"), due("COUNT")) == ([made], [], [])
    house.lifecycle.act(CALLER, made, "launch")
    assert (due("LAUNCH"), due("RUN"), due("COUNT")) == ([], [made], [made])
    house.lifecycle.set_schedule(CALLER, made, {"end_at": "2026-03-04T00:00:00.000Z"}, expected_version=None)
    house.lifecycle.act(CALLER, made, "pause")
    assert (due("RUN"), due("END"), due("COUNT")) == ([], [made], [made])
    house.lifecycle.act(CALLER, made, "complete")
    assert (due("END"), [entry.due for entry in entries("COUNT")]) == ([], ["2026-03-09T00:00:00.000Z"])


def test_schedule__fired_twice_at_once__starts_once(house: House) -> None:
    made = house.create(scheduled_start_at="2026-03-02T00:00:01.000Z")
    house.clock.advance(minutes=1)
    first, second = (ScheduledActions(house.store, house.planner) for _ in range(2))
    until = house.clock.now() + timedelta(seconds=40)
    results: list[dict[Any, int]] = []
    house.catalog.first = [lambda: results.append(second.run(until=until))]
    results.append(first.run(until=until))
    assert results == [{"done": 1}, {"not_due": 1}]
    assert house.store.get(SHOP, made).status == "running"
    assert [row.payload["event"] for row in house.outbox() if row.topic == "webhook"] == ["experiment.started"]


def test_schedule__more_than_a_batch__are_all_carried_out(house: House) -> None:
    for _ in range(BATCH + 5):
        house.create(scheduled_start_at="2026-03-02T00:00:01.000Z")
    house.clock.advance(minutes=1)
    run = ScheduledActions(house.store, house.planner).run(until=house.clock.now() + timedelta(seconds=40))
    assert run == {"done": BATCH + 5}


def test_schedule__out_of_time__leaves_the_rest_to_the_next_run(house: House) -> None:
    house.create(scheduled_start_at="2026-03-02T00:00:01.000Z")
    house.clock.advance(minutes=1)
    assert ScheduledActions(house.store, house.planner).run(until=house.clock.now()) == {}
    assert ScheduledActions(house.store, house.planner).run(until=house.clock.now() + timedelta(seconds=1)) == {
        "done": 1
    }


def _planned(house: House, made: str, mde: float) -> None:
    goal_id = house.store.get(SHOP, made).goals[0].id
    wish = {"goal_id": goal_id, "mde": mde, "baseline_rate": 0.03}
    Plans(house.store, house.planner).set_plan(CALLER, made, wish, consent=Consent(confirmed=True))


def test_plan__stated_twice_at_once__opens_one_measurement(house: House) -> None:
    made = house.create(goals=[{"name": "Revenue", "type": "revenue"}])
    house.lifecycle.act(CALLER, made, "launch")
    house.catalog.first = [lambda: _planned(house, made, 0.1)]
    _planned(house, made, 0.1)
    found = house.store.get(SHOP, made)
    assert (found.measurement_epoch, (found.planned_test or {})["mde"]) == (2, 0.1)


def test_launch__plan_stated_meanwhile__starts_with_that_plan(house: House) -> None:
    made = house.create(goals=[{"name": "Revenue", "type": "revenue"}])
    house.catalog.first = [lambda: _planned(house, made, 0.2)]
    house.lifecycle.act(CALLER, made, "launch")
    found = house.store.get(SHOP, made)
    assert found.planned_test is not None
    assert (found.measurement_epoch, found.planned_test["mde"]) == (1, 0.2)
    assert found.planned_test["epoch_started_at"] == found.measurement_started_at

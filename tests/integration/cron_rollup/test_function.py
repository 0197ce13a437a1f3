"""The roll-up schedule: leases, failures of one experiment, and the function on the template's resources."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoRollups
from abtest.adapters.memory import MemoryBlobs, MemoryCatalog, MemoryLeases, MemoryRollups
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.warehouse.duckdb import DuckDbWarehouse
from abtest.domain.experiments.model import Experiment
from abtest.kit.clock import ManualClock, from_milliseconds, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Catalog, Commit, Head, Put, Record
from abtest.services.context import World
from abtest.services.experiments.records import record_of
from abtest.services.rollup import LEASE, RollupFailedError, RollupRun
from abtest.services.shop_records import puts_of
from tests.support.handlers import fresh_handler
from tests.support.moto_stack import AwsStack
from tests.support.storefronts import goal, shop, variation
from tests.unit.ledger.streams import BEGIN, ledger_object, row

EXPERIMENT = "0192a3b4-0000-7000-8000-0000000000e1"


def running(experiment_id: str = EXPERIMENT) -> Experiment:
    """A running experiment of the shop, launched at BEGIN."""
    moment = timestamp(from_milliseconds(BEGIN))
    return Experiment(
        id=experiment_id,
        shop_id=shop().id,
        version=1,
        name="Headline",
        status="running",
        started_at=moment,
        measurement_started_at=moment,
        created_at=moment,
        updated_at=moment,
        variations=(variation(0), variation(1)),
        goals=(goal(),),
    )


def stored(catalog: Catalog, *experiments: Experiment) -> None:
    catalog.commit(Commit(puts=puts_of(shop())))
    for experiment in experiments:
        catalog.commit(Commit(puts=[Put(record=record_of(experiment), expected_version=0)]))


def exposures(count: int) -> list[Any]:
    return [
        row(
            event_id=f"x-{number}",
            shop_id=shop().id,
            visitor_id=f"v-{number}",
            experiment_id=EXPERIMENT,
            variation_id=variation(number % 2).id,
            assignment_epoch=1,
            ts=BEGIN + 1,
            received_at=BEGIN + 1,
        )
        for number in range(count)
    ]


def put_object(ledger: Any, name: str, rows: list[Any]) -> None:
    key = f"raw/{from_milliseconds(BEGIN):dt=%Y-%m-%d/hh=%H/}{name}.ndjson.gz"
    ledger.put(key, ledger_object(rows), content_type="application/x-ndjson")


class Bench:
    """A run on memory adapters."""

    def __init__(self) -> None:
        self.clock = ManualClock(from_milliseconds(BEGIN + 60_000))
        self.catalog, self.ledger = MemoryCatalog(), MemoryBlobs()
        self.rollups, self.leases = MemoryRollups(), MemoryLeases()
        self.run = RollupRun(
            world=World(catalog=self.catalog, clock=self.clock, random=SystemRandomness()),
            ledger=self.ledger,
            warehouse=DuckDbWarehouse(self.ledger),
            rollups=self.rollups,
            leases=self.leases,
        )


def test_run__while_another_one_is_at_it__does_nothing() -> None:
    bench = Bench()
    bench.leases.acquire(LEASE, owner="another", seconds=300, now=bench.clock.now())
    assert bench.run.run() is None


def test_run__after_one_that_died__takes_over_when_its_lease_ends() -> None:
    bench = Bench()
    bench.leases.acquire(LEASE, owner="dead", seconds=300, now=bench.clock.now())
    bench.clock.advance(seconds=301)
    assert bench.run.run() is not None


def test_run__with_an_experiment_that_cannot_be_read__counts_the_others_and_fails_loudly() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    broken = Head(
        shop_id=shop().id,
        kind="EXP",
        id="0192a3b4-0000-7000-8000-0000000000e2",
        version=1,
        created_at="",
        updated_at="",
        due={"COUNT": "9999-12-31T23:59:59.999Z"},
    )
    bench.catalog.commit(Commit(puts=[Put(record=Record(head=broken, body={"id": 1}), expected_version=0)]))
    put_object(bench.ledger, "one", exposures(4))
    with pytest.raises(RollupFailedError, match=broken.id):
        bench.run.run()
    found = bench.rollups.get(EXPERIMENT, 1)
    assert found is not None
    assert [value["visitors"] for value in found["variations"].values()] == [2, 2]


def test_rollup__raced_by_another_run__keeps_the_higher_generation() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    put_object(bench.ledger, "one", exposures(4))
    bench.run.run()
    first = dict(bench.rollups.get(EXPERIMENT, 1) or {})
    assert bench.rollups.put(first) is False
    bench.rollups.put(first | {"generation": 9, "source": "another"})
    bench.run.run()
    assert (bench.rollups.get(EXPERIMENT, 1) or {})["generation"] == 10


def test_rollup__is_the_document_of_the_data_model() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    put_object(bench.ledger, "one", exposures(3))
    bench.run.run()
    found = bench.rollups.get(EXPERIMENT, 1)
    assert found is not None
    assert found["computed_at"] == timestamp(bench.clock.now())
    assert found["through"] == timestamp(from_milliseconds(BEGIN + 1))
    none = {"converters": 0, "count": 0, "sum_minor": 0, "sum_squares_minor": "0", "excluded": 0}
    assert found["goals"] == {goal().id: {variation(0).id: none, variation(1).id: none}}


def test_function__on_the_templates_resources__counts_once_and_then_sees_nothing_new(aws_stack: AwsStack) -> None:
    handler = fresh_handler(aws_stack, "CronRollup", "cron_rollup")
    stored(DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket"))), running())
    put_object(S3Blobs(aws_stack.name("LedgerBucket")), "one", exposures(5))
    assert handler({}, None) == {"counted": 1, "unchanged": 0, "failed": []}
    assert handler({}, None) == {"counted": 0, "unchanged": 1, "failed": []}
    found = DynamoRollups(aws_stack.name("RollupsTable")).get(EXPERIMENT, 1)
    assert found is not None
    assert found["variations"] == {variation(0).id: {"visitors": 3}, variation(1).id: {"visitors": 2}}

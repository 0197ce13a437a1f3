"""The roll-up schedule: leases, failures of one experiment, and the function on the template's resources."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.warehouse.incremental_counter import IncrementalCounter
from abtest.domain.experiments.model import Experiment
from abtest.kit.clock import ManualClock, from_milliseconds, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import COUNTED_FOR_EVER, Catalog, Commit, Head, Put, Record
from abtest.ports.rollup_store import Reach
from abtest.services.context import Caller, World
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.jobs import Jobs, job_message
from abtest.services.rollups import LEASE, Refresh, RefreshMessage, RollupFailedError, RollupRun
from abtest.services.shop_records import puts_of
from tests.support.handlers import fresh_handler
from tests.support.memory import MemoryBlobs, MemoryCatalog, MemoryLeases, MemoryQueue, MemoryRollupStore
from tests.support.memory.metrics import MemoryMetrics
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
        catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(experiment), expected_version=0)]))


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
        self.rollups, self.leases, self.metrics = MemoryRollupStore(), MemoryLeases(), MemoryMetrics()
        self.run = RollupRun(
            world=World(catalog=self.catalog, clock=self.clock, random=SystemRandomness()),
            counter=IncrementalCounter(self.ledger, self.clock),
            store=self.rollups,
            leases=self.leases,
            metrics=self.metrics,
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
    assert bench.rollups.reach() == Reach(until=timestamp(bench.clock.now()), missing=frozenset({broken.id}))
    found = bench.rollups.totals(EXPERIMENT, 1)
    assert found is not None
    assert [value["visitors"] for value in found["variations"].values()] == [2, 2]


def test_rollup__raced_by_another_run__keeps_the_higher_generation() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    put_object(bench.ledger, "one", exposures(4))
    bench.run.run()
    first = dict(bench.rollups.totals(EXPERIMENT, 1) or {})
    assert bench.rollups.put(first, {}, {}) is False
    bench.rollups.put(first | {"generation": 9, "source": "another"}, {}, {})
    bench.run.run()
    assert (bench.rollups.totals(EXPERIMENT, 1) or {})["generation"] == 10


def test_rollup__is_the_document_of_the_data_model() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    put_object(bench.ledger, "one", exposures(3))
    bench.run.run()
    found = bench.rollups.totals(EXPERIMENT, 1)
    assert found is not None
    assert found["computed_at"] == timestamp(bench.clock.now())
    assert found["through"] == timestamp(from_milliseconds(BEGIN + 1))
    none = {"converters": 0, "count": 0, "sum_minor": 0, "sum_squares_minor": "0", "excluded": 0}
    assert found["goals"] == {goal().id: {variation(0).id: none, variation(1).id: none}}


def test_run__ended_experiment_whose_time_is_over__leaves_the_queue_and_what_stands() -> None:
    bench = Bench()
    ended = timestamp(from_milliseconds(BEGIN))
    stored(bench.catalog, replace(running(), status="completed", ended_at=ended))
    put_object(bench.ledger, "one", exposures(2))
    bench.run.run()
    bench.clock.advance(days=30 + 7)
    before = bench.rollups.totals(EXPERIMENT, 1)
    bench.run.run()
    left = bench.catalog.due("COUNT", COUNTED_FOR_EVER, limit=9)
    assert [entry.kind for entry in left] == ["SHOP"]
    assert before is not None
    assert bench.rollups.totals(EXPERIMENT, 1) == before


def test_run__rows_of_a_day__bring_the_shops_day() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    put_object(bench.ledger, "one", exposures(3))
    first = bench.run.run()
    put_object(bench.ledger, "two", exposures(4))
    second = bench.run.run()
    third = bench.run.run()
    assert [(tally.days, tally.rows, tally.counted) for tally in (first, second, third) if tally] == [
        (1, 0, 1),
        (1, 4, 1),
        (0, 0, 0),
    ]
    (day,) = bench.rollups.shop_days(shop().id, "2026-01-01", "2026-12-31")
    assert (day["generation"], day["events"]) == (2, {"experiment_viewed": 4})
    assert (bench.metrics.sums["RowsTaken"], bench.metrics.sums["ExperimentsCounted"]) == (4, 2)


def test_run__tells_how_long_new_rows_waited__and_a_refresh_does_not() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    bench.run.run()
    put_object(bench.ledger, "one", exposures(3))
    assert bench.run.run_shop(shop().id).lag_seconds == 59.999
    assert bench.metrics.sums["RollupLagSeconds"] == 0.0
    put_object(bench.ledger, "two", exposures(4))
    bench.run.run()
    assert bench.metrics.sums["RollupLagSeconds"] == 59.999


def test_run__nothing_new__reads_the_last_hours_of_raw_only() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    put_object(bench.ledger, "one", exposures(3))
    bench.run.run()
    bench.clock.advance(hours=5)
    assert bench.run.run() is not None
    assert (bench.rollups.totals(EXPERIMENT, 1) or {})["generation"] == 1


def test_run__of_all_shops__tells_how_far_the_counts_reach__and_a_refresh_does_not() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    bench.run.run_shop(shop().id)
    assert bench.rollups.reach() is None
    began = timestamp(bench.clock.now())
    bench.run.run()
    assert bench.rollups.reach() == Reach(until=began)
    bench.clock.advance(minutes=5)
    bench.run.run()
    assert bench.rollups.reach() == Reach(until=timestamp(bench.clock.now()))


def test_counter__out_of_time_while_it_reads__counts_everything_in_the_next_run() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    put_object(bench.ledger, "one", exposures(4))
    read = bench.ledger.get
    with pytest.MonkeyPatch.context() as patch:

        def slow(key: str) -> Any:
            bench.clock.advance(minutes=1)
            return read(key)

        patch.setattr(bench.ledger, "get", slow)
        summary = bench.run.run(until=bench.clock.now() + timedelta(seconds=30))
    assert summary is not None
    assert (summary.left, summary.counted, bench.metrics.sums["RollupUnfinished"]) == (1, 0, 1)
    summary = bench.run.run(until=bench.clock.now() + timedelta(seconds=30))
    assert summary is not None
    assert (summary.left, summary.counted) == (0, 1)
    totals = bench.rollups.totals(EXPERIMENT, 1)
    assert totals is not None
    assert [value["visitors"] for value in totals["variations"].values()] == [2, 2]


def test_refresh__without_time__is_delivered_again() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    caller = Caller(key_id="k", kind="user", user_id="u", shop_id=shop().id, scopes=frozenset(), request_id="r")
    job = Jobs(bench.run.world, "refresh", MemoryQueue()).create(caller, {"experiment_id": EXPERIMENT})
    message = RefreshMessage(id="m-1", body=job_message(job))
    assert Refresh(bench.run.world, bench.run).handle([message], bench.clock.now()) == ["m-1"]
    assert bench.rollups.totals(EXPERIMENT, 1) is None


def test_refresh__of_an_experiment__counts_it_and_says_its_generation() -> None:
    bench = Bench()
    stored(bench.catalog, running())
    put_object(bench.ledger, "one", exposures(3))
    world = bench.run.world
    caller = Caller(key_id="k", kind="user", user_id="u", shop_id=shop().id, scopes=frozenset(), request_id="r")
    queue = MemoryQueue()
    jobs = Jobs(world, "refresh", queue)
    job = jobs.create(caller, {"experiment_id": EXPERIMENT})
    messages = [RefreshMessage(id="m-1", body=job_message(job)), RefreshMessage(id="m-2", body="not a message")]
    assert Refresh(world, bench.run).handle(messages) == ["m-2"]
    done = jobs.get(shop().id, job.id)
    assert (done.status, done.result) == ("completed", {"generation": 1})
    assert Refresh(world, bench.run).handle(messages[:1]) == []


def test_function__with_less_than_its_margin_left__counts_nothing_and_reports_it(
    aws_stack: AwsStack, capsys: pytest.CaptureFixture[str]
) -> None:
    handler = fresh_handler(aws_stack, "CronRollup", "cron_rollup")
    stored(DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket"))), running())
    assert handler({}, SimpleNamespace(get_remaining_time_in_millis=lambda: 59_000))["left"] == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "RollupUnfinished" in line]
    metrics = json.loads(line)
    assert (
        metrics["RollupUnfinished"],
        metrics["ShopsLeft"],
        metrics["_aws"]["CloudWatchMetrics"][0]["Namespace"],
    ) == (
        1,
        1,
        "abtest",
    )
    assert handler({}, SimpleNamespace(get_remaining_time_in_millis=lambda: 890_000))["left"] == 0
    assert DynamoRollupStore(aws_stack.name("RollupsTable")).progress().is_running is False


def test_function__on_the_templates_resources__counts_once_and_then_sees_nothing_new(aws_stack: AwsStack) -> None:
    handler = fresh_handler(aws_stack, "CronRollup", "cron_rollup")
    stored(DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket"))), running())
    put_object(S3Blobs(aws_stack.name("LedgerBucket")), "one", exposures(5))
    assert (handler({}, None)["counted"], handler({}, None)["unchanged"]) == (1, 1)
    found = DynamoRollupStore(aws_stack.name("RollupsTable")).totals(EXPERIMENT, 1)
    assert found is not None
    assert found["variations"] == {variation(0).id: {"visitors": 3}, variation(1).id: {"visitors": 2}}
    assert DynamoRollupStore(aws_stack.name("RollupsTable")).reach() is not None

"""The dispatcher on the template's resources, and the documents that a worker writes of what it sends."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.domain.ledger.events import DAY_MS, HOUR_MS
from abtest.domain.ledger.partitions import UNDIVIDED, Division
from abtest.kit.clock import SystemClock, timestamp, to_milliseconds
from abtest.services.rollups import divided
from tests.support.handlers import fresh_handler
from tests.support.moto_stack import AwsStack
from tests.support.queues import received
from tests.support.rolled_shops import EXPERIMENT_OF, SHOPS, put_events, running, stored
from tests.support.storefronts import variation
from tests.unit.ledger.streams import BEGIN, row

SHOP, EXPERIMENT = SHOPS[0], EXPERIMENT_OF[SHOPS[0]]
NOTHING = {"sent": 0, "waiting": 0, "left": 0, "oldest_seconds": 0.0, "overdue_seconds": 0.0, "unread": 0}


def with_events(aws_stack: AwsStack, visitors: int) -> None:
    """A shop with a running experiment, and so many exposures of it."""
    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket")))
    stored(catalog, running(EXPERIMENT, SHOP), shop_id=SHOP)
    rows = [
        row(
            event_id=f"x-{number}",
            shop_id=SHOP,
            visitor_id=f"v-{number}",
            experiment_id=EXPERIMENT,
            variation_id=variation(number % 2).id,
            assignment_epoch=1,
            ts=BEGIN + 1,
            received_at=BEGIN + 1,
        )
        for number in range(visitors)
    ]
    put_events(S3Blobs(aws_stack.name("LedgerBucket")), "one", rows, at=now())


def now() -> int:
    """Unix milliseconds: the functions have the system's clock."""
    return to_milliseconds(SystemClock().now())


def dispatched(aws_stack: AwsStack) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The result of a run of the dispatcher, and the records that its queue then delivers."""
    handler = fresh_handler(aws_stack, "CronRollup", "cron_rollup")
    return handler({}, None), received(aws_stack, "RollupQueue")


def test_function__on_the_templates_resources__sends_a_shop_that_its_worker_counts(aws_stack: AwsStack) -> None:
    with_events(aws_stack, 5)
    result, records = dispatched(aws_stack)
    assert (result["sent"], len(records)) == (1, 1)
    worker = fresh_handler(aws_stack, "WorkerRollup", "worker_rollup")
    assert worker({"Records": records}, None) == {"batchItemFailures": []}
    store = DynamoRollupStore(aws_stack.name("RollupsTable"))
    totals = store.totals(EXPERIMENT, 1)
    assert totals is not None
    assert totals["variations"] == {variation(0).id: {"visitors": 3}, variation(1).id: {"visitors": 2}}
    progress = store.shop_progress(SHOP)
    assert progress is not None
    assert (progress.failed, progress.until > "2026") == (frozenset(), True)
    (decision,) = received(aws_stack, "DecideQueue")
    assert json.loads(decision["body"])["experiment_ids"] == [EXPERIMENT]
    assert dispatched(aws_stack) == (NOTHING, [])


def test_function__of_a_shop_that_is_read__sends_its_few_rows(aws_stack: AwsStack) -> None:
    with_events(aws_stack, 1)
    _, records = dispatched(aws_stack)
    fresh_handler(aws_stack, "WorkerRollup", "worker_rollup")({"Records": records}, None)
    moment = now()
    fields = {"shop_id": SHOP, "visitor_id": "w", "experiment_id": EXPERIMENT, "variation_id": variation(0).id}
    waiting = row(event_id="y", **fields, assignment_epoch=1, ts=moment, received_at=moment - 31 * 60_000)
    put_events(S3Blobs(aws_stack.name("LedgerBucket")), "two", [waiting], at=moment)
    store = DynamoRollupStore(aws_stack.name("RollupsTable"))
    store.note_read("another", timestamp(SystemClock().now()), unless_after="")
    if moment % DAY_MS > 3 * HOUR_MS:  # right after midnight the shop is counted in any case
        assert dispatched(aws_stack)[0]["waiting"] == 1
    store.note_read(SHOP, timestamp(SystemClock().now()), unless_after="")
    assert dispatched(aws_stack)[0]["sent"] == 1


def test_function__with_less_than_its_margin_left__sends_nothing_and_reports_it(
    aws_stack: AwsStack, capsys: Any
) -> None:
    with_events(aws_stack, 1)
    handler = fresh_handler(aws_stack, "CronRollup", "cron_rollup")
    assert handler({}, SimpleNamespace(get_remaining_time_in_millis=lambda: 19_000))["left"] == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "ShopsLeft" in line]
    metrics = json.loads(line)
    assert (metrics["ShopsLeft"], metrics["ShopsSent"]) == (1, 0)
    assert metrics["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "abtest"
    assert handler({}, SimpleNamespace(get_remaining_time_in_millis=lambda: 240_000))["sent"] == 1


def test_worker__in_a_process_of_its_own__continues_from_the_stored_state(aws_stack: AwsStack) -> None:
    with_events(aws_stack, 4)
    _, records = dispatched(aws_stack)
    fresh_handler(aws_stack, "WorkerRollup", "worker_rollup")({"Records": records}, None)
    store = DynamoRollupStore(aws_stack.name("RollupsTable"))
    before = store.shop_progress(SHOP)
    assert before is not None
    assert before.state is not None
    more = [
        row(
            event_id=f"y-{number}",
            shop_id=SHOP,
            visitor_id=f"w-{number}",
            experiment_id=EXPERIMENT,
            variation_id=variation(0).id,
            assignment_epoch=1,
            ts=BEGIN + 2,
            received_at=BEGIN + 2,
        )
        for number in range(3)
    ]
    put_events(S3Blobs(aws_stack.name("LedgerBucket")), "two", more, at=now())
    fresh_handler(aws_stack, "CronRollup", "cron_rollup")({"everything": True}, None)
    records = received(aws_stack, "RollupQueue")
    fresh_handler(aws_stack, "WorkerRollup", "worker_rollup")({"Records": records}, None)
    totals = store.totals(EXPERIMENT, 1)
    assert totals is not None
    assert totals["variations"] == {variation(0).id: {"visitors": 5}, variation(1).id: {"visitors": 2}}


def test_worker__of_a_large_shop__has_the_rights_for_its_units_and_for_joining_them(
    aws_stack: AwsStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = [Division(visitors=2)]
    monkeypatch.setattr(divided, "division_for", lambda *_, **__: chosen[-1])
    with_events(aws_stack, 6)
    _, records = dispatched(aws_stack)
    worker, messages = fresh_handler(aws_stack, "WorkerRollup", "worker_rollup"), 0
    while records:
        messages += len(records)
        assert worker({"Records": records}, None) == {"batchItemFailures": []}
        records = received(aws_stack, "RollupQueue")
    assert messages == 1 + 1 + 2 + 1, "the shop, its ids, its visitors, and the shop again"
    store, ledger = DynamoRollupStore(aws_stack.name("RollupsTable")), S3Blobs(aws_stack.name("LedgerBucket"))
    totals = store.totals(EXPERIMENT, 1)
    assert totals is not None
    assert totals["variations"] == {variation(0).id: {"visitors": 3}, variation(1).id: {"visitors": 3}}
    assert list(ledger.list("partitions/"))
    chosen.append(UNDIVIDED)
    fields = {"shop_id": SHOP, "visitor_id": "w", "experiment_id": EXPERIMENT, "variation_id": variation(0).id}
    put_events(
        ledger,
        "two",
        [row(event_id="y", **fields, assignment_epoch=1, ts=now(), received_at=now() - 31 * 60_000)],
        at=now(),
    )
    store.note_read(SHOP, timestamp(SystemClock().now()), unless_after="")
    _, records = dispatched(aws_stack)
    assert worker({"Records": records}, None) == {"batchItemFailures": []}
    assert not list(ledger.list("partitions/"))

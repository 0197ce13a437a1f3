"""Parts of the audit on the template's tables and buckets, with no more than the worker's policy allows."""

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoLeases, DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.manifests import Manifest, manifest_key, sectioned
from abtest.domain.ledger.objects import compacted_key, hour_of, raw_hour, raw_key
from abtest.domain.ledger.shop_groups import ShopGroup, division
from abtest.kit import canonical_json
from abtest.kit.clock import SystemClock, to_milliseconds
from abtest.services.audit.sample import HourPart, ShopPart
from abtest.services.compaction.unit import HourUnit
from tests.support.compaction import Compacting
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.support.rolled_shops import EXPERIMENT_OF, SHOPS, running, stored
from tests.unit.ledger.raw_hours import row

DONE: Mapping[str, Any] = {"batchItemFailures": []}
GROUPS = 2
NIGHT = "2026-05-27"


class Parts:
    """The function, and an hour of a few shops that is compacted in two groups."""

    def __init__(self, stack: AwsStack) -> None:
        self.ledger, self.store = S3Blobs(stack.name("LedgerBucket")), DynamoRollupStore(stack.name("RollupsTable"))
        self.catalog = DynamoCatalog(stack.name("CatalogTable"), S3Blobs(stack.name("BlobsBucket")))
        self.leases = DynamoLeases(stack.name("EphemeralTable"))
        self.hour = hour_of(to_milliseconds(SystemClock().now())) - 3 * HOUR_MS
        self._handler = fresh_handler(stack, "WorkerAudit", "worker_audit")

    def put(self, name: str) -> str:
        """An object with a row of each shop, and its manifest."""
        key = raw_key([name], self.hour)
        rows: Any = [row(f"{name}-{shop_id}", shop_id=shop_id, received_at=self.hour) for shop_id in SHOPS]
        content, manifest = sectioned(key, rows)
        self.ledger.put(key, content, content_type="application/x-ndjson")
        self.ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")
        return key

    def compact(self) -> None:
        units = [HourUnit(hour=self.hour, group=group) for group in division(GROUPS)]
        compacting = Compacting(clock=SystemClock(), ledger=self.ledger)
        assert {done.state for done in compacting.carried_out([unit.message().body for unit in units])} == {"done"}

    def hours(self) -> list[str]:
        """Messages of the hour."""
        return [
            HourPart(unit=HourUnit(hour=self.hour, group=group), share=group.number, shares=GROUPS).message(NIGHT).body
            for group in division(GROUPS)
        ]

    def run(self, *bodies: str) -> Any:
        """The function's answer to these messages, whose ids are their places."""
        (record,) = sample("worker_audit__unreadable")["Records"]
        records = [deepcopy(record) | {"body": body, "messageId": f"{place}"} for place, body in enumerate(bodies)]
        return self._handler({"Records": records}, Context())


@pytest.fixture
def parts(aws_stack: AwsStack) -> Parts:
    return Parts(aws_stack)


def failed(*places: int) -> Any:
    return {"batchItemFailures": [{"itemIdentifier": f"{place}"} for place in places]}


def metrics(capsys: pytest.CaptureFixture[str], name: str) -> list[int]:
    """The values of a metric in the log."""
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line]
    return [line[name] for line in lines if name in line]


def test_hour__that_is_right__is_equal_in_each_group(parts: Parts, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        parts.put(name)
    parts.compact()

    assert parts.run(*parts.hours(), *parts.hours()) == DONE
    assert metrics(capsys, "CompactionDifference") == [0, 0, 0, 0]


def test_hour__with_a_wrong_manifest_and_a_group_without_its_events__is_reported(
    parts: Parts, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    wrong, right = parts.put("wrong"), parts.put("right")
    parts.compact()
    parts.ledger.put(manifest_key(wrong), Manifest(key=wrong, sections={}).encoded(), content_type="application/json")
    group = ShopGroup(1, GROUPS)
    empty = CompactedHour(raw=frozenset({wrong, right}), events=(), rows=0)
    parts.ledger.put(compacted_key(parts.hour, group), empty.encoded(), content_type="application/json")

    assert parts.run(*parts.hours()) == DONE

    assert sum(metrics(capsys, "CompactionDifference")) >= 2
    reported = {vars(record)["hour"] for record in caplog.records if record.message == "audit.hour_difference"}
    assert f"{raw_hour(parts.hour)}#1of2" in reported
    objects = [vars(record)["object"] for record in caplog.records if record.message == "audit.manifest_difference"]
    assert objects == [wrong]


def test_shop__without_a_roll_up_or_records__is_done(parts: Parts, capsys: pytest.CaptureFixture[str]) -> None:
    experiment = EXPERIMENT_OF[SHOPS[0]]
    stored(parts.catalog, running(experiment, SHOPS[0]), shop_id=SHOPS[0])
    records = (("EXP", experiment), ("EXP", "0192a3b4-0000-7000-8000-0000000000ff"), ("PZN", "p"), ("SHOP", "SHOP"))
    part = ShopPart(shop_id=SHOPS[0], records=records)  # type: ignore[arg-type]

    assert parts.run(part.message(NIGHT).body) == DONE
    assert metrics(capsys, "RollupsAudited") == [0]


def test_messages__that_cannot_be_carried_out__come_again(parts: Parts) -> None:
    key = parts.put("a")
    parts.compact()
    parts.ledger.put(key, b"no gzip", content_type="application/x-ndjson")

    assert parts.run("not a part", *parts.hours()) == failed(0, 1, 2)


def test_part__that_another_worker_has__comes_again(parts: Parts) -> None:
    parts.put("a")
    parts.compact()
    name = f"audit#{raw_hour(parts.hour)}#0of2"
    assert parts.leases.acquire(name, owner="other", seconds=60, now=SystemClock().now())

    assert parts.run(*parts.hours()) == failed(0)
    parts.leases.release(name, owner="other")
    assert parts.run(*parts.hours()) == DONE
    assert parts.leases.acquire(name, owner="other", seconds=60, now=SystemClock().now())


def test_message__of_the_template__is_small_and_canonical(parts: Parts) -> None:
    for body in parts.hours():
        assert len(body) < 200
        assert canonical_json.dumps(canonical_json.loads(body)) == body

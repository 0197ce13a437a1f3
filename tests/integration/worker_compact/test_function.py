"""Compaction of units on the template's tables and bucket, with no more than its policy allows."""

import gzip
import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoLeases
from abtest.adapters.s3 import S3Blobs
from abtest.domain.ledger.compacted_hours import read_compacted_hour
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.manifests import manifest_key, sectioned
from abtest.domain.ledger.objects import hour_of, raw_hour, raw_key
from abtest.domain.ledger.shop_groups import ShopGroup
from abtest.kit import canonical_json
from abtest.kit.clock import SystemClock, to_milliseconds
from abtest.services.ledger_files import LedgerFiles
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.unit.ledger.raw_hours import SHOP, row, rows_of

NDJSON = "application/x-ndjson"
DONE: Mapping[str, Any] = {"batchItemFailures": []}


class Units:
    """The function, and an hour that it works on."""

    def __init__(self, stack: AwsStack) -> None:
        self.ledger = S3Blobs(stack.name("LedgerBucket"))
        self.leases = DynamoLeases(stack.name("EphemeralTable"))
        self.hour = hour_of(to_milliseconds(SystemClock().now())) - 3 * HOUR_MS
        self._handler = fresh_handler(stack, "WorkerCompact", "worker_compact")

    def put(self, name: str, *lines: Any) -> str:
        key = raw_key([name], self.hour)
        content = gzip.compress(b"\n".join(canonical_json.encode(line) for line in lines))
        self.ledger.put(key, content, content_type=NDJSON)
        return key

    def put_sectioned(self, name: str, *rows: Any) -> str:
        key = raw_key([name], self.hour)
        content, manifest = sectioned(key, rows)
        self.ledger.put(key, content, content_type=NDJSON)
        self.ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")
        return key

    def run(self, group: int = 0, groups: int = 1) -> Any:
        return self._handler(message(canonical_json.dumps(self.unit(group, groups))), Context())

    def unit(self, group: int, groups: int) -> dict[str, int]:
        return {"hour": self.hour, "group": group, "groups": groups}


def message(body: str) -> Any:
    """The event that the queue would hand to the worker."""
    event = deepcopy(sample("worker_compact__unreadable"))
    event["Records"][0]["body"] = body
    return event


@pytest.fixture
def units(aws_stack: AwsStack) -> Units:
    return Units(aws_stack)


def test_unit__of_all_shops__readers_turn_to_parquet(units: Units) -> None:
    raw = units.put("closed", row("a"), row("a"), row("strange", ts="x"))

    assert units.run() == DONE

    files = LedgerFiles(units.ledger).of_shop(SHOP, 0)
    assert (files.raw, len(files.parquet)) == ((), 1)
    content = units.ledger.get(files.parquet[0])
    (document,) = [units.ledger.get(entry.key) for entry in units.ledger.list("compacted/")]
    assert content is not None
    assert document is not None
    assert [each["event_id"] for each in rows_of(content.content)] == ["a"]
    assert read_compacted_hour(document.content).raw == {raw}
    assert len(list(units.ledger.list("quarantine/"))) == 1


def test_unit__of_a_group_by_manifests__has_the_shops_of_the_group(units: Units) -> None:
    shops = [f"shop-{number}" for number in range(6)]
    units.put_sectioned("apart", *(row(f"e-{shop_id}", shop_id=shop_id) for shop_id in shops))
    raw = units.put("mixed", *(row(f"m-{shop_id}", shop_id=shop_id) for shop_id in shops))
    group = ShopGroup(1, 2)

    assert units.run(1, 2) == DONE

    for shop_id in shops:
        files = LedgerFiles(units.ledger).of_shop(shop_id, 0)
        contents = [blob.content for key in files.parquet if (blob := units.ledger.get(key))]
        ids = {str(each["event_id"]) for each in rows_of(*contents)}
        assert ids == ({f"e-{shop_id}", f"m-{shop_id}"} if group.has(shop_id) else set())
        assert (raw in files.raw) is not group.has(shop_id)


def test_unit__again_and_after_more_came__replaces_the_document(units: Units) -> None:
    units.put("first", row("a"))
    assert units.run() == units.run() == DONE
    units.put("late", row("b"))

    assert units.run() == DONE

    (document,) = [units.ledger.get(entry.key) for entry in units.ledger.list("compacted/")]
    assert document is not None
    assert read_compacted_hour(document.content).rows == 2


@pytest.mark.parametrize("body", ["", "not a unit"])
def test_message__that_cannot_be_carried_out__comes_again(units: Units, body: str) -> None:
    broken = units.put("broken", row("a"))
    units.ledger.put(broken, b"no gzip", content_type=NDJSON)
    event = message(body or canonical_json.dumps(units.unit(0, 1)))
    failed = {"batchItemFailures": [{"itemIdentifier": event["Records"][0]["messageId"]}]}

    assert units._handler(event, Context()) == failed
    assert not list(units.ledger.list("compacted/"))


def test_unit__while_another_worker_has_it__is_left_to_it(units: Units) -> None:
    units.put("closed", row("a"))
    name = f"compact#{raw_hour(units.hour)}#0of1"
    assert units.leases.acquire(name, owner="other", seconds=60, now=SystemClock().now())

    assert units.run() == DONE
    assert not list(units.ledger.list("compacted/"))


def test_unit__its_numbers__are_in_the_log_as_metrics(units: Units, capsys: pytest.CaptureFixture[str]) -> None:
    units.put("closed", row("a"), row("strange", ts="x"))

    units.run()

    (line,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line]
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert (directive["Namespace"], directive["Dimensions"]) == ("abtest", [["FunctionName"]])
    assert {metric["Name"]: line[metric["Name"]] for metric in directive["Metrics"]} == {
        "CompactedUnits": 1,
        "CompactedRows": 1,
        "UnreadableRows": 1,
    }

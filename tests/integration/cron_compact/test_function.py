"""Compaction on the template's tables and bucket, with no more than its policy allows."""

import gzip
import json
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoLeases
from abtest.adapters.s3 import S3Blobs
from abtest.domain.ledger.compacted_hours import read_compacted_hour
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import hour_of, raw_key
from abtest.kit import canonical_json
from abtest.kit.clock import SystemClock, from_milliseconds, timestamp, to_milliseconds
from abtest.services.compaction import LEASE, CompactionFailedError
from abtest.services.ledger_files import LedgerFiles
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.unit.ledger.raw_hours import SHOP, row, rows_of


class Hourly:
    """The function, and the ledger that it works on."""

    def __init__(self, stack: AwsStack) -> None:
        self.ledger = S3Blobs(stack.name("LedgerBucket"))
        self.leases = DynamoLeases(stack.name("EphemeralTable"))
        self.now = to_milliseconds(SystemClock().now())
        self._handler = fresh_handler(stack, "CronCompact", "cron_compact")

    def put(self, name: str, hours_ago: int, *lines: Any) -> str:
        key = raw_key([name], hour_of(self.now) - hours_ago * HOUR_MS)
        content = gzip.compress(b"\n".join(canonical_json.encode(line) for line in lines))
        self.ledger.put(key, content, content_type="application/x-ndjson")
        return key

    def run(self, **event: Any) -> Any:
        return self._handler(sample("cron_compact__hour") | event, Context())

    def parquet(self) -> list[str]:
        return [entry.key for entry in self.ledger.list("events/")]


@pytest.fixture
def hourly(aws_stack: AwsStack) -> Hourly:
    return Hourly(aws_stack)


def test_compact__closed_hours__readers_turn_to_parquet(hourly: Hourly) -> None:
    raw = hourly.put("closed", 3, row("a"), row("a"), row("strange", ts="x"))
    young = hourly.put("open", 0, row("b"))

    answer = hourly.run()

    assert answer == {"hours": 1, "files": 1, "rows": 1, "copies": 1, "unreadable": 1, "left": 0, "failed": []}
    files = LedgerFiles(hourly.ledger).of_shop(SHOP, 0)
    assert (files.raw, list(files.parquet)) == ((young,), hourly.parquet())
    content = hourly.ledger.get(files.parquet[0])
    (document,) = [hourly.ledger.get(entry.key) for entry in hourly.ledger.list("compacted/")]
    assert content is not None
    assert document is not None
    assert [found["event_id"] for found in rows_of(content.content)] == ["a"]
    assert read_compacted_hour(document.content).raw == {raw}
    assert len(list(hourly.ledger.list("quarantine/"))) == 1


def test_compact__again_and_after_more_came__replaces_the_document(hourly: Hourly) -> None:
    hourly.put("first", 3, row("a"))
    assert hourly.run()["hours"] == 1
    assert hourly.run()["hours"] == 0
    hourly.put("late", 3, row("b"))

    assert hourly.run()["rows"] == 2


def test_compact__since_and_open_hours__as_the_operator_asks(hourly: Hourly) -> None:
    hourly.put("old", 24 * 5, row("a"))
    hourly.put("open", 0, row("b"))

    assert hourly.run()["hours"] == 0
    assert hourly.run(since=timestamp(from_milliseconds(hourly.now - 24 * 6 * HOUR_MS)))["hours"] == 1
    assert hourly.run(open_hours=True)["hours"] == 1


def test_compact__hour_that_cannot_be_read__fails_aloud_after_the_others(hourly: Hourly) -> None:
    broken = hourly.put("broken", 4, row("a"))
    hourly.ledger.put(broken, b"no gzip", content_type="application/x-ndjson")
    hourly.put("fine", 3, row("b"))

    with pytest.raises(CompactionFailedError):
        hourly.run()

    assert len(hourly.parquet()) == 1


def test_compact__while_another_run_is_at_it__is_skipped(hourly: Hourly) -> None:
    assert hourly.leases.acquire(LEASE, owner="other", seconds=60, now=SystemClock().now())

    assert hourly.run() == {"skipped": "another run is at it"}


def test_compact__its_numbers__stand_in_the_log_as_metrics(hourly: Hourly, capsys: pytest.CaptureFixture[str]) -> None:
    hourly.put("closed", 3, row("a"), row("strange", ts="x"))

    hourly.run()

    (line,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line]
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert (directive["Namespace"], directive["Dimensions"]) == ("abtest", [["FunctionName"]])
    assert {metric["Name"]: line[metric["Name"]] for metric in directive["Metrics"]} == {
        "CompactedHours": 1,
        "CompactedRows": 1,
        "UnreadableRows": 1,
        "HoursLeft": 0,
    }

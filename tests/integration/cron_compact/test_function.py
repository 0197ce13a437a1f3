"""Dispatch of the compaction on the template's bucket and queue, with no more than its policy allows."""

import gzip
import json
from typing import Any

import pytest

from abtest.adapters.s3 import S3Blobs
from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import compacted_key, hour_of, raw_key
from abtest.domain.ledger.shop_groups import ShopGroup
from abtest.kit import canonical_json
from abtest.kit.clock import SystemClock, from_milliseconds, timestamp, to_milliseconds
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.unit.ledger.raw_hours import row


class Hourly:
    """The function, and the ledger that it lists."""

    def __init__(self, stack: AwsStack) -> None:
        self.stack = stack
        self.ledger = S3Blobs(stack.name("LedgerBucket"))
        self.now = to_milliseconds(SystemClock().now())
        self._handler = fresh_handler(stack, "CronCompact", "cron_compact")

    def hour(self, hours_ago: int) -> int:
        return hour_of(self.now) - hours_ago * HOUR_MS

    def put(self, name: str, hours_ago: int) -> str:
        key = raw_key([name], self.hour(hours_ago))
        self.ledger.put(key, gzip.compress(canonical_json.encode(row(name))), content_type="application/x-ndjson")
        return key

    def put_document(self, hours_ago: int, group: ShopGroup, *raw: str) -> None:
        document = CompactedHour(raw=frozenset(raw), events=(), rows=0).encoded()
        self.ledger.put(compacted_key(self.hour(hours_ago), group), document, content_type="application/json")

    def run(self, **event: Any) -> Any:
        return self._handler(sample("cron_compact__hour") | event, Context())

    def messages(self) -> list[Any]:
        answer: Any = self.stack.clients.sqs.receive_message(
            QueueUrl=self.stack.name("CompactQueue"), MaxNumberOfMessages=10
        )
        return sorted(
            (json.loads(message["Body"]) for message in answer.get("Messages", [])),
            key=lambda unit: (unit["hour"], unit["group"]),
        )


@pytest.fixture
def hourly(aws_stack: AwsStack) -> Hourly:
    return Hourly(aws_stack)


def test_dispatch__closed_hours__sends_a_message_for_each(hourly: Hourly) -> None:
    hourly.put("closed", 3)
    hourly.put("open", 0)

    assert hourly.run() == {"hours": 1, "units": 1}

    assert hourly.messages() == [{"hour": hourly.hour(3), "group": 0, "groups": 1}]


def test_dispatch__hour_with_one_group_done__sends_the_others(hourly: Hourly) -> None:
    first, late = hourly.put("first", 3), hourly.put("late", 3)
    hourly.put_document(3, ShopGroup(0, 4), first, late)
    hourly.put_document(3, ShopGroup(2, 4), first)

    assert hourly.run() == {"hours": 1, "units": 3}

    assert [unit["group"] for unit in hourly.messages()] == [1, 2, 3]


def test_dispatch__hours_whose_documents_name_everything__sends_nothing(hourly: Hourly) -> None:
    hourly.put_document(3, ShopGroup(0, 1), hourly.put("whole", 3))

    assert hourly.run() == {"hours": 0, "units": 0}
    assert hourly.messages() == []


def test_dispatch__since_and_open_hours__as_the_operator_requests(hourly: Hourly) -> None:
    hourly.put("old", 24 * 5)
    hourly.put("open", 0)

    assert hourly.run()["hours"] == 0
    assert hourly.run(since=timestamp(from_milliseconds(hourly.now - 24 * 6 * HOUR_MS)))["hours"] == 1
    assert hourly.run(open_hours=True)["hours"] == 1


def test_dispatch__its_number__is_in_the_log_as_a_metric(hourly: Hourly, capsys: pytest.CaptureFixture[str]) -> None:
    hourly.put("closed", 3)

    hourly.run()

    (line,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line]
    assert line["CompactionUnitsDue"] == 1

"""The ingest worker: batches into objects, whatever the queue does with its messages."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from abtest.adapters.s3 import S3Blobs
from abtest.domain.ledger.events import goal_claim
from abtest.domain.ledger.manifests import manifest_key, manifest_of, read_manifest
from abtest.kit.clock import ManualClock, SystemClock
from abtest.ports.blobs import BlobsUnavailableError, PreconditionFailedError
from abtest.ports.catalog import Claim, Commit
from abtest.services.ingest import messages
from abtest.services.ledger import KnownGoals, LedgerWriter, Message
from abtest.services.ledger_feed import LedgerFeed
from tests.support.handlers import fresh_handler
from tests.support.memory import MemoryBlobs, MemoryCatalog
from tests.support.moto_stack import AwsStack
from tests.unit.ledger.streams import BEGIN, SHOP, row


def message(number: int, *rows: Any, body: str | None = None) -> Message:
    return Message(id=f"m-{number}", body=body or next(messages(rows)), queued_at=BEGIN + number)


def written(ledger: MemoryBlobs, prefix: str = "raw/") -> list[list[dict[str, Any]]]:
    keys = [entry.key for entry in ledger.list(prefix)]
    texts = [gzip.decompress(ledger.objects[key].blob.content) for key in keys]
    return [[json.loads(line) for line in text.splitlines()] for text in texts]


def check_manifests(ledger: MemoryBlobs) -> None:
    """Check that each raw object has a manifest, which leads to the rows of each shop."""
    for entry in ledger.list("raw/"):
        manifest = read_manifest(ledger.objects[manifest_key(entry.key)].blob.content)
        content = ledger.objects[entry.key].blob.content
        assert manifest == manifest_of(entry.key, content)
        for shop_id, one in manifest.sections.items():
            lines = gzip.decompress(content[one.offset : one.offset + one.length]).splitlines()
            assert sum(json.loads(line)["shop_id"] == shop_id for line in lines) == one.rows


@pytest.fixture
def ledger() -> MemoryBlobs:
    return MemoryBlobs()


@pytest.fixture
def catalog() -> MemoryCatalog:
    """A shop with one goal."""
    made = MemoryCatalog()
    claim = Claim(scope=SHOP, name=goal_claim("g-1"), target_id="g-1", target_shop_id=SHOP)
    made.commit(Commit(claims=[claim]))
    return made


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 2, tzinfo=UTC))


@pytest.fixture
def writer(ledger: MemoryBlobs, catalog: MemoryCatalog, clock: ManualClock) -> LedgerWriter:
    return LedgerWriter(ledger=ledger, goals=KnownGoals(catalog, clock), clock=clock)


def test_batch__delivered_twice_in_any_order__finds_its_object(writer: LedgerWriter, ledger: MemoryBlobs) -> None:
    batch = [message(1, row(event_id="a")), message(2, row(event_id="b"))]
    assert writer.write(batch) == []
    stored = dict(ledger.objects)
    assert writer.write(batch[::-1]) == []
    assert ledger.objects == stored
    (rows,) = written(ledger)
    assert sorted(row["event_id"] for row in rows) == ["a", "b"]


def test_object__lies_under_the_hour_of_writing__and_a_later_delivery_makes_another(
    writer: LedgerWriter, ledger: MemoryBlobs, clock: ManualClock
) -> None:
    writer.write([message(1, row())])
    clock.advance(seconds=3600)
    writer.write([message(1, row())])
    keys = [entry.key for entry in ledger.list("raw/")]
    assert [key[:21] for key in keys] == ["raw/dt=2026-03-02/hh=", "raw/dt=2026-03-02/hh="]
    assert [key[21:24] for key in keys] == ["00/", "01/"]
    assert written(ledger)[0] == written(ledger)[1]


class Dying(MemoryBlobs):
    """A store before or after whose n-th write the process dies."""

    def __init__(self, dies_at: int, *, before: bool) -> None:
        super().__init__()
        self.writes, self.dies_at, self.before = 0, dies_at, before

    def put(self, key: str, content: bytes, **said: Any) -> str:
        self.writes += 1
        dies = self.writes == self.dies_at
        if dies and self.before:
            raise SystemExit
        etag = super().put(key, content, **said)
        if dies:
            raise SystemExit
        return etag


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("dies_at", [1, 2, 3, 4], ids=["unreadable", "unknown-goal", "object", "manifest"])
def test_worker__that_dies_around_any_write__has_lost_and_changed_nothing_after_the_next_delivery(
    catalog: MemoryCatalog, clock: ManualClock, dies_at: int, before: bool
) -> None:
    batch = [
        message(1, row(event_id="a"), row(event_id="b", type="goal", goal_id="nobody's")),
        Message(id="broken", body='{"rows":', queued_at=BEGIN),
    ]
    ledger = Dying(dies_at, before=before)
    writer = LedgerWriter(ledger=ledger, goals=KnownGoals(catalog, clock), clock=clock)
    with pytest.raises(SystemExit):
        writer.write(batch)
    first = dict(ledger.objects)
    assert writer.write(batch) == []
    assert first.items() <= ledger.objects.items()
    check_manifests(ledger)
    assert [line["event_id"] for lines in written(ledger) for line in lines] == ["a"]
    aside = [line for lines in written(ledger, "quarantine/") for line in lines]
    assert sorted((line["event_id"] or "", line["reason"]) for line in aside) == [
        ("", "unreadable_message"),
        ("b", "unknown_goal"),
    ]


def test_worker__that_died_before_the_manifest__describes_the_object_that_is_stored(
    catalog: MemoryCatalog, clock: ManualClock
) -> None:
    batch = [message(number, row(event_id=f"e-{number}" * number, shop_id=f"shop-{number % 3}")) for number in range(9)]
    ledger = Dying(1, before=False)
    writer = LedgerWriter(ledger=ledger, goals=KnownGoals(catalog, clock), clock=clock)
    with pytest.raises(SystemExit):
        writer.write(batch)
    assert list(ledger.list("manifests/")) == []
    assert writer.write(batch[::-1]) == []
    check_manifests(ledger)


def test_object__of_an_earlier_delivery_that_cannot_be_read__does_not_end_the_message(
    writer: LedgerWriter, ledger: MemoryBlobs
) -> None:
    writer.write([message(1, row())])
    (entry,) = ledger.list("raw/")
    ledger.put(entry.key, b"damaged", content_type="x")
    with pytest.raises(BlobsUnavailableError):
        writer.write([message(1, row())])


def test_object__of_many_shops__has_the_rows_of_each_in_few_bytes(writer: LedgerWriter, ledger: MemoryBlobs) -> None:
    large = [row(event_id=f"l-{number}", shop_id="large", data="x" * 1_000) for number in range(100)]
    small = [row(event_id=f"s-{number}", shop_id=f"shop-{number:03}") for number in range(300)]
    writer.write([message(1, *small, *large)])
    check_manifests(ledger)
    (entry,) = ledger.list("manifests/")
    sections = read_manifest(ledger.objects[entry.key].blob.content).sections
    assert len(sections) == 301
    assert len({one.offset for one in sections.values()}) < 10


class Refusing(MemoryBlobs):
    """A store in which another writer is always faster, and never done."""

    def put(self, key: str, content: bytes, **said: Any) -> str:
        raise PreconditionFailedError(key)


def test_object__that_another_delivery_is_said_to_write__is_looked_for_before_the_message_is_done(
    catalog: MemoryCatalog, clock: ManualClock
) -> None:
    writer = LedgerWriter(ledger=Refusing(), goals=KnownGoals(catalog, clock), clock=clock)
    with pytest.raises(BlobsUnavailableError):
        writer.write([message(1, row())])


@pytest.mark.parametrize("body", ["", "not json", '{"rows":[NaN]}', '{"rows":[]}{', "[" * 10_000])
def test_message__that_is_no_json__is_set_aside_whole_and_never_comes_again(
    writer: LedgerWriter, ledger: MemoryBlobs, body: str
) -> None:
    assert writer.write([message(1, row()), Message(id="poison", body=body, queued_at=BEGIN)]) == []
    assert len(written(ledger)) == 1
    ((line,),) = written(ledger, "quarantine/")
    assert (line["reason"], line["body"], line["received_at"]) == ("unreadable_message", body, BEGIN)
    assert line["shop_id"] is None


@pytest.mark.parametrize(
    "body", ["[]", '{"rows":5}', '{"rows":[{"event_id":"x"}]}', '{"batch":"of a release to come"}']
)
def test_message__of_another_form__comes_again_alone(writer: LedgerWriter, ledger: MemoryBlobs, body: str) -> None:
    assert writer.write([message(1, row()), Message(id="newer", body=body, queued_at=BEGIN)]) == ["newer"]
    assert len(written(ledger)) == 1
    assert written(ledger, "quarantine/") == []


def test_row__of_another_release__is_written_with_what_it_lacks_as_absent_and_what_it_adds(
    writer: LedgerWriter, ledger: MemoryBlobs
) -> None:
    other = {name: value for name, value in row(event_id="a").items() if name != "order_id"} | {"market": "north"}
    assert writer.write([message(1, body=json.dumps({"rows": [other]}))]) == []
    assert written(ledger) == [[row(event_id="a") | {"market": "north"}]]


def test_goal__that_the_shop_never_had__is_quarantined_with_its_row(writer: LedgerWriter, ledger: MemoryBlobs) -> None:
    rows = [
        row(event_id="known", type="goal", goal_id="g-1"),
        row(event_id="unknown", type="goal", goal_id="g-2"),
        row(event_id="foreign", type="goal", goal_id="g-1", shop_id="shop-b"),
        row(event_id="reserved", type="goal", goal_id="__revenue__"),
    ]
    writer.write([message(1, *rows)])
    assert [line["event_id"] for line in written(ledger)[0]] == ["known", "reserved"]
    aside = [line for lines in written(ledger, "quarantine/") for line in lines]
    assert {(line["shop_id"], line["event_id"], line["reason"]) for line in aside} == {
        (SHOP, "unknown", "unknown_goal"),
        ("shop-b", "foreign", "unknown_goal"),
    }


def test_sample__of_what_the_worker_sets_aside__is_ascii_as_that_of_the_edge(
    writer: LedgerWriter, ledger: MemoryBlobs
) -> None:
    goal = row(type="goal", goal_id="g-2", url="https://shop.example/grün")
    writer.write([message(1, goal), Message(id="broken", body='{"rows": ü', queued_at=BEGIN)])
    aside = [line for lines in written(ledger, "quarantine/") for line in lines]
    assert len(aside) == 2
    assert all(line["sample"].isascii() and "\\xfc" in line["sample"] for line in aside)


def test_goal__made_after_it_was_asked_for__is_known_a_minute_later(
    writer: LedgerWriter, ledger: MemoryBlobs, catalog: MemoryCatalog, clock: ManualClock
) -> None:
    late = row(type="goal", goal_id="g-2")
    writer.write([message(1, late)])
    claim = Claim(scope=SHOP, name=goal_claim("g-2"), target_id="g-2", target_shop_id=SHOP)
    catalog.commit(Commit(claims=[claim]))
    clock.advance(seconds=60)
    writer.write([message(2, late)])
    assert [[line["goal_id"] for line in lines] for lines in written(ledger)] == [["g-2"]]


def test_store__that_is_silent__fails_the_batch_so_that_it_is_delivered_again(
    writer: LedgerWriter, ledger: MemoryBlobs
) -> None:
    ledger.available = False
    with pytest.raises(BlobsUnavailableError):
        writer.write([message(1, row())])


def test_function__on_the_templates_resources__writes_and_names_the_unreadable(aws_stack: AwsStack) -> None:
    handler = fresh_handler(aws_stack, "WorkerIngest", "worker_ingest")
    records = [
        {"messageId": "m-1", "body": next(messages([row()])), "attributes": {"SentTimestamp": str(BEGIN)}},
        {"messageId": "m-2", "body": "{}", "attributes": {"SentTimestamp": str(BEGIN)}},
    ]
    assert handler({"Records": records}, None) == {"batchItemFailures": [{"itemIdentifier": "m-2"}]}
    assert handler({"Records": records[:1]}, None) == {"batchItemFailures": []}
    assert handler({"Records": [records[1] | {"body": "{"}]}, None) == {"batchItemFailures": []}
    bucket = aws_stack.name("LedgerBucket")
    (entry,) = aws_stack.clients.s3.list_objects_v2(Bucket=bucket, Prefix="raw/")["Contents"]
    content = aws_stack.clients.s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()
    assert json.loads(gzip.decompress(content)) == row()
    stored = aws_stack.clients.s3.get_object(Bucket=bucket, Key=manifest_key(entry["Key"]))["Body"].read()
    assert read_manifest(stored) == manifest_of(entry["Key"], content)
    store = S3Blobs(bucket)
    feed = LedgerFeed(store, SystemClock())
    newest = feed.advance().entry
    assert newest is not None
    assert feed.advance().entry == newest == LedgerFeed(store, SystemClock()).newest()
    (news,) = feed.news(SHOP, after=newest.first - 1, head=newest.heads[SHOP])
    (section,) = news.sections
    assert feed.sections_of(SHOP, [entry["Key"]]) == [section]
    part = store.part(section.key, section.offset, section.length)
    assert part is not None
    assert json.loads(gzip.decompress(part)) == row()

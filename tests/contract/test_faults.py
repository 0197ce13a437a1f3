"""What the AWS adapters do when a store is silent, busy, or loses an answer; and what they ask of it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from time import monotonic
from typing import Any

import pytest

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoCatalog, DynamoLeases, DynamoRateLimiter
from abtest.adapters.dynamo.connection import connection
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.secrets import SecretRootKeys, SecretUnavailableError
from abtest.adapters.sqs import SqsQueue
from abtest.kit import canonical_json
from abtest.kit.clock import ManualClock
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.blobs import BlobsUnavailableError
from abtest.ports.catalog import Catalog, Commit, CommitTooLargeError, OutboxRow
from abtest.ports.queue import QueueUnavailableError
from abtest.ports.waits import WAITS, CallerKind
from tests.contract.conftest import Ports
from tests.contract.records import SHOP, START, at, audit_row, claim, commit_of, iso, new_id, outbox_row, put, record
from tests.contract.spoiling import CONFLICT, THROTTLED, instead, lose_first_answer, over_http, times
from tests.support.memory import MemoryBlobs
from tests.support.moto_stack import AwsStack, silent
from tests.support.template import TEMPLATE
from tests.support.waits import only_one_attempt
from tools.local.template.document import load


@pytest.fixture
def catalog(aws_stack: AwsStack) -> Catalog:
    return DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket")))


@pytest.fixture
def silence(aws_stack: AwsStack) -> Iterator[AwsStack]:
    """Nothing of the stack answers."""
    with silent():
        yield aws_stack


@over_http
def test_commit__conflicts_that_pass__succeeds(interrupted: Ports) -> None:
    made = record(new_id())
    instead("TransactWriteItems", times(3, CONFLICT))
    interrupted.catalog.commit(commit_of(put(made)))
    assert interrupted.catalog.get(SHOP, "EXP", made.head.id) == made


@over_http
def test_commit__conflicts_that_do_not_pass__is_busy_and_stores_nothing(interrupted: Ports) -> None:
    made = record(new_id())
    instead("TransactWriteItems", times(99, CONFLICT))
    with pytest.raises(DatabaseBusyError) as refusal:
        interrupted.catalog.commit(commit_of(put(made)))
    assert refusal.value.headers == {"Retry-After": "1"}
    assert interrupted.catalog.get(SHOP, "EXP", made.head.id) is None


@over_http
def test_any_call__throttled__is_busy(interrupted: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    only_one_attempt(monkeypatch)
    instead("*", times(99, THROTTLED))
    for call in _calls(interrupted.catalog):
        with pytest.raises(DatabaseBusyError):
            call()


def test_any_call__no_answer__is_busy(silence: AwsStack) -> None:
    for call in _calls(DynamoCatalog(silence.name("CatalogTable"), MemoryBlobs())):
        with pytest.raises(DatabaseBusyError):
            call()


def _calls(catalog: Catalog) -> list[Callable[[], object]]:
    return [
        lambda: catalog.get(SHOP, "EXP", "id"),
        lambda: catalog.get_many(SHOP, "EXP", ["id"]),
        lambda: catalog.list(SHOP, "EXP", limit=1),
        lambda: catalog.resolve(SHOP, "name"),
        lambda: catalog.resolve_many(SHOP, ["name"]),
        lambda: catalog.commit(commit_of(put(record(new_id())))),
        lambda: catalog.commit(Commit(audit=[audit_row(1)])),
        lambda: catalog.audit(SHOP, entity_id=None, limit=1),
        lambda: catalog.due("RUN", iso(), limit=1),
        lambda: catalog.outbox("publish", created_before=iso(), limit=1),
        lambda: catalog.outbox_done(outbox_row(1)),
        lambda: catalog.next_revision(SHOP),
    ]


@over_http
def test_commit__answer_lost_after_it_was_applied__is_repeated_without_harm(interrupted: Ports) -> None:
    made = record(new_id())
    instead("TransactWriteItems", lose_first_answer())
    interrupted.catalog.commit(commit_of(put(made), claims=[claim("NAME", made.head.id)]))
    assert interrupted.catalog.get(SHOP, "EXP", made.head.id) == made


def test_commit__blob_store_silent__stores_nothing(aws_stack: AwsStack) -> None:
    blobs = MemoryBlobs()
    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), blobs)
    made = record(new_id(), body={"js": "".join(map(str, range(300_000)))})
    blobs.available = False
    with pytest.raises(BlobsUnavailableError):
        catalog.commit(commit_of(put(made)))
    blobs.available = True
    assert catalog.get(SHOP, "EXP", made.head.id) is None
    catalog.commit(commit_of(put(made)))
    assert catalog.get(SHOP, "EXP", made.head.id) == made
    assert [key.split("/")[0] for key in blobs.objects] == ["blobs"]


def test_commit__row_that_no_item_holds__is_refused_clearly(catalog: Catalog) -> None:
    noise = [hash((number, "noise")) for number in range(60_000)]
    for change in (
        Commit(audit=[replace(audit_row(1), diff=noise)]),
        Commit(outbox=[OutboxRow(id=new_id(), shop_id=SHOP, topic="webhook", payload={"n": noise}, created_at=iso())]),
    ):
        with pytest.raises(CommitTooLargeError, match="too large"):
            catalog.commit(change)


def test_commit__over_four_megabytes__is_refused_clearly(catalog: Catalog) -> None:
    body = {"n": [hash((number, "body")) for number in range(30_000)]}
    puts = [put(record(new_id(second), body=body)) for second in range(20)]
    with pytest.raises(CommitTooLargeError, match="too large"):
        catalog.commit(commit_of(*puts))
    assert catalog.list(SHOP, "EXP", limit=1).heads == []


@pytest.mark.parametrize("name", ["", "x" * 2000, "\ud800"])
def test_commit__name_that_no_key_holds__is_a_mistake_of_the_caller(catalog: Catalog, name: str) -> None:
    with pytest.raises(ValueError, match="bytes of UTF-8"):
        catalog.commit(Commit(claims=[claim(name, "target")]))


def test_keys__of_api_keys__lie_where_the_policies_of_the_edge_look(catalog: Catalog, aws_stack: AwsStack) -> None:
    made = record(new_id(), kind="KEY")
    catalog.commit(commit_of(put(made), claims=[claim("KEY#0123456789ab", made.head.id, scope=None)]))
    items = aws_stack.clients.dynamodb.scan(TableName=aws_stack.name("CatalogTable"))["Items"]
    partitions = {str(item["pk"]["S"]) for item in items}
    assert partitions == {"U#KEY#0123456789ab", f"X#KEY#{SHOP}#{made.head.id}", f"S#{SHOP}#KEY"}


def test_limiter__one_instance__asks_once_a_request_and_never_to_refuse(aws_stack: AwsStack) -> None:
    aws.reset()
    limiter, asked = DynamoRateLimiter(aws_stack.name("EphemeralTable")), Counter[str]()
    events: Any = connection().client.meta.events
    events.register("before-call.dynamodb.*", lambda model, **_: asked.update([model.name]))
    allowed = [limiter.take("key", limit=5, window_seconds=10, now=at()).allowed for _ in range(50)]
    assert (allowed.count(True), asked) == (5, Counter(UpdateItem=5))
    assert limiter.take("key", limit=5, window_seconds=10, now=at(100)).allowed
    assert asked == Counter(UpdateItem=6)


def test_limiter__no_answer__lets_pass_with_one_warning_and_asks_again_later(
    silence: AwsStack, caplog: pytest.LogCaptureFixture
) -> None:
    limiter = DynamoRateLimiter(silence.name("EphemeralTable"))
    with caplog.at_level(logging.WARNING):
        decisions = [limiter.take("key", limit=2, window_seconds=10, now=at(second)) for second in (0, 1, 2, 4.9)]
        assert [decision.allowed for decision in decisions] == [True] * 4
        assert len(caplog.records) == 1
        assert limiter.take("key", limit=2, window_seconds=10, now=at(5)).allowed
    assert [entry.getMessage().split(":")[0] for entry in caplog.records] == ["rate_limit.unavailable"] * 2


def test_limiter__table_that_hangs__lets_pass_and_counts_once_it_goes_on(
    aws_stack: AwsStack, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(WAITS, CallerKind.SHOPPER, replace(WAITS[CallerKind.SHOPPER], limiter=0.05))
    aws.reset()
    aws.serve(CallerKind.SHOPPER)
    goes_on = Event()

    def hang(**_: Any) -> None:
        assert goes_on.wait(60)

    events: Any = connection().client.meta.events
    events.register("before-call.dynamodb.*", hang)
    limiter = DynamoRateLimiter(aws_stack.name("EphemeralTable"))
    try:
        decisions = [limiter.take("key", limit=5, window_seconds=60, now=at()) for _ in range(5)]
    finally:
        goes_on.set()
    assert [decision.allowed for decision in decisions] == [True] * 5
    patterns = {
        resource["Properties"]["FilterPattern"]
        for name, resource in load(TEMPLATE).resources.items()
        if name.endswith("LimiterFilter")
    }
    # A pattern in quotation marks matches log events that have the text.
    (text,) = (pattern.strip('"') for pattern in patterns)
    assert [text in entry.getMessage() for entry in caplog.records] == [True], "LimiterUnavailableAlarm counts it once"
    until = monotonic() + 60
    while limiter.take("key", limit=5, window_seconds=60, now=at()).allowed:
        assert monotonic() < until
    aws.reset()


def test_leases__no_answer__is_busy_and_never_held(silence: AwsStack) -> None:
    with pytest.raises(DatabaseBusyError):
        DynamoLeases(silence.name("EphemeralTable")).acquire("cron", owner="a", seconds=9, now=at())
    with pytest.raises(DatabaseBusyError):
        DynamoLeases(silence.name("EphemeralTable")).renew("cron", owner="a", seconds=9, now=at())
    with pytest.raises(DatabaseBusyError):
        DynamoLeases(silence.name("EphemeralTable")).is_held("cron", now=at())


def test_blobs__no_answer__are_unavailable(silence: AwsStack) -> None:
    blobs = S3Blobs(silence.name("BlobsBucket"))
    with pytest.raises(BlobsUnavailableError):
        blobs.get("key")
    with pytest.raises(BlobsUnavailableError):
        blobs.put("key", b"", content_type="text/plain", if_absent=True)
    with pytest.raises(BlobsUnavailableError):
        next(blobs.list(""))


def test_queue__no_answer_or_no_queue__is_unavailable(silence: AwsStack, aws_stack: AwsStack) -> None:
    with pytest.raises(QueueUnavailableError):
        SqsQueue(silence.name("EventQueue")).send("body")
    with pytest.raises(QueueUnavailableError):
        SqsQueue(aws_stack.name("EventQueue") + "-gone").depth()


def test_root_keys__rotated__are_read_again_after_five_minutes(aws_stack: AwsStack) -> None:
    clock, arn = ManualClock(START), aws_stack.name("SigningSecret")
    keys = SecretRootKeys(arn, clock)
    assert keys.current().active == "k1"
    rotated = canonical_json.dumps({"active": "k2", "k1": "old", "k2": "new"})
    aws_stack.clients.secrets.put_secret_value(SecretId=arn, SecretString=rotated)
    clock.advance(seconds=299)
    assert keys.current().active == "k1"
    clock.advance(seconds=1)
    assert (keys.current().active, dict(keys.current().keys)) == ("k2", {"k1": b"old", "k2": b"new"})


def test_root_keys__no_answer__last_ones_serve_on(aws_stack: AwsStack) -> None:
    clock, arn = ManualClock(START), aws_stack.name("SigningSecret")
    keys = SecretRootKeys(arn, clock)
    first = keys.current()
    aws_stack.clients.secrets.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)
    clock.advance(hours=1)
    assert keys.current() is first
    with pytest.raises(SecretUnavailableError):
        SecretRootKeys(arn, clock).current()

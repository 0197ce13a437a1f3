"""Items that an earlier release put into the tables are read by this one's adapters."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.audit import DynamoAuditStore
from abtest.adapters.dynamo.catalog import DynamoCatalog
from abtest.adapters.dynamo.deliveries import DynamoDeliveryStore
from abtest.adapters.dynamo.idempotency import DynamoIdempotency
from abtest.adapters.dynamo.leases import DynamoLeases
from abtest.adapters.dynamo.looks import DynamoLookStore
from abtest.adapters.dynamo.rate_limiter import DynamoRateLimiter
from abtest.adapters.dynamo.rollup_store import DynamoRollupStore
from abtest.adapters.dynamo.sessions import DynamoSessions
from abtest.kit.clock import ManualClock
from abtest.kit.ids import SystemRandomness, before_uuid7
from abtest.ports.audit import AuditFilter
from abtest.ports.catalog import AuditRow, Kind, Topic
from abtest.services.audit_log.records import read_seals
from abtest.services.audit_log.sealer import Sealer
from abtest.services.context import World
from tests.support.memory import MemoryBlobs
from tests.support.moto_stack import AwsStack
from tests.support.stored import RELEASED, stored

Item = Mapping[str, Any]
TABLES = {name: f"{name.capitalize()}Table" for name in ("catalog", "deliveries", "ephemeral", "rollups")}
WRITTEN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""When the ephemeral items were written."""


@pytest.fixture
def items(aws_stack: AwsStack) -> dict[str, list[Item]]:
    """The stored items by table, each in its table."""
    loaded: dict[str, list[Item]] = {table: [*stored(f"items/{table}")] for table in TABLES}
    for table, its in loaded.items():
        for item in its:
            binary = {name: {"B": base64.b64decode(value["B"])} for name, value in item.items() if "B" in value}
            aws_stack.clients.dynamodb.put_item(TableName=aws_stack.name(TABLES[table]), Item={**item, **binary})
    return loaded


def test_catalog__items_of_an_earlier_release__are_read(aws_stack: AwsStack, items: dict[str, list[Item]]) -> None:
    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), MemoryBlobs())
    kinds: set[Kind] = set()
    for item in items["catalog"]:
        pk, sk = item["pk"]["S"], item["sk"]["S"]
        if sk == keys.BODY:
            head = json.loads(item["head"]["S"])
            record = catalog.get(head["shop_id"], head["kind"], head["id"])
            assert record is not None
            assert (record.head.id, record.head.version) == (head["id"], head["version"])
            kinds.add(record.head.kind)
        elif sk == keys.NAME:
            name = pk.removeprefix("U#")
            shop_id = item["shop"]["S"]
            scope = shop_id if name.startswith(shop_id) else None
            assert catalog.resolve(scope, name.removeprefix(f"{scope}#")) == (shop_id, item["target"]["S"])
    assert kinds >= set(RELEASED) - {"DLT"}


def test_catalog__rows_of_an_earlier_release__are_read(aws_stack: AwsStack, items: dict[str, list[Item]]) -> None:
    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), MemoryBlobs())
    far = "2999-01-01T00:00:00.000Z"
    topics: tuple[Topic, ...] = ("publish", "webhook")
    for topic in topics:
        waiting = catalog.outbox(topic, created_before=far, limit=10)
        assert waiting
        for row in waiting:
            catalog.outbox_done(row)
        assert not catalog.outbox(topic, created_before=far, limit=10)
    assert catalog.due("COUNT", far, limit=10) or catalog.due("COUNT", "9999-12-31T23:59:59.999Z", limit=10)
    for item in items["catalog"]:
        pk, sk = item["pk"]["S"], item["sk"]["S"]
        if pk.startswith("A#"):
            shop_id, entity_id = pk.split("#")[1:]
            rows, _ = catalog.audit(shop_id, entity_id=entity_id, limit=10)
            assert sk in [row.id for row in rows]
        elif pk.endswith("#INBOX"):
            messages, _ = catalog.inbox(pk.split("#")[1], limit=10)
            assert [message.id for message in messages] == [sk]


def test_audit__rows_of_an_earlier_release__are_filtered_before_and_after_they_are_indexed(
    aws_stack: AwsStack, items: dict[str, list[Item]]
) -> None:
    table, clock = aws_stack.name("CatalogTable"), ManualClock(datetime(2027, 1, 1, tzinfo=UTC))
    world = World(catalog=DynamoCatalog(table, MemoryBlobs()), clock=clock, random=SystemRandomness())
    shop_id = next(item["pk"]["S"] for item in items["catalog"] if item["pk"]["S"].endswith("#AUDIT")).split("#")[1]
    rows = list(DynamoAuditStore(table).between(shop_id, None, before_uuid7(clock.now())))
    assert rows
    row = rows[0]
    filters = [
        AuditFilter(user_id=row.user_id),
        AuditFilter(action=row.action),
        AuditFilter(entity_type=row.entity_type),
    ]

    def pages() -> list[list[AuditRow]]:
        return [list(DynamoAuditStore(table).page(shop_id, each, limit=100)[0]) for each in filters]

    before = pages()
    assert all(row in page for page in before)
    blobs = MemoryBlobs()
    for whole in (False, True):
        store = DynamoAuditStore(table)
        Sealer(world=world, store=store, blobs=blobs).run(until=clock.now() + timedelta(minutes=1))
        progress = store.indexing(shop_id)
        assert progress is not None
        assert progress.is_whole is whole
        assert store.misfiled(rows) == []
        assert pages() == before
        clock.advance(days=1)
    assert [seal.size for seal in read_seals(world.catalog, shop_id, limit=9)[0]] == [len(rows)]
    table_of_rows = aws_stack.clients.dynamodb
    key = {"pk": {"S": keys.audit_user(shop_id, row.user_id)}, "sk": {"S": row.id}}
    table_of_rows.delete_item(TableName=table, Key=key)
    assert store.misfiled(rows) == [row.id]
    about = {"S": json.dumps({"action": "other", "entity_id": "e", "entity_type": "t", "user_id": row.user_id})}
    table_of_rows.put_item(TableName=table, Item={**key, "about": about})
    assert store.misfiled(rows) == [row.id]


def test_deliveries__items_of_an_earlier_release__are_read(aws_stack: AwsStack, items: dict[str, list[Item]]) -> None:
    store = DynamoDeliveryStore(aws_stack.name("DeliveriesTable"))
    for item in items["deliveries"]:
        webhook_id, sk = keys.parse_webhook(item["pk"]["S"]), item["sk"]["S"]
        if sk == keys.HEALTH:
            health = store.health(webhook_id)
            assert (health.consecutive_failures, health.version) == (
                int(item["failures"]["N"]),
                int(item["version"]["N"]),
            )
        else:
            delivery = store.get(webhook_id, keys.parse_delivery(sk))
            assert delivery is not None
            assert (delivery.webhook_id, delivery.version) == (webhook_id, int(item["version"]["N"]))


def test_rollups__items_of_an_earlier_release__are_read(aws_stack: AwsStack, items: dict[str, list[Item]]) -> None:
    table = aws_stack.name("RollupsTable")
    store, looks = DynamoRollupStore(table), DynamoLookStore(table)
    names: set[str] = set()
    for item in items["rollups"]:
        subject, sk = item["pk"]["S"].removeprefix("R#"), item["sk"]["S"]
        epoch = int(sk.split("#")[1]) if sk.startswith("EPOCH#") else 0
        what = sk.split("#")[2] if sk.count("#") > 1 else sk.split("#")[0]
        read: dict[str, Any] = {
            "EPOCH": lambda: store.totals(subject, epoch),  # noqa: B023 - called in this turn of the loop
            "DAY": lambda: store.days(subject, epoch, "2000-01-01", "2999-01-01"),  # noqa: B023
            "SEG": lambda: store.segments(subject, epoch, "2000-01-01", "2999-01-01"),  # noqa: B023
            "LOOKS": lambda: looks.state(subject, epoch),  # noqa: B023
            "LOOK": lambda: looks.looks(subject, epoch),  # noqa: B023
            "SHOPDAY": lambda: store.shop_days(subject, "2000-01-01", "2999-01-01"),  # noqa: B023
            # Of a release that counted all shops in one process; shops have progress of their own since.
            "REACH": lambda: True,
        }
        assert read[what]()
        names.add(what)
    assert list(store.progress_of_shops()) == []
    assert names == {"EPOCH", "DAY", "SEG", "LOOKS", "LOOK", "SHOPDAY", "REACH"}


@pytest.mark.usefixtures("items")
def test_ephemeral__items_of_an_earlier_release__are_read(aws_stack: AwsStack) -> None:
    table, soon = aws_stack.name("EphemeralTable"), WRITTEN + timedelta(seconds=1)
    idempotency = DynamoIdempotency(table)
    done = idempotency.begin("POST /experiments shop key-1", body_hash="hash-1", token="t", now=soon)
    assert done.answer is not None
    assert (done.state, done.answer.status, done.answer.body) == ("done", 201, b'{"id":"one"}')
    assert idempotency.begin("POST /experiments shop key-2", body_hash="hash-2", token="t", now=soon).state == "running"
    assert DynamoLeases(table).is_held("cron", now=soon)
    assert not DynamoLeases(table).acquire("cron", owner="owner-2", seconds=60, now=soon)
    assert DynamoSessions(table).get("session-1", now=soon) == {
        "shop_id": "shop",
        "experiment_id": "one",
        "force": {"a": "b"},
    }
    limiter = DynamoRateLimiter(table)
    assert limiter.take("key-1", limit=60, window_seconds=60, now=soon, cost=30).allowed
    assert not limiter.take("key-1", limit=60, window_seconds=60, now=soon, cost=10).allowed

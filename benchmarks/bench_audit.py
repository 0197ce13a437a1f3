"""First pages of the audit at a million rows, next to bare DynamoDB queries of the same pages in the same run.

Both read one local engine. Ours goes through the handler: it authenticates the key, takes a token of its rate limit,
reads the entries of the filter and then the rows, validates the response and sets all headers. The baseline sends
the query of the same partition, for as many items as the page has, and unpacks them.

The engine sorts a whole partition for each query, which DynamoDB does not. Both sides pay for that, so the shops are of
a usual size, the items of each partition are printed, and the ratio is what carries over to AWS.
"""

import argparse
import gzip
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from abtest.adapters import catalog_documents as documents
from abtest.adapters.dynamo import DynamoAuditStore, DynamoCatalog
from abtest.adapters.dynamo.audit import entries_of
from abtest.adapters.dynamo.bodies import compress
from abtest.adapters.dynamo.keys import audit_action, audit_entity, audit_month, audit_type, audit_user, month_of
from abtest.adapters.dynamo.table import attribute_value
from abtest.kit.clock import timestamp
from abtest.kit.ids import named_uuid7
from abtest.ports.audit import Indexing
from abtest.ports.catalog import AuditRow, Commit
from benchmarks.bench_edge import Context
from benchmarks.harness import line, milliseconds, peak_megabytes
from benchmarks.local_engine import local_engine
from benchmarks.world import gateway_event
from tests.support.memory import MemoryBlobs
from tests.support.template import Stack
from tools.local.provision.clients import Clients

AIM_SECONDS = 0.050
PAGE = 50
SHOP_ROWS = 2_500
USERS, ENTITIES = 20, 100
TYPES = ("experiment", "flag", "personalization", "landing_page", "audience", "goal", "asset", "webhook")
VERBS = ("create", "update", "archive", "delete")
WARM_UP, ROUNDS = 20, 300
SENDERS, BATCH = 4, 25
REQUESTS_A_MINUTE = 100_000


def rows_of(shop_id: str, seed: int, end: datetime) -> list[AuditRow]:
    """Rows of one shop over the year before `end`; its users and entities are all equally busy."""
    dice = random.Random(seed)
    users = [named_uuid7(end, f"{shop_id} user {number}") for number in range(USERS)]
    entities = [(TYPES[number % len(TYPES)], named_uuid7(end, f"{shop_id} {number}")) for number in range(ENTITIES)]

    def row(number: int) -> AuditRow:
        moment = end - timedelta(days=365) * (number / SHOP_ROWS)
        entity_type, entity_id = dice.choice(entities)
        return AuditRow(
            id=named_uuid7(moment, f"{shop_id} row {number}"),
            shop_id=shop_id,
            user_id=dice.choice(users),
            action=f"{entity_type}.{dice.choice(VERBS)}",
            entity_type=entity_type,
            entity_id=entity_id,
            entity_name="Free shipping banner",
            diff={"status": ["draft", "running"], "name": ["Banner", f"Banner {number}"]},
            created_at=timestamp(moment),
        )

    return [row(number) for number in range(SHOP_ROWS)]


def items_of(row: AuditRow) -> Iterator[dict[str, Any]]:
    """Yield the items that a commit stores of a row, as DynamoDB's requests have them."""
    content = compress(documents.write_row(row))
    stored = {"pk": audit_month(row.shop_id, month_of(row.id)), "sk": row.id, "row": content}
    for item in (stored, *entries_of(row)):
        yield {name: attribute_value(value) for name, value in item.items()}


def fill(client: Any, table: str, shop_ids: list[str], end: datetime) -> None:
    """Store the rows of other shops in batches, which takes a third of the time of transactions."""

    def store(numbered: tuple[int, str]) -> None:
        requests = [
            {"PutRequest": {"Item": item}} for row in rows_of(numbered[1], numbered[0], end) for item in items_of(row)
        ]
        for start in range(0, len(requests), BATCH):
            answer = client.batch_write_item(RequestItems={table: requests[start : start + BATCH]})
            assert not answer["UnprocessedItems"], "the engine never throttles"

    with ThreadPoolExecutor(SENDERS) as threads:
        for _ in threads.map(store, enumerate(shop_ids, start=1)):
            pass


def bare_query(client: Any, table: str, partition: str) -> Callable[[], int]:
    """Return a query of the newest items of a partition, which unpacks them."""

    def call() -> int:
        items = client.query(
            TableName=table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": partition}},
            Limit=PAGE,
            ScanIndexForward=False,
            ConsistentRead=True,
        )["Items"]
        read = [json.loads(gzip.decompress(item["row"]["B"])) if "row" in item else item["about"] for item in items]
        return len(read)

    return call


def count_of(client: Any, table: str, partition: str) -> int:
    """Return the number of items of a partition."""
    answer = client.query(
        TableName=table,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": partition}},
        Select="COUNT",
    )
    return int(answer["Count"])


def percentile(values: list[float], share: float) -> float:
    """Return the value that this share of all does not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def timed(call: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def filters_of(row: AuditRow) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield each filter with its query and the partition that the baseline reads."""
    shop = row.shop_id
    yield "no filter", {}, audit_month(shop, month_of(row.id))
    yield "entity_id", {"entity_id": row.entity_id}, audit_entity(shop, row.entity_id)
    yield "user_id", {"user_id": row.user_id}, audit_user(shop, row.user_id)
    yield "action", {"action": row.action}, audit_action(shop, row.action)
    yield "entity_type", {"entity_type": row.entity_type}, audit_type(shop, row.entity_type)
    moment = row.created_at
    yield "to", {"to": moment}, audit_month(shop, month_of(row.id))


def handler_of(environment: dict[str, str]) -> Any:
    """Return the handler of the workspace family as Lambda would load it."""
    os.environ.update(environment)
    # The journal is written as in the cloud, but not into the benchmark's own table.
    with redirect_stdout(Path(os.devnull).open("w")):
        from api_workspace.app import handler

    return handler


def measure(clients: Clients, endpoint: str, rows: int) -> bool:
    """Fill the table, then time each filter. Return whether every p99 is below the aim."""
    stack = Stack.planned(endpoint=endpoint)
    stack.create(clients)
    handler, table = handler_of(stack.environment("ApiWorkspace")), stack.name("CatalogTable")
    os.environ.update(stack.environment("ApiSettings"))
    from abtest.services.shops import Shops
    from abtest.wiring.api import management
    from tools.admin.actions import Operator

    base = management()
    fields = {"name": "Shop", "domain": "shop.example", "currency": "EUR"}
    shop, key = Shops(base.world, base.publication).found(base.world.new_id(), fields)
    Operator(base).set_rate_limit(key.text[: key.text.rindex("_")], REQUESTS_A_MINUTE)
    end = base.world.clock.now()
    measured, catalog = rows_of(shop.id, 0, end), DynamoCatalog(table, MemoryBlobs())
    for row in measured:
        catalog.commit(Commit(audit=[row]))
    others = [base.world.new_id() for _ in range(rows // SHOP_ROWS - 1)]
    seconds = timed(lambda: fill(clients.dynamodb, table, others, end))
    print(f"{rows:,} rows of {len(others) + 1} shops stored in {seconds:.0f} s", flush=True)
    # The table has no rows of an earlier release, so filters may read their entries from the start.
    DynamoAuditStore(table).set_indexing(shop.id, Indexing(begun_at=timestamp(end), through=shop.id, is_whole=True))
    return compared(handler, clients.dynamodb, table, measured[SHOP_ROWS // 3], key.text)


def compared(handler: Any, client: Any, table: str, row: AuditRow, key: str) -> bool:
    """Time the first page of each filter and its bare query in turn, and print a row for each."""
    # Compression is left out: how long it takes depends on the client, and the baseline has none.
    headers = {"authorization": f"Bearer {key}", "accept-encoding": "identity"}
    are_fast = True
    print(f"first page of {PAGE} rows, p99 of {ROUNDS} through the handler (aim: {milliseconds(AIM_SECONDS)})")
    for name, query, partition in filters_of(row):
        event = gateway_event("GET", "/api/v1/audit-logs", headers=headers, query=query)

        def ours(event: dict[str, Any] = event) -> int:
            answer = handler(event, Context())
            assert answer["statusCode"] == 200, answer
            return len(json.loads(answer["body"])["data"])

        bare = bare_query(client, table, partition)
        assert ours() > 0 < bare(), name
        for _ in range(WARM_UP):
            ours()
            bare()
        pairs = [(timed(ours), timed(bare)) for _ in range(ROUNDS)]
        high, low = (percentile([pair[side] for pair in pairs], 0.99) for side in (0, 1))
        ratio = percentile([mine / other for mine, other in pairs], 0.5)
        baseline = f"bare query of {count_of(client, table, partition)} items"
        line(f"{name}, {ours()} rows", milliseconds(high), baseline, milliseconds(low), ratio)
        are_fast = are_fast and high < AIM_SECONDS
    print(f"  peak memory {peak_megabytes():.0f} MB")
    return are_fast


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000, help="audit rows of all shops together")
    rows = options.parse_args().rows
    with local_engine() as (clients, endpoint):
        if not measure(clients, endpoint, rows):
            raise SystemExit("a first page is slower than the aim")


if __name__ == "__main__":
    main()

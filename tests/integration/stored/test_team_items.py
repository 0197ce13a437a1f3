"""Items of the audit and the inbox in their table: what is believed of them, and how long they are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import get_args

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.audit import DynamoAuditStore
from abtest.adapters.dynamo.catalog import DynamoCatalog
from abtest.domain.inbox.messages import InboxRole
from abtest.kit.clock import parse_timestamp
from abtest.ports.audit import AuditFilter, Indexing
from abtest.ports.catalog import Commit
from tests.contract.records import SHOP, audit_row, inbox_row, new_id
from tests.support.memory import MemoryBlobs
from tests.support.moto_stack import AwsStack


def test_audit__rows_that_were_moved_and_entries_that_were_planted__are_not_believed(aws_stack: AwsStack) -> None:
    table, dynamo = aws_stack.name("CatalogTable"), aws_stack.clients.dynamodb
    catalog, store = DynamoCatalog(table, MemoryBlobs()), DynamoAuditStore(table)
    rows = [audit_row(number * 86_400, shop_id=SHOP) for number in (0, 1, 2)]
    for row in rows:
        catalog.commit(Commit(audit=[row]))
    store.set_indexing(SHOP, Indexing(begun_at=rows[0].created_at, through=rows[-1].id, is_whole=True))
    places = [{"pk": {"S": keys.audit_month(SHOP, keys.month_of(row.id))}, "sk": {"S": row.id}} for row in rows]
    items = [dynamo.get_item(TableName=table, Key=place)["Item"] for place in places]

    def ids() -> list[str]:
        return [row.id for row in store.between(SHOP, None, new_id(10 * 86_400))]

    # Two rows in each other's place: each has the id of its place, so that neither is what was sealed.
    for place, item in ((places[0], items[1]), (places[1], items[0])):
        dynamo.put_item(TableName=table, Item={**item, **place})
    assert ids() == [row.id for row in rows]
    first = store.get(SHOP, rows[0].id)
    assert first is not None
    assert first == replace(rows[1], id=rows[0].id)
    # A row in another month is gone, by its id as in the list.
    dynamo.delete_item(TableName=table, Key=places[2])
    dynamo.put_item(TableName=table, Item={**items[2], "pk": {"S": keys.audit_month(SHOP, "1999-01")}})
    dynamo.put_item(TableName=table, Item={"pk": {"S": keys.audit_months(SHOP)}, "sk": {"S": "1999-01"}})
    assert (ids(), store.get(SHOP, rows[2].id)) == ([rows[0].id, rows[1].id], None)
    # An entry with the name of another user.
    about = {"action": first.action, "entity_id": first.entity_id, "entity_type": first.entity_type, "user_id": "eve"}
    planted = {"pk": {"S": keys.audit_user(SHOP, "eve")}, "sk": {"S": first.id}, "about": {"S": json.dumps(about)}}
    dynamo.put_item(TableName=table, Item=planted)
    assert store.page(SHOP, AuditFilter(user_id="eve"), limit=10) == ([], None)


def test_inbox__messages_of_the_service_alone__are_removed_after_90_days(aws_stack: AwsStack) -> None:
    table = aws_stack.name("CatalogTable")
    catalog = DynamoCatalog(table, MemoryBlobs())
    for role in get_args(InboxRole):
        catalog.commit(Commit(inbox=[replace(inbox_row(0, shop_id=SHOP), role=role)]))
    query = {"S": keys.inbox(SHOP)}
    stored = aws_stack.clients.dynamodb.query(
        TableName=table, KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": query}
    )["Items"]
    kept = catalog.inbox(SHOP, limit=9)[0]
    ends = {row.role: item.get("expires") for row, item in zip(kept[::-1], stored, strict=True)}
    moment = int(parse_timestamp(kept[0].created_at).timestamp()) + 90 * 86_400
    assert ends == {"system": {"N": str(moment + 1)}, "client": None, "operator": None}

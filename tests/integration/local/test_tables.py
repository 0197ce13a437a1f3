"""Tables of a stack that was started before: what can be added is added, what cannot is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.moto_stack import ENDPOINT, enter_moto, mocked
from tests.support.template import Stack
from tools.local.provision import tables
from tools.local.provision.clients import Clients
from tools.local.template.document import TemplateError
from tools.local.template.resources import TABLE, of_type


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clients]:
    enter_moto(monkeypatch)
    with mocked() as made:
        yield made


def declared(logical_id: str) -> dict[str, Any]:
    """The properties of one of the template's tables."""
    stack = Stack.planned(endpoint=ENDPOINT)
    [found] = [table for table in of_type(stack.resources, TABLE) if table.logical_id == logical_id]
    return dict(stack.resolver.resolve(found.properties))


def attributes_of(properties: dict[str, Any], *names: str) -> list[dict[str, str]]:
    return [each for each in properties["AttributeDefinitions"] if each["AttributeName"] in names]


def test_ensure__each_table_a_second_time__changes_nothing(clients: Clients) -> None:
    stack = Stack.planned(endpoint=ENDPOINT)
    for _ in range(2):
        for table in of_type(stack.resources, TABLE):
            tables.ensure(clients.dynamodb, table.name, dict(stack.resolver.resolve(table.properties)))
    assert len(clients.dynamodb.list_tables()["TableNames"]) == len(of_type(stack.resources, TABLE))


def test_ensure__table_without_the_global_index_of_the_template__gains_it(clients: Clients) -> None:
    properties = declared("DeliveriesTable")
    before = {name: value for name, value in properties.items() if name != "GlobalSecondaryIndexes"}
    tables.ensure(
        clients.dynamodb, "t", before | {"AttributeDefinitions": attributes_of(properties, "pk", "sk", "due")}
    )
    tables.ensure(clients.dynamodb, "t", properties)
    table = clients.dynamodb.describe_table(TableName="t")["Table"]
    assert [index["IndexName"] for index in table["GlobalSecondaryIndexes"]] == ["waiting"]


@pytest.mark.parametrize("is_there", [True, False])
def test_ensure__local_index_that_is_missing_or_other__asks_for_a_fresh_start(clients: Clients, is_there: bool) -> None:
    properties = declared("DeliveriesTable")
    local = properties["LocalSecondaryIndexes"][0]
    other = local | {"KeySchema": [local["KeySchema"][0], {"AttributeName": "turn", "KeyType": "RANGE"}]}
    before = properties | {"LocalSecondaryIndexes": [other]}
    if not is_there:
        del before["LocalSecondaryIndexes"]
    names = ("pk", "sk", "waiting", "turn")
    tables.ensure(clients.dynamodb, "t", before | {"AttributeDefinitions": attributes_of(properties, *names)})
    with pytest.raises(TemplateError, match="--fresh"):
        tables.ensure(clients.dynamodb, "t", properties)

"""Clients of AWS, and what a reset drops."""

from collections.abc import Iterator

import pytest
from pynamodb.connection import Connection

from abtest.adapters import aws
from abtest.adapters.dynamo.connection import connection
from abtest.adapters.dynamo.table import Table
from tools.local.provision.clients import CREDENTIALS
from tools.local.template.intrinsics import REGION


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in {**CREDENTIALS, "AWS_DEFAULT_REGION": REGION, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}.items():
        monkeypatch.setenv(name, value)
    aws.reset()
    yield
    aws.reset()


def connection_of(table: Table) -> Connection:
    return table._connection


def test_reset__clients_and_connection__are_made_from_the_environment_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [aws.s3().meta.endpoint_url, connection().client.meta.endpoint_url]
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:2")
    assert [aws.s3().meta.endpoint_url, connection().client.meta.endpoint_url] == before
    aws.reset()
    assert [aws.s3().meta.endpoint_url, connection().client.meta.endpoint_url] == ["http://127.0.0.1:2"] * 2


def test_reset__table_that_was_used__keeps_its_connection() -> None:
    used, unused = Table("table", sorted_items=True), Table("table", sorted_items=True)
    kept = connection_of(used)
    aws.reset()
    assert connection_of(used) is kept
    assert connection_of(unused) is connection() is not kept

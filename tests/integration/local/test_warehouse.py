"""The ledger's tables on the local engine: read by their columns, as Athena reads them."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator

import pytest

from abtest.adapters import aws
from abtest.adapters.warehouse.athena_client import AthenaQueries, QueryError
from abtest.kit.ids import SystemRandomness
from tests.support.template import Stack
from tools.local.engine.process import Engine
from tools.local.provision.clients import CREDENTIALS, Clients
from tools.local.surroundings import machine_environment
from tools.local.template.intrinsics import REGION
from tools.local.testing import free_ports

LINES = (
    b'{"event_id":"2026-01-01","shop_id":"a","ts":1,"data":"{\\"n\\":1}","qa_mode":false}',
    b'{"event_id":"019A2F63-0000-7000-8000-000000000000","shop_id":"a","revenue_minor":null}',
    b"what is no JSON",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stack, Clients]]:
    state = tmp_path_factory.mktemp("engine")
    engine = Engine(state, free_ports(1)[0], state / "engine.log", machine_environment())
    engine.launch()
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in {**CREDENTIALS, "AWS_DEFAULT_REGION": REGION, "AWS_ENDPOINT_URL": engine.endpoint}.items():
            monkeypatch.setenv(name, value)
        aws.reset()
        try:
            asyncio.run(engine.ready())
            clients = Clients(engine.endpoint)
            stack = Stack.planned(endpoint=engine.endpoint)
            for _ in range(2):  # a stack that starts again finds what it made
                stack.create(clients)
            yield stack, clients
        finally:
            aws.reset()
            asyncio.run(engine.stop())


@pytest.fixture(scope="module")
def queries(made: tuple[Stack, Clients]) -> AthenaQueries:
    stack, clients = made
    clients.s3.put_object(
        Bucket=stack.name("LedgerBucket"),
        Key="raw/dt=2026-11-21/hh=03/batch.ndjson.gz",
        Body=gzip.compress(b"\n".join(LINES)),
    )
    return AthenaQueries(
        database=stack.name("LedgerDatabase"), workgroup=stack.name("LedgerQueries"), random=SystemRandomness()
    )


def test_json_table__columns__have_the_types_of_the_table(queries: AthenaQueries) -> None:
    text = "SELECT event_id, ts, revenue_minor, qa_mode, data, dt, hh FROM raw WHERE shop_id = 'a' ORDER BY event_id"
    assert queries.ask(text).rows == [
        ("019A2F63-0000-7000-8000-000000000000", None, None, None, None, "2026-11-21", "03"),
        ("2026-01-01", 1, None, False, json.dumps({"n": 1}, separators=(",", ":")), "2026-11-21", "03"),
    ]


@pytest.mark.parametrize("table", ["events", "accepted"])
def test_table__without_objects__has_its_columns_and_no_rows(queries: AthenaQueries, table: str) -> None:
    assert queries.ask(f"SELECT event_id FROM {table}").rows == []


def test_query__of_an_unknown_column__fails_with_the_engines_words(queries: AthenaQueries) -> None:
    with pytest.raises(QueryError, match="nothing_such"):
        queries.ask("SELECT nothing_such FROM raw")

"""The ledger's tables on the local engine: read by their columns, as Athena reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from abtest.adapters.warehouse.athena_client import AthenaQueries, QueryError
from tests.support.local_athena import local_athena
from tests.support.members import in_members

LINES = (
    b'{"event_id":"2026-01-01","shop_id":"a","ts":1,"data":"{\\"n\\":1}","qa_mode":false}',
    b'{"event_id":"019A2F63-0000-7000-8000-000000000000","shop_id":"a","revenue_minor":null}',
    b"what is no JSON",
)


@pytest.fixture(scope="module")
def queries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AthenaQueries]:
    with local_athena(tmp_path_factory.mktemp("engine")) as made:
        key = "raw/dt=2026-11-21/hh=03/batch.ndjson.gz"
        made.ledger.put(key, in_members(LINES), content_type="application/gzip")
        yield made.queries


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

"""What the documentation says about cost is what the script says, and the script's arithmetic holds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from abtest.adapters.warehouse.athena import AthenaLedger, AthenaWarehouse
from abtest.adapters.warehouse.athena_client import AthenaQueries, Value
from abtest.adapters.warehouse.athena_counter import QUERIES_AT_ONCE as ASKED_AT_ONCE
from abtest.domain.ledger.objects import ShopFiles
from abtest.kit.ids import SystemRandomness
from tests.support.ledgers import BEGIN, GOALS, SHOP, plan
from tests.support.memory import MemoryBlobs
from tools.cost.__main__ import main, report
from tools.cost.model import (
    ATHENA_LEAST_BYTES,
    QUERIES_A_QUESTION,
    QUERIES_AT_ONCE,
    TERABYTE,
    Assumptions,
    athena_a_day,
    most_history,
    prices,
    way_of_a_million,
)

GIVEN, PRICE = Assumptions(), prices()


def test_document__quotes__what_the_script_prints() -> None:
    document = Path("docs/analytics.md").read_text()
    quoted = document.partition("<!-- python -m tools.cost -->\n")[2].partition("\n<!-- end -->")[0]
    assert quoted == "\n".join(report(GIVEN, PRICE))


def test_option__changes__what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    usual = capsys.readouterr().out
    main(["--events-a-request", "1"])
    assert "HTTP API | 1.000 |" in (told := capsys.readouterr().out)
    assert told != usual


def test_athena__twice_the_history__costs_twice_the_scans() -> None:
    large = replace(GIVEN, events_a_day=10**9, query_seconds=0)
    twice = replace(large, events_a_day=2 * 10**9)
    assert athena_a_day(twice, PRICE) == pytest.approx(2 * athena_a_day(large, PRICE))


def test_athena__hardly_any_events__pays_the_least_of_each_query() -> None:
    tiny = replace(GIVEN, events_a_day=1, query_seconds=0, shops=1, experiments=1, days_told=2, athena_minutes=1440)
    least = 3 * QUERIES_A_QUESTION * ATHENA_LEAST_BYTES
    assert athena_a_day(tiny, PRICE) == pytest.approx(least / TERABYTE * PRICE["athena_terabyte"])


def test_history__is_bounded__by_disk_or_by_time() -> None:
    assert most_history(replace(GIVEN, copy_gigabytes=1, copy_bytes=100)) == 10**7
    assert most_history(replace(GIVEN, cold_seconds_at_most=55)) == 5 * 10**6


def test_way__more_events_a_request__is_cheaper() -> None:
    assert sum(way_of_a_million(replace(GIVEN, events_a_request=20), PRICE).values()) < sum(
        way_of_a_million(GIVEN, PRICE).values()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(AthenaQueries):
    """Queries that nobody answers, and how often each of them reads the ledger's Parquet files."""

    reads: list[int] = field(default_factory=list)

    def stream(self, text: str) -> Iterator[tuple[Value, ...]]:
        self.reads.append(reads_of(text))
        return iter(())

    def run(self, text: str) -> None:
        """Of UNLOAD the query inside."""
        self.reads.append(reads_of(text.split("(\n", 1)[1].rsplit("\n)", 1)[0]))


def reads_of(text: str) -> int:
    """Athena computes a named part of a query wherever it is used."""
    tree = sqlglot.parse_one(text, read="athena")
    assert isinstance(tree, exp.Query)
    named = {cte.alias: cte.this for cte in tree.ctes}
    tree.set("with_", None)

    @cache
    def reads(name: str) -> int:
        return of(named[name]) if name in named else int(name == "events")

    def of(node: exp.Expr) -> int:
        return sum(reads(table.name) for table in node.find_all(exp.Table))

    return of(tree)


def asked(question: Callable[[AthenaLedger], object]) -> list[int]:
    """How often each query reads that a question takes."""
    queries = Reading(database="ledger", workgroup="queries", random=SystemRandomness())
    warehouse = AthenaWarehouse(queries=queries, ledger=MemoryBlobs(), bucket="ledger")
    with warehouse.open(SHOP, ShopFiles(), since=BEGIN) as ledger:
        question(ledger)
    return queries.reads


def test_reads__assumed__are_at_least_those_of_the_queries() -> None:
    counted = asked(lambda ledger: ledger.count(plan(*(goal for goal in GOALS if not goal.is_judged))))
    told = asked(lambda ledger: ledger.day("2026-02-02", "EUR"))
    assert len(counted) == len(told) == QUERIES_A_QUESTION
    assert 0 < sum(counted) <= GIVEN.reads
    assert 0 < sum(told) <= GIVEN.day_reads
    assert ASKED_AT_ONCE == QUERIES_AT_ONCE

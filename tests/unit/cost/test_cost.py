"""What the documentation says about cost is what the script says, and the script's arithmetic holds."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from abtest.adapters.warehouse.counting_sql import counting
from tests.support.ledgers import PLAN
from tools.cost.__main__ import main, report
from tools.cost.model import (
    ATHENA_LEAST_BYTES,
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
    large = replace(GIVEN, events_a_day=10**9, athena_seconds=0)
    twice = replace(large, events_a_day=2 * 10**9)
    assert athena_a_day(twice, PRICE) == pytest.approx(2 * athena_a_day(large, PRICE))


def test_athena__hardly_any_events__pays_the_least_of_each_query() -> None:
    tiny = replace(GIVEN, events_a_day=1, athena_seconds=0, shops=1, experiments=1, athena_minutes=1440)
    assert athena_a_day(tiny, PRICE) == pytest.approx(ATHENA_LEAST_BYTES / TERABYTE * PRICE["athena_terabyte"])


def test_history__is_bounded__by_disk_or_by_time() -> None:
    assert most_history(replace(GIVEN, copy_gigabytes=1, copy_bytes=100)) == 10**7
    assert most_history(replace(GIVEN, cold_seconds_at_most=5)) == 5 * 10**6


def test_way__more_events_a_request__is_cheaper() -> None:
    assert sum(way_of_a_million(replace(GIVEN, events_a_request=20), PRICE).values()) < sum(
        way_of_a_million(GIVEN, PRICE).values()
    )


def test_reads__assumed__are_at_least_those_of_the_sql() -> None:
    """Athena computes a named part of a query wherever it is used."""
    tree = sqlglot.parse_one(counting(PLAN), read="athena")
    named = {cte.alias: cte.this for cte in tree.ctes}
    tree.set("with_", None)

    @cache
    def reads(name: str) -> int:
        return of(named[name]) if name in named else int(name == "events")

    def of(node: exp.Expression) -> int:
        return sum(reads(table.name) for table in node.find_all(exp.Table))

    assert 0 < of(tree) <= GIVEN.reads

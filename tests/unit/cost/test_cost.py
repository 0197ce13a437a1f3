"""What the documentation says about cost is what the script says, and the script's arithmetic holds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from abtest.adapters.warehouse.athena import AthenaWarehouse, KeptRows
from abtest.adapters.warehouse.athena_client import AthenaQueries, Value
from abtest.adapters.warehouse.athena_question import PLANS_AT_ONCE
from abtest.adapters.warehouse.athena_shop_counter import QUERIES_AT_ONCE
from abtest.adapters.warehouse.kept_rows_sql import Needed
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import ShopFiles
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_days import STITCH_MS
from abtest.kit.ids import SystemRandomness
from abtest.ports.warehouse import DAYS_KEPT
from tests.support.ledgers import BEGIN, GOALS, HOLDOUT_PLAN, SHOP, plan
from tests.support.memory import MemoryBlobs
from tests.support.template import TEMPLATE
from tools.cost.__main__ import main, report
from tools.cost.model import (
    ATHENA_LEAST_BYTES,
    DAYS_OF_ANALYTICS,
    PLANS_A_QUERY,
    QUERIES_A_SHOP,
    TERABYTE,
    WORKERS,
    Assumptions,
    athena_a_day,
    most_history,
    prices,
    way_of_a_million,
)
from tools.local.template.document import load

GIVEN, PRICE = Assumptions(), prices()
WEEK_MS = 7 * DAY_MS


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
    large = replace(GIVEN, events_a_day=10**9, query_seconds=0, gets_an_object=0, objects_kept=0)
    twice = replace(large, events_a_day=2 * 10**9)
    assert athena_a_day(twice, PRICE) == pytest.approx(2 * athena_a_day(large, PRICE))


def test_athena__hardly_any_events__pays_the_least_of_each_query() -> None:
    tiny = replace(GIVEN, events_a_day=1, query_seconds=0, shops=1, experiments=1, athena_minutes=1440)
    tiny = replace(tiny, gets_an_object=0, objects_kept=0)
    least = QUERIES_A_SHOP * ATHENA_LEAST_BYTES
    assert athena_a_day(tiny, PRICE) == pytest.approx(least / TERABYTE * PRICE["athena_terabyte"])


def test_athena__more_experiments_than_one_query_counts__reads_what_is_kept_again() -> None:
    one, two = (replace(GIVEN, experiments=number) for number in (PLANS_A_QUERY, PLANS_A_QUERY + 1))
    fewer = replace(GIVEN, experiments=1)
    assert athena_a_day(fewer, PRICE) == athena_a_day(one, PRICE) < athena_a_day(two, PRICE)


def test_history__is_bounded__by_disk_or_by_time() -> None:
    assert most_history(replace(GIVEN, copy_gigabytes=1, copy_bytes=100)) == 10**7
    assert most_history(replace(GIVEN, cold_seconds_at_most=55)) == 5 * 10**6


def test_way__more_events_a_request__is_cheaper() -> None:
    assert sum(way_of_a_million(replace(GIVEN, events_a_request=20), PRICE).values()) < sum(
        way_of_a_million(GIVEN, PRICE).values()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(AthenaQueries):
    """Queries that nobody answers, and how often each of them reads a table."""

    texts: list[str] = field(default_factory=list)

    def stream(self, text: str) -> Iterator[tuple[Value, ...]]:
        self.texts.append(text)
        return iter(())

    def run(self, text: str) -> None:
        """Of UNLOAD the query inside."""
        self.texts.append(text.split("(\n", 1)[1].rsplit("\n)", 1)[0])


def reads_of(text: str, table: str) -> int:
    """Athena computes a named part of a query wherever it is used."""
    tree = sqlglot.parse_one(text, read="athena")
    assert isinstance(tree, exp.Query)
    named = {cte.alias: cte.this for cte in tree.ctes}
    tree.set("with_", None)

    @cache
    def reads(name: str) -> int:
        return of(named[name]) if name in named else int(name == table)

    def of(node: exp.Expr) -> int:
        return sum(reads(each.name) for each in node.find_all(exp.Table))

    return of(tree)


PLAIN = plan(*(goal for goal in GOALS if not goal.is_judged))


def asked(plans: Sequence[CountingPlan], question: Callable[[KeptRows], object]) -> list[str]:
    """The queries of a question: the one that keeps rows, and those of the rest."""
    queries = Reading(database="ledger", workgroup="queries", random=SystemRandomness())
    warehouse = AthenaWarehouse(queries=queries, ledger=MemoryBlobs(), bucket="ledger")
    needed = Needed(plans=plans, days_from=BEGIN - WEEK_MS)
    with warehouse.open(SHOP, ShopFiles(), since=0) as ledger, ledger.kept(needed) as rows:
        question(rows)
    return queries.texts


def test_reads__of_the_ledger__are_one_for_all_plans_and_days_of_a_shop() -> None:
    def whole(rows: KeptRows) -> None:
        rows.counts([replace(PLAIN, experiment_id=str(number)) for number in range(PLANS_A_QUERY)])
        rows.touched_since("2026-02-02")
        rows.days(["2026-02-02", "2026-02-03"], "EUR")

    texts = asked([PLAIN], whole)
    assert len(texts) == QUERIES_A_SHOP
    assert [reads_of(text, "events") for text in texts] == [1, 0, 0, 0]
    assert [reads_of(text, "raw") for text in texts] == [1, 0, 0, 0]


def test_reads__of_what_is_kept__are_those_assumed() -> None:
    questions: list[tuple[Callable[[KeptRows], object], float]] = [
        (lambda rows: rows.counts([PLAIN, HOLDOUT_PLAN]), GIVEN.kept_reads),
        (lambda rows: rows.touched_since("2026-02-02"), GIVEN.touched_reads),
        (lambda rows: rows.days(["2026-02-02"], "EUR"), GIVEN.day_reads),
    ]
    for question, assumed in questions:
        _, text = asked([PLAIN], question)
        assert reads_of(text, "staged_rows") == assumed


def test_limits__of_the_model__are_those_of_the_engine() -> None:
    workers = load(TEMPLATE).parameters["RollupConcurrency"]["Default"]
    assert (workers * QUERIES_AT_ONCE, PLANS_AT_ONCE) == (WORKERS, PLANS_A_QUERY)
    assert DAYS_KEPT + STITCH_MS // DAY_MS == DAYS_OF_ANALYTICS

"""The SQL of counting is one text: what DuckDB runs, Athena must understand, and mean the same by it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import pytest
import sqlglot
from sqlglot import exp

from abtest.adapters.warehouse.athena import AthenaWarehouse
from abtest.adapters.warehouse.athena_client import AthenaQueries, Value
from abtest.adapters.warehouse.counts_sql import candidates, counts_statement
from abtest.adapters.warehouse.kept_rows_sql import Needed
from abtest.adapters.warehouse.shop_day_sql import shop_day_query
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import EventsFile, ShopFiles, raw_key
from abtest.kit.ids import SystemRandomness
from tests.support.ledgers import BEGIN, HOLDOUT_PLAN, PLAN, SHOP, goal, plan
from tests.support.memory import MemoryBlobs

DIALECTS = ("duckdb", "athena")

FUNCTIONS = frozenset(
    {
        *("And", "Or", "Case", "If", "Cast", "Coalesce", "Nullif", "Exists"),
        *("Count", "Sum", "Min", "Max", "Grouping", "RowNumber", "Lag"),
        *("Greatest", "Least", "Length", "Pad", "Substring"),
    }
)
"""Functions that both engines have under one name with one meaning, as far as values here go: none of the arguments of
greatest and least is ever null, which they would treat differently."""

TYPES = frozenset({"BIGINT", "INT", "BOOLEAN", "VARCHAR", "TEXT", "DECIMAL(18, 0)", "DECIMAL(38, 0)"})

OPERATORS_THAT_DIFFER = (
    exp.IntDiv,
    exp.Pow,
    exp.RegexpLike,
    exp.ILike,
    exp.Collate,
    exp.Array,
    exp.Qualify,
)
"""Not in the other dialect, or with another meaning: `//` above all."""

FILES = ShopFiles(
    parquet=(EventsFile(shop_id=SHOP, hour=BEGIN - BEGIN % 3_600_000, first=0, last=15, digest="d").key,),
    raw=(raw_key(["a"], BEGIN), raw_key(["b"], BEGIN + 3_600_000)),
)
DATE = "2026-02-02"
SMALL_PLAN = plan(goal("click"), experiment_id="exp-2")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenDown(AthenaQueries):
    """Queries that nobody answers."""

    texts: list[str] = field(default_factory=list)

    def stream(self, text: str) -> Iterator[tuple[Value, ...]]:
        self.texts.append(text)
        return iter(())

    def run(self, text: str) -> None:
        """Of UNLOAD, which only Athena knows, the query inside."""
        unload, inside = text.split("(\n", 1)
        query, target = inside.rsplit("\n) TO ", 1)
        assert unload == "UNLOAD "
        assert re.fullmatch(r"'s3://ledger/athena/staged/\w+/run=\w+/' WITH \(format = 'PARQUET'\)", target)
        self.texts.append(query)


def _athena(queries: AthenaQueries) -> AthenaWarehouse:
    return AthenaWarehouse(queries=queries, ledger=MemoryBlobs(), bucket="ledger")


def _texts_of_athena() -> list[str]:
    """Whatever the adapter asks, as it asks it."""
    queries = WrittenDown(database="ledger", workgroup="queries", random=SystemRandomness())
    for files in (FILES, ShopFiles()):
        with _athena(queries).open(SHOP, files, since=BEGIN) as ledger:
            for each in (PLAN, HOLDOUT_PLAN, SMALL_PLAN):
                ledger.count(each)
            ledger.day(DATE, "EUR")
            with ledger.kept(Needed(plans=(PLAN, HOLDOUT_PLAN), days_from=BEGIN - 9 * DAY_MS)) as rows:
                rows.counts((PLAN, HOLDOUT_PLAN, SMALL_PLAN))
                rows.days((DATE, "2026-02-03"), "EUR")
                rows.touched_since(DATE)
    return queries.texts


def _statements() -> Iterator[tuple[str, str]]:
    for name, each in (("experiment", PLAN), ("holdout", HOLDOUT_PLAN)):
        yield f"counting-{name}", counts_statement(each)
        yield f"counting-{name}-quarters", counts_statement(each, segments=False)
    listed = candidates(PLAN)
    assert listed is not None
    yield "candidates", listed
    yield "shop-day", shop_day_query(SHOP, DATE, "EUR")
    yield from ((f"athena-{number}", text) for number, text in enumerate(_texts_of_athena()))


STATEMENTS = dict(_statements())


@cache
def parsed(statement: str, dialect: str) -> exp.Expr:
    return sqlglot.parse_one(statement, read=dialect)


@pytest.fixture(params=STATEMENTS)
def statement(request: pytest.FixtureRequest) -> str:
    return STATEMENTS[request.param]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_statement__in_either_dialect__uses_what_both_have(statement: str, dialect: str) -> None:
    tree = parsed(statement, dialect)
    used = {each.name if isinstance(each, exp.Anonymous) else type(each).__name__ for each in tree.find_all(exp.Func)}
    types = {each.sql() for each in tree.find_all(exp.DataType)}
    assert used <= FUNCTIONS
    assert types <= TYPES
    assert not list(tree.find_all(*OPERATORS_THAT_DIFFER))
    assert not any(each.args.get("on") for each in tree.find_all(exp.Distinct))


@pytest.mark.parametrize(("read", "write"), [DIALECTS, DIALECTS[::-1]])
def test_statement__translated__can_be_read_and_names_the_same(statement: str, read: str, write: str) -> None:
    before = parsed(statement, read)
    after = sqlglot.parse_one(before.sql(dialect=write), read=write)
    for kind in (exp.Table, exp.Column, exp.CTE):
        assert {each.alias_or_name for each in before.find_all(kind)} == {
            each.alias_or_name for each in after.find_all(kind)
        }


@pytest.mark.parametrize(
    "foreign",
    [
        "SELECT list_contains(a, 1) FROM t",
        "SELECT a // 2 FROM t",
        "SELECT a::HUGEINT FROM t",
        "SELECT DISTINCT ON (a) b FROM t",
    ],
)
def test_whitelist__what_only_duckdb_knows__is_noticed(foreign: str) -> None:
    """All of the above leans on it."""
    with pytest.raises(AssertionError):
        test_statement__in_either_dialect__uses_what_both_have(foreign, "duckdb")

"""What is Athena's own: partitions, limits of texts, what it leaves behind, its counter. `warehouses` has it count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from abtest.adapters.warehouse.athena import AthenaLedger
from abtest.adapters.warehouse.athena_client import QueryTooLongError
from abtest.adapters.warehouse.athena_shop_counter import AthenaShopCounter
from abtest.adapters.warehouse.athena_stage import ROWS as STAGED
from abtest.adapters.warehouse.kept_rows_sql import KEPT
from abtest.adapters.warehouse.parquet import DuckDbHours
from abtest.domain.ledger.daily_counts import DailyCounts, date_of
from abtest.domain.ledger.events import DAY_MS, HOUR_MS, Row
from abtest.domain.ledger.manifests import manifest_key, sectioned
from abtest.domain.ledger.objects import EventsFile, ShopFiles, hour_of, raw_key
from abtest.domain.ledger.reference import count
from abtest.domain.ledger.shop_days import shop_day
from abtest.kit import canonical_json
from abtest.kit.clock import ManualClock, from_milliseconds
from abtest.ports.warehouse import ShopCounted, ShopPlans
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.shop_objects import ShopObjects
from tests.support.compaction import Compacting
from tests.support.ledgers import BEGIN, HOLDOUT_PLAN, OTHER_SHOP, PLAN, SHOP, exposure, goal, order, plan
from tests.support.ledgers import random_ledger as random_rows
from tests.support.local_athena import LocalAthena, local_athena
from tests.support.members import in_members

WEEK_MS = 7 * DAY_MS
SINCE = BEGIN - 2 * WEEK_MS
WRITTEN = BEGIN + DAY_MS
ROWS = 300


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAthena]:
    with local_athena(tmp_path_factory.mktemp("engine")) as found:
        yield found


@pytest.fixture
def athena(running: LocalAthena) -> LocalAthena:
    running.empty()
    return running


def write_raw(athena: LocalAthena, rows: Sequence[Row], written: int, name: str) -> str:
    """One batch, with a line that is no row at its end."""
    lines = [canonical_json.encode(row) for row in rows]
    key = raw_key([name], written)
    athena.ledger.put(key, in_members([*lines, b"nonsense"]), content_type="application/gzip")
    return key


def compact(athena: LocalAthena, raw: str, written: int) -> list[str]:
    """The batch as Parquet; the names of the shop's files."""
    keys = []
    with DuckDbHours(athena.ledger).open([raw]) as hour:
        for part in hour.parts():
            digest = sha256(part.content).hexdigest()
            file = EventsFile(
                shop_id=part.shop_id, hour=hour_of(written), first=part.first, last=part.last, digest=digest
            )
            athena.ledger.put(file.key, part.content, content_type="application/vnd.apache.parquet")
            keys += [file.key] if part.shop_id == SHOP else []
    return keys


def opened(athena: LocalAthena, rows: Sequence[Row]) -> AthenaLedger:
    """Rows in both zones, a third of them in both at once."""
    third = len(rows) // 3
    old = write_raw(athena, rows[: 2 * third], WRITTEN, "old")
    files = ShopFiles(
        parquet=tuple(compact(athena, old, WRITTEN)),
        raw=(write_raw(athena, rows[third:], WRITTEN + 5 * HOUR_MS, "new"),),
    )
    with athena.warehouse.open(SHOP, files, since=SINCE) as ledger:
        return ledger


def test_count__judged_goals__leave_nothing_behind(athena: LocalAthena) -> None:
    opened(athena, random_rows(1, ROWS)).count(PLAN)
    assert not list(athena.ledger.list("accepted/"))


def test_count__no_objects__is_nothing(athena: LocalAthena) -> None:
    with athena.warehouse.open(SHOP, ShopFiles(), since=SINCE) as ledger:
        assert ledger.count(PLAN) == count([], PLAN)
        assert ledger.day("2026-02-02", "EUR") == shop_day([], SHOP, "2026-02-02", "EUR")


def test_count__another_shops_objects__are_not_counted(athena: LocalAthena) -> None:
    rows = [exposure("v-1", "control"), exposure("v-2", "blue", event_id="e-9", shop_id=OTHER_SHOP)]
    assert opened(athena, rows).count(PLAN) == count(rows[:1], PLAN)


def test_count__raw_hours_over_many_days__are_all_read(athena: LocalAthena) -> None:
    """More days than are listed one by one in the statement."""
    rows = [exposure(f"v-{day}", "control", event_id=f"e-{day}") for day in range(70)]
    raw = tuple(write_raw(athena, [row], WRITTEN + day * DAY_MS, str(day)) for day, row in enumerate(rows))
    with athena.warehouse.open(SHOP, ShopFiles(raw=raw), since=SINCE) as ledger:
        assert ledger.count(PLAN) == count(rows, PLAN)


def test_count__more_goals_than_a_statement_holds__is_refused_in_words(athena: LocalAthena) -> None:
    wanted = plan(*(goal("g" * 200 + str(number)) for number in range(1_000)))
    with pytest.raises(QueryTooLongError, match="at most 262,144"):
        opened(athena, []).count(wanted)


def counted_shops(athena: LocalAthena, *shops: ShopPlans, now: int = WRITTEN + DAY_MS) -> list[ShopCounted]:
    clock = ManualClock(from_milliseconds(now))
    objects = ShopObjects(athena.ledger, LedgerFeed(athena.ledger, clock), clock)
    counter = AthenaShopCounter(athena.warehouse, objects, clock)
    return [counter.count(shop, head=7, stored=None) for shop in shops]


def test_counter__shops_and_plans__each_is_counted_whole(athena: LocalAthena) -> None:
    rows = random_rows(2, ROWS)
    write_raw(athena, rows, WRITTEN, "all")
    other = replace(HOLDOUT_PLAN, shop_id=OTHER_SHOP, experiment_id=OTHER_SHOP)
    wanted = [
        ShopPlans(shop_id=SHOP, currency="EUR", plans=[PLAN, HOLDOUT_PLAN]),
        ShopPlans(shop_id=OTHER_SHOP, currency="USD", plans=[other]),
    ]
    first, second = counted_shops(athena, *wanted)
    assert (first.offset, second.offset) == (7, 7)
    assert first.counts == {one.experiment_id: DailyCounts.of(count(rows, one)) for one in (PLAN, HOLDOUT_PLAN)}
    assert second.counts == {OTHER_SHOP: DailyCounts.of(count(rows, other))}
    assert not first.failed
    assert first.days
    assert first.days == {date: shop_day(rows, SHOP, date, "EUR") for date in first.days}


def test_counter__plan_that_cannot_be_asked__fails_alone(athena: LocalAthena) -> None:
    rows = [exposure("v-1", "control")]
    write_raw(athena, rows, WRITTEN, "all")
    broken = plan(*(goal("g" * 200 + str(number)) for number in range(1_000)), experiment_id="broken")
    (counted,) = counted_shops(athena, ShopPlans(shop_id=SHOP, currency="EUR", plans=[broken, PLAN]))
    assert list(counted.counts) == [PLAN.experiment_id]
    assert "Athena accepts" in counted.failed["broken"]


def test_counter__refund_of_an_old_order__tells_the_orders_day_again(athena: LocalAthena) -> None:
    ten_days = 10 * DAY_MS
    bought = order("v-1", 5_000, order_id="o-1", event_id="e-1")
    refunded = order("v-1", 2_000, BEGIN + ten_days, order_id="o-1", event_id="e-2", type="refund")
    write_raw(athena, [bought], WRITTEN, "old")
    write_raw(athena, [refunded], WRITTEN + ten_days, "new")
    shop = ShopPlans(shop_id=SHOP, currency="EUR", plans=[])
    (counted,) = counted_shops(athena, shop, now=WRITTEN + ten_days)
    date = date_of(BEGIN // DAY_MS)
    assert counted.days[date] == shop_day([bought, refunded], SHOP, date, "EUR")


def test_counter__sections_of_the_shop_and_compacted_hours__are_all_counted(athena: LocalAthena) -> None:
    """Hours of raw objects are those in which the shop has sections; others are not read."""
    rows = random_rows(3, ROWS)
    for number, part in enumerate((rows[:100], rows[100:200], rows[200:])):
        key = raw_key([f"m-{number}"], WRITTEN + number * HOUR_MS)
        content, manifest = sectioned(key, part)
        athena.ledger.put(key, content, content_type="application/gzip")
        athena.ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")
    clock = ManualClock(from_milliseconds(WRITTEN + 2 * HOUR_MS))
    Compacting(clock=clock, ledger=athena.ledger).run()
    assert list(athena.ledger.list("compacted/"))
    shop = ShopPlans(shop_id=SHOP, currency="EUR", plans=[PLAN])
    (counted,) = counted_shops(athena, shop, now=WRITTEN + 3 * HOUR_MS)
    assert counted.counts == {PLAN.experiment_id: DailyCounts.of(count(rows, PLAN))}


def test_document__its_queries__run(athena: LocalAthena) -> None:
    rows = [exposure("v-1", "control", event_id="e-1"), exposure("v-2", "blue", event_id="e-2")]
    compact(athena, write_raw(athena, [*rows, rows[0]], BEGIN + HOUR_MS, "twice"), BEGIN + HOUR_MS)
    document = Path("docs/analytics.md").read_text()
    queries = [part.partition("```")[0] for part in document.split("```sql\n")[1:]]
    told = [query.replace("SHOP", SHOP).replace("EXPERIMENT", rows[0]["experiment_id"] or "") for query in queries]
    types, visitors, repeated = (athena.queries.ask(query).rows for query in told)
    assert types == [("experiment_viewed", 2)]
    assert visitors == [("blue", 1), ("control", 1)]
    assert repeated == [("e-1", 2, rows[0]["received_at"])]


def test_stage__its_table__has_the_columns_of_kept_rows(athena: LocalAthena) -> None:
    types = {"text": "string", "integer": "bigint", "flag": "boolean"}
    table = athena.clients.glue.get_table(DatabaseName=athena.queries.database, Name="staged_rows")["Table"]
    told = {column["Name"]: column.get("Type") for column in table["StorageDescriptor"].get("Columns", [])}
    assert told == {column: types[kind] for column, kind in KEPT.items()}


def test_stage__question_asked_or_broken_off__leaves_nothing_behind(athena: LocalAthena) -> None:
    ledger = opened(athena, [exposure("v-1", "control"), exposure("v-1", "control")])
    ledger.count(PLAN)
    with pytest.raises(QueryTooLongError):
        ledger.count(plan(*(goal("g" * 200 + str(number)) for number in range(1_000))))
    assert not list(athena.ledger.list(STAGED))

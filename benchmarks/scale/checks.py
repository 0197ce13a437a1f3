"""Stored roll-ups against a count from scratch by another way: statements over all rows, or the reference in Python."""

import gzip
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import duckdb

from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.domain.ledger import reference
from abtest.domain.ledger.columns import COLUMNS, row_of_line
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.rollup_documents import rollup_documents, shop_day_of
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.ledger_files import LedgerFiles
from abtest.services.rollups.work import shop_work
from benchmarks.scale.shops import shop_id
from benchmarks.scale.world import Place

STAMPS = {"generation", "computed_at", "offset", "through"}
EVER = "0000-00-00", "9999-99-99"
REFERENCE_ROWS = 20_000
"""Rows up to which the reference counts a shop."""


def behind(place: Place) -> list[str]:
    """Ids of shops that are not counted up to the newest rows of the feed's newest entry."""
    newest = LedgerFeed(place.bare, place.clock).newest()
    heads = newest.heads if newest else {}
    offsets = {each.shop_id: each.offset for each in place.store.progress_of_shops()}
    return sorted(name for name, head in heads.items() if offsets.get(name, 0) < head)


def differences(place: Place, numbers: Iterable[int]) -> list[str]:
    """Return ids of experiments and days whose roll-ups are not what a count of all rows of these shops gives."""
    return [difference for number in numbers for difference in _of_shop(place, number)]


def _of_shop(place: Place, number: int) -> Iterable[str]:
    own = shop_id(number)
    plans = shop_work(cast(Any, place.catalog), own, place.world.now()).plans
    files = LedgerFiles(place.bare).of_shop(own, 0)
    small = _small(place, number)
    with DuckDbWarehouse(place.bare).open(own, files, since=0) as ledger:
        for plan in plans.plans:
            counts = ledger.count(plan) if small is None else reference.count(small, plan)
            if _stored(place, plan) != _documents(plan, DailyCounts.of(counts)):
                yield plan.experiment_id
        for stored in place.store.shop_days(own, *EVER):
            if shop_day_of(stored) != ledger.day(stored["date"], plans.currency):
                yield f"{own} {stored['date']}"


def _stored(place: Place, plan: CountingPlan) -> Any:
    store, name = place.store, (plan.experiment_id, plan.measurement_epoch)
    totals = store.totals(*name)
    if totals is None:
        return None
    slices = [{each["date"]: _plain(each) for each in read(*name, *EVER)} for read in (store.days, store.segments)]
    return _plain(totals), *slices


def _documents(plan: CountingPlan, counts: DailyCounts) -> Any:
    made = rollup_documents(plan, counts, generation=1, computed_at="", stored=None)
    return _plain(made.totals), *(
        {date: _plain(each) for date, each in of.items()} for of in (made.days, made.segments)
    )


def _plain(document: Any) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in STAMPS}


def _small(place: Place, number: int) -> list[Row] | None:
    """All rows of a small shop, copies included; None for a larger one."""
    if place.shops.rows(number) > REFERENCE_ROWS:
        return None
    own, rows = shop_id(number), list[Row]()
    files = LedgerFiles(place.bare).of_shop(own, 0)
    with TemporaryDirectory() as folder, duckdb.connect() as database:
        for count, key in enumerate(files.parquet):
            # Each has a name of its own: the database remembers what it has read of a file.
            (path := Path(folder) / f"{count}.parquet").write_bytes(_content(place, key))
            values_of = database.execute(f"SELECT {', '.join(COLUMNS)} FROM read_parquet('{path}')").fetchall()
            rows += [cast(Row, dict(zip(COLUMNS, values, strict=True))) for values in values_of]
    for key in files.raw:
        # Only lines that have the shop's id may be its rows; to parse those of all shops takes long.
        lines = [line for line in gzip.decompress(_content(place, key)).splitlines() if own.encode() in line]
        rows += [row for line in lines if (row := row_of_line(line)) is not None and row["shop_id"] == own]
    return rows


def _content(place: Place, key: str) -> bytes:
    blob = place.bare.get(key)
    assert blob is not None, key
    return blob.content

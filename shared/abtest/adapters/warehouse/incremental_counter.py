"""Incremental counter: it keeps a copy of the rows that it counted, so a run's cost depends only on new rows.

A database in a temporary folder has the rows of each counted shop for the life of the process. A shop's copy is first
built from Parquet and raw objects. Then each run lists the raw objects of the last hours and reads the new ones into an
inbox, from which every shop takes its rows. The ledger is the source of truth: after any error, the shop's copy is
dropped, and the next run builds it again.
"""

import logging
import shutil
from collections.abc import Generator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from math import inf
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

import duckdb

from abtest.adapters.warehouse.duckdb_ledger import DuckDbShopLedger
from abtest.adapters.warehouse.raw_rows import download, stage
from abtest.adapters.warehouse.shop_copy import Opened, ShopCopy
from abtest.adapters.warehouse.shop_copy_sql import CREATE_INBOX, HASHED
from abtest.domain.ledger.daily_counts import date_of
from abtest.domain.ledger.events import DAY_MS, HOUR_MS
from abtest.domain.ledger.objects import events_file, hour_of, hour_of_key
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.blobs import Blobs
from abtest.ports.warehouse import DAYS_KEPT, OutOfTimeError, ShopCounted, ShopPlans
from abtest.services.ledger_files import LedgerFiles, LedgerIndex

_log = logging.getLogger(__name__)

MEMORY_LIMIT = "1800MB"
DISK_BYTES = 7_000_000_000
OBJECTS_AT_ONCE = 256
OVERLAP_MS = 3 * HOUR_MS
"""Age of objects that are listed again. Workers write under the present hour, so late objects are in the last hours."""

CLOCKS_APART_MS = 5 * 60 * 1000
"""Largest difference of clocks: rows that the edge received after midnight may belong to tomorrow by our clock."""

DAYS_READ_MS = (DAYS_KEPT + 8) * DAY_MS

APPEND_INBOX = f"""INSERT INTO inbox SELECT shop_id, {HASHED}, list_contains($news_of, shop_id)
FROM staged WHERE list_contains($shops, shop_id)"""  # noqa: S608 - names of columns alone


class IncrementalCounter:
    """LedgerCounter for one process and one thread."""

    def __init__(
        self,
        ledger: Blobs,
        clock: Clock,
        *,
        opened: Opened = DuckDbShopLedger,
        memory_limit: str = MEMORY_LIMIT,
        disk_bytes: int = DISK_BYTES,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._opened = opened
        self._files = LedgerFiles(ledger)
        self._disk_bytes = disk_bytes
        self._folder = Path(mkdtemp(prefix="ledger-"))
        finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        spilled: dict[str, Any] = {"memory_limit": memory_limit, "temp_directory": str(self._folder / "spilled")}
        self._database = duckdb.connect(config=spilled | {"preserve_insertion_order": False})
        self._copies: dict[str, ShopCopy] = {}
        """Copies by shop, least recently used first."""
        self._made = 0
        self._until: datetime | None = None

    def refresh(
        self, shops: Sequence[ShopPlans], *, until: datetime | None = None
    ) -> Generator[ShopCounted, None, None]:
        """Yield the counts of each shop. Shops that an abandoned run has not yielded are counted by the next run."""
        self._until = until
        now = to_milliseconds(self._clock.now())
        warm = [shop for shop in shops if self._is_warm(shop, now)]
        cold = [shop for shop in shops if shop not in warm]
        # Raw objects that a copy may lack; after a pause of runs, those since the last one.
        last_listed = min([now, *(self._copies[shop.shop_id].listed_at for shop in warm)])
        listed = self._files.raw_since(last_listed - OVERLAP_MS)
        index = self._read_inbox(warm, cold, listed, now)
        done: list[str] = []
        for shop in shops:
            self._check_time()
            counted = self._refreshed(shop, index, frozenset(listed), now)
            # Only copies of shops that are done may be dropped: the inbox does not have all rows to rebuild the others.
            self._limit_disk_use(done)
            done.append(shop.shop_id)
            yield counted

    def _is_warm(self, shop: ShopPlans, now: int) -> bool:
        """Return whether the shop has a copy. One that does not reach back far enough is dropped."""
        copy = self._copies.get(shop.shop_id)
        if copy is not None and copy.since > shop.rows_since(now - (DAYS_READ_MS - DAY_MS)):
            self._drop(shop.shop_id)
            copy = None
        return copy is not None

    def _read_inbox(
        self, warm: Sequence[ShopPlans], cold: Sequence[ShopPlans], listed: Sequence[str], now: int
    ) -> LedgerIndex | None:
        """Fill the inbox with new rows, and for shops without a copy with all rows that are not compacted."""
        self._database.execute(CREATE_INBOX)
        taken = [self._copies[shop.shop_id].taken for shop in warm]
        # Some copies may get rows that they already have; repeated rows change no counts.
        new = [key for key in listed if not all(key in keys for keys in taken)]
        shops = [shop.shop_id for shop in warm]
        self._append(new, shops, news_of=shops)
        if not cold:
            return None
        # Indexed after the listing, so that no object is missed; objects in both are taken twice, which is harmless.
        index = self._files.index(min(shop.rows_since(now - DAYS_READ_MS) for shop in cold))
        for hour, keys in groupby(index.raw, hour_of_key):
            news_of = [shop.shop_id for shop in cold if hour >= _news_from(shop)]
            self._append(list(keys), [shop.shop_id for shop in cold], news_of=news_of)
        return index

    def _append(self, keys: Sequence[str], shops: Sequence[str], *, news_of: Sequence[str]) -> None:
        for start in range(0, len(keys) if shops else 0, OBJECTS_AT_ONCE):
            self._check_time()
            files = download(self._ledger, keys[start : start + OBJECTS_AT_ONCE], self._folder)
            stage(self._database, files)
            self._database.execute(APPEND_INBOX, {"shops": shops, "news_of": news_of})
            for path in files.values():
                path.unlink()

    def _refreshed(self, shop: ShopPlans, index: LedgerIndex | None, listed: frozenset[str], now: int) -> ShopCounted:
        """Return the counts of a shop. After an error its copy is dropped, and other shops are still counted."""
        try:
            counted = self._count(shop, index, listed, now)
        except OutOfTimeError:
            self._drop(shop.shop_id)
            raise
        except Exception as error:
            _log.exception("rollup.shop_not_counted", extra={"shop_id": shop.shop_id})
            self._drop(shop.shop_id)
            reasons = dict.fromkeys(
                [shop.shop_id, *(plan.experiment_id for plan in shop.plans)], str(error) or type(error).__name__
            )
            return ShopCounted(shop_id=shop.shop_id, failed=reasons)
        # An interrupted change leaves the copy incomplete, as an error does.
        except BaseException:
            self._drop(shop.shop_id)
            raise
        return counted

    def _count(self, shop: ShopPlans, index: LedgerIndex | None, listed: frozenset[str], now: int) -> ShopCounted:
        # Removed and added again below, which makes it the most recently used one.
        copy = self._copies.pop(shop.shop_id, None)
        is_warm = copy is not None
        if copy is None:
            copy = self._new_copy(shop, index or self._files.index(shop.rows_since(now - DAYS_READ_MS)), now)
        self._copies[shop.shop_id] = copy
        brought = copy.bring(shop.plans)
        today = (now + CLOCKS_APART_MS) // DAY_MS
        kept = [date_of(day) for day in range(today - DAYS_KEPT, today + 1)]
        # All days of a shop whose days were never stored; otherwise those that changed.
        changed = brought.dates if is_warm or shop.days_until else copy.dates()
        days = copy.days([date for date in kept if date in changed], kept, shop.currency)
        copy.taken, copy.listed_at = listed, now
        return ShopCounted(
            shop_id=shop.shop_id,
            counts=brought.counts,
            days=days,
            failed=brought.failed,
            rows=brought.rows,
            oldest=brought.oldest if is_warm else None,
        )

    def _new_copy(self, shop: ShopPlans, index: LedgerIndex, now: int) -> ShopCopy:
        self._made += 1
        name = f"shop_{self._made}"
        self._database.execute(f"ATTACH '{self._folder / name}.duckdb' AS {name} (STORAGE_VERSION 'latest')")
        copy = ShopCopy(self._database, name, shop.shop_id, shop.rows_since(now - DAYS_READ_MS), self._opened)
        self._copies[shop.shop_id] = copy  # registered before it is filled, so that an error drops it
        parquet = index.parquet.get(shop.shop_id, ())
        news = [key for key in parquet if events_file(key).hour >= _news_from(shop)]
        self._append_parquet(copy, [key for key in parquet if key not in set(news)], is_new=False)
        self._append_parquet(copy, news, is_new=True)
        copy.built()
        return copy

    def _append_parquet(self, copy: ShopCopy, keys: Sequence[str], *, is_new: bool) -> None:
        for start in range(0, len(keys), OBJECTS_AT_ONCE):
            self._check_time()
            files = download(self._ledger, keys[start : start + OBJECTS_AT_ONCE], self._folder)
            copy.append(list(files.values()), is_new=is_new)
            for path in files.values():
                path.unlink()

    def _check_time(self) -> None:
        if self._until is not None and self._clock.now() >= self._until:
            raise OutOfTimeError

    def _drop(self, shop_id: str) -> None:
        copy = self._copies.pop(shop_id, None)
        if copy is None:
            return
        with suppress(duckdb.TransactionException):  # there is a transaction only while a copy is changed
            self._database.rollback()
        self._database.execute(f"DETACH {copy.name}")
        for path in self._folder.glob(f"{copy.name}.duckdb*"):
            path.unlink(missing_ok=True)

    def _limit_disk_use(self, done: Sequence[str]) -> None:
        for shop_id in done:
            if sum(path.stat().st_size for path in self._folder.rglob("*") if path.is_file()) <= self._disk_bytes:
                return
            self._drop(shop_id)


def _news_from(shop: ShopPlans) -> float:
    """Return the first hour of writing whose rows the shop's days may lack; infinite for a shop without days."""
    return hour_of(shop.days_until - OVERLAP_MS) if shop.days_until else inf

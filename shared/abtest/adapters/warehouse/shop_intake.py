"""Rows for the copy of one shop: its news in the feed, or everything that the ledger holds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, takewhile
from math import inf
from typing import Protocol

from abtest.adapters.warehouse.ids_copy import IdsCopy
from abtest.adapters.warehouse.raw_rows import download, stage
from abtest.adapters.warehouse.raw_sections import batches
from abtest.adapters.warehouse.shop_copy import Opened, ShopCopy
from abtest.adapters.warehouse.shop_copy_sql import CREATE_INBOX, HASHED, rows_of
from abtest.adapters.warehouse.shop_shelf import Copy, Held, Shelf
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.feed import ShopNews
from abtest.domain.ledger.manifests import Section
from abtest.domain.ledger.margins import OVERLAP_MS
from abtest.domain.ledger.objects import events_file, hour_of, hour_of_key
from abtest.domain.ledger.partitions import Unit
from abtest.domain.ledger.shop_results import Results
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.blobs import Blobs
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import DAYS_KEPT, OutOfTimeError, ShopPlans
from abtest.services.ledger_feed import Advanced
from abtest.services.shop_objects import ShopObjects

OBJECTS_AT_ONCE = 256
MOST_PARTS = 8
"""A unit reads at most so many times the rows of a call, and keeps its part of them."""

DAYS_READ_MS = (DAYS_KEPT + 8) * DAY_MS

APPEND = f"INSERT INTO inbox SELECT shop_id, {HASHED}, $is_new FROM staged WHERE shop_id = $shop AND {{condition}}"  # noqa: S608 - names of columns alone
CLEAR = "DROP TABLE IF EXISTS inbox; DROP TABLE IF EXISTS temp.staged;"


class Feed(Protocol):
    """The part of `services.ledger_feed.LedgerFeed` that the counter reads."""

    def news(self, shop_id: str, *, after: int, head: int) -> list[ShopNews]:
        """Return the shop's news behind `after` up to `head`, oldest first. Raises an error where one is gone."""
        ...

    def advance(self) -> Advanced:
        """Append what is new to the feed, and return its newest entry."""
        ...

    def awaited(self) -> Callable[[str], bool]:
        """Return a function of a key: whether a raw object in no entry may come into a later one."""
        ...

    def sections_of(self, shop_id: str, raw_keys: Sequence[str]) -> list[Section]:
        """Return the shop's sections of raw objects."""
        ...


class Task:
    """One call of the counter. `stored` becomes None when the state is in doubt."""

    def __init__(
        self,
        clock: Clock,
        shop: ShopPlans,
        *,
        head: int,
        stored: StoredState | None,
        until: datetime | None,
        unit: Unit | None = None,
        at: int | None = None,
    ) -> None:
        """With a `unit`, only that part of the shop is counted, up to `head` exactly, for the moment `at` (Unix ms)."""
        self.shop = shop
        self.shop_id = shop.shop_id
        self.unit = unit
        self.name = f"{shop.shop_id}.{unit.name}" if unit else shop.shop_id
        """Name of the copy and of its states."""
        self.head = head
        self.stored = stored
        self.after = stored.offset if stored else 0
        """Offset of the stored state, also where that is in doubt."""
        self.now = to_milliseconds(clock.now()) if at is None else at
        self._clock = clock
        self._until = until

    @property
    def is_over(self) -> bool:
        """Return whether the time is over."""
        return self._until is not None and self._clock.now() >= self._until

    def check_time(self) -> None:
        """Raise OutOfTimeError when the time is over."""
        if self.is_over:
            raise OutOfTimeError


@dataclass(frozen=True, slots=True)
class Intake:
    """Reader of a shop's rows into the inbox of the shelf's database."""

    ledger: Blobs
    feed: Feed
    objects: ShopObjects
    shelf: Shelf
    opened: Opened
    rows_a_call: int

    def take_news(self, task: Task, held: Held) -> int:
        """Read news up to the limit of rows, but at least one entry's; return the offset of the last."""
        self.shelf.database.execute(CREATE_INBOX)
        if task.head <= held.copy.offset:
            return held.copy.offset
        news = self.feed.news(task.shop_id, after=held.copy.offset, head=task.head)
        rows = accumulate(each.rows for each in news)
        # A unit keeps its part of the rows only.
        most = self.rows_a_call * min(task.unit.of if task.unit else 1, MOST_PARTS)
        taken = news[: max(1, sum(1 for _ in takewhile(lambda number: number <= most, rows)))]
        sections = [section for each in taken for section in each.sections]
        self._take(task, sections, is_new=True)
        held.entries += len(taken)
        return taken[-1].offset if taken else task.head

    def build(self, task: Task) -> Held:
        """Build the copy from all that the ledger holds now, which includes the news up to `head`."""
        self.shelf.drop(task.name)
        self.shelf.database.execute(CREATE_INBOX)
        since = task.shop.rows_since(task.now - DAYS_READ_MS)
        awaited = self.feed.awaited()
        files = self.objects.of_shop(task.shop_id, since)
        # The rows of an object that is in no entry will be news, for all units at the same offset.
        sections = [each for each in files.sections if task.unit is None or each.rows or not awaited(each.key)]
        # Rows that the shop's stored days may lack are new: they tell which days change.
        news_from = hour_of(task.shop.days_until - OVERLAP_MS) if task.shop.days_until else inf
        with self.shelf.new_file() as (name, file):
            self.shelf.attach(name, file)
            copy = self.copy(task, name, since)
            for is_new in (False, True):
                parquet = [key for key in files.parquet if (events_file(key).hour >= news_from) is is_new]
                self._append_parquet(task, copy, parquet, is_new=is_new)
                raw = [each for each in sections if (hour_of_key(each.key) >= news_from) is is_new]
                self._take(task, raw, is_new=is_new)
            copy.built()
            if task.unit is not None:
                # Rows that arrived after `head` may be in it, which other units do not have up to this offset.
                newest = self.feed.advance().entry
                copy.covers = newest.heads.get(task.shop_id, 0) if newest else 0
            held = Held(copy=copy, file=file)
        self.shelf.put(task.name, held)
        return held

    def copy(self, task: Task, name: str, since: int, results: Results | None = None) -> Copy:
        """Open the copy in the attached database `name`: with `results`, one that was stored; else a new one."""
        database, unit = self.shelf.database, task.unit
        if unit is not None and unit.kind == "ids":
            return IdsCopy(database, name, task.shop_id, unit, since, is_stored=results is not None)
        return ShopCopy(database, name, task.shop_id, since, self.opened, results, unit=unit)

    def _take(self, task: Task, sections: Sequence[Section], *, is_new: bool) -> None:
        database = self.shelf.database
        for files in batches(self.ledger, sections, self.shelf.folder):
            task.check_time()
            stage(database, files)
            database.execute(APPEND.format(condition=rows_of(task.unit)), {"shop": task.shop_id, "is_new": is_new})

    def _append_parquet(self, task: Task, copy: Copy, keys: Sequence[str], *, is_new: bool) -> None:
        for start in range(0, len(keys), OBJECTS_AT_ONCE):
            task.check_time()
            files = download(self.ledger, keys[start : start + OBJECTS_AT_ONCE], self.shelf.folder)
            copy.append(list(files.values()), is_new=is_new)
            for path in files.values():
                path.unlink()

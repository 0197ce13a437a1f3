"""Counter of one shop after another: its copy is in the process, a state in the bucket, or built from the ledger.

The ledger is the source of truth. A copy is continued with the shop's news in the feed behind its offset. What cannot
be continued is built again from Parquet and raw objects: a state that is in doubt, a feed with a gap, a copy that
failed.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import duckdb

from abtest.adapters.warehouse.duckdb_ledger import DuckDbShopLedger
from abtest.adapters.warehouse.shop_copy import Opened
from abtest.adapters.warehouse.shop_copy_sql import RELEASE
from abtest.adapters.warehouse.shop_intake import CLEAR, DAYS_READ_MS, Feed, Intake, Task
from abtest.adapters.warehouse.shop_shelf import Held, Shelf
from abtest.adapters.warehouse.shop_state import ShopState, ShopStates, StateInDoubtError
from abtest.domain.ledger.daily_counts import date_of
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.margins import CLOCKS_APART_MS
from abtest.domain.ledger.shop_days import ShopDay
from abtest.kit.clock import Clock
from abtest.ports.blobs import Blobs, BlobsUnavailableError
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import DAYS_KEPT, OutOfTimeError, ShopCounted, ShopPlans
from abtest.services.shop_objects import ShopObjects

_log = logging.getLogger(__name__)

FAR_ENTRIES = 500
"""A copy this many entries behind the stored state is not continued: to read those takes longer than the state."""

FAR_ROWS = 5_000
"""With fewer new rows than this, a copy is continued rather than a stored state fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a process, and when a state is stored: whichever of the three comes first after the last one.

    A call reads at most `rows_a_call` of news. A state is stored after new rows of a share of all, but at least
    `state_rows`; after `state_entries` of the feed with news; and with a plan that the last state does not have. A file
    above `part_bytes` is stored in parts of that size. A copy with `outgrown_rows` is built again once it reaches back
    twice as far as needed, because rows are only added to it.
    """

    memory: str = "1800MB"
    disk_bytes: int = 7_000_000_000
    shops: int = 16
    rows_a_call: int = 2_000_000
    state_share: float = 0.05
    state_rows: int = 500
    state_entries: int = 240
    part_bytes: int = 1 << 22
    outgrown_rows: int = 1_000_000


_LIMITS = Limits()


class DuckDbShopCounter:
    """ShopCounter for one process and one thread."""

    def __init__(
        self,
        ledger: Blobs,
        clock: Clock,
        feed: Feed,
        *,
        opened: Opened = DuckDbShopLedger,
        limits: Limits = _LIMITS,
    ) -> None:
        self._clock = clock
        self._feed = feed
        self._opened = opened
        self._limits = limits
        self._states = ShopStates(ledger, clock, limits.part_bytes)
        self._shelf = Shelf(memory_limit=limits.memory, disk_bytes=limits.disk_bytes, shops=limits.shops)
        self._objects = ShopObjects(ledger, feed, clock)
        self._intake = Intake(ledger, feed, self._objects, self._shelf, opened, limits.rows_a_call)

    def count(
        self, shop: ShopPlans, *, head: int, stored: StoredState | None, until: datetime | None = None
    ) -> ShopCounted:
        """Count the shop up to `head` by its copy here, by its stored state, or from scratch; see ShopCounter."""
        with self.counting(Task(self._clock, shop, head=head, stored=stored, until=until)) as (_, counted):
            return counted

    @property
    def database(self) -> duckdb.DuckDBPyConnection:
        """The database to which the copies are attached."""
        return self._shelf.database

    @contextmanager
    def counting(self, task: Task) -> Iterator[tuple[Held, ShopCounted]]:
        """Carry out a task, and yield its copy, which is in use until the context ends, with its counts."""
        task.check_time()
        try:
            done = self._continued(task)
            if done is None:
                offset = self._offset_of_all(task)
                held = self._intake.build(task)
                done = held, self._counted(task, held, offset, is_warm=False)
            yield done
        except (OutOfTimeError, BlobsUnavailableError):
            raise  # what the shelf has is whole
        except BaseException:
            self._shelf.drop(task.name)
            self._objects.forget()
            raise
        finally:
            self._shelf.database.execute(CLEAR + RELEASE)
            self._shelf.limit()

    def _offset_of_all(self, task: Task) -> int:
        """Return the offset up to which a copy that is built after this call has everything."""
        if task.after <= task.head:
            return task.head
        # All that the stored offset stands for was in the ledger before it is listed, unless the offset is damaged:
        # one beyond the feed would make news that are yet to come old ones.
        newest = self._feed.advance().entry
        return max(task.head, min(task.after, newest.heads.get(task.shop_id, 0) if newest else 0))

    def _continued(self, task: Task) -> tuple[Held, ShopCounted] | None:
        """Continue a copy; None where there is none, or it cannot be continued."""
        try:
            held = self._held(task)
            if held is None:
                return None
            return held, self._counted(task, held, self._intake.take_news(task, held), is_warm=True)
        except (OutOfTimeError, BlobsUnavailableError):
            raise
        except Exception as error:
            # Whatever the reason, the ledger has all rows. An error that is not the copy's own comes again there.
            _log.warning("rollup.copy_in_doubt", exc_info=error, extra={"shop_id": task.name})
            self._shelf.drop(task.name)
            task.stored = None
            return None

    def _held(self, task: Task) -> Held | None:
        """Return the copy in this process or, where that is cheaper to bring up to date, the stored one."""
        since = task.shop.rows_since(task.now - (DAYS_READ_MS - DAY_MS))
        held = self._shelf.get(task.name)
        is_ahead = held is not None and task.unit is not None and held.copy.offset > task.head
        is_outgrown = held is not None and self._is_outgrown(task, since, held.copy.since, held.copy.held)
        if held is not None and (held.copy.since > since or is_ahead or is_outgrown):
            self._shelf.drop(task.name)
            held = None
        if task.stored is None or (held is not None and not self._is_far_behind(task, held, task.stored)):
            if held is not None:
                _adopt(held, task.stored)
            return held
        try:
            restored = self._restored(task, task.stored, since)
        except BlobsUnavailableError:
            raise
        except Exception as error:
            _log.warning("rollup.state_in_doubt", exc_info=error, extra={"shop_id": task.name})
            task.stored = None
            if held is not None:
                held.stored, held.parts = None, ()
            return held
        self._shelf.put(task.name, restored)
        return restored

    def _is_outgrown(self, task: Task, needed: int, since: int, held: int) -> bool:
        return held >= self._limits.outgrown_rows and task.now - since > 2 * (task.now - needed)

    def _is_far_behind(self, task: Task, held: Held, stored: StoredState) -> bool:
        missing = stored.offset - held.copy.offset
        if missing <= 0 or missing > FAR_ENTRIES:
            return missing > 0
        try:
            news = self._feed.news(task.shop_id, after=held.copy.offset, head=task.head)
        except BlobsUnavailableError:
            raise
        except Exception:  # behind a gap in the feed, the copy cannot be continued
            return True
        rows = sum(each.rows for each in news if each.offset <= stored.offset)
        # To count a new row for a plan takes about as long as to fetch a row of the state.
        return rows > FAR_ROWS and rows * (1 + len(task.shop.plans)) > held.copy.held

    def _restored(self, task: Task, stored: StoredState, since: int) -> Held:
        with self._shelf.new_file() as (name, file):
            state = self._states.read(stored, task.name, file, since=since)
            if self._is_outgrown(task, since, state.since, state.held):
                raise StateInDoubtError("it reaches back more than twice as far as needed")
            self._shelf.attach(name, file)
            copy = self._intake.copy(task, name, state.since, state.results)
            if copy.held != state.held:
                raise StateInDoubtError(f"it has {copy.held} rows instead of {state.held}")
            copy.offset, copy.covers = state.offset, state.covers
            plans, changed = dict(state.results.plans), dict(state.changed)
            return Held(copy=copy, file=file, stored=stored, parts=state.parts, plans=plans, changed=changed)

    def _counted(self, task: Task, held: Held, offset: int, *, is_warm: bool) -> ShopCounted:
        """Bring the inbox, count, and store the state. Raises OutOfTimeError with a whole copy.

        After any other exception the copy must be dropped.
        """
        copy = held.copy
        try:
            brought = copy.bring(task.shop.plans, offset=offset, check=task.check_time)
        except OutOfTimeError:
            held.changed |= dict.fromkeys(copy.outdated, task.now)
            return self._part(task, held)
        held.changed |= dict.fromkeys(copy.outdated, task.now)
        held.rows += brought.rows
        days = self._days(task, held)
        self._store(task, held)
        return ShopCounted(
            shop_id=task.shop_id,
            counts=brought.counts,
            days=days,
            failed=brought.failed,
            rows=brought.rows,
            oldest=brought.oldest if is_warm else None,
            offset=copy.offset,
            state=held.stored,
            held=copy.held,
        )

    def _days(self, task: Task, held: Held) -> dict[str, ShopDay]:
        """Return the days that changed since the shop's days were stored; all of them where they never were."""
        copy, days_until = held.copy, task.shop.days_until
        # Rows that the edge received after midnight may belong to tomorrow by our clock.
        today = (task.now + CLOCKS_APART_MS) // DAY_MS
        kept = [date_of(day) for day in range(today - DAYS_KEPT, today + 1)]
        if task.unit is not None:  # who adds up needs all of them
            dates = copy.dates() | copy.outdated
            return copy.days([date for date in kept if date in dates], kept, task.shop.currency)
        recent = {date: at for date, at in held.changed.items() if at >= days_until - CLOCKS_APART_MS and date in kept}
        dates = copy.outdated | recent.keys() if days_until else copy.dates()
        days = copy.days([date for date in kept if date in dates], kept, task.shop.currency)
        held.changed = recent
        return days

    def _part(self, task: Task, held: Held) -> ShopCounted:
        """Return the plans that were counted in time, if they could be stored for the next call; else raise."""
        before = held.stored
        self._store(task, held, is_part=True)
        if held.stored is None or held.stored == before:
            raise OutOfTimeError
        counted = held.copy.results().counted
        return ShopCounted(
            shop_id=task.shop_id,
            counts={
                plan.experiment_id: counted[plan.experiment_id].counts
                for plan in task.shop.plans
                if plan.experiment_id in counted
            },
            offset=max(0, min(task.after, task.head - 1)),
            state=held.stored,
            held=held.copy.held,
        )

    def _store(self, task: Task, held: Held, *, is_part: bool = False) -> None:
        """Store the state if it is due. A failure costs the next process some time, and nothing else."""
        copy, results = held.copy, held.copy.results()
        has_more = any(held.plans.get(experiment_id) != plan for experiment_id, plan in results.plans.items())
        is_late = task.stored is not None and task.is_over
        # What is behind goes on in any process, which would take the same news again from an older state.
        is_due = self._is_due(held) or copy.offset < task.head
        if not (has_more if is_part else (has_more or is_due) and not is_late):
            return
        self._shelf.database.execute(f"CHECKPOINT {copy.name}")
        state = ShopState(
            shop_id=task.name,
            offset=copy.offset,
            covers=copy.covers,
            since=copy.since,
            held=copy.held,
            results=results,
            changed=held.changed,
        )
        try:
            held.stored, held.parts = self._states.write(state, held.file, known=held.parts)
            held.plans, held.rows, held.entries = dict(results.plans), 0, 0
            self._states.forget(held.stored, named=task.stored)
        except Exception as error:
            _log.warning("rollup.state_not_stored", exc_info=error, extra={"shop_id": task.name})

    def _is_due(self, held: Held) -> bool:
        limits = self._limits
        enough = max(limits.state_rows, limits.state_share * held.copy.held)
        return held.stored is None or held.rows >= enough or held.entries >= limits.state_entries


def _adopt(held: Held, stored: StoredState | None) -> None:
    """Note a newer state of another process, whose parts are not known here."""
    if stored is not None and (held.stored is None or held.stored.offset < stored.offset):
        held.stored, held.parts, held.plans, held.rows, held.entries = stored, (), dict(held.copy.results().plans), 0, 0

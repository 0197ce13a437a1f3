"""Sealing: each night, the rows of each shop since its last seal become Merkle trees, one a day, chained.

A seal is an object that is written once, and then a record, by which it is listed. A run that meets an object without
its record stores the record; so a run may end at any line and be repeated, also twice at once.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import groupby, islice
from uuid import UUID

from abtest.domain.audit.seals import LATE, Seal, SealedRows, day_start, object_key, sealed
from abtest.domain.credentials.stored_keys import USERS
from abtest.kit.clock import from_milliseconds, parse_timestamp
from abtest.kit.ids import before_uuid7
from abtest.ports.audit import AuditStore, Indexing
from abtest.ports.blobs import Blobs, PreconditionFailedError
from abtest.ports.catalog import COUNTED_FOR_EVER, AuditRow, Commit, StaleVersionError
from abtest.services.audit_log.records import leaf_of, put_seal, read_sealed, read_seals
from abtest.services.context import World

_log = logging.getLogger(__name__)

MAX_REPORTED = 20
MAX_SHOPS = 100_000
ROWS_AT_ONCE = 200
OLD_WRITERS_END = timedelta(hours=1)
"""Time after which no function of an earlier release runs, which would write rows without entries."""
_DAY = timedelta(days=1)
_ALL_SHOPS = "COUNT"
"""Work queue that has every shop as long as it exists."""


@dataclass(slots=True)
class Sealed:
    """Outcome of a run. `left` counts shops that it had no time for; the next night seals them."""

    shops: int = 0
    seals: int = 0
    rows: int = 0
    left: int = 0


class SealingFailedError(Exception):
    """Some shops could not be sealed; the others were."""


class SealMissingError(Exception):
    """A seal is recorded and its object is gone, so that nothing can be sealed behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealer:
    """Use case behind the nightly schedule and the operator's command."""

    world: World
    store: AuditStore
    blobs: Blobs

    def run(self, *, until: datetime) -> Sealed:
        """Seal the shops that had rows since all were sealed; no shop is begun after `until`.

        Rows of earlier releases are indexed in the time that is left. Raises SealingFailedError, after trying all of
        them, for shops that could not be sealed or had to wait.
        """
        outcome, failed = Sealed(), []
        shops, unindexed = self._shops()
        for shop_id in shops:
            if self.world.clock.now() >= until:
                outcome.left += 1
                continue
            try:
                seals = self.seal(shop_id)
            except Exception:
                _log.exception("seals.failed", extra={"shop_id": shop_id})
                failed.append(shop_id)
            else:
                outcome.shops += 1
                outcome.seals += len(seals)
                outcome.rows += sum(seal.size for seal in seals)
        self._index_all(unindexed, until)
        if failed or outcome.left:
            named = f"not sealed: {', '.join(failed[:MAX_REPORTED]) or 'none failed'}"
            raise SealingFailedError(f"{named}; {outcome.left} shops had to wait for the next run")
        self.store.set_sealed_through(f"{self.world.clock.now():%Y-%m-%d}")
        return outcome

    def _index_all(self, shop_ids: Sequence[str], until: datetime) -> None:
        for shop_id in shop_ids:
            if self.world.clock.now() >= until:
                return
            try:
                self.index(shop_id, until=until)
            except Exception:  # filters of this shop read all rows until a later night
                _log.exception("seals.not_indexed", extra={"shop_id": shop_id})

    def seal(self, shop_id: str, *, with_today: bool = False) -> list[Seal]:
        """Seal the days of a shop that are over, and its late rows; `with_today`, also what today has so far.

        There is one seal a day. Rows that come after it are in the seal of a later day.
        """
        now = self.world.clock.now()
        end = day_start(f"{now:%Y-%m-%d}") + (_DAY if with_today else timedelta(0))
        first = previous = next(iter(read_seals(self.world.catalog, shop_id, limit=1)[0]), None)
        done = []
        for date, leaves in self._unsealed(shop_id, first, end):
            previous = self._write(sealed(leaves, shop_id=shop_id, date=date, previous=previous, now=self.world.now()))
            done.append(previous)
        return done

    def index(self, shop_id: str, *, until: datetime) -> None:
        """Write the entries that rows of earlier releases lack. A run that dies, or has no more time, is continued.

        A second run, an hour later at the earliest, finishes it: functions of the earlier release may have written
        during the first. What is written since has its entries.
        """
        now, before = self.world.clock.now(), self.store.indexing(shop_id)
        if before is not None and before.is_whole:
            return
        begun_at = before.begun_at if before else self.world.now()
        from_id = before_uuid7(_made_at(before.through) - LATE) if before else None
        rows = self.store.between(shop_id, from_id, before_uuid7(now))
        while portion := list(islice(rows, ROWS_AT_ONCE)):
            if self.world.clock.now() >= until:
                return
            self.store.index(portion)
            self.store.set_indexing(shop_id, Indexing(begun_at=begun_at, through=portion[-1].id, is_whole=False))
        is_whole = now - parse_timestamp(begun_at) >= OLD_WRITERS_END
        self.store.set_indexing(shop_id, Indexing(begun_at=begun_at, through=before_uuid7(now), is_whole=is_whole))

    def _unsealed(
        self, shop_id: str, previous: Seal | None, end: datetime
    ) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Yield the leaves to seal, day by day; those of sealed days are added to the next day that has any."""
        start = None if previous is None else day_start(previous.date) - LATE
        from_id = None if start is None else before_uuid7(start)
        rows = self.store.between(shop_id, from_id, before_uuid7(end))
        known = self._known(shop_id, start)
        late: list[tuple[str, str]] = []
        for date, of_day in groupby(rows, key=_day_of):
            leaves = [leaf_of(row) for row in of_day if row.id not in known]
            if previous is not None and date <= previous.date:
                late += leaves
            elif leaves:
                yield date, late + leaves
                late = []
        if late and previous is not None and previous.date < (last := f"{end - _DAY:%Y-%m-%d}"):
            yield last, late

    def _known(self, shop_id: str, start: datetime | None) -> set[str]:
        """Return the ids of the rows that seals of these days have. Raises SealMissingError."""
        if start is None:
            return set()
        known: set[str] = set()
        seals, _ = read_seals(self.world.catalog, shop_id, limit=LATE.days + 1)
        for seal in seals:
            if day_start(seal.date) >= start:
                stored = read_sealed(self.blobs, shop_id, seal.date)
                if stored is None:
                    raise SealMissingError(f"the seal of {seal.date} is gone; restore it from an earlier version")
                known |= {row_id for row_id, _ in stored.leaves}
        return known

    def _write(self, made: SealedRows) -> Seal:
        shop_id, date = made.seal.shop_id, made.seal.date
        try:
            self.blobs.put(object_key(shop_id, date), made.write(), content_type="application/json", if_absent=True)
        except PreconditionFailedError:
            # Another run wrote it, or an earlier one that ended here. What it has counts; the rest waits for the next.
            stored = read_sealed(self.blobs, shop_id, date)
            if stored is None or stored.seal.previous != made.seal.previous:
                raise
            made = stored
        with suppress(StaleVersionError):  # the same record
            self.world.catalog.commit(Commit(puts=[put_seal(made.seal)]))
        _log.info("seals.written", extra={"shop_id": shop_id, "date": date, "rows": made.seal.size})
        return made.seal

    def _shops(self) -> tuple[list[str], list[str]]:
        """Return the shops to seal, and those of them whose rows of earlier releases are not indexed.

        To seal: those with rows since the last run that sealed all, and in the days before it whose late rows may have
        been written since. Those that are not indexed may have been silent since the earlier release, without a seal.
        The order is another one each night, so that no shop is always the one for which no time is left.
        """
        today = day_start(f"{self.world.clock.now():%Y-%m-%d}")
        complete = self.store.sealed_through()
        first = min(day_start(complete), today) if complete else today
        back = (today - first).days + LATE.days + 2
        days = [f"{today - timedelta(days=each):%Y-%m-%d}" for each in range(back)]
        recent = {shop_id for day in days for shop_id in self.store.shops(day)}
        known = {entry.shop_id for entry in self.world.catalog.due(_ALL_SHOPS, COUNTED_FOR_EVER, limit=MAX_SHOPS)}
        unindexed = [each for each in recent | known | {USERS} if not self._is_indexed(each)]

        def place(shop_id: str) -> str:
            return sha256(f"{days[0]} {shop_id}".encode()).hexdigest()

        return sorted(recent | set(unindexed), key=place), sorted(unindexed, key=place)

    def _is_indexed(self, shop_id: str) -> bool:
        progress = self.store.indexing(shop_id)
        return progress is not None and progress.is_whole


def _day_of(row: AuditRow) -> str:
    return f"{_made_at(row.id):%Y-%m-%d}"


def _made_at(row_id: str) -> datetime:
    """Return the moment in an id, or in a bound between ids, which has no version."""
    return from_milliseconds(UUID(row_id).int >> 80)

"""Counter of shops of any size: small ones in one piece, large ones in units that have messages of their own.

Whether a shop is divided follows from its rows. What units have counted is added up here, so that roll-ups are written
in one way. A shop that is divided, divided otherwise, or joined again goes on from its roll-ups: the new units build
their copies from the ledger, and until they are all done nothing is written.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NoReturn

from abtest.domain.ledger.dispatching import RETRY_MS
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import events_prefix
from abtest.domain.ledger.partitions import KINDS, MOST_ROWS, UNDIVIDED, Division, Unit, division_for
from abtest.domain.ledger.shop_results import Results, added
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.blobs import Blobs
from abtest.ports.queue import Queue, QueueMessage
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import (
    LedgerObjectError,
    ShopCounted,
    ShopCounter,
    ShopPlans,
    ShopUnits,
    UnitCounted,
    UnitsAtWorkError,
)
from abtest.services.rollups.generations import KEPT_BEFORE, Generation, Generations, division_of, plans_digest
from abtest.services.rollups.messages import UnitMessage

_log = logging.getLogger(__name__)

BYTES_A_ROW = 40
"""Bytes of a row in Parquet, by which the rows of a shop are estimated that was never counted."""

GIVEN_UP_MS = HOUR_MS
"""A generation in which nothing was done for this time is given up: a newer one may do what it could not."""

KEPT_MS = HOUR_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class DividedCounter:
    """ShopCounter that divides shops with more than `most_rows`. Several processes may call it; one counts a shop."""

    whole: ShopCounter
    units: ShopUnits
    ledger: Blobs
    queue: Queue
    clock: Clock
    most_rows: int = MOST_ROWS

    def count(
        self, shop: ShopPlans, *, head: int, stored: StoredState | None, until: datetime | None = None
    ) -> ShopCounted:
        """Count the shop; see ShopCounter. Raises UnitsAtWorkError while units of the shop are not done."""
        present = division_of(stored)
        rows = shop.held or self._estimated(shop.shop_id)
        division = division_for(rows, present, most=self.most_rows)
        if division != UNDIVIDED:
            return self._added(shop, division, head, stored, until)
        if present == UNDIVIDED:
            return self.whole.count(shop, head=head, stored=stored, until=until)
        counted = self.whole.count(shop, head=head, stored=None, until=until)
        self._forget(shop.shop_id, None, to_milliseconds(self.clock.now()))
        return counted

    @property
    def _generations(self) -> Generations:
        return Generations(self.ledger)

    def _estimated(self, shop_id: str) -> int:
        return sum(entry.size for entry in self.ledger.list(events_prefix(shop_id))) // BYTES_A_ROW

    def _added(
        self, shop: ShopPlans, division: Division, head: int, stored: StoredState | None, until: datetime | None
    ) -> ShopCounted:
        generations, now = self._generations, to_milliseconds(self.clock.now())
        newest = generations.newest(shop.shop_id)
        if newest is None or not self._goes_on(newest, shop, division, stored, now):
            newest = self._begin(shop, division, head, stored, newest)
        done = generations.done(newest)
        for kind in KINDS:
            if missing := [unit.name for unit in division.units(kind) if unit.name not in done]:
                # A unit that fails, or whose workers die, must not be begun at each run of the dispatcher.
                tried = generations.tried(newest, now - RETRY_MS)
                self._send(newest, [name for name in missing if name not in tried])
                raise UnitsAtWorkError(shop.shop_id)
        try:
            counted, covers = self._sum(shop, newest, until)
        except LedgerObjectError:
            _log.exception("rollup.outcome_in_doubt", extra={"shop_id": shop.shop_id})
            self._start(self._begin(shop, division, head, stored, newest))
        if covers > newest.offset:
            # A unit was built from the ledger, and has rows of later entries: all of them must have these.
            self._start(self._begin(shop, division, covers, stored, newest))
        self._forget(shop.shop_id, newest, now - KEPT_MS)
        return counted

    def _goes_on(
        self, newest: Generation, shop: ShopPlans, division: Division, stored: StoredState | None, now: int
    ) -> bool:
        """Return whether the newest generation is the one to be counted: not yet done, and of the same work."""
        return (
            not (stored and stored.key == newest.key)
            and newest.offset >= (stored.offset if stored else 0)
            and newest.division == division
            and newest.release == self.units.release
            and newest.plans == plans_digest(shop)
            # Since its last unit, because messages of units may wait long behind those of other shops.
            and abs(now - self._generations.worked_at(newest)) < GIVEN_UP_MS
        )

    def _begin(
        self, shop: ShopPlans, division: Division, head: int, stored: StoredState | None, newest: Generation | None
    ) -> Generation:
        # Offsets grow: what a process holds may be as far as the generation before.
        offset = max(head, newest.offset if newest else 0, stored.offset if stored else 0)
        before = [newest.key, *newest.before][:KEPT_BEFORE] if newest else []
        if stored and stored.key not in before:
            # The last one that was added up: all its units have states, and later ones may have none.
            before = [*before[: KEPT_BEFORE - 1], stored.key]
        generation = Generation(
            shop_id=shop.shop_id,
            offset=offset,
            listed_at=shop.listed_at if head == offset else 0,
            at=to_milliseconds(self.clock.now()),
            division=division,
            release=self.units.release,
            plans=plans_digest(shop),
            before=tuple(before),
        )
        self._generations.begin(generation)
        return generation

    def _start(self, generation: Generation) -> NoReturn:
        self._send(generation, [unit.name for unit in generation.division.units("ids")])
        raise UnitsAtWorkError(generation.shop_id)

    def _send(self, generation: Generation, names: Sequence[str]) -> None:
        messages = [UnitMessage(generation=generation, unit=generation.division.unit_named(name)) for name in names]
        self.queue.send_many([QueueMessage(body=each.encoded(), group=generation.shop_id) for each in messages])

    def _sum(self, shop: ShopPlans, generation: Generation, until: datetime | None) -> tuple[ShopCounted, int]:
        """Return the counts of all units, and up to which offset the feed covers their rows."""
        ids = [self._outcome(generation, unit) for unit in generation.division.units("ids")]
        outcomes: list[UnitCounted] = []
        # Many cells of many plans: one outcome at a time is in memory.
        parts = added(self._results(generation, outcomes))
        tied = self.units.tied(shop, [outcome.shared for outcome in outcomes], sorted(parts.days), until=until)
        total = added([parts, tied])
        failed = {name: reason for outcome in outcomes for name, reason in outcome.failed.items()}
        for plan in shop.plans:
            if plan.experiment_id not in total.counted:
                failed.setdefault(plan.experiment_id, "was not counted in every partition")
        oldest = [outcome.oldest for outcome in outcomes if outcome.oldest is not None]
        counted = ShopCounted(
            shop_id=shop.shop_id,
            counts={name: each.counts for name, each in total.counted.items() if name not in failed},
            days=total.days,
            failed=failed,
            rows=sum(outcome.rows for outcome in outcomes),
            oldest=min(oldest, default=None),
            offset=generation.offset,
            state=StoredState(key=generation.key, offset=generation.offset),
            held=sum(outcome.held for outcome in outcomes),
        )
        return counted, max(outcome.covers for outcome in (*ids, *outcomes))

    def _results(self, generation: Generation, outcomes: list[UnitCounted]) -> Iterator[Results]:
        """Yield the results of each partition, and note the rest of its outcome."""
        for unit in generation.division.units("visitors"):
            outcome = self._outcome(generation, unit)
            outcomes.append(replace(outcome, results=Results()))
            yield outcome.results

    def _outcome(self, generation: Generation, unit: Unit) -> UnitCounted:
        return self._generations.outcome(generation, unit)

    def _forget(self, shop_id: str, kept: Generation | None, until: int) -> None:
        try:
            self._generations.forget(shop_id, kept=kept, until=until)
        except Exception:
            _log.warning("rollup.not_forgotten", exc_info=True, extra={"shop_id": shop_id})

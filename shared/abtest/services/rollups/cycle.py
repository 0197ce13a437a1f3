"""Cycle through all shops, which several scheduled runs share where the time of one is too short.

Each run begins behind the newest shop of the run before, so every shop has its turn. The position is stored before a
shop is begun: a shop whose counting kills the process is passed over by the next run, and named as missing.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from abtest.kit.clock import Clock, Timestamp
from abtest.ports.rollup_store import Reach, RollupStore
from abtest.services.leases import Lease, LeaseLostError

MAX_MISSING = 5000
"""With more failures than this, the whole cycle counts as failed. No more are stored, because items have a limit."""

SAVED_EVERY = timedelta(seconds=1)
"""Time between stored positions. Shops behind the stored one are counted again after a death, which changes nothing."""


class Cycle:
    """Position of one run in the cycle, stored under the run's lease. All calls may raise LeaseLostError."""

    def __init__(self, store: RollupStore, clock: Clock, held: Lease, began: Timestamp) -> None:
        self._store = store
        self._clock = clock
        self._held = held
        before = store.progress()
        self.follows_death = before.is_running
        self._carried = before.missing
        self._saved_at: datetime | None = None
        self._present = replace(
            before,
            cycle_began_at=before.cycle_began_at or began,
            run_began_at=began,
            counted=0,
            is_running=True,
        )

    @property
    def shop_id(self) -> str:
        """Return the newest shop that was begun; "" at the start of the first cycle."""
        return self._present.shop_id

    def check(self) -> None:
        """Raise LeaseLostError unless this run still holds its lease."""
        self._held.check()

    def begin(self, shop_id: str, *, failed: Collection[str], left: int) -> None:
        """Move to a shop. `failed`: what this run could not count so far; `left`: its shops that are not counted."""
        if shop_id <= self._present.shop_id:
            self._complete(self._present.cycle_began_at, self._carried.union(failed))
            self._carried = frozenset()
        # Counted as missing until a later position is stored: the process may die in it.
        missing = self._carried.union(failed, [shop_id])
        self._present = replace(self._present, shop_id=shop_id, missing=missing, left=left)
        # After a death every position is stored, so that only the shop that caused it is passed over.
        is_due = self._saved_at is None or self._clock.now() - self._saved_at >= SAVED_EVERY
        if is_due or self.follows_death:
            self._save()

    def counted(self) -> None:
        """Note that the shop is counted and written."""
        self._present = replace(self._present, counted=self._present.counted + 1)

    def end(self, *, failed: Collection[str], uncounted: Collection[str], left: int) -> None:
        """Store how far the run came. Without shops that are left, it was a whole cycle of its own."""
        self._present = replace(
            self._present, missing=self._carried.union(failed, uncounted), left=left, is_running=False
        )
        if left:
            self._save()
        else:
            self._complete(self._present.run_began_at, frozenset(failed))

    def _complete(self, began: Timestamp, missing: frozenset[str]) -> None:
        """Store the end of a cycle, then its reach. The next one has begun with this run."""
        began_at = self._present.run_began_at if self._present.is_running else ""
        self._present = replace(self._present, shop_id="", cycle_began_at=began_at, missing=frozenset())
        # First, because only a run that is not overtaken can do this.
        self._save()
        if len(missing) <= MAX_MISSING:
            self._store.put_reach(Reach(until=began, missing=missing))

    def _save(self) -> None:
        self._held.check()
        missing = frozenset(islice(self._present.missing, MAX_MISSING + 1))
        self._present = replace(self._present, version=self._present.version + 1, missing=missing)
        if not self._store.put_progress(self._present):
            raise LeaseLostError("another run has stored its progress")
        self._saved_at = self._clock.now()


def behind(shop_id: str, shop_ids: Collection[str]) -> list[str]:
    """Return the shops in the order of the cycle, beginning behind the given one."""
    return sorted(shop_ids, key=lambda other: (other <= shop_id, other))

"""Engines that count over the ledger, embedded or remote, and the counter that keeps roll-ups up to date.

An engine opens the ledger objects of one shop and counts their rows. `domain.ledger.reference` and
`domain.ledger.shop_days` define its results exactly.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.objects import ShopFiles
from abtest.domain.ledger.partitions import Unit
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_days import ShopDay
from abtest.domain.ledger.shop_results import Results
from abtest.kit.errors import ServiceError
from abtest.ports.rollup_store import StoredState


class LedgerObjectError(Exception):
    """Ledger object that is missing or cannot be read; the message begins with its key.

    The ledger is append-only, so the object was deleted or damaged. Counts without it would be wrong.
    """

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key}: {reason}")
        self.key = key


class WarehouseUnavailableError(ServiceError):
    """Engine that does not respond or throttles."""

    status = 503
    code = "service_unavailable"


class OutOfTimeError(Exception):
    """The time of a run is over before its shops are counted."""


class ShopLedger(Protocol):
    """Open rows of one shop. All calls may raise LedgerObjectError and WarehouseUnavailableError."""

    def count(self, plan: CountingPlan) -> Counts:
        """Return the counts of a plan of this shop, equal to `domain.ledger.reference.count` of the same rows."""
        ...

    def day(self, date: str, currency: str) -> ShopDay:
        """Return the shop's day `date` (`YYYY-MM-DD`, UTC), equal to `domain.ledger.shop_days.shop_day`."""
        ...


class Warehouse(Protocol):
    """Engine that counts over the ledger."""

    def open(self, shop_id: str, files: ShopFiles, *, since: int) -> AbstractContextManager[ShopLedger]:
        """Open the shop's rows in these objects that were received at or after `since` (Unix ms).

        Plans must not need earlier rows (`CountingPlan.since`); a day needs the rows of the seven days before it.
        Memory and files are released when the context ends.
        """
        ...


DAYS_KEPT = 31
"""Days of a shop that a run updates. The refund of an older order changes the audit's result only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopPlans:
    """Plans to count for one shop, each experiment id once, and the `currency` of the shop's days.

    `days_until` (Unix ms): the stored days include everything that the ledger held then; 0 when there are none. `held`:
    rows that the shop had when it was counted last, 0 before. `listed_at` (Unix ms): the feed up to the head has
    everything that the ledger held then.
    """

    shop_id: str
    currency: str
    plans: Sequence[CountingPlan]
    days_until: int = 0
    held: int = 0
    listed_at: int = 0

    def rows_since(self, days_from: int) -> int:
        """Return the moment from which rows are needed, if the days need them from `days_from`; both in Unix ms."""
        return max(0, min([days_from, *(plan.since for plan in self.plans)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopCounted:
    """Counts of one shop by experiment id, and its days that may have changed by date (`YYYY-MM-DD`).

    `failed` has the reason for each plan that was not counted, by experiment id, and under the shop's id the reason
    for its days. `rows` is the number of rows read since the last run, copies included; `oldest` is when the first of
    them was received (Unix ms). `offset`: everything up to it in the feed is counted. `state`: the newest stored
    state, `held` the number of rows that it counts.
    """

    shop_id: str
    counts: Mapping[str, DailyCounts] = field(default_factory=dict)
    days: Mapping[str, ShopDay] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    rows: int = 0
    oldest: int | None = None
    offset: int = 0
    state: StoredState | None = None
    held: int = 0


class ShopCounter(Protocol):
    """Counter of one shop after another, up to an offset of the ledger's feed, from scratch or from a stored state."""

    def count(
        self, shop: ShopPlans, *, head: int, stored: StoredState | None, until: datetime | None = None
    ) -> ShopCounted:
        """Count the shop up to `head`, the offset of its newest news that the caller knows.

        The result's `offset` is lower where there are more new rows than one run may take: then call again. It is
        higher where the state in this process is newer. A plan that fails does not stop the others. One that had no
        turn in time is in neither `counts` nor `failed`; `offset` is then lower than `head`, too, and `days` are for a
        later call. So `days_until` may advance only where `offset` has reached `head`.

        Raises OutOfTimeError soon after `until`, and LedgerObjectError where rows cannot be read.
        """
        ...


class UnitsAtWorkError(Exception):
    """The shop is counted in units, which have messages of their own and are not done: count it when they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCounted:
    """Outcome of one unit of a divided shop, see `domain.ledger.partitions`.

    `shared` is for other units: of `ids` the hashes of tied visitors, 8 bytes each; of `visitors` the Parquet file of
    all rows of its tied visitors, who are not in `results`. Days are all that the shop keeps. `covers`: all rows are
    in the feed up to this offset; where it is behind `offset`, the outcome cannot be added to those of other units.
    Both are empty while `offset` is lower than the requested one. The other fields are as in ShopCounted.
    """

    results: Results
    shared: bytes
    failed: Mapping[str, str] = field(default_factory=dict)
    rows: int = 0
    oldest: int | None = None
    offset: int = 0
    covers: int = 0
    state: StoredState | None = None
    held: int = 0


class ShopUnits(Protocol):
    """Counter of units of divided shops."""

    @property
    def release(self) -> str:
        """Outcomes of workers with another value cannot be added: they count, or divide ids and visitors, otherwise."""
        ...

    def count(
        self,
        unit: Unit,
        shop: ShopPlans,
        *,
        head: int,
        at: int,
        stored: StoredState | None,
        tied: Sequence[bytes] = (),
        until: datetime | None = None,
    ) -> UnitCounted:
        """Count a unit up to exactly `head`, the offset of news of the shop, and its days up to the moment `at`.

        `at` is in Unix ms. `tied` has what all units of ids have found at this offset. Raises as ShopCounter does.
        """
        ...

    def tied(
        self, shop: ShopPlans, rows: Sequence[bytes], dates: Sequence[str], *, until: datetime | None = None
    ) -> Results:
        """Return the counts and the days of these dates of all tied visitors, from the rows that partitions shared.

        Raises OutOfTimeError soon after `until`.
        """
        ...

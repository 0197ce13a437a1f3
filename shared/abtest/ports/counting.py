"""Counting over the ledger: engines that are embedded or far away, and whoever keeps what they counted up to date.

An engine opens what one shop's objects hold and answers questions about it; `domain.ledger.reference` and
`domain.ledger.shop_days` say what it must answer, to the last digit.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.objects import ShopFiles
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_days import ShopDay
from abtest.kit.errors import ServiceError


class LedgerObjectError(Exception):
    """An object of the ledger is missing or cannot be read; the message begins with its key.

    The ledger is append-only: somebody deleted or damaged it, and to count without it would be to count wrong.
    """

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key}: {reason}")
        self.key = key


class WarehouseUnavailableError(ServiceError):
    """The engine did not answer, or asked to come back."""

    status = 503
    code = "service_unavailable"


class ShopLedger(Protocol):
    """A shop's rows, open for questions. All of them may raise LedgerObjectError and WarehouseUnavailableError."""

    def count(self, plan: CountingPlan) -> Counts:
        """Exactly what `domain.ledger.reference.count` says of the same rows; a plan of this shop."""
        ...

    def day(self, date: str, currency: str) -> ShopDay:
        """Exactly what `domain.ledger.shop_days.shop_day` says of the same rows. `date` is `YYYY-MM-DD` (UTC)."""
        ...


class Warehouse(Protocol):
    """An engine over the ledger."""

    def open(self, shop_id: str, files: ShopFiles, *, since: int) -> AbstractContextManager[ShopLedger]:
        """The shop's rows received at or after `since` (Unix ms), out of these objects; freed when the context ends.

        No plan asked of it may need earlier rows (`CountingPlan.since`), and a day needs the rows of the seven days
        before it.
        """
        ...


DAYS_KEPT = 31
"""Days of a shop that are brought up to date; a refund of an older order changes the audit's and no run's answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopPlans:
    """What is to be counted for one shop, each experiment id once. `currency` is that of the shop's days.

    `days_until`: the shop's days are known to hold what was in the ledger at that moment (Unix ms); 0 for nothing.
    """

    shop_id: str
    currency: str
    plans: Sequence[CountingPlan]
    days_until: int = 0

    def rows_since(self, days_from: int) -> int:
        """From when on the shop's rows are needed, where its days need them from `days_from` on; both in Unix ms."""
        return max(0, min([days_from, *(plan.since for plan in self.plans)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopCounted:
    """What was counted: by experiment id, and by date (`YYYY-MM-DD`) the days that may have changed.

    `failed` says by experiment id why a plan was not counted, and by the shop's id why its days were not; `counts` has
    all others. `rows` were taken since the last time, copies too; the `oldest` of them was received then (Unix ms).
    """

    shop_id: str
    counts: Mapping[str, DailyCounts] = field(default_factory=dict)
    days: Mapping[str, ShopDay] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    rows: int = 0
    oldest: int | None = None


class LedgerCounter(Protocol):
    """Counts all that the ledger holds by now, in whatever way is cheapest."""

    def refresh(self, wanted: Sequence[ShopPlans]) -> Iterator[ShopCounted]:
        """Shop by shop, as each is done. A plan that fails keeps no other from being counted."""
        ...

"""Verification of a shop's audit against its seals: what was changed, removed or added behind the service's back."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice

from abtest.domain.audit.seals import LATE, Seal, SealedRows, day_start
from abtest.kit.clock import from_milliseconds
from abtest.kit.ids import before_uuid7, uuid7_milliseconds
from abtest.ports.audit import AuditStore
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import AuditRow, Catalog
from abtest.services.audit_log.records import leaf_of, read_sealed, read_seals

SEALED_WITHIN = timedelta(days=3)
"""Age at which every row is in a seal, if the schedule runs: its day, the night behind it, and a night that failed."""
AHEAD = timedelta(minutes=10)
"""Time by which the clock of a function may be ahead of the one of this machine."""

_SEALS_AT_ONCE = 100
_ROWS_AT_ONCE = 100
_BEHIND_ALL = before_uuid7(datetime(9999, 1, 1, tzinfo=UTC))
"""Sorts after every id."""


@dataclass(slots=True)
class Verification:
    """Outcome of a verification. `problems` name seals and rows, seals first, rows by id; empty: all is as sealed.

    `waiting` counts rows that are not sealed yet.
    """

    seals: int = 0
    rows: int = 0
    waiting: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """Use case behind `tools/admin audit verify`."""

    catalog: Catalog
    store: AuditStore
    blobs: Blobs
    now: datetime

    def verify(self, shop_id: str) -> Verification:
        """Compute every seal of the shop again, and compare each row with its leaf."""
        outcome = Verification()
        leaves: dict[str, tuple[str, str]] = {}
        previous: Seal | None = None
        for seal in list(self._seals(shop_id))[::-1]:
            outcome.seals += 1
            stored = self._checked(seal, previous, outcome)
            leaves |= {row_id: (leaf, seal.date) for row_id, leaf in (stored.leaves if stored else ())}
            previous = seal
        self._compare(shop_id, leaves, previous, outcome)
        return outcome

    def _checked(self, seal: Seal, previous: Seal | None, outcome: Verification) -> SealedRows | None:
        """Return a seal's rows, and add what is wrong with the seal itself."""
        if seal.previous != (previous.sha256 if previous else None):
            outcome.problems.append(f"seal {seal.date}: does not continue the one before it")
        try:
            stored = read_sealed(self.blobs, seal.shop_id, seal.date)
        except ValueError:
            outcome.problems.append(f"seal {seal.date}: its object is damaged")
            return None
        if stored is None:
            outcome.problems.append(f"seal {seal.date}: its object is gone")
            return None
        if stored.seal != seal or not stored.is_whole:
            outcome.problems.append(f"seal {seal.date}: its object was changed")
        return stored

    def _compare(
        self, shop_id: str, leaves: dict[str, tuple[str, str]], last: Seal | None, outcome: Verification
    ) -> None:
        problems: list[tuple[str, str]] = []
        forgotten: list[str] = []
        rows = self.store.between(shop_id, None, _BEHIND_ALL)
        for row in self._filed(rows, problems):
            outcome.rows += 1
            if _made_at(row.id) > self.now + AHEAD:
                problems.append((row.id, "has an id of the future, which the service does not make"))
            sealed = leaves.pop(row.id, None)
            if sealed is None:
                if last is not None and _is_before(row.id, last):
                    problems.append((row.id, "was added after its day was sealed"))
                elif _made_at(row.id) < self.now - SEALED_WITHIN:
                    forgotten.append(row.id)
                outcome.waiting += 1
            elif sealed[0] != leaf_of(row)[1]:
                problems.append((row.id, f"differs from the seal of {sealed[1]}: {row.action} of {row.created_at}"))
        problems += [(row_id, f"is gone; the seal of {date} has it") for row_id, (_, date) in leaves.items()]
        if forgotten:
            outcome.problems.append(
                f"rows from {forgotten[0]} on: {len(forgotten)} are older than {SEALED_WITHIN.days} days and in no "
                "seal; seals were removed, or CronSeals does not run"
            )
        outcome.problems += [f"row {row_id}: {problem}" for row_id, problem in sorted(problems)]

    def _filed(self, rows: Iterator[AuditRow], problems: list[tuple[str, str]]) -> Iterator[AuditRow]:
        """Yield the rows, and add those that filters would miss."""
        while portion := list(islice(rows, _ROWS_AT_ONCE)):
            misfiled = self.store.misfiled(portion)
            problems += [(row_id, "is missing from filters, or listed with other values") for row_id in misfiled]
            yield from portion

    def _seals(self, shop_id: str) -> Iterator[Seal]:
        after: str | None = None
        while True:
            seals, after = read_seals(self.catalog, shop_id, limit=_SEALS_AT_ONCE, after_id=after)
            yield from seals
            if after is None:
                return


def _is_before(row_id: str, seal: Seal) -> bool:
    """Return whether a row is older than those that may still be sealed late."""
    return _made_at(row_id) < day_start(seal.date) - LATE


def _made_at(row_id: str) -> datetime:
    return from_milliseconds(uuid7_milliseconds(row_id))

"""Dispatch of the compaction: which hours are due, into how many groups of shops each is divided, and their messages.

The first document of an hour fixes its division, so raw objects that come late do not change it. Two dispatchers at one
time may still choose different ones: then there are more documents than necessary, and all of them are right.
"""

import logging
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from abtest.domain.ledger.compacted_hours import beginning
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import Hour, compacted_key, hour_of, is_closed
from abtest.domain.ledger.shop_groups import division, groups_for
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.blobs import Blobs
from abtest.ports.metrics import Metrics
from abtest.ports.queue import Queue
from abtest.services.compaction.unit import HourUnit
from abtest.services.ledger_files import AT_ONCE, LedgerFiles, ListedHour

_log = logging.getLogger(__name__)

# Outages of up to two days are made up by the schedule; for longer ones an operator passes `since`.
LOOK_BACK_HOURS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched:
    """Numbers of a run: hours that are due, and messages for their units."""

    hours: int = 0
    units: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionDispatch:
    """Use case behind the compaction schedule. A repetition sends messages for what is still due."""

    clock: Clock
    ledger: Blobs
    queue: Queue
    metrics: Metrics

    def run(self, *, since: Hour | None = None, open_hours: bool = False) -> Dispatched:
        """Send a message for each unit that is due in the last 48 hours, or since an hour.

        With `open_hours`, hours in which workers still write are included. Raises BlobsUnavailableError and
        QueueUnavailableError; messages may have been sent then.
        """
        now = to_milliseconds(self.clock.now())
        first = hour_of(now) - LOOK_BACK_HOURS * HOUR_MS if since is None else hour_of(since)
        hours = [
            hour
            for hour in LedgerFiles(self.ledger).listed(first, hour_of(now))
            if open_hours or is_closed(hour.hour, now)
        ]
        units = self.due(hours)
        self.queue.send_many([unit.message() for unit in units])
        self.metrics.put({"CompactionUnitsDue": len(units)})
        dispatched = Dispatched(hours=len({unit.hour for unit in units}), units=len(units))
        _log.info("compaction.dispatched", extra={"hours": dispatched.hours, "units": dispatched.units})
        return dispatched

    def due(self, hours: Iterable[ListedHour]) -> list[HourUnit]:
        """Return the units of these hours with raw objects that their document does not name."""
        units = [(hour, unit) for hour in hours for unit in units_of(hour)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            are_due = pool.map(lambda each: self._is_due(*each), units)
            return [unit for (_, unit), is_due in zip(units, are_due, strict=True) if is_due]

    def _is_due(self, hour: ListedHour, unit: HourUnit) -> bool:
        if unit.group not in hour.groups:
            return True
        # A document begins with a digest of what it names, so the many of complete hours are not read.
        expected = beginning(hour.sizes)
        if self.ledger.part(compacted_key(unit.hour, unit.group), 0, len(expected)) == expected:
            return False
        document = LedgerFiles(self.ledger).document(unit.hour, unit.group)
        named = document.compacted.raw if document and document.compacted else frozenset[str]()
        return not named.issuperset(hour.sizes)


def units_of(hour: ListedHour) -> Iterator[HourUnit]:
    """Yield the units of an hour in its division."""
    groups = min((group.of for group in hour.groups), default=0) or groups_for(sum(hour.sizes.values()))
    return (HourUnit(hour=hour.hour, group=group) for group in division(groups))

"""Dispatch of the audit: the night's sample is drawn within the operator's numbers, and sent in parts."""

import logging
from dataclasses import dataclass

from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import hour_of
from abtest.kit.clock import to_milliseconds
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import COUNTED_FOR_EVER
from abtest.ports.metrics import Metrics
from abtest.ports.queue import Queue
from abtest.services.audit.sample import sampled, sampled_hours
from abtest.services.context import World
from abtest.services.ledger_files import LedgerFiles
from abtest.services.rollups.work import MAX_ENTRIES, QUEUE

_log = logging.getLogger(__name__)

LOOK_BACK_HOURS = 7 * 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched:
    """Numbers of a night: drawn records (experiments, personalizations, shops), hours, and messages for them."""

    seed: str
    records: int
    hours: int
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDispatch:
    """Use case behind the audit schedule. `records` and `hours`: how many are drawn a night at most."""

    world: World
    ledger: Blobs
    queue: Queue
    metrics: Metrics
    records: int
    hours: int

    def run(self) -> Dispatched:
        """Send the day's sample. A repetition on the same day sends the same one.

        Raises DatabaseBusyError, BlobsUnavailableError and QueueUnavailableError; messages may have been sent then.
        """
        now = self.world.now()
        seed = now[:10]
        entries = self.world.catalog.due(QUEUE, COUNTED_FOR_EVER, limit=MAX_ENTRIES)
        # An entry is due when its counting ends, so those before now have ended.
        shops = sampled((entry for entry in entries if entry.due >= now), seed, self.records)
        present = hour_of(to_milliseconds(self.world.clock.now()))
        groups = LedgerFiles(self.ledger).groups_since(present - LOOK_BACK_HOURS * HOUR_MS)
        hours = sampled_hours(groups, seed, self.hours)
        # Hours first: what is wrong in raw objects and manifests also explains a roll-up.
        messages = [part.message(seed) for part in hours] + [part.message(seed) for part in shops]
        self.queue.send_many(messages)
        dispatched = Dispatched(
            seed=seed,
            records=sum(len(part.records) for part in shops),
            hours=len({part.unit.hour for part in hours}),
            messages=len(messages),
        )
        self.metrics.put({"AuditPartsSent": len(messages)})
        _log.info("audit.dispatched", extra={"seed": seed, "records": dispatched.records, "hours": dispatched.hours})
        return dispatched

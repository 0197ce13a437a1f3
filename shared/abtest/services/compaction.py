"""Compaction: closed hours of the raw ledger become Parquet, shop by shop.

The Parquet files are written first, then the hour's document, which makes readers use them. So a run that dies leaves
files that no one reads, and the next run writes the same ones: their names follow from the raw objects. Two runs at one
time write the same files; a document is replaced only by one that names all of its raw objects, and more.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from abtest.domain.ledger.aside import AsideLine
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.compacted_hours import CompactedHour, HourFiles
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import (
    EventsFile,
    Hour,
    batch_id,
    compacted_key,
    hour_of,
    is_closed,
    quarantine_key,
    raw_hour,
)
from abtest.kit import canonical_json
from abtest.kit.clock import Clock, to_milliseconds
from abtest.kit.ids import Randomness, uuid7
from abtest.ports.blobs import Blobs, PreconditionFailedError
from abtest.ports.hours import HourRows, Hours, UnreadableLine
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.services.ingest import NDJSON, packed
from abtest.services.leases import Lease, LeaseLostError, lease
from abtest.services.ledger import NO_SHOP
from abtest.services.ledger_files import LedgerFiles

_log = logging.getLogger(__name__)

LEASE = "cron#compact"
# Outages of up to two days are made up by the schedule; for longer ones an operator passes `since`.
LOOK_BACK_HOURS = 48
MAX_SAMPLES = 1000
"""Unreadable lines of a shop's hour that are quarantined; the raw objects keep all of them."""
PARQUET, JSON = "application/vnd.apache.parquet", "application/json"


class CompactionFailedError(Exception):
    """Some hours could not be compacted. Readers still use their raw objects."""


class VanishedRawError(Exception):
    """Raw objects that the hour's document names are gone, so their rows are only in Parquet, where they stay."""


@dataclass(slots=True)
class CompactionSummary:
    """Numbers of a run. `left`: hours for which there was no time, or which another run changed meanwhile."""

    hours: int = 0
    files: int = 0
    rows: int = 0
    copies: int = 0
    unreadable: int = 0
    left: int = 0
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """Use case behind the compaction schedule."""

    clock: Clock
    random: Randomness
    ledger: Blobs
    hours: Hours
    leases: Leases
    metrics: Metrics

    def run(self, *, until: datetime, since: Hour | None = None, open_hours: bool = False) -> CompactionSummary | None:
        """Compact what is due in the last 48 hours, or since an hour; None while another run works.

        No hour is begun after `until`. With `open_hours`, hours in which workers still write are included. Raises
        CompactionFailedError after trying everything.
        """
        owner = uuid7(self.clock.now(), self.random)
        try:
            with lease(self.leases, LEASE, owner=owner, clock=self.clock) as held:
                if held is None:
                    return None
                now = to_milliseconds(self.clock.now())
                first = hour_of(now) - LOOK_BACK_HOURS * HOUR_MS if since is None else hour_of(since)
                hours = LedgerFiles(self.ledger).hours(first, hour_of(now))
                due = [hour for hour in hours if hour.uncovered and (open_hours or is_closed(hour.hour, now))]
                summary = self.compact_all(due, until, held)
        except LeaseLostError:
            return None
        self.metrics.put(
            {
                "CompactedHours": summary.hours,
                "CompactedRows": summary.rows,
                "UnreadableRows": summary.unreadable,
                "HoursLeft": summary.left + len(summary.failed),
            }
        )
        if summary.failed:
            raise CompactionFailedError(f"not compacted: {', '.join(summary.failed[:20])}")
        return summary

    def compact(self, hour: HourFiles, summary: CompactionSummary) -> bool:
        """Compact one hour; False when another run changed it meanwhile. Raises VanishedRawError and what ports do."""
        # A document of fewer raw objects would replace the Parquet files that alone have the vanished rows.
        if hour.compacted is not None and not hour.compacted.raw <= set(hour.raw):
            raise VanishedRawError(compacted_key(hour.hour))
        with self.hours.open(hour.raw) as rows:
            events, kept = self._write_parquet(hour, rows)
            # Before the document, which ends the work on this hour. A run that dies in between writes the same names
            # again.
            self._quarantine(hour, rows.unreadable)
            done = self._write_document(hour, CompactedHour(raw=frozenset(hour.raw), events=tuple(events), rows=kept))
            summary.hours += done
            summary.files += len(events)
            summary.rows += kept
            summary.unreadable += len(rows.unreadable)
            # The queue delivers at least once: what was readable and yet not kept are copies.
            summary.copies += rows.read - len(rows.unreadable) - kept
        _log.info("compaction.hour", extra={"hour": raw_hour(hour.hour), "objects": len(hour.raw), "rows": kept})
        return done

    def compact_all(self, due: Sequence[HourFiles], until: datetime, held: Lease) -> CompactionSummary:
        """Compact these hours; none is begun after `until`. Raises LeaseLostError between two hours."""
        summary = CompactionSummary()
        for number, hour in enumerate(due):
            if self.clock.now() >= until:
                summary.left += len(due) - number
                _log.warning("compaction.out_of_time", extra={"left": len(due) - number})
                break
            held.check()
            try:
                summary.left += not self.compact(hour, summary)
            except Exception:
                # One hour that cannot be read must not keep the others from being compacted.
                _log.exception("compaction.failed", extra={"hour": raw_hour(hour.hour)})
                summary.failed.append(raw_hour(hour.hour))
        return summary

    def _write_parquet(self, hour: HourFiles, rows: HourRows) -> tuple[list[str], int]:
        digest = digest_of(hour.raw)
        keys: list[str] = []
        kept = 0
        for part in rows.parts():
            file = EventsFile(shop_id=part.shop_id, hour=hour.hour, first=part.first, last=part.last, digest=digest)
            self.ledger.put(file.key, part.content, content_type=PARQUET)
            keys.append(file.key)
            kept += part.rows
        return keys, kept

    def _write_document(self, hour: HourFiles, compacted: CompactedHour) -> bool:
        """Write the hour's document; False when another run changed it since it was read."""
        key, content = compacted_key(hour.hour), compacted.encoded()
        try:
            if hour.etag is None:
                self.ledger.put(key, content, content_type=JSON, if_absent=True)
            else:
                self.ledger.put(key, content, content_type=JSON, if_match=hour.etag)
        except PreconditionFailedError:
            _log.warning("compaction.overtaken", extra={"hour": key})
            return False
        return True

    def _quarantine(self, hour: HourFiles, lines: Iterable[UnreadableLine]) -> None:
        shops: defaultdict[str, list[AsideLine]] = defaultdict(list)
        for line in lines:
            shop_id = line.shop_id or NO_SHOP
            sample: AsideLine = {
                "event_id": line.event_id,
                "index": line.index,
                "reason": "unreadable_row",
                # No field of an unreadable line can be trusted, but the hour of its object is known.
                "received_at": hour.hour,
                "sample": line.sample,
                "shop_id": shop_id,
            }
            if len(shops[shop_id]) < MAX_SAMPLES:
                shops[shop_id].append(sample)
        for shop_id, samples in shops.items():
            key = quarantine_key(shop_id, hour.hour, digest_of(hour.raw))
            self.ledger.put(key, packed(samples), content_type=NDJSON)


def digest_of(raw: Iterable[str]) -> str:
    """Digest of raw objects and of the columns that this release writes: together they determine the Parquet files."""
    return batch_id([*raw, canonical_json.dumps(list(COLUMNS.items()))])

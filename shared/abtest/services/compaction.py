"""Compaction: closed hours of the raw ledger become Parquet, shop by shop.

First the Parquet files, then the hour's document, which makes readers turn to them. So a run that dies anywhere leaves
files that nobody reads and the next one writes again: their names follow from the raw objects alone. Two runs at one
time write the same files; a document is replaced only by one that names everything that it named, and more.
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
from abtest.services.ledger import NOBODY
from abtest.services.ledger_files import LedgerFiles

_log = logging.getLogger(__name__)

LEASE, LEASE_SECONDS = "cron#compact", 900
LOOK_BACK_HOURS = 48
MAX_SAMPLES = 1000
"""Lines of a shop's hour that are set aside as they are; the raw objects keep all of them."""
PARQUET, JSON = "application/vnd.apache.parquet", "application/json"


class CompactionFailedError(Exception):
    """Some hours could not be compacted; the others were. Readers go on reading them raw."""


class VanishedRawError(Exception):
    """Raw objects that the hour's document names are gone: what they held stands in Parquet alone, and stays there."""


@dataclass(slots=True)
class Tally:
    """What a run did. `left`: hours for which there was no time, or which another run changed meanwhile."""

    hours: int = 0
    files: int = 0
    rows: int = 0
    copies: int = 0
    unreadable: int = 0
    left: int = 0
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """The use case behind the compaction schedule."""

    clock: Clock
    random: Randomness
    ledger: Blobs
    hours: Hours
    leases: Leases
    metrics: Metrics

    def run(self, *, until: datetime, since: Hour | None = None, open_hours: bool = False) -> Tally | None:
        """Compact what is due in the last 48 hours, or since an hour; None when another run is at it.

        No hour is begun after `until`. `open_hours`: also those in which workers still write. Raises
        CompactionFailedError after trying everything.
        """
        owner = uuid7(self.clock.now(), self.random)
        if not self.leases.acquire(LEASE, owner=owner, seconds=LEASE_SECONDS, now=self.clock.now()):
            return None
        try:
            tally = self._compact_all(self._due(since, open_hours), until)
        finally:
            self.leases.release(LEASE, owner=owner)
        self._tell(tally)
        if tally.failed:
            raise CompactionFailedError(f"not compacted: {', '.join(tally.failed[:20])}")
        return tally

    def compact(self, hour: HourFiles, tally: Tally) -> bool:
        """Compact one hour; False when another run changed it meanwhile. Raises VanishedRawError and what ports do."""
        if hour.compacted is not None and not hour.compacted.raw <= set(hour.raw):
            raise VanishedRawError(compacted_key(hour.hour))
        with self.hours.open(hour.raw) as rows:
            events, kept = self._write(hour, rows)
            self._set_aside(hour, rows.unreadable)
            done = self._name(hour, CompactedHour(raw=frozenset(hour.raw), events=tuple(events), rows=kept))
            tally.hours += done
            tally.files += len(events)
            tally.rows += kept
            tally.unreadable += len(rows.unreadable)
            tally.copies += rows.read - len(rows.unreadable) - kept
        _log.info("compaction.hour", extra={"hour": raw_hour(hour.hour), "objects": len(hour.raw), "rows": kept})
        return done

    def _due(self, since: Hour | None, open_hours: bool) -> list[HourFiles]:
        now = to_milliseconds(self.clock.now())
        first = hour_of(now) - LOOK_BACK_HOURS * HOUR_MS if since is None else hour_of(since)
        found = LedgerFiles(self.ledger).hours(first, hour_of(now))
        return [hour for hour in found if hour.uncovered and (open_hours or is_closed(hour.hour, now))]

    def _compact_all(self, due: Sequence[HourFiles], until: datetime) -> Tally:
        tally = Tally()
        for number, hour in enumerate(due):
            if self.clock.now() >= until:
                tally.left += len(due) - number
                _log.warning("compaction.out_of_time", extra={"left": len(due) - number})
                break
            try:
                tally.left += not self.compact(hour, tally)
            except Exception:
                # One hour that cannot be read must not keep the others from being compacted.
                _log.exception("compaction.failed", extra={"hour": raw_hour(hour.hour)})
                tally.failed.append(raw_hour(hour.hour))
        return tally

    def _write(self, hour: HourFiles, rows: HourRows) -> tuple[list[str], int]:
        digest = _digest(hour.raw)
        keys: list[str] = []
        kept = 0
        for part in rows.parts():
            file = EventsFile(shop_id=part.shop_id, hour=hour.hour, first=part.first, last=part.last, digest=digest)
            self.ledger.put(file.key, part.content, content_type=PARQUET)
            keys.append(file.key)
            kept += part.rows
        return keys, kept

    def _name(self, hour: HourFiles, compacted: CompactedHour) -> bool:
        """Write the hour's document, if it is still the one that was read."""
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

    def _set_aside(self, hour: HourFiles, lines: Iterable[UnreadableLine]) -> None:
        shops: defaultdict[str, list[AsideLine]] = defaultdict(list)
        for line in lines:
            found = shops[line.shop_id or NOBODY]
            if len(found) < MAX_SAMPLES:
                found.append(_sample(line, hour.hour))
        for shop_id, samples in shops.items():
            key = quarantine_key(shop_id, hour.hour, _digest(hour.raw))
            self.ledger.put(key, packed(samples), content_type=NDJSON)

    def _tell(self, tally: Tally) -> None:
        self.metrics.put(
            {
                "CompactedHours": tally.hours,
                "CompactedRows": tally.rows,
                "UnreadableRows": tally.unreadable,
                "HoursLeft": tally.left + len(tally.failed),
            }
        )


def _digest(raw: Iterable[str]) -> str:
    """What becomes of raw objects depends on them and on the columns that this release writes, on nothing else."""
    return batch_id([*raw, canonical_json.dumps(list(COLUMNS.items()))])


def _sample(line: UnreadableLine, hour: Hour) -> AsideLine:
    return {
        "event_id": line.event_id,
        "index": line.index,
        "reason": "unreadable_row",
        "received_at": hour,
        "sample": line.sample,
        "shop_id": line.shop_id or NOBODY,
    }

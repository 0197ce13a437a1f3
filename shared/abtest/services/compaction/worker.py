"""Compaction of one hour for one group of shops: its raw rows become Parquet, shop by shop.

The Parquet files are written first, then the document of hour and group, which makes readers use them. So a worker that
dies leaves files that no one reads, and the next one writes the same ones: their names follow from the raw objects. Two
workers at one time write the same files. A document is replaced only by one that names its raw objects, and more.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from abtest.domain.ledger.aside import AsideLine
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.compacted_hours import CompactedHour, HourFiles
from abtest.domain.ledger.objects import EventsFile, batch_id, compacted_key, quarantine_key
from abtest.domain.ledger.shop_groups import ALL_SHOPS, ShopGroup
from abtest.kit import canonical_json
from abtest.kit.clock import Clock
from abtest.kit.ids import Randomness, uuid7
from abtest.ports.blobs import Blobs, PreconditionFailedError
from abtest.ports.hours import Hours, UnreadableLine
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.services.compaction.unit import HourUnit, unit_of
from abtest.services.group_blocks import GroupBlocks, blocks_of_group
from abtest.services.ingest import NDJSON, packed
from abtest.services.leases import Lease, lease
from abtest.services.ledger import NO_SHOP
from abtest.services.ledger_files import LedgerFiles

_log = logging.getLogger(__name__)

MAX_SAMPLES = 1000
"""Unreadable lines of a shop's hour that are quarantined; the raw objects keep all of them."""
PARQUET, JSON = "application/vnd.apache.parquet", "application/json"


class CompactionFailedError(Exception):
    """The unit could not be compacted. Readers still use its raw objects; the message has to come again."""


class VanishedRawError(Exception):
    """Raw objects that the hour's document names are gone, so their rows are only in Parquet, where they stay."""


class OutOfTimeError(Exception):
    """The time of the worker ended before the unit was compacted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """Outcome of a unit, with numbers if it is `done`.

    `held`: another worker compacts it. `covered`: its document names all raw objects. `overtaken`: another worker wrote
    the document meanwhile.
    """

    state: Literal["done", "held", "covered", "overtaken"]
    files: int = 0
    rows: int = 0
    copies: int = 0
    unreadable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """Use case behind the compaction worker."""

    clock: Clock
    random: Randomness
    ledger: Blobs
    hours: Hours
    leases: Leases
    metrics: Metrics

    def carry_out(self, body: str, *, until: datetime) -> Compacted:
        """Compact the unit that a message names. Raises CompactionFailedError, and ValueError for another message.

        A message whose unit is held is done: the holder's own message comes again if the holder dies, and the schedule
        sends one for raw objects that the holder has not listed.
        """
        unit = unit_of(canonical_json.loads(body))
        about = {"hour": unit.hour, "group": unit.group.name}
        owner = uuid7(self.clock.now(), self.random)
        try:
            with lease(self.leases, f"compact#{unit.name}", owner=owner, clock=self.clock) as held:
                compacted = Compacted(state="held") if held is None else self.compact(unit, held, until=until)
        except Exception as error:
            _log.exception("compaction.failed", extra={"unit": unit.name, **about})
            raise CompactionFailedError(f"{unit.name}: {error}") from error
        if compacted.state == "done":
            self.metrics.put(
                {"CompactedUnits": 1, "CompactedRows": compacted.rows, "UnreadableRows": compacted.unreadable}
            )
        _log.info(
            "compaction.unit", extra={"unit": unit.name, "state": compacted.state, "rows": compacted.rows, **about}
        )
        return compacted

    def compact(self, unit: HourUnit, held: Lease, *, until: datetime) -> Compacted:
        """Compact under a lease. Raises VanishedRawError, OutOfTimeError, LeaseLostError and what ports do."""
        hour = LedgerFiles(self.ledger).hour(unit.hour, unit.group)
        return self.compact_listed(hour, unit.group, held, until=until)

    def compact_listed(self, hour: HourFiles, group: ShopGroup, held: Lease, *, until: datetime) -> Compacted:
        """Compact an hour as it was listed."""
        document = hour.document(group)
        before = document.compacted if document else None
        named = before.raw if before else frozenset[str]()
        if before and named.issuperset(hour.sizes):
            return Compacted(state="covered")
        # A document of fewer raw objects would replace the Parquet files that alone have the vanished rows.
        if not named <= hour.sizes.keys():
            raise VanishedRawError(compacted_key(hour.hour, group))
        blocks = blocks_of_group(self.ledger, hour.sizes, group)
        if before and named.issuperset(blocks.read):
            # No object that came late has rows of these shops.
            more = CompactedHour(raw=frozenset(hour.raw), events=before.events, rows=before.rows)
            return Compacted(state="done" if self._write_document(hour, group, more) else "overtaken")
        return self._compact_rows(hour, group, blocks, held, until)

    def _compact_rows(
        self, hour: HourFiles, group: ShopGroup, blocks: GroupBlocks, held: Lease, until: datetime
    ) -> Compacted:
        digest = digest_of(hour.raw)
        events: list[str] = []
        kept = 0
        with self.hours.open(blocks.read, group=group, blocks=blocks.blocks) as rows:
            for part in rows.parts():
                self._check(held, until)
                file = EventsFile(shop_id=part.shop_id, hour=hour.hour, first=part.first, last=part.last, digest=digest)
                self.ledger.put(file.key, part.content, content_type=PARQUET)
                events.append(file.key)
                kept += part.rows
            # Before the document, which ends the work on this unit. A worker that dies in between writes the same names
            # again.
            self._quarantine(hour, group, rows.unreadable)
            self._check(held, until)
            document = CompactedHour(raw=frozenset(hour.raw), events=tuple(events), rows=kept)
            done = self._write_document(hour, group, document)
            return Compacted(
                state="done" if done else "overtaken",
                files=len(events),
                rows=kept,
                # The queue delivers at least once: what was readable and yet not kept are copies.
                copies=rows.read - len(rows.unreadable) - kept,
                unreadable=len(rows.unreadable),
            )

    def _check(self, held: Lease, until: datetime) -> None:
        held.check()
        if self.clock.now() >= until:
            raise OutOfTimeError("the worker's time is over; a unit this large needs more memory, or more groups")

    def _write_document(self, hour: HourFiles, group: ShopGroup, compacted: CompactedHour) -> bool:
        """Write the document; False when another worker changed it since it was read."""
        key, content, before = compacted_key(hour.hour, group), compacted.encoded(), hour.document(group)
        try:
            if before is None:
                self.ledger.put(key, content, content_type=JSON, if_absent=True)
            else:
                self.ledger.put(key, content, content_type=JSON, if_match=before.etag)
        except PreconditionFailedError:
            _log.warning("compaction.overtaken", extra={"hour": key})
            return False
        return True

    def _quarantine(self, hour: HourFiles, group: ShopGroup, lines: Iterable[UnreadableLine]) -> None:
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
        # Several groups may have lines of no shop, so their objects have different names.
        digest = digest_of(hour.raw) if group == ALL_SHOPS else batch_id([digest_of(hour.raw), group.name])
        for shop_id, samples in shops.items():
            self.ledger.put(quarantine_key(shop_id, hour.hour, digest), packed(samples), content_type=NDJSON)


def digest_of(raw: Iterable[str]) -> str:
    """Digest of raw objects and of the columns that this release writes: together they determine the Parquet files."""
    return batch_id([*raw, canonical_json.dumps(list(COLUMNS.items()))])

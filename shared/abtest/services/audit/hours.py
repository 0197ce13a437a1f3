"""Audit of a compacted hour: raw objects have the events of its Parquet files, and what their manifests say.

The events of a group of shops are read as the compaction reads them, by manifests. So each raw object is also read as a
whole and compared with its manifest, by one part of the hour: all parts together compare whole objects with Parquet.
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from abtest.domain.ledger.compacted_hours import CompactedHour, HourFiles
from abtest.domain.ledger.manifest_checks import manifest_differences
from abtest.domain.ledger.manifests import manifest_key, read_manifest
from abtest.ports.blobs import Blobs
from abtest.ports.hours import Hours
from abtest.ports.warehouse import LedgerObjectError
from abtest.services.audit.outcome import MAX_REPORTED, Audited
from abtest.services.audit.sample import HourPart
from abtest.services.group_blocks import blocks_of_group
from abtest.services.ledger_files import LedgerFiles

_log = logging.getLogger(__name__)

OBJECTS_AT_ONCE, OBJECTS_A_TURN = 4, 32


@dataclass(frozen=True, slots=True, kw_only=True)
class HourAudit:
    """Comparison of an hour of a group of shops, and of a share of the hour's raw objects."""

    ledger: Blobs
    hours: Hours

    def audit(self, part: HourPart, outcome: Audited, *, is_over: Callable[[], bool] = lambda: False) -> None:
        """Add what differs: the name of the part for its events, and the keys of objects for their manifests.

        A document that cannot be read is replaced by compaction, so there is nothing to compare. What cannot be
        compared is added to `failed`, with its reason in the log, and the rest is compared, until `is_over` is true.
        """
        hour = LedgerFiles(self.ledger).hour(part.unit.hour, part.unit.group)
        try:
            document = hour.document(part.unit.group)
            compacted = document.compacted if document else None
            outcome.differing += [part.name] if compacted and self._events_differ(part, hour, compacted) else []
        except Exception:
            _log.exception("audit.failed", extra={"hour": part.name})
            outcome.failed.append(part.name)
        own = [key for key in hour.raw if part.has(key)]
        with ThreadPoolExecutor(OBJECTS_AT_ONCE) as pool:
            for start in range(0, len(own), OBJECTS_A_TURN):
                if is_over():
                    _log.error("audit.out_of_time", extra={"hour": part.name, "left": len(own) - start})
                    outcome.failed.append(part.name)
                    return
                some = own[start : start + OBJECTS_A_TURN]
                for key, reasons in zip(some, pool.map(self._manifest, some), strict=True):
                    self._add(key, reasons, outcome)

    def _add(self, key: str, reasons: Sequence[str] | None, outcome: Audited) -> None:
        outcome.failed += [key] if reasons is None else []
        if reasons:
            outcome.differing.append(key)
            about = {"object": key, "differences": reasons[:MAX_REPORTED]}
            _log.error("audit.manifest_difference", extra=about)

    def _events_differ(self, part: HourPart, hour: HourFiles, compacted: CompactedHour) -> bool:
        gone = min(compacted.raw - hour.sizes.keys(), default=None)
        if gone is not None:
            raise LedgerObjectError(gone, "is named by the hour's document, but does not exist")
        group = part.unit.group
        blocks = blocks_of_group(self.ledger, {key: hour.sizes[key] for key in sorted(compacted.raw)}, group)
        compared = self.hours.compared(blocks.read, compacted.events, group=group, blocks=blocks.blocks)
        if not (compared.missing or compared.foreign):
            return False
        _log.error("audit.hour_difference", extra={"hour": part.name, **asdict(compared)})
        return True

    def _manifest(self, key: str) -> Sequence[str] | None:
        """Return how the manifest differs from its object, whose rows are not counted otherwise; None if unknown."""
        try:
            blob, stored = self.ledger.get(key), self.ledger.get(manifest_key(key))
            if blob is None or stored is None:  # one without a manifest gets it from the object, when it is entered
                return []
            return manifest_differences(read_manifest(stored.content), blob.content)
        except Exception:
            _log.exception("audit.failed", extra={"object": key})
            return None

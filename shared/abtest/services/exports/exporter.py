"""Maker of exports: rows of the ledger or of roll-ups become one file, which is complete before its job is.

A repetition starts over and ends with the same file under the same name, so a worker may die at any line.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol

from abtest.domain.exports.columns import AUDIT, RESULTS
from abtest.domain.exports.order import CONTENT_TYPES, ExportOrder, export_key, order_from
from abtest.domain.exports.results import result_rows
from abtest.domain.jobs.model import JobLostError
from abtest.domain.ledger.daily_counts import date_of
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import Hour, ShopFiles, events_file, hour_of_key
from abtest.kit import canonical_json
from abtest.kit.clock import parse_timestamp
from abtest.kit.ids import before_uuid7
from abtest.ports.audit import AuditStore
from abtest.ports.exports import ExportFile, ExportStore, ExportTooLargeError, ExportWorkshop
from abtest.ports.rollup_store import RollupStore
from abtest.ports.warehouse import LedgerObjectError
from abtest.services.context import World
from abtest.services.experiments.records import experiment_in
from abtest.services.jobs import Attempt, Workbench

_log = logging.getLogger(__name__)

OBJECTS_AT_ONCE = 64
ROWS_AT_ONCE = 10_000
READ, WRITTEN = 70, 85
"""Percent at which all rows are read, and at which the file is written; then it is uploaded."""

READINGS = 3


class ImpossibleExportError(Exception):
    """The export cannot be made; the message gives the reason to the customer."""


class IncompleteUploadError(Exception):
    """The stored file has another size than the one that was sent."""


class ResultsChangedError(Exception):
    """The roll-up was replaced during every reading; a later attempt can succeed."""


class Listing(Protocol):
    """Objects of a shop: `services.shop_objects.ShopObjects`, or `services.ledger_files.LedgerFiles`."""

    def of_shop(self, shop_id: str, since_ms: int) -> ShopFiles:
        """Return what has the shop's rows received at or after the moment. May raise BlobsUnavailableError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """Use case behind worker_exports."""

    world: World
    bench: Workbench
    files: Listing
    workshop: ExportWorkshop
    store: ExportStore
    rollups: RollupStore
    audit: AuditStore

    def carry_out(self, message: str) -> None:
        """Make the export that a message names. Raises JobHeldError and other errors: the message has to come again."""
        attempt = self.bench.take_up(message)
        if attempt is None:
            return
        try:
            with attempt.kept():
                self.export(attempt, order_from(attempt.job.request))
        except JobLostError:
            _log.info("export.lost", extra={"job_id": attempt.job.id})
        except ExportTooLargeError:
            _log.warning("export.too_large", extra={"job_id": attempt.job.id}, exc_info=True)
            attempt.fail("the export is larger than a worker can hold; request a shorter time")
        except ImpossibleExportError as error:
            attempt.fail(str(error))
        except LedgerObjectError:
            # The job ends, so a repetition finds nothing to do; raised as well, for the alarm of the operator.
            attempt.fail("a part of the event ledger cannot be read; its operator has to repair it")
            raise

    def export(self, attempt: Attempt, order: ExportOrder) -> None:
        """Write the file, upload it and complete the job."""
        job = attempt.job
        with self.workshop.open(job.shop_id, order) as file:
            if order.dataset == "results":
                file.write_records(RESULTS, self.results(job.shop_id, order))
            elif order.dataset == "audit":
                file.write_records(AUDIT, self.changes(attempt, order))
            else:
                self.take_events(attempt, order, file)
                with closing(file.write()) as moments:
                    # The same progress again and again: a report of a cancelled job stops the writing.
                    for _ in moments:
                        attempt.advance(READ)
            attempt.advance(WRITTEN)
            key = export_key(job.shop_id, job.id, order)
            size = file.path.stat().st_size
            with closing(self.store.store(key, file.path, content_type=CONTENT_TYPES[order.format])) as parts:
                for sent in parts:
                    attempt.advance(WRITTEN + (99 - WRITTEN) * sent // max(size, 1))
            # Before the job completes: a truncated file must never get a link.
            if self.store.size(key) != size:
                raise IncompleteUploadError(f"{key} has {self.store.size(key)} of {size} bytes")
            attempt.complete({"rows": file.rows(), "bytes": size})

    def take_events(self, attempt: Attempt, order: ExportOrder, file: ExportFile) -> None:
        """Read the events of the order into the file, oldest hour first."""
        files = self.files.of_shop(attempt.job.shop_id, order.since_ms)
        by_hour = [(hour, each) for hour, each in hours_of(files) if order.may_hold(hour)]
        parts = [each for _, each in sorted(by_hour, key=lambda part: part[0])]
        # A few objects at once: so much is on the disk next to the rows that were taken, and is deleted then.
        portions = [parts[start : start + OBJECTS_AT_ONCE] for start in range(0, len(parts), OBJECTS_AT_ONCE)]
        for number, portion in enumerate(portions, start=1):
            file.take(
                ShopFiles(
                    parquet=tuple(key for part in portion for key in part.parquet),
                    raw=tuple(key for part in portion for key in part.raw),
                    sections=tuple(section for part in portion for section in part.sections),
                )
            )
            attempt.advance(READ * number // len(portions))

    def changes(self, attempt: Attempt, order: ExportOrder) -> Iterator[Mapping[str, Any]]:
        """Yield rows of the audit dataset, oldest first."""
        since, until = (before_uuid7(parse_timestamp(moment)) for moment in (order.since, order.until))
        for number, row in enumerate(self.audit.between(attempt.job.shop_id, since, until)):
            if number % ROWS_AT_ONCE == 0:
                attempt.advance(0)  # stops the reading when the export was cancelled
            yield {**{name: getattr(row, name) for name in AUDIT}, "diff": canonical_json.dumps(row.diff)}

    def results(self, shop_id: str, order: ExportOrder) -> list[Mapping[str, Any]]:
        """Rows of the results dataset, from one generation of the roll-up."""
        record = self.world.catalog.get(shop_id, "EXP", order.experiment_id or "")
        if record is None:
            raise ImpossibleExportError("the experiment was deleted")
        experiment = experiment_in(record)
        # `until` is exclusive: at midnight, the day before is the last one.
        first, last = date_of(order.since_ms // DAY_MS), date_of((order.until_ms - 1) // DAY_MS)
        for _ in range(READINGS):
            totals = self.rollups.totals(experiment.id, experiment.measurement_epoch)
            if totals is None:
                return []
            days = self.rollups.days(experiment.id, experiment.measurement_epoch, first, last)
            # Totals are written last, so a newer day means that a write is under way or ended meanwhile.
            if all(day["generation"] <= totals["generation"] for day in days):
                return list(result_rows(experiment, totals, days, order))
        raise ResultsChangedError(experiment.id)


def hours_of(files: ShopFiles) -> Iterator[tuple[Hour, ShopFiles]]:
    """Yield each object by itself, with the hour in which it was written."""
    yield from ((events_file(key).hour, ShopFiles(parquet=(key,))) for key in files.parquet)
    yield from ((hour_of_key(key), ShopFiles(raw=(key,))) for key in files.raw)
    yield from ((hour_of_key(section.key), ShopFiles(sections=(section,))) for section in files.sections)

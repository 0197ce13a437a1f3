"""Carrying out exports: out of the ledger or the roll-ups into one file, which is there whole before anybody is told.

Whatever is repeated begins anew and ends with the same file under the same name, so a worker may die at any line.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from abtest.domain.exports.columns import RESULTS
from abtest.domain.exports.order import CONTENT_TYPES, ExportOrder, export_key, order_from
from abtest.domain.exports.results import result_rows
from abtest.domain.jobs.model import JobLostError
from abtest.domain.ledger.daily_counts import date_of
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import ShopFiles, events_file, hour_of_key
from abtest.ports.exports import ExportFile, ExportStore, ExportTooLargeError, ExportWorkshop
from abtest.ports.rollup_store import RollupStore
from abtest.ports.warehouse import LedgerObjectError
from abtest.services.context import World
from abtest.services.experiments.records import experiment_in
from abtest.services.jobs import Attempt, Workbench
from abtest.services.ledger_files import LedgerFiles

_log = logging.getLogger(__name__)

OBJECTS_AT_ONCE = 64
READ, WRITTEN = 70, 85
"""Percent at which all rows were read, and at which the file is written; then it is uploaded."""

READINGS = 3


class ImpossibleExportError(Exception):
    """The export cannot be made; the message says why, in words for whoever ordered it."""


class IncompleteUploadError(Exception):
    """The store has another number of bytes than were sent."""


class ResultsChangedError(Exception):
    """The roll-up was replaced at every reading; another attempt will meet a quiet moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """The use case behind worker_exports."""

    world: World
    bench: Workbench
    files: LedgerFiles
    workshop: ExportWorkshop
    store: ExportStore
    rollups: RollupStore

    def carry_out(self, message: str) -> None:
        """Make the export that a message names.

        Raises JobHeldError and whatever else asks for the message to come again.
        """
        attempt = self.bench.take_up(message)
        if attempt is None:
            return
        try:
            self._export(attempt, order_from(attempt.job.request))
        except JobLostError:
            _log.info("export.lost", extra={"job_id": attempt.job.id})
        except ExportTooLargeError:
            _log.warning("export.too_large", extra={"job_id": attempt.job.id}, exc_info=True)
            attempt.fail("the export is larger than a worker can hold; ask for a shorter time")
        except ImpossibleExportError as error:
            attempt.fail(str(error))
        except LedgerObjectError:
            attempt.fail("a part of the event ledger cannot be read; its operator has to look after it")
            raise

    def _export(self, attempt: Attempt, order: ExportOrder) -> None:
        job = attempt.job
        with self.workshop.open(job.shop_id, order) as file:
            if order.dataset == "results":
                file.write_records(RESULTS, self._results(job.shop_id, order))
            else:
                self._read(attempt, order, file)
                with closing(file.write()) as moments:
                    for _ in moments:
                        attempt.advance(READ)
            attempt.advance(WRITTEN)
            key = export_key(job.shop_id, job.id, order)
            size = file.path.stat().st_size
            with closing(self.store.store(key, file.path, content_type=CONTENT_TYPES[order.format])) as parts:
                for sent in parts:
                    attempt.advance(WRITTEN + (99 - WRITTEN) * sent // max(size, 1))
            if self.store.size(key) != size:
                raise IncompleteUploadError(f"{key} has {self.store.size(key)} of {size} bytes")
            attempt.complete({"rows": file.rows(), "bytes": size})

    def _read(self, attempt: Attempt, order: ExportOrder, file: ExportFile) -> None:
        found = self.files.of_shop(attempt.job.shop_id, order.since_ms)
        portions = list(_portions(_needed(found, order)))
        for number, portion in enumerate(portions, start=1):
            file.take(portion.parquet, portion.raw)
            attempt.advance(READ * number // len(portions))

    def _results(self, shop_id: str, order: ExportOrder) -> list[Mapping[str, Any]]:
        record = self.world.catalog.get(shop_id, "EXP", order.experiment_id or "")
        if record is None:
            raise ImpossibleExportError("the experiment was deleted")
        experiment = experiment_in(record)
        first, last = date_of(order.since_ms // DAY_MS), date_of((order.until_ms - 1) // DAY_MS)
        for _ in range(READINGS):
            totals = self.rollups.totals(experiment.id, experiment.measurement_epoch)
            if totals is None:
                return []
            days = self.rollups.days(experiment.id, experiment.measurement_epoch, first, last)
            if all(day["generation"] <= totals["generation"] for day in days):
                return list(result_rows(experiment, totals, days, order))
        raise ResultsChangedError(experiment.id)


def _needed(files: ShopFiles, order: ExportOrder) -> list[tuple[int, str]]:
    """Hour and name of the objects that can hold rows of the order, oldest hour first."""
    hours = [(events_file(key).hour, key) for key in files.parquet] + [(hour_of_key(key), key) for key in files.raw]
    return sorted(entry for entry in hours if order.may_hold(entry[0]))


def _portions(objects: Sequence[tuple[int, str]]) -> Iterator[ShopFiles]:
    """A few objects each: so much is on the disk beside the rows that were set aside, and is gone then."""
    for start in range(0, len(objects), OBJECTS_AT_ONCE):
        keys = [key for _, key in objects[start : start + OBJECTS_AT_ONCE]]
        parquet = tuple(key for key in keys if key.endswith(".parquet"))
        yield ShopFiles(parquet=parquet, raw=tuple(key for key in keys if not key.endswith(".parquet")))

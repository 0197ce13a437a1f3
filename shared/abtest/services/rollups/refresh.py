"""Refresh jobs: one shop is rolled up at once, without waiting for the schedule."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from abtest.domain.experiments.model import Experiment
from abtest.domain.jobs.model import Job
from abtest.kit.documents import decode
from abtest.ports.warehouse import UnitsAtWorkError
from abtest.services.context import World
from abtest.services.jobs import Attempt, Workbench
from abtest.services.jobs.attempts import JobHeldError, JobLostError
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.rollups.shop_run import ShopHeldError, ShopRun, ShopSummary

_log = logging.getLogger(__name__)

PATIENCE = timedelta(seconds=60)
"""Time for a run of the shop that another worker has begun; after it the queue delivers the message again."""

PAUSE_SECONDS = 0.5
UNITS_PAUSE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """Use case behind the refresh queue."""

    world: World
    feed: LedgerFeed
    run: ShopRun
    sleep: Callable[[float], None] = time.sleep

    def handle(self, body: str, until: datetime | None = None) -> bool:
        """Refresh the shop of a message, a `job_message`. Return False when the queue must deliver it again."""
        if until is not None and self.world.clock.now() >= until:
            return False
        try:
            attempt = Workbench(self.world).take_up(body)
            if attempt is not None:
                with attempt.kept():
                    self._refresh(attempt, until)
        except JobLostError:
            return True  # cancelled, or taken over by another worker
        except JobHeldError:
            return False
        except Exception:
            _log.exception("refresh.failed")
            return False
        return True

    def _refresh(self, attempt: Attempt, until: datetime | None) -> None:
        job = attempt.job
        summary = self._counted(job, until)
        # Failures of the shop's other experiments do not concern this job.
        if not summary.is_whole or {job.shop_id, job.request.get("experiment_id")} & set(summary.failed):
            attempt.fail("the experiment could not be counted; the schedule tries again")
        else:
            attempt.complete({"generation": self._generation(job)})

    def _counted(self, job: Job, until: datetime | None) -> ShopSummary:
        """Count all that the ledger holds of the shop, in as many runs as it takes. Raises ShopHeldError."""
        shop_id = job.shop_id
        advanced = self.feed.advance()
        head = advanced.entry.heads.get(shop_id, 0) if advanced.entry else 0
        patient_until = self.world.clock.now() + PATIENCE
        while True:
            try:
                summary = self.run.run(shop_id, head=head, listed_at=advanced.listed_at, until=until)
            except ShopHeldError:
                if self.world.clock.now() >= patient_until:
                    raise
                self.sleep(PAUSE_SECONDS)
                continue
            except UnitsAtWorkError:
                return self._counted_in_units(job, until or patient_until)
            is_late = until is not None and self.world.clock.now() >= until
            if summary.is_whole or summary.failed or is_late:
                return summary

    def _counted_in_units(self, job: Job, until: datetime) -> ShopSummary:
        """Wait until other workers have counted what the ledger held when the job was created. Raises ShopHeldError."""
        before = self.run.store.shop_progress(job.shop_id)
        while self.world.clock.now() < until:
            progress = self.run.store.shop_progress(job.shop_id)
            if progress is not None and progress.until >= job.created_at:
                return ShopSummary(failed=sorted(progress.failed))
            if progress != before:
                # The units were of an earlier request: nothing may be left to count, or others have to be sent.
                return self._counted(job, until)
            self.sleep(UNITS_PAUSE_SECONDS)
        raise ShopHeldError(job.shop_id)

    def _generation(self, job: Job) -> int | None:
        """Current generation of the roll-up; None for an experiment that is not measured."""
        record = self.world.catalog.get(job.shop_id, "EXP", job.request.get("experiment_id", ""))
        if record is None:
            return None
        experiment = decode(Experiment, record.body)
        totals = self.run.store.totals(experiment.id, experiment.measurement_epoch)
        return totals["generation"] if totals else None

"""Refresh jobs: one shop is rolled up at once, without waiting for the schedule."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from abtest.domain.experiments.model import Experiment
from abtest.domain.jobs.model import Job
from abtest.kit.documents import decode
from abtest.services.context import World
from abtest.services.jobs import Attempt, Workbench
from abtest.services.jobs.attempts import JobHeldError, JobLostError
from abtest.services.rollups.run import RollupFailedError, RollupRun

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshMessage:
    """One delivered queue message; its body is a `job_message`."""

    id: str
    body: str


@dataclass(frozen=True, slots=True)
class Refresh:
    """Use case behind the refresh queue."""

    world: World
    rollups: RollupRun

    def handle(self, messages: Iterable[RefreshMessage], until: datetime | None = None) -> Sequence[str]:
        """Handle messages and return the ids of those that the queue must deliver again."""
        return [message.id for message in messages if not self.handle_one(message, until)]

    def handle_one(self, message: RefreshMessage, until: datetime | None = None) -> bool:
        """Refresh the shop of a message. Return False when the queue must deliver the message again."""
        if until is not None and self.world.clock.now() >= until:
            return False
        try:
            attempt = Workbench(self.world).take_up(message.body)
            if attempt is not None:
                with attempt.kept():
                    self._refresh(attempt, until)
        except JobLostError:
            return True  # cancelled, or taken over by another worker
        except JobHeldError:
            return False
        except Exception:
            _log.exception("refresh.failed", extra={"message_id": message.id})
            return False
        return True

    def _refresh(self, attempt: Attempt, until: datetime | None) -> None:
        job = attempt.job
        try:
            summary = self.rollups.run_shop(job.shop_id, until=until)
        except RollupFailedError as error:
            summary = error.summary
        # Failures of the shop's other experiments do not concern this job.
        if summary.left or {job.shop_id, job.request.get("experiment_id")} & set(summary.failed):
            attempt.fail("the experiment could not be counted; the schedule tries again")
        else:
            attempt.complete({"generation": self._generation(job)})

    def _generation(self, job: Job) -> int | None:
        """Current generation of the roll-up; None for an experiment that is not measured."""
        record = self.world.catalog.get(job.shop_id, "EXP", job.request.get("experiment_id", ""))
        if record is None:
            return None
        experiment = decode(Experiment, record.body)
        totals = self.rollups.store.totals(experiment.id, experiment.measurement_epoch)
        return totals["generation"] if totals else None

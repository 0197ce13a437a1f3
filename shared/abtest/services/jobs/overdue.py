"""Looking after jobs: messages that were lost are sent again, finished jobs are forgotten in time."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from abtest.domain.jobs.model import WORK_QUEUE, Job, JobType, looked_after
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Commit, DueEntry, Remove, StaleVersionError
from abtest.ports.queue import Queue, QueueUnavailableError
from abtest.services.context import World
from abtest.services.jobs.records import head_of, put_of, read_job
from abtest.services.jobs.requests import job_message

_log = logging.getLogger(__name__)

JOBS_A_RUN = 200


@dataclass(frozen=True, slots=True)
class OverdueJobs:
    """One look at all jobs that are due; whoever is disturbed in it is looked after by the next."""

    world: World
    queues: Mapping[JobType, Queue]

    def run(self) -> int:
        """How many messages were sent."""
        entries = self.world.catalog.due(WORK_QUEUE, self.world.now(), limit=JOBS_A_RUN)
        return sum(self._look_after(entry) for entry in entries)

    def _look_after(self, entry: DueEntry) -> bool:
        try:
            job = read_job(self.world.catalog, entry.shop_id, entry.id)
            if job.due > self.world.now():
                return False
            return self._forget(job) if job.has_ended else self._send_again(job)
        except (NotFoundError, StaleVersionError):
            return False  # somebody else was at it just now
        except QueueUnavailableError:
            _log.warning("job.message_not_sent", extra={"job_id": entry.id}, exc_info=True)
            return False

    def _forget(self, job: Job) -> bool:
        self.world.catalog.commit(Commit(removes=[Remove(head=head_of(job))]))
        return False

    def _send_again(self, job: Job) -> bool:
        """First the record, then the message: who dies between the two sends it at the next turn."""
        after = looked_after(job, self.world.now())
        self.world.catalog.commit(Commit(puts=[put_of(after)]))
        if after.has_ended:
            return False
        self.queues[job.type].send(job_message(after))
        return True

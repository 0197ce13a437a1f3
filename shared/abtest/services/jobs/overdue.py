"""Overdue jobs: lost messages are sent again, and finished jobs are deleted after their time."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from abtest.domain.jobs.model import WORK_QUEUE, JobType, looked_after
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Commit, DueEntry, Remove, StaleVersionError
from abtest.ports.queue import Queue, QueueUnavailableError
from abtest.services.context import World
from abtest.services.jobs.records import head_of, put_of, read_job
from abtest.services.jobs.requests import job_message

_log = logging.getLogger(__name__)

JOBS_A_RUN = 200

_AWAITED: frozenset[JobType] = frozenset({"page_check", "qa_run", "brand_excerpts"})
"""Types whose worker has to learn that a job failed: a QA run, or an excerpt of a brand file, waits for it."""


@dataclass(frozen=True, slots=True)
class OverdueJobs:
    """One pass over all jobs that are due; a job that fails is left to the next run."""

    world: World
    queues: Mapping[JobType, Queue]

    def run(self) -> int:
        """Return the number of messages that were sent."""
        entries = self.world.catalog.due(WORK_QUEUE, self.world.now(), limit=JOBS_A_RUN)
        return sum(self.resend_or_delete(entry) for entry in entries)

    def resend_or_delete(self, entry: DueEntry) -> bool:
        """Delete a job that has ended, or send its message again. Return whether a message was sent."""
        try:
            job = read_job(self.world.catalog, entry.shop_id, entry.id)
            # The index may lag behind the record, which decides.
            if job.due > self.world.now():
                return False
            if job.has_ended:
                self.world.catalog.commit(Commit(removes=[Remove(head=head_of(job))]))
                return False
            after = looked_after(job, self.world.now())
            # A deployment may have lost the worker of a type; its jobs wait until they fail.
            queue = self.queues.get(job.type)
            is_last = after.has_ended and job.type in _AWAITED and queue is not None
            # First the message: nothing looks after a job that has ended. A worker that begins it before it is stored
            # as failed may complete it.
            if is_last and queue is not None:
                queue.send(job_message(after), group=after.shop_id)
            # First the record, then the message: a process that dies between the two sends it in the next run.
            self.world.catalog.commit(Commit(puts=[put_of(after)]))
            if not after.has_ended and queue is not None:
                queue.send(job_message(after), group=after.shop_id)
            return is_last or (queue is not None and not after.has_ended)
        except (NotFoundError, StaleVersionError):
            return False  # another process changed the job just now
        except QueueUnavailableError:
            _log.warning("job.message_not_sent", extra={"job_id": entry.id}, exc_info=True)
            return False

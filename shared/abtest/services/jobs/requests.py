"""Requests for jobs: creation, reading, cancellation."""

import logging
from collections.abc import Mapping
from typing import Any

from abtest.domain.jobs.model import Job, JobStatus, JobType, cancelled
from abtest.kit import canonical_json
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Commit
from abtest.ports.queue import Queue, QueueUnavailableError
from abtest.services.context import Caller, World
from abtest.services.jobs.records import job_in, put_of, read_job
from abtest.services.listing import EVERYTHING, Filters, Listing
from abtest.services.retries import retried

_log = logging.getLogger(__name__)


def job_message(job: Job) -> str:
    """Return the body of the message that calls a worker: `{"job_id", "shop_id"}`."""
    return canonical_json.dumps({"job_id": job.id, "shop_id": job.shop_id})


class Jobs:
    """Jobs of one type, and the queue of their workers."""

    def __init__(self, world: World, of_type: JobType, queue: Queue) -> None:
        self._world = world
        self._type = of_type
        self._queue = queue
        self._listing = Listing(world.catalog, "JOB", job_in, plural=f"{of_type}s")

    def create(
        self, caller: Caller, request: Mapping[str, Any], entity: tuple[str, str, str | None] | None = None
    ) -> Job:
        """Create a queued job. `entity` (type, id, name) is the subject of the audit row, by default the job itself.

        If the queue does not answer, the job stays queued until the sweep sends its message.
        """
        job_id = self._world.new_id()
        return retried(lambda: self._earlier(caller.shop_id, job_id) or self._create(caller, job_id, request, entity))

    def _earlier(self, shop_id: str, job_id: str) -> Job | None:
        """Return the job that an earlier run of this request stored. If it sent no message, the sweep does."""
        record = self._world.catalog.get(shop_id, "JOB", job_id) if self._world.is_repeated else None
        return job_in(record) if record else None

    def _create(
        self, caller: Caller, job_id: str, request: Mapping[str, Any], entity: tuple[str, str, str | None] | None
    ) -> Job:
        job = self.drafted(caller, job_id, request)
        self._commit(caller, job, "create", {name: [None, value] for name, value in request.items()}, entity)
        self.announce(job)
        return job

    def drafted(self, caller: Caller, job_id: str, request: Mapping[str, Any]) -> Job:
        """Return a queued job, to be committed by the caller together with what waits for it, and then announced."""
        now = self._world.now()
        return Job(
            id=job_id,
            shop_id=caller.shop_id,
            type=self._type,
            created_by=caller.user_id,
            created_at=now,
            updated_at=now,
            request=request,
        )

    def announce(self, job: Job) -> None:
        """Send the message of a job that is committed: a worker may be faster than the request and must find it."""
        try:
            self._queue.send(job_message(job), group=job.shop_id)
        except QueueUnavailableError:
            _log.warning("job.message_not_sent", extra={"job_id": job.id}, exc_info=True)

    def get(self, shop_id: str, job_id: str) -> Job:
        """One job of the shop and of this type. Raises NotFoundError."""
        job = read_job(self._world.catalog, shop_id, job_id)
        if job.type != self._type:
            raise NotFoundError("no such job")
        return job

    def page(
        self,
        shop_id: str,
        filters: Filters = EVERYTHING,
        status: JobStatus | None = None,
        *,
        limit: int,
        after: str | None,
    ) -> tuple[list[Job], str | None]:
        """Jobs that pass the filters, and the key that continues the list."""
        filters = filters.where(status=status, type=self._type)
        return self._listing.page(shop_id, filters, limit=limit, after=after)

    def cancel(self, caller: Caller, job_id: str) -> Job:
        """Cancel the job; its worker stops at its next step. Raises NotFoundError, JobEndedError."""

        def attempt() -> Job:
            before = self.get(caller.shop_id, job_id)
            after = cancelled(before, self._world.now())
            if after is not before:
                self._commit(caller, after, "cancel", {"status": [before.status, after.status]}, None)
            return after

        return retried(attempt)

    def _commit(
        self, caller: Caller, job: Job, verb: str, diff: Mapping[str, Any], entity: tuple[str, str, str | None] | None
    ) -> None:
        audit = self._world.audit_row(
            user_id=caller.user_id,
            shop_id=job.shop_id,
            action=f"{job.type}.{verb}",
            entity=entity or (job.type, job.id, None),
            diff=dict(diff),
            now=job.updated_at,
        )
        self._world.catalog.commit(Commit(puts=[put_of(job)], audit=[audit]))

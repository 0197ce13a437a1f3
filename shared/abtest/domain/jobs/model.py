"""Job and its states: queued, running, then completed, failed or cancelled. Pure; time is an argument.

Messages can arrive twice and workers can die at any line, so a job counts its attempts. Only the newest attempt may
change it, and one without news for a while may be taken over.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal

from abtest.kit.clock import Timestamp, later
from abtest.kit.documents import Document, decode, encode
from abtest.kit.errors import ServiceError

JobType = Literal["export", "refresh", "page_check", "screenshot", "qa_run", "store_profile", "brand_excerpts"]
JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]

WORK_QUEUE = "JOB"
MAX_ATTEMPTS = 3
"""Attempts that may end without a result before the job fails."""

SILENCE = timedelta(minutes=1)
"""Time without a heartbeat after which a running job has lost its worker."""

PATIENCE = timedelta(minutes=5)
"""Time that a queued job may wait before its message is sent again."""

GIVEN_UP = timedelta(days=1)
"""Time after which a job that no worker took has failed."""

KEPT = timedelta(days=30)
"""Time for which a finished job can be read."""


class JobHeldError(Exception):
    """Another worker has the job and is alive: the message has to come again later."""


class JobLostError(Exception):
    """This attempt no longer holds the job: it was cancelled, or another worker took it over."""


class JobEndedError(ServiceError):
    """A job that has ended cannot be cancelled."""

    status = 409
    code = "invalid_state_transition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work of one shop. `progress` is in percent; `error` is the reason of its failure in words."""

    id: str
    shop_id: str
    type: JobType
    created_by: str
    created_at: Timestamp
    updated_at: Timestamp
    request: Mapping[str, Any] = field(default_factory=dict)
    """The request, as the API received it."""
    status: JobStatus = "queued"
    progress: int = 0
    attempts: int = 0
    heard_at: Timestamp | None = None
    """Time of the worker's last report."""
    completed_at: Timestamp | None = None
    """Time of its end, in whatever way it ended."""
    result: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    version: int = 1

    @property
    def has_ended(self) -> bool:
        """Return whether it is in a final state."""
        return self.status in ("completed", "failed", "cancelled")

    @property
    def due(self) -> Timestamp:
        """Return when it is due: its message is sent again or, once it has ended, it is deleted."""
        if self.completed_at is not None:
            return later(self.completed_at, KEPT)
        return later(self.heard_at or self.updated_at, SILENCE if self.status == "running" else PATIENCE)


def document_of(job: Job) -> Document:
    """Return the stored form of a job; its version is that of the record."""
    return encode(job, omit=("version",))


def job_from(document: Mapping[str, object], version: int) -> Job:
    """Return the job of a stored form."""
    return decode(Job, document, version=version)


def begun(job: Job, now: Timestamp) -> Job:
    """Return the job in a new attempt, or failed after the last one. Raises JobHeldError, JobLostError."""
    if job.has_ended:
        raise JobLostError(f"the job is {job.status}")
    # A message may arrive twice; while the first worker reports, a second one must not begin.
    if job.status == "running" and now < job.due:
        raise JobHeldError
    if job.attempts == MAX_ATTEMPTS:
        return failed(job, f"it was begun {MAX_ATTEMPTS} times and never came to its end", now)
    return _changed(job, now, status="running", attempts=job.attempts + 1, heard_at=now, progress=0)


def advanced(job: Job, attempt: int, progress: int, now: Timestamp) -> Job:
    """Return the job with its progress, which never falls within an attempt. Raises JobLostError."""
    check_held(job, attempt)
    # Up to 99: a caller who waits for 100 reads the result next, which only `completed` stores.
    return _changed(job, now, heard_at=now, progress=max(job.progress, min(99, progress)))


def noted(job: Job, attempt: int, progress: int, result: Mapping[str, Any], now: Timestamp) -> Job:
    """Return the job with its progress and what it has so far, which another attempt continues. Raises JobLostError."""
    return replace(advanced(job, attempt, progress, now), result=result)


def handed_over(job: Job, attempt: int, now: Timestamp) -> Job:
    """Return the job queued for another attempt, because this one has no more time. Raises JobLostError."""
    check_held(job, attempt)
    return _changed(job, now, status="queued", heard_at=None)


def completed(job: Job, attempt: int, result: Mapping[str, Any], now: Timestamp) -> Job:
    """Return the job, completed. Raises JobLostError."""
    check_held(job, attempt)
    return _changed(job, now, status="completed", progress=100, completed_at=now, result=result)


def failed(job: Job, reason: str, now: Timestamp, attempt: int | None = None) -> Job:
    """Return the job, failed. A given `attempt` must still hold it. Raises JobLostError."""
    if attempt is not None:
        check_held(job, attempt)
    return _changed(job, now, status="failed", completed_at=now, error=reason)


def cancelled(job: Job, now: Timestamp) -> Job:
    """Return the job, cancelled; one that was cancelled already stays as it is. Raises JobEndedError."""
    if job.status == "cancelled":
        return job
    if job.has_ended:
        raise JobEndedError(
            f"the job is {job.status}; only one that is queued or running can be cancelled",
            facts={"current_status": job.status, "allowed_actions": []},
        )
    return _changed(job, now, status="cancelled", completed_at=now)


def looked_after(job: Job, now: Timestamp) -> Job:
    """Return the job after its message was sent again, due later; failed when it waited for too long."""
    if later(now, -GIVEN_UP) >= job.created_at:
        return failed(job, "no worker started it within a day", now)
    # The new time makes a queued job due later. In `queued` no attempt holds the job, so a late report of the lost
    # worker raises JobLostError.
    return _changed(job, now) if job.status == "queued" else _changed(job, now, status="queued", heard_at=None)


def check_held(job: Job, attempt: int) -> None:
    """Raise JobLostError unless this attempt still holds the job."""
    if job.status != "running" or job.attempts != attempt:
        raise JobLostError(f"the job is {job.status}, in attempt {job.attempts}")


def _changed(job: Job, now: Timestamp, **fields: Any) -> Job:
    return replace(job, updated_at=now, version=job.version + 1, **fields)

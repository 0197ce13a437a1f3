"""A job and its moves: queued, running, then completed, failed or cancelled. Pure; time is an argument.

Messages arrive twice and workers die at any line, so a job counts its attempts. Only the newest attempt may move it,
and one that has not been heard of for a while may be taken over.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal

from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.kit.documents import Document, decode, encode
from abtest.kit.errors import ServiceError

JobType = Literal["export", "refresh"]
JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]

WORK_QUEUE = "JOB"
MAX_ATTEMPTS = 3
"""Attempts that may end without a word, before the job has failed."""

SILENCE = timedelta(minutes=5)
"""A running job that was not heard of for so long has lost its worker."""

PATIENCE = timedelta(minutes=5)
"""How long a queued job may wait before its message is sent again."""

GIVEN_UP = timedelta(days=1)
"""A job that nobody took up until then has failed."""

KEPT = timedelta(days=30)
"""How long a finished job can be read."""


class JobHeldError(Exception):
    """Another worker is at the job and alive: the message has to come again later."""


class JobLostError(Exception):
    """The job is no longer this attempt's: it was cancelled, or another worker took it over."""


class JobEndedError(ServiceError):
    """A job that has ended cannot be cancelled."""

    status = 409
    code = "invalid_state_transition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work of one shop. `progress` is in percent; `error` says in words why it failed."""

    id: str
    shop_id: str
    type: JobType
    created_by: str
    created_at: Timestamp
    updated_at: Timestamp
    request: Mapping[str, Any] = field(default_factory=dict)
    """What was asked for."""
    status: JobStatus = "queued"
    progress: int = 0
    attempts: int = 0
    heard_at: Timestamp | None = None
    """When the worker was last heard of."""
    completed_at: Timestamp | None = None
    """When it ended, in whatever way."""
    result: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    version: int = 1

    @property
    def has_ended(self) -> bool:
        """Whether it will never move again."""
        return self.status in ("completed", "failed", "cancelled")

    @property
    def due(self) -> Timestamp:
        """When somebody should look after it: send its message again, or, once it has ended, forget it."""
        if self.completed_at is not None:
            return _after(self.completed_at, KEPT)
        return _after(self.heard_at or self.updated_at, SILENCE if self.status == "running" else PATIENCE)


def document_of(job: Job) -> Document:
    """The job as it is stored; its version is that of the record."""
    return encode(job, omit=("version",))


def job_from(document: Mapping[str, object], version: int) -> Job:
    """The stored job."""
    return decode(Job, document, version=version)


def begun(job: Job, now: Timestamp) -> Job:
    """The job in a new attempt, or failed when it had enough of them. Raises JobHeldError, JobLostError."""
    if job.has_ended:
        raise JobLostError(f"the job is {job.status}")
    if job.status == "running" and now < job.due:
        raise JobHeldError
    if job.attempts == MAX_ATTEMPTS:
        return failed(job, f"it was begun {MAX_ATTEMPTS} times and never came to its end", now)
    return _changed(job, now, status="running", attempts=job.attempts + 1, heard_at=now, progress=0)


def advanced(job: Job, attempt: int, progress: int, now: Timestamp) -> Job:
    """The job so far, which never falls within an attempt. Raises JobLostError."""
    _own(job, attempt)
    return _changed(job, now, heard_at=now, progress=max(job.progress, min(99, progress)))


def completed(job: Job, attempt: int, result: Mapping[str, Any], now: Timestamp) -> Job:
    """The job, done. Raises JobLostError."""
    _own(job, attempt)
    return _changed(job, now, status="completed", progress=100, completed_at=now, result=result)


def failed(job: Job, reason: str, now: Timestamp, attempt: int | None = None) -> Job:
    """The job, given up; whoever names an attempt must still have it. Raises JobLostError."""
    if attempt is not None:
        _own(job, attempt)
    return _changed(job, now, status="failed", completed_at=now, error=reason)


def cancelled(job: Job, now: Timestamp) -> Job:
    """The job, called off; one that was called off already stays as it is. Raises JobEndedError."""
    if job.status == "cancelled":
        return job
    if job.has_ended:
        raise JobEndedError(
            f"the job is {job.status}; only one that is queued or running can be cancelled",
            facts={"current_status": job.status, "allowed_actions": []},
        )
    return _changed(job, now, status="cancelled", completed_at=now)


def looked_after(job: Job, now: Timestamp) -> Job:
    """The job whose message was sent again, due later; failed when it waited for too long."""
    if timestamp(parse_timestamp(now) - GIVEN_UP) >= job.created_at:
        return failed(job, "nobody took it up within a day", now)
    return _changed(job, now) if job.status == "queued" else _changed(job, now, status="queued", heard_at=None)


def _own(job: Job, attempt: int) -> None:
    if job.status != "running" or job.attempts != attempt:
        raise JobLostError(f"the job is {job.status}, in attempt {job.attempts}")


def _changed(job: Job, now: Timestamp, **fields: Any) -> Job:
    return replace(job, updated_at=now, version=job.version + 1, **fields)


def _after(moment: Timestamp, duration: timedelta) -> Timestamp:
    return timestamp(parse_timestamp(moment) + duration)

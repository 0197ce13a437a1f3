"""Attempts at jobs: one at a time, which ends when the job belongs to another attempt."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from abtest.domain.jobs import model
from abtest.domain.jobs.model import Job, JobHeldError, JobLostError
from abtest.kit import canonical_json
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Commit, together
from abtest.services.context import World
from abtest.services.jobs.records import put_of, read_job
from abtest.services.leases import HEARTBEAT_SECONDS, heartbeat
from abtest.services.retries import retried

_log = logging.getLogger(__name__)

NOTHING = Commit()

__all__ = ["Attempt", "JobHeldError", "JobLostError", "Workbench"]


class Attempt:
    """One worker's hold on a job, which ends a minute after its last report; `kept` reports while work goes on.

    Every call may raise JobLostError: then stop; there is nothing to clean up.
    """

    def __init__(self, world: World, job: Job) -> None:
        self._world = world
        # Kept from the beginning: a later attempt has a higher number, and this one then loses the job.
        self._number = job.attempts
        self.job = job

    @contextmanager
    def kept(self, every: float = HEARTBEAT_SECONDS) -> Iterator[None]:
        """Keep the job for this attempt inside the context, however long a step takes."""
        with heartbeat(self.beat, every):
            yield

    def beat(self) -> bool:
        """Renew the hold on the job. Return False when the job belongs to another attempt or has ended."""
        try:
            self.advance(0)  # progress never falls
        except (JobLostError, NotFoundError):
            return False
        return True

    def advance(self, progress: int) -> None:
        """Report progress in percent."""
        self.move(lambda job, now: model.advanced(job, self._number, progress, now))

    def note(self, result: Mapping[str, Any], progress: int) -> None:
        """Store what the job has so far, and report progress in percent."""
        self.move(lambda job, now: model.noted(job, self._number, progress, result, now))

    def noted(self, result: Mapping[str, Any], progress: int) -> Job:
        """Return the job as `note` would store it, to be committed with something else. Raises JobLostError."""
        before = read_job(self._world.catalog, self.job.shop_id, self.job.id)
        return model.noted(before, self._number, progress, result, self._world.now())

    def complete(self, result: Mapping[str, Any], extra: Callable[[Job], Commit] = lambda _: NOTHING) -> None:
        """End the job as completed with this result; `extra` is committed with its end or not at all."""
        self.move(lambda job, now: model.completed(job, self._number, result, now), extra)

    def hand_over(self) -> None:
        """Leave the job to another attempt, whose message the caller sends."""
        self.move(lambda job, now: model.handed_over(job, self._number, now))

    def fail(self, reason: str) -> None:
        """End the job as failed; the reason is a sentence for the customer."""
        self.move(lambda job, now: model.failed(job, reason, now, self._number))

    def move(self, decide: Callable[[Job, str], Job], extra: Callable[[Job], Commit] = lambda _: NOTHING) -> None:
        """Store the job after a decision on its present state, together with `extra` about the state after it."""
        self.job = moved(self._world, self.job.shop_id, self.job.id, decide, extra)


class Workbench:
    """Source of attempts: it begins the jobs that messages name."""

    def __init__(self, world: World) -> None:
        self._world = world

    def take_up(self, message: str) -> Attempt | None:
        """Begin the attempt that a message (`job_message`) calls for; None when there is nothing left to do.

        Raises JobHeldError while another worker holds the job: then the message has to come again.
        """
        named = canonical_json.loads(message)
        try:
            job = moved(self._world, named["shop_id"], named["job_id"], model.begun)
        except (JobLostError, NotFoundError):
            return None
        # `begun` ends a job whose attempts are used up; the message has then done its work.
        if job.has_ended:
            _log.error("job.given_up", extra={"job_id": job.id, "shop_id": job.shop_id})
            return None
        return Attempt(self._world, job)

    def failed(self, message: str) -> Job | None:
        """Return the job that a message names if it failed, so that what waits for it can end too."""
        named = canonical_json.loads(message)
        try:
            job = read_job(self._world.catalog, named["shop_id"], named["job_id"])
        except NotFoundError:
            return None
        return job if job.status == "failed" else None


def moved(
    world: World,
    shop_id: str,
    job_id: str,
    decide: Callable[[Job, str], Job],
    extra: Callable[[Job], Commit] = lambda _: NOTHING,
) -> Job:
    """Store the job after a decision, which is repeated when another process was faster."""

    def attempt() -> Job:
        after = decide(read_job(world.catalog, shop_id, job_id), world.now())
        world.catalog.commit(together(Commit(puts=[put_of(after)]), extra(after)))
        return after

    return retried(attempt)

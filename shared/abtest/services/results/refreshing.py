"""Asking for a count at once, and how it stands with it. The roll-up's worker counts; this only asks."""

from abtest.contract import results as contract
from abtest.domain.jobs.model import Job
from abtest.kit.errors import NotFoundError
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.jobs import Jobs

WAITING_LOOKED_AT = 50
"""Newest jobs among which one that waits is looked for; a further one only counts once more."""


class Refreshes:
    """Refresh jobs of the caller's experiments."""

    def __init__(self, world: World, jobs: Jobs) -> None:
        self._world = world
        self._jobs = jobs

    def ask(self, caller: Caller, reference: str) -> contract.RefreshJob:
        """A job that counts the experiment; while one waits, that one. Raises NotFoundError."""
        experiment = experiment_of(self._world.catalog, caller.shop_id, reference)
        waiting = self._waiting(caller.shop_id, experiment.id)
        entity = ("experiment", experiment.id, experiment.name)
        job = waiting or self._jobs.ask(caller, {"experiment_id": experiment.id}, entity)
        return contract.RefreshJob(job_id=job.id)

    def get(self, caller: Caller, reference: str, job_id: str) -> contract.Refresh:
        """How it stands. Raises NotFoundError for a job that is not one of this experiment."""
        experiment = experiment_of(self._world.catalog, caller.shop_id, reference)
        job = self._jobs.get(caller.shop_id, job_id)
        if job.request.get("experiment_id") != experiment.id:
            raise NotFoundError("no such job")
        return contract.Refresh(
            job_id=job.id,
            experiment_id=experiment.id,
            status=job.status,
            created_at=job.created_at,
            updated_at=job.updated_at,
            generation=job.result.get("generation"),
            error=job.error,
        )

    def _waiting(self, shop_id: str, experiment_id: str) -> Job | None:
        newest, _ = self._jobs.page(shop_id, limit=WAITING_LOOKED_AT, after=None)
        same = (job for job in newest if job.request.get("experiment_id") == experiment_id)
        return next((job for job in same if job.status == "queued"), None)

"""Refreshes: requests to count an experiment at once, and their status. The roll-up's worker counts."""

from abtest.contract import results as contract
from abtest.kit.errors import NotFoundError
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.jobs import Jobs

WAITING_LOOKED_AT = 50
"""Newest jobs that are searched for one that waits. Missing an older one only counts the experiment once more."""


class Refreshes:
    """Refresh jobs of the caller's experiments."""

    def __init__(self, world: World, jobs: Jobs) -> None:
        self._world = world
        self._jobs = jobs

    def request(self, caller: Caller, reference: str) -> contract.RefreshJob:
        """Create a job that counts the experiment, or return the one that waits already. Raises NotFoundError."""
        experiment = experiment_of(self._world.catalog, caller.shop_id, reference)
        newest, _ = self._jobs.page(caller.shop_id, limit=WAITING_LOOKED_AT, after=None)
        own = (job for job in newest if job.request.get("experiment_id") == experiment.id)
        waiting = next((job for job in own if job.status == "queued"), None)
        entity = ("experiment", experiment.id, experiment.name)
        job = waiting or self._jobs.create(caller, {"experiment_id": experiment.id}, entity)
        return contract.RefreshJob(job_id=job.id)

    def get(self, caller: Caller, reference: str, job_id: str) -> contract.ResultsRefresh:
        """Return the status of a job. Raises NotFoundError for a job of another experiment."""
        experiment = experiment_of(self._world.catalog, caller.shop_id, reference)
        job = self._jobs.get(caller.shop_id, job_id)
        if job.request.get("experiment_id") != experiment.id:
            raise NotFoundError("no such job")
        return contract.ResultsRefresh(
            job_id=job.id,
            experiment_id=experiment.id,
            status=job.status,
            created_at=job.created_at,
            updated_at=job.updated_at,
            generation=job.result.get("generation"),
            error=job.error,
        )

"""Jobs of a shop: asked for, worked at, looked after. A record says how far each is; a message calls a worker."""

from abtest.services.jobs.attempts import Attempt, Workbench
from abtest.services.jobs.overdue import OverdueJobs
from abtest.services.jobs.requests import Jobs, job_message

__all__ = ["Attempt", "Jobs", "OverdueJobs", "Workbench", "job_message"]

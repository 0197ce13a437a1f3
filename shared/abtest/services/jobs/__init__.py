"""Jobs of a shop: asked for, worked at, looked after. A record says how far each is; a message calls a worker."""

from abtest.services.jobs.asking import Jobs, job_message
from abtest.services.jobs.overdue import OverdueJobs
from abtest.services.jobs.working import Attempt, Workbench

__all__ = ["Attempt", "Jobs", "OverdueJobs", "Workbench", "job_message"]

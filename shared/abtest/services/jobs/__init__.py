"""Jobs of a shop: requests, attempts, repetition. A record holds the progress of each; a message calls a worker."""

from abtest.services.jobs.attempts import Attempt, Workbench
from abtest.services.jobs.overdue import OverdueJobs
from abtest.services.jobs.records import put_of
from abtest.services.jobs.requests import Jobs, job_message

__all__ = ["Attempt", "Jobs", "OverdueJobs", "Workbench", "job_message", "put_of"]

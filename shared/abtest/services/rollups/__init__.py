"""Roll-ups: plans of what is counted, scheduled runs, writes of what changed, and refreshes on request."""

from abtest.services.rollups.refresh import Refresh, RefreshMessage
from abtest.services.rollups.run import LEASE, RollupFailedError, RollupRun, RunSummary
from abtest.services.rollups.writer import RollupWriter

__all__ = [
    "LEASE",
    "Refresh",
    "RefreshMessage",
    "RollupFailedError",
    "RollupRun",
    "RollupWriter",
    "RunSummary",
]

"""Roll-ups: who has work, counting it, writing what changed, and doing so at once when somebody asks."""

from abtest.services.rollups.refresh import Refreshing, RefreshMessage
from abtest.services.rollups.run import LEASE, RollupFailedError, RollupRun, Tally
from abtest.services.rollups.writer import RollupWriter

__all__ = [
    "LEASE",
    "RefreshMessage",
    "Refreshing",
    "RollupFailedError",
    "RollupRun",
    "RollupWriter",
    "Tally",
]

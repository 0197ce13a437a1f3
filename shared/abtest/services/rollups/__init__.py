"""Roll-ups: dispatch of the shops that are due, one shop's count, writes of what changed, and refreshes on request."""

from abtest.services.rollups.backlogs import Backlogs
from abtest.services.rollups.dispatch import Dispatch, Dispatched
from abtest.services.rollups.divided import DividedCounter
from abtest.services.rollups.messages import CountMessage, UnitMessage
from abtest.services.rollups.reach import ShopReaches
from abtest.services.rollups.refresh import Refresh
from abtest.services.rollups.shop_run import ShopHeldError, ShopRun, ShopSummary
from abtest.services.rollups.unit_run import UnitRun, unit_run
from abtest.services.rollups.worker import CountWorker
from abtest.services.rollups.writer import RollupWriter

__all__ = [
    "Backlogs",
    "CountMessage",
    "CountWorker",
    "Dispatch",
    "Dispatched",
    "DividedCounter",
    "Refresh",
    "RollupWriter",
    "ShopHeldError",
    "ShopReaches",
    "ShopRun",
    "ShopSummary",
    "UnitMessage",
    "UnitRun",
    "unit_run",
]

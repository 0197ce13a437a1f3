"""Composition root of cron_launch."""

from datetime import timedelta
from typing import Any

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoRollupStore
from abtest.ports.waits import CallerKind
from abtest.services.experiments.due import ScheduledActions
from abtest.services.planning import Planner
from abtest.wiring.experiment_store import experiment_store
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings

LAUNCH_TIME = timedelta(seconds=40)
"""No experiment is begun later: what is begun must end before the function does, after 55 seconds."""


def create_handler() -> Handler:
    """Return the handler of the schedule. Raises MissingSettingError."""
    aws.serve(CallerKind.SCHEDULE)
    config, store = settings(), experiment_store()
    config.need("rollups_table")
    use = ScheduledActions(store, Planner(store.world, DynamoRollupStore(config.rollups_table)))

    def handler(_event: Any, _context: Any) -> Any:
        return use.run(until=store.world.clock.now() + LAUNCH_TIME)

    return handler

"""Composition root of cron_guardian."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoLeases, DynamoRollupStore
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.ports.waits import CallerKind
from abtest.services.guardian import Guardian
from abtest.services.results import RollupReader
from abtest.wiring.experiment_store import experiment_store
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings

GUARDIAN_TIME = timedelta(minutes=12)
"""No experiment is begun later: what is begun must end before the function does, after 14 minutes."""


def create_handler() -> Handler:
    """Return the handler of the schedule. Raises MissingSettingError."""
    aws.serve(CallerKind.SCHEDULE)
    config, store = settings(), experiment_store()
    config.need("ephemeral_table", "rollups_table")
    clock = store.world.clock
    use = Guardian(
        store,
        DynamoLeases(config.ephemeral_table),
        RollupReader(DynamoRollupStore(config.rollups_table)),
        EmbeddedMetrics(config.aws_lambda_function_name, clock),
    )

    def handler(_event: Any, _context: Any) -> Any:
        return asdict(use.run(until=clock.now() + GUARDIAN_TIME))

    return handler

"""Composition root of Guardian's schedule."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from abtest.wiring.settings import settings

Handler = Callable[[Any, Any], Any]

TIME = timedelta(minutes=12)
"""No experiment is begun later: the function ends after 14 minutes and the next run comes after 15."""


def guardian() -> Handler:
    """The handler of cron_guardian. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoLeases, DynamoRollupStore
    from abtest.adapters.embedded_metrics import EmbeddedMetrics
    from abtest.services.experiments.publishing import Publishing
    from abtest.services.experiments.store import ExperimentStore
    from abtest.services.guardian import Guardian
    from abtest.services.publication.budget import CodeBudget
    from abtest.services.results import RollupReader
    from abtest.wiring.workers import publication

    found = settings()
    found.need("rollups_table", "ephemeral_table")
    publisher = publication()
    clock = publisher.world.clock
    publishing, budget = Publishing(publisher.world.catalog, publisher), CodeBudget(publisher.blobs)
    use = Guardian(
        ExperimentStore(publisher.world, publishing, budget),
        DynamoLeases(found.ephemeral_table),
        RollupReader(DynamoRollupStore(found.rollups_table)),
        EmbeddedMetrics(found.aws_lambda_function_name, clock),
    )

    def handler(_event: Any, _context: Any) -> Any:
        return asdict(use.run(until=clock.now() + TIME))

    return handler

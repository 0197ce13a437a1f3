"""Composition root of edge_health."""

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoSessions
from abtest.adapters.sqs import SqsQueue
from abtest.edge.ingest_health import Health
from abtest.kit.clock import SystemClock
from abtest.ports.waits import CallerKind
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings


def create_handler() -> Handler:
    """Return the handler of the route. Raises MissingSettingError."""
    aws.serve(CallerKind.SHOPPER)
    config = settings()
    config.need("ephemeral_table", "event_dlq_url")
    health = Health(
        environment=config.stage,
        release=config.release,
        queue_name=config.event_queue_name,
        queue=SqsQueue(config.event_queue_url) if config.event_queue_url else None,
        dead_letters=SqsQueue(config.event_dlq_url),
        limits_store=DynamoSessions(config.ephemeral_table),
        clock=SystemClock(),
    )
    return health.answer

"""Composition root of cron_seals."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoAuditStore
from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock
from abtest.ports.waits import CallerKind
from abtest.services.audit_log.sealer import Sealer
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings
from abtest.wiring.worlds import world_of

SEALING_TIME = timedelta(minutes=12)
"""No shop is begun later; the run then fails, and the next one seals the others."""


def create_handler() -> Handler:
    """Return the handler of the schedule. Raises MissingSettingError."""
    aws.serve(CallerKind.SCHEDULE)
    config, clock = settings(), SystemClock()
    # Seals are small records, so the bucket of large bodies is not among the resources here.
    config.need("catalog_table", "audit_bucket")
    use = Sealer(
        world=world_of(config), store=DynamoAuditStore(config.catalog_table), blobs=S3Blobs(config.audit_bucket)
    )

    def handler(_event: Any, _context: Any) -> Any:
        return asdict(use.run(until=clock.now() + SEALING_TIME))

    return handler

"""Composition root of cron_audit."""

from dataclasses import asdict
from typing import Any

from abtest.adapters import aws
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.sqs import SqsQueue
from abtest.kit.clock import SystemClock
from abtest.ports.waits import CallerKind
from abtest.services.audit.dispatch import AuditDispatch
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings
from abtest.wiring.worlds import world_of


def create_handler() -> Handler:
    """Return the handler of the schedule. Raises MissingSettingError."""
    aws.serve(CallerKind.SCHEDULE)
    config = settings()
    config.need("catalog_table", "blobs_bucket", "ledger_bucket", "audit_queue_url", "audit_records", "audit_hours")
    use = AuditDispatch(
        world=world_of(config),
        ledger=S3Blobs(config.ledger_bucket),
        queue=SqsQueue(config.audit_queue_url),
        metrics=EmbeddedMetrics(config.aws_lambda_function_name, SystemClock()),
        records=int(config.audit_records),
        hours=int(config.audit_hours),
    )

    def handler(_event: Any, _context: Any) -> Any:
        return asdict(use.run())

    return handler

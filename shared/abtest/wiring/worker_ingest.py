"""Composition root of worker_ingest: a batch of messages becomes one ledger object."""

from typing import Any

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoCatalog, DynamoSessions
from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock
from abtest.ports.waits import CallerKind
from abtest.services.last_seen import LastSeen
from abtest.services.ledger import KnownGoals, LedgerWriter, Message
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings


def create_handler() -> Handler:
    """Return the handler of EventQueue. Raises MissingSettingError.

    Messages that it reports are delivered again, and at last become dead letters.
    """
    aws.serve(CallerKind.WORKER)
    config = settings()
    config.need("catalog_table", "ledger_bucket", "ephemeral_table")
    ledger = S3Blobs(config.ledger_bucket)
    # Goals are small, so no body that is read here is in a bucket.
    clock, seen = SystemClock(), LastSeen(sessions=DynamoSessions(config.ephemeral_table))
    goals = KnownGoals(DynamoCatalog(config.catalog_table, ledger), clock)
    writer = LedgerWriter(ledger=ledger, goals=goals, clock=clock, seen=seen)

    def handler(event: Any, _context: Any) -> Any:
        messages = [
            Message(id=record["messageId"], body=record["body"], queued_at=int(record["attributes"]["SentTimestamp"]))
            for record in event["Records"]
        ]
        return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in writer.write(messages)]}

    return handler

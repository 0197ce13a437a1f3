"""Entry point of the ingest worker: a batch of SQS messages into one ledger object, unreadable ones reported back."""

from typing import Any

from abtest.services.ledger import Message
from abtest.wiring.workers import ledger_writer

writer = ledger_writer()


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Write the batch; messages that are named in the answer are delivered again, and at last become dead letters."""
    messages = [
        Message(id=record["messageId"], body=record["body"], queued_at=int(record["attributes"]["SentTimestamp"]))
        for record in event["Records"]
    ]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in writer.write(messages)]}

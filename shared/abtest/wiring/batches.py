"""Handlers of queues whose messages are processed one by one."""

import logging
from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from abtest.wiring.handler import Handler

_log = logging.getLogger(__name__)


def each_message(work: Callable[[str], object]) -> Handler:
    """Return a handler that calls `work` with each body. Messages for which it raises are reported as failed."""

    def one(record: SQSRecord) -> None:
        work(record.body)

    def handler(event: Any, context: Any) -> Any:
        # A batch in which everything failed is a partial failure like any other, not an error of the function.
        # Its reasons are only in the log.
        processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False, logger=_log)
        return process_partial_response(event, one, processor, context)

    return handler

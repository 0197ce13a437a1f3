"""Queues on SQS."""

from abtest.adapters.sqs.queue import SqsQueue

__all__ = ["SqsQueue"]

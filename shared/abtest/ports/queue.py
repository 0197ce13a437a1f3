"""A message queue."""

from typing import Protocol

MAX_MESSAGE_BYTES = 1024 * 1024
MAX_DELAY_SECONDS = 900


class QueueUnavailableError(Exception):
    """The queue refused the message; the caller keeps it elsewhere."""


class Queue(Protocol):
    """One queue to send to; receiving is the platform's business."""

    def send(self, body: str, *, delay_seconds: int = 0) -> None:
        """Enqueue one message of at most 1 MiB. Raises QueueUnavailableError, ValueError for a delay over 900 s."""
        ...

    def depth(self) -> int:
        """About how many messages wait. Raises QueueUnavailableError."""
        ...

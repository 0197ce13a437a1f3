"""A message queue."""

from typing import Protocol

MAX_MESSAGE_BYTES = 1024 * 1024
MAX_DELAY_SECONDS = 900


class QueueUnavailableError(Exception):
    """Queue that did not respond or did not accept the message; the caller must keep the message."""


class Queue(Protocol):
    """Sending side of one queue. The platform receives the messages and invokes the workers."""

    def send(self, body: str, *, delay_seconds: int = 0) -> None:
        """Send a message of at most 1 MiB. Raises QueueUnavailableError, and ValueError for a delay over 900 s."""
        ...

    def depth(self) -> int:
        """Return the approximate number of waiting messages. Raises QueueUnavailableError."""
        ...

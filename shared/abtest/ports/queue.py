"""A message queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

MAX_MESSAGE_BYTES = 1024 * 1024
MAX_DELAY_SECONDS = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueMessage:
    """Message to send. While messages of one `group` fill the queue, the platform delivers those of others first."""

    body: str
    group: str = ""


class QueueUnavailableError(Exception):
    """Queue that did not respond or did not accept the message; the caller must keep the message."""


class Queue(Protocol):
    """Sending side of one queue. The platform receives the messages and invokes the workers."""

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:
        """Send a message of at most 1 MiB; `group` as in QueueMessage.

        Raises QueueUnavailableError, and ValueError for a delay over 900 s.
        """
        ...

    def send_many(self, messages: Sequence[QueueMessage]) -> None:
        """Send messages of at most 1 MiB each, in few calls.

        Raises QueueUnavailableError if any was not accepted; others may have been sent then.
        """
        ...

    def depth(self) -> int:
        """Return the approximate number of waiting messages. Raises QueueUnavailableError."""
        ...

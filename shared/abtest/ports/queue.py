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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedMessage:
    """Message that was received. `receipt` names this reception to the queue."""

    body: str
    receipt: str


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


class ReceivingQueue(Protocol):
    """Receiving side of one queue, for a worker that takes more messages than the platform gives it."""

    def receive(self, *, wait_seconds: int) -> ReceivedMessage | None:
        """Take a message, and hide it for the queue's visibility time; None when there is none for so many seconds.

        Raises QueueUnavailableError.
        """
        ...

    def delete(self, message: ReceivedMessage) -> None:
        """Remove a received message. Raises QueueUnavailableError."""
        ...

"""A queue in memory."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.ports.queue import MAX_DELAY_SECONDS, MAX_MESSAGE_BYTES, QueueMessage, QueueUnavailableError


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message that waits."""

    body: str
    delay_seconds: int
    group: str = ""


class SendsEach:
    """A queue to which many messages are sent one by one."""

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:
        raise NotImplementedError

    def send_many(self, messages: Sequence[QueueMessage]) -> None:
        for message in messages:
            self.send(message.body, group=message.group)


class MemoryQueue(SendsEach):
    """A queue in a list, `sent`. Tests set `available` to False to make every call fail."""

    def __init__(self) -> None:
        self.available = True
        self.sent: list[SentMessage] = []

    @property
    def bodies(self) -> list[str]:
        """The bodies that wait, oldest first."""
        return [message.body for message in self.sent]

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:
        self._answer()
        if len(body.encode()) > MAX_MESSAGE_BYTES:
            raise QueueUnavailableError("the message is larger than 1 MiB")
        if not 0 <= delay_seconds <= MAX_DELAY_SECONDS:
            raise ValueError(f"a delay is 0 to {MAX_DELAY_SECONDS} s")
        self.sent.append(SentMessage(body, delay_seconds, group))

    def depth(self) -> int:
        self._answer()
        return len(self.sent)

    def _answer(self) -> None:
        if not self.available:
            raise QueueUnavailableError("switched off")

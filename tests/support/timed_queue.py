"""A queue by a clock that is told; `MemoryQueue` knows delays, too, but no time passes for it."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from typing import NamedTuple

from abtest.kit.clock import ManualClock
from abtest.ports.queue import QueueUnavailableError
from tests.support.memory.queue import SendsEach


class Message(NamedTuple):
    """A body, and from when on it can be received: of those that can be, the one that was sent first."""

    moment: datetime
    number: int
    body: str


class TimedQueue(SendsEach):
    """Messages that are received by hand. It can refuse what is sent, and it can lose it without a word."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._numbers = itertools.count()
        self.waiting: list[Message] = []
        self.is_available = True
        self.is_losing = False

    @property
    def delays(self) -> list[float]:
        """Seconds until each message can be received."""
        return [(message.moment - self._clock.now()).total_seconds() for message in sorted(self.waiting)]

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:
        if not self.is_available:
            raise QueueUnavailableError("switched off")
        if not self.is_losing:
            self.give(body, timedelta(seconds=delay_seconds))

    def give(self, body: str, delay: timedelta) -> None:
        """Let it be received after a while, as the queue itself does with a message whose receiver died."""
        self.waiting.append(Message(self._clock.now() + delay, next(self._numbers), body))

    def receive(self) -> str | None:
        """The message that has waited longest, if there is one."""
        first = min(self.waiting, default=None)
        if first is None or first.moment > self._clock.now():
            return None
        self.waiting.remove(first)
        return first.body

    def depth(self) -> int:
        return len(self.waiting)

    def clear(self) -> None:
        """Lose everything."""
        self.waiting.clear()

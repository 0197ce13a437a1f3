"""A queue with delays, visible to several workers, and with the fairness of SQS by group.

SQS calls a group noisy that has at least 30 messages in flight and more than a tenth of all, or more than a tenth of
the consumers' recent time, and delivers messages of quiet groups first; of noisy ones that with the fewest in flight.
A message without a group is a group of its own. See
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html
"""

import heapq
import itertools
import threading
import time
from collections import Counter, defaultdict, deque

from abtest.ports.queue import ReceivedMessage
from tests.support.memory.queue import SendsEach

RECENT_SECONDS = 60.0
"""Of the consumers' time; the documentation names no number."""

NOISY_SHARE, NOISY_IN_FLIGHT = 0.1, 30

_Waiting = tuple[float, int, str, str]
"""From when on, number, body and group."""


class DelayingQueue(SendsEach):
    """A queue by the real clock, with workers asleep until a message is due.

    The queues of tests have a clock that moves only when it is set.
    """

    def __init__(self, *, is_fair: bool) -> None:
        self._is_fair = is_fair
        self._is_closed = False
        self._delayed: list[_Waiting] = []
        self._ready: list[_Waiting] = []
        self._in_flight: dict[str, tuple[str, float]] = {}
        self._ended: deque[tuple[float, str, float]] = deque()
        self._spent: defaultdict[str, float] = defaultdict(float)
        self._numbers = itertools.count()
        self._changed = threading.Condition()

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:
        with self._changed:
            number = next(self._numbers)
            heapq.heappush(self._delayed, (time.monotonic() + delay_seconds, number, body, group or f"#{number}"))
            self._changed.notify()

    def depth(self) -> int:
        return len(self._delayed) + len(self._ready)

    def clear(self) -> None:
        """Lose everything."""
        self._delayed.clear()
        self._ready.clear()

    def close(self) -> None:
        """Give no more messages."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def receive(self, *, wait_seconds: float) -> ReceivedMessage | None:
        """Take the next message; None when there is none for so long."""
        end = time.monotonic() + wait_seconds
        with self._changed:
            while not self._is_closed:
                now = time.monotonic()
                while self._delayed and self._delayed[0][0] <= now:
                    self._ready.append(heapq.heappop(self._delayed))
                if self._ready:
                    return self._taken(now)
                if now >= end:
                    return None
                self._changed.wait(min(end, self._delayed[0][0] if self._delayed else end) - now)
        time.sleep(wait_seconds)
        return None

    def delete(self, message: ReceivedMessage) -> None:
        """End what was received; a message is never given twice here."""
        with self._changed:
            group, began = self._in_flight.pop(message.receipt)
            self._ended.append((time.monotonic(), group, time.monotonic() - began))
            self._spent[group] += self._ended[-1][2]

    def _taken(self, now: float) -> ReceivedMessage:
        first = self._fair(now) if self._is_fair else self._ready[0]
        self._ready.remove(first)
        receipt = str(first[1])
        self._in_flight[receipt] = (first[3], now)
        return ReceivedMessage(body=first[2], receipt=receipt)

    def _fair(self, now: float) -> _Waiting:
        while self._ended and self._ended[0][0] < now - RECENT_SECONDS:
            _, group, seconds = self._ended.popleft()
            self._spent[group] -= seconds
        in_flight = Counter(group for group, _ in self._in_flight.values())
        spent = self._spent.copy()
        for group, began in self._in_flight.values():
            spent[group] += now - began
        total_in_flight, total_spent = in_flight.total(), sum(spent.values())

        def is_noisy(group: str) -> bool:
            many = in_flight[group]
            crowds = many >= NOISY_IN_FLIGHT and many > NOISY_SHARE * total_in_flight
            return crowds or spent[group] > NOISY_SHARE * total_spent

        quiet = (waiting for waiting in self._ready if not is_noisy(waiting[3]))
        return next(quiet, None) or min(self._ready, key=lambda waiting: in_flight[waiting[3]])

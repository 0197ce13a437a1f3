"""Lag of shops in virtual time: the schedule, a queue and so many workers, fed with measured times of units.

Rows of each shop arrive evenly. A worker holds a shop while it counts; a message whose shop is held is dropped, one
whose rows are counted already costs little. Nothing is random, so runs with and without a flood differ by it alone.
"""

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import quantiles

from abtest.domain.ledger.dispatching import NO_INTEREST, Backlog, Counted, Interest, is_due

DISPATCH_SECONDS = 300.0
PICKED_UP_SECONDS = 0.05
"""A message whose shop is held, or is counted already: progress and plans are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitTimes:
    """Seconds of a unit: so many for any, so many for each new row. A unit takes at most `most_rows`."""

    each: float
    each_row: float
    most_rows: int


@dataclass(slots=True)
class _Shop:
    rate: float
    counted_to: float = 0.0
    counted_at: float = 0.0
    is_held: bool = False


@dataclass(slots=True, kw_only=True)
class Simulation:
    """Shops with so many rows a second each, counted for a while by `workers`.

    `are_fair`: the queue delivers next of the group with the fewest messages in work, as fair queues do; otherwise in
    the order of sending. `measured_for`: seconds since the plans changed last. `are_read`: someone reads results.
    """

    rates: Mapping[str, float]
    times: UnitTimes
    workers: int = 20
    are_fair: bool = True
    measured_for: float = 14 * 86_400.0
    are_read: bool = True
    lags: dict[str, list[float]] = field(default_factory=dict)
    waits: dict[str, list[float]] = field(default_factory=dict)
    _shops: dict[str, _Shop] = field(default_factory=dict)
    _queue: list[tuple[str, float]] = field(default_factory=list)
    _busy: Counter[str] = field(default_factory=Counter)
    _events: list[tuple[float, int, str, float, float]] = field(default_factory=list)

    def run(self, seconds: float) -> "Simulation":
        """Simulate so many seconds. Then `lags` has, by shop, how old the oldest row of each count was at its end.

        `waits` has how long ago its message had been sent by the schedule.
        """
        step = DISPATCH_SECONDS / max(1, len(self.rates))
        # Shops were last counted at different moments.
        for number, (name, rate) in enumerate(self.rates.items()):
            self._shops[name] = _Shop(rate=rate, counted_to=-number * step)
        free, now = self.workers, 0.0
        ticks = int(seconds // DISPATCH_SECONDS)
        for tick in range(ticks + 1):
            now = tick * DISPATCH_SECONDS
            free = self._until(now, free)
            self._dispatch(now)
            free = self._start(now, free)
        self._until(seconds, free)
        return self

    def p95(self, of: Mapping[str, Sequence[float]], *, without: str = "") -> float:
        """The 95th percentile of lags or waits in seconds, of all shops but one."""
        values = [value for name, own in of.items() if name != without for value in own]
        return quantiles(values, n=20)[-1] if len(values) > 1 else max(values, default=0.0)

    def _dispatch(self, now: float) -> None:
        for name, shop in self._shops.items():
            rows = int(shop.rate * (now - shop.counted_to))
            if not rows:
                continue
            counted = Counted(
                at=int(shop.counted_at * 1000), plans="p", plans_since=int(-self.measured_for * 1000), held=0,
                has_failed=False,
            )  # fmt: skip
            oldest = shop.counted_to + (1 / shop.rate)
            interest = Interest(read_at=int(now * 1000)) if self.are_read else NO_INTEREST
            if is_due(counted, Backlog(rows=rows, oldest=int(oldest * 1000)), "p", int(now * 1000), interest):
                self._queue.append((name, now))

    def _until(self, moment: float, free: int) -> int:
        """Carry out what ends before the moment. Return the workers that are free then."""
        while self._events and self._events[0][0] <= moment:
            now, _, name, reached, head = heapq.heappop(self._events)
            free += 1
            self._busy[name] -= 1
            if reached >= 0:
                self._end(name, now, reached, head)
            free = self._start(now, free)
        return free

    def _end(self, name: str, now: float, reached: float, head: float) -> None:
        shop = self._shops[name]
        shop.is_held = False
        self.lags.setdefault(name, []).append(now - (shop.counted_to + 1 / shop.rate))
        self.waits.setdefault(name, []).append(now - head)
        shop.counted_to, shop.counted_at = reached, now
        if reached < head:
            self._queue.append((name, head))

    def _start(self, now: float, free: int) -> int:
        while free and self._queue:
            name, head = self._queue.pop(self._next())
            shop = self._shops[name]
            free -= 1
            self._busy[name] += 1
            if shop.is_held or head <= shop.counted_to:
                self._push(now + PICKED_UP_SECONDS, name, -1.0, head)
                continue
            shop.is_held = True
            rows = min(shop.rate * (head - shop.counted_to), self.times.most_rows)
            reached = min(head, shop.counted_to + rows / shop.rate)
            self._push(now + self.times.each + rows * self.times.each_row, name, reached, head)
        return free

    def _next(self) -> int:
        if not self.are_fair:
            return 0
        fewest = 0
        for index, (name, _) in enumerate(self._queue):
            if not self._busy[name]:
                return index
            if self._busy[name] < self._busy[self._queue[fewest][0]]:
                fewest = index
        return fewest

    def _push(self, moment: float, name: str, reached: float, head: float) -> None:
        heapq.heappush(self._events, (moment, len(self._events), name, reached, head))

"""Some days of a shop in steps, at each of which anything may go wrong, by a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from random import Random

from tests.faults.faults import Fate, KilledError
from tests.faults.oracle import DAY, Event, expected, expected_days
from tests.faults.shop import Shop, moved
from tests.faults.shoppers import Sending, events_of, sendings_of

MOST_IN_A_REQUEST = 200


class Schedule:
    """A shop, its shoppers, and two processes that count."""

    def __init__(self, seed: int, *, events: int, days: int, steps: int) -> None:
        self.chance = Random(seed)
        self.shop = Shop(self.chance)
        self.days, self.steps = days, steps
        self.events: list[Event] = events_of(self.shop.plan, events, days, self.chance)
        self.until = self.shop.plan.begins + (days + 8) * DAY
        self.sendings = sendings_of(self.events, self.until, self.chance)
        self.processes = [self.shop.process(), self.shop.process()]
        self.deaths = self.last_moments = 0
        self.generation = 0

    def run(self) -> None:
        """All of it, with a look at the results half way and at the end."""
        begins, waiting = self.shop.plan.begins, iter(self.sendings)
        upcoming = next(waiting, None)
        for step in range(1, self.steps + 1):
            ends, due = begins + (self.until - begins) * step // self.steps, []
            while upcoming is not None and upcoming.at <= ends:
                if not upcoming.is_at_the_last_moment:
                    due.append(upcoming)
                elif upcoming.at >= self.shop.now:  # else it has come too late, and counts nowhere
                    self._send_at_the_last_moment(upcoming)
                upcoming = next(waiting, None)
            moved(self.shop.clock, ends)
            self._send(due)
            self._work()
            if step == self.steps // 2:
                self.check()
        assert upcoming is None
        self.check()

    def check(self) -> None:
        """Once everything stands in the ledger and one run came to its end, the results are exact: warm and cold."""
        self.shop.drain()
        for process in (self.processes[0], self.shop.process()):
            process.count()
            self.check_standing()

    def check_standing(self) -> None:
        """What stands is what was sent."""
        shop = self.shop
        assert shop.standing() == expected(self.events, shop.received, shop.plan.experiment, shop.plan.begins)
        assert shop.standing_days() == expected_days(self.events, shop.received)

    def requests(self, due: Sequence[Sending]) -> Iterator[Sequence[Sending]]:
        """Out of order; one clock a request."""
        mixed = sorted(self.chance.sample(due, len(due)), key=lambda sending: sending.skew)
        for _, group in groupby(mixed, key=lambda sending: sending.skew):
            same = list(group)
            while same:
                size = self.chance.randrange(1, MOST_IN_A_REQUEST + 1) if len(same) < 400 else MOST_IN_A_REQUEST
                yield same[:size]
                same = same[size:]

    def _send_at_the_last_moment(self, sending: Sending) -> None:
        moved(self.shop.clock, sending.at)
        self.shop.send([sending])
        self.last_moments += 1

    def _send(self, due: Sequence[Sending]) -> None:
        for request in self.requests(due):
            weather = self.chance.random()
            self.shop.mailbox.available = weather > 0.03
            self.shop.ledger.available = weather > 0.01
            self.shop.send(request, self._fate(2) if self.chance.random() < 0.1 else Fate())
            self.shop.mailbox.available = self.shop.ledger.available = True

    def _work(self) -> None:
        for _ in range(self.chance.randrange(6)):
            self.shop.deliver(self._fate(4) if self.chance.random() < 0.2 else Fate())
        if self.chance.random() < 0.5:
            self.shop.requeue_spilled()
        if self.chance.random() < 0.2:
            self.shop.compact(self._fate(12) if self.chance.random() < 0.5 else Fate())
        if self.chance.random() < 0.4:
            self._roll_up()

    def _roll_up(self) -> None:
        index = self.chance.randrange(2)
        kind = self.chance.random()
        if kind < 0.4:
            self._count(index, self._fate(10))
        elif kind < 0.7:
            other = self.processes[1 - index]
            wish: list[Callable[[], object]] = [other.count, self.shop.compact, self.shop.deliver]
            meanwhile = self.chance.choice(wish)
            self._count(index, Fate(at=self.chance.randrange(1, 10), happens=meanwhile))
        else:
            self._count(index, Fate())

    def _count(self, index: int, fate: Fate) -> None:
        try:
            self.processes[index].count(fate)
        except KilledError:
            self.deaths += 1
            self.processes[index] = self.shop.process()
        totals = self.shop.store.totals(self.shop.plan.experiment, 1)
        generation = totals["generation"] if totals else 0
        assert generation >= self.generation, "what stands is never older than before"
        self.generation = generation

    def _fate(self, calls: int) -> Fate:
        return Fate(at=self.chance.randrange(1, calls + 1), after=self.chance.random() < 0.5)

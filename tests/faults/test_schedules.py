"""Whatever dies, repeats, comes late or races: the results are those of what was sent, to the last digit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, groupby
from random import Random

import pytest

from abtest.adapters.memory import MemoryRollupStore
from tests.faults.faults import Fate, KilledError
from tests.faults.oracle import DAY, Event, expected
from tests.faults.shop import Process, Shop, moved
from tests.faults.shoppers import Sending, events_of, sendings_of

MOST_IN_A_REQUEST = 200


class Schedule:
    """Some days of a shop in steps, at each of which anything may go wrong."""

    def __init__(self, seed: int, *, events: int, days: int, steps: int) -> None:
        self.chance = Random(seed)
        self.shop = Shop(self.chance)
        self.days, self.steps = days, steps
        self.events: list[Event] = events_of(self.shop.plan, events, days, self.chance)
        self.until = self.shop.plan.begins + (days + 7) * DAY
        self.sendings = sendings_of(self.events, self.until, self.chance)
        self.processes = [self.shop.process(), self.shop.process()]
        self.deaths = 0
        self.generation = 0

    def run(self) -> None:
        """All of it, with a look at the results half way and at the end."""
        begins, waiting = self.shop.plan.begins, iter(self.sendings)
        upcoming = next(waiting, None)
        for step in range(1, self.steps + 1):
            moved(self.shop.clock, begins + (self.until - begins) * step // self.steps)
            due = []
            while upcoming is not None and upcoming.at <= self.shop.now:
                due.append(upcoming)
                upcoming = next(waiting, None)
            self._send(due)
            self._work()
            if step == self.steps // 2:
                self.check()
        assert upcoming is None
        self.check()

    def check(self) -> None:
        """Once everything stands in the ledger and one run came to its end, the results are exact: warm and cold."""
        self.shop.drain()
        wanted = expected(self.events, self.shop.received, self.shop.plan.experiment, self.shop.plan.begins)
        for process in (self.processes[0], self.shop.process()):
            process.count()
            assert self.shop.standing() == wanted

    def _send(self, due: Sequence[Sending]) -> None:
        for request in self.requests(due):
            weather = self.chance.random()
            self.shop.mailbox.available = weather > 0.03
            self.shop.ledger.available = weather > 0.01
            self.shop.send(request, self._fate(2) if self.chance.random() < 0.1 else Fate())
            self.shop.mailbox.available = self.shop.ledger.available = True

    def requests(self, due: Sequence[Sending]) -> Iterator[Sequence[Sending]]:
        """Out of order; one clock a request."""
        mixed = sorted(self.chance.sample(due, len(due)), key=lambda sending: sending.skew)
        for _, group in groupby(mixed, key=lambda sending: sending.skew):
            same = list(group)
            while same:
                size = self.chance.randrange(1, MOST_IN_A_REQUEST + 1) if len(same) < 400 else MOST_IN_A_REQUEST
                yield same[:size]
                same = same[size:]

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
            meanwhile = self.chance.choice([other.count, self.shop.compact, self.shop.deliver])
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


@pytest.mark.parametrize("seed", range(10))
def test_results__of_a_random_schedule__equal_what_was_sent(seed: int) -> None:
    Schedule(seed, events=600, days=2, steps=16).run()


def test_results__of_two_hundred_thousand_events__equal_what_was_sent() -> None:
    schedule = Schedule(4711, events=200_000, days=4, steps=44)
    repeats = len(schedule.sendings) / len(schedule.events) - 1
    assert 0.045 < repeats < 0.055
    schedule.run()
    assert schedule.deaths >= 5


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_roll_up__killed_at_each_call_in_turn__is_made_good_by_the_next(after: bool) -> None:
    schedule = Schedule(1, events=200, days=1, steps=1)
    shop = schedule.shop
    moved(shop.clock, shop.plan.begins + 2 * DAY)
    for request in schedule.requests([each for each in schedule.sendings if each.at < shop.now]):
        shop.send(request)
    shop.drain()
    wanted = expected(schedule.events, shop.received, shop.plan.experiment, shop.plan.begins)
    for call in count(1):
        shop.store = MemoryRollupStore()
        died = _dies(shop.process(), Fate(at=call, after=after))
        shop.process().count()
        assert shop.standing() == wanted
        if not died:
            break
    assert call > 8, "every call was met, and in the last round none"


def _dies(process: Process, fate: Fate) -> bool:
    try:
        process.count(fate)
    except KilledError:
        return True
    return False

"""Workers of DecideQueue that die at each of their calls, run twice at once, or get messages ten times."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from abtest.services.decisions.messages import TASKS, decision_message
from abtest.services.decisions.worker import DecisionsFailedError
from tests.faults.faults import Fate, Fated, KilledError
from tests.support.autostopping import CONTROL, TREATMENT, Doom, Shopkeeper, plan, running
from tests.support.storefronts import SHOP_ID, experiment_id

AFTER = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
"""The process dies before the call is carried out, or after it."""

WINS, HARMS, EVEN, FAILS, RESTS = range(1, 6)
OFF = {"mode": "off"}
EVENTS = {"experiment.significant": 1, "variation.winning": 1, "experiment.guardian_paused": 1}
MOST_RECEIVES = 5


class Office(Shopkeeper):
    """A shop with one experiment for each end, its queue, and workers that may die."""

    def __init__(self) -> None:
        super().__init__()
        unreadable: Any = plan(mde="no number")
        self.keep(
            running(WINS),
            running(HARMS, auto_stop_override=OFF),
            running(EVEN),
            running(FAILS, planned_test=unreadable),
            running(RESTS, status="paused"),
        )
        self.count(1, {CONTROL: (2000, 200), TREATMENT: (2000, 300)}, number=WINS)
        self.count(1, {CONTROL: (5000, 500), TREATMENT: (5000, 300)}, number=HARMS)
        for number in (EVEN, FAILS, RESTS):
            self.count(1, {CONTROL: (2000, 200), TREATMENT: (2000, 205)}, number=number)
        self.deciders = self.use()
        self.queue = self.deciders.queue
        self.dead: list[str] = []

    def work(self, body: str, fate: Fate | None = None) -> None:
        """One process takes a message. Raises KilledError."""
        deciders = self.use(fate)
        deciders.queue = Fated(self.queue, fate) if fate else self.queue
        deciders.worker.carry_out(body)

    def drain(self) -> None:
        """Deliver what waits until nothing does; a message that fails five times is a dead letter."""
        while self.queue.sent:
            body = self.queue.sent.pop(0).body
            for _ in range(MOST_RECEIVES):
                self.clock.advance(minutes=4)
                try:
                    self.work(body)
                except DecisionsFailedError:
                    continue
                break
            else:
                self.dead.append(body)

    def check(self) -> None:
        """Everything happened once, and what cannot be done is a dead letter of its own."""
        statuses = [self.found(number).status for number in (WINS, HARMS, EVEN, FAILS, RESTS)]
        assert statuses == ["paused", "paused", "running", "running", "paused"]
        assert Counter(self.events()) == EVENTS
        actions = [row.action for number in (WINS, HARMS, EVEN) for row in self.audited(number)]
        assert actions == ["experiment.pause"] * 2
        assert len(self.catalog.inbox(SHOP_ID, limit=100)[0]) == 1
        assert [self.state(number)["looks"] for number in (WINS, HARMS, EVEN, RESTS)] == [1] * 4
        failing = decision_message(SHOP_ID, ["autostop"], [experiment_id(FAILS)])
        assert set(self.dead) == {failing}


BOTH = decision_message(SHOP_ID, TASKS)


def calls_of_a_message() -> int:
    """How many calls of its ports a worker makes."""
    fate = Fate()
    Office().work(BOTH, fate)
    return fate.calls


CALLS = calls_of_a_message()


@AFTER
@pytest.mark.parametrize("at", range(1, CALLS + 1))
def test_worker__dies_at_a_call__the_message_comes_again_and_all_happens_once(at: int, after: bool) -> None:
    office = Office()
    with pytest.raises(KilledError):
        office.work(BOTH, Doom(at=at, after=after))
    office.queue.send(BOTH)
    office.drain()
    office.check()


@pytest.mark.parametrize("at", range(1, CALLS + 1))
def test_worker__another_does_the_same_message_in_between__all_happens_once(at: int) -> None:
    office = Office()
    office.work(BOTH, Fate(at=at, happens=lambda: office.work(BOTH)))
    office.drain()
    office.check()


@pytest.mark.parametrize("at", range(1, CALLS + 1))
def test_worker__outlives_its_leases_and_another_does_the_message__all_happens_once(at: int) -> None:
    """As if the first were suspended in between, until its leases are over."""
    office = Office()

    def another() -> None:
        office.leases = type(office.leases)()
        office.work(BOTH)

    office.work(BOTH, Fate(at=at, happens=another))
    office.drain()
    office.check()


@pytest.mark.parametrize("seed", range(5))
def test_messages__ten_times_and_in_any_order__happen_once(seed: int) -> None:
    office, order = Office(), Random(seed)
    numbers = (WINS, HARMS, EVEN, FAILS, RESTS)
    bodies = [BOTH, *(decision_message(SHOP_ID, [task], [experiment_id(n)]) for task in TASKS for n in numbers)] * 10
    order.shuffle(bodies)
    for body in bodies:
        office.queue.send(body)
    office.clock.advance(minutes=-4 * len(bodies))
    office.drain()
    office.check()

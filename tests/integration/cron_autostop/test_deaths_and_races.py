"""A process that dies at any line, runs twice, or races people and Guardian: one transition, one set of events."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.changes.change import Event
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import StaleVersionError
from abtest.services.context import Caller
from abtest.services.decisions.shop_round import LEASE
from abtest.services.experiments.lifecycle import Lifecycle
from abtest.services.experiments.system_pause import pause_running
from abtest.services.planning import Planner
from abtest.services.publication import PublicationOutcome
from abtest.services.republication import Republication
from abtest.services.storefronts import Storefronts
from tests.faults.faults import Fate, KilledError
from tests.support.autostopping import (
    CONTROL,
    GOAL,
    GROUP_SEQUENTIAL,
    PLANNED,
    TREATMENT,
    Doom,
    Shopkeeper,
    plan,
    running,
)
from tests.support.deciding import RoundFailedError
from tests.support.memory import MemoryLeases, MemorySessions
from tests.support.storefronts import SHOP_ID, experiment_id

WON = {CONTROL: (2000, 200), TREATMENT: (2000, 300)}
EVEN = {CONTROL: (2000, 200), TREATMENT: (2000, 205)}
CALLER = Caller(
    key_id="k",
    kind="shop",
    user_id="0192a3b4-0000-7000-8000-0000000000ff",
    shop_id=SHOP_ID,
    scopes=frozenset({"experiments:launch"}),
    request_id="r",
)
TOLD = ["experiment.significant", "variation.winning"]


def prepared(arms: dict[str, tuple[int, int]] = WON, **fields: Any) -> Shopkeeper:
    keeper = Shopkeeper()
    keeper.keep(running(**fields))
    keeper.count(1, arms)
    return keeper


def calls_of_a_round(**fields: Any) -> int:
    """How many calls of its ports a process makes in a round that decides."""
    fate = Fate()
    prepared(**fields).round(fate)
    return fate.calls


SEQUENTIAL_CALLS = calls_of_a_round()
PLANNED_FIELDS = {"auto_stop_override": PLANNED, "planned_test": plan()}
PLANNED_CALLS = calls_of_a_round(**PLANNED_FIELDS, arms=EVEN)
LOOKS_FIELDS = {"auto_stop_override": GROUP_SEQUENTIAL, "planned_test": plan(required_total_visitors=6000)}
LOOKS_CALLS = calls_of_a_round(**LOOKS_FIELDS)


def again_until_done(keeper: Shopkeeper) -> None:
    """What the schedule does: fire again when the dead one's lease is over."""
    keeper.clock.advance(minutes=5)
    keeper.round()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, SEQUENTIAL_CALLS + 1))
def test_round__dies_at_a_call__the_next_one_brings_exactly_one_pause(at: int, after: bool) -> None:
    keeper = prepared()
    with pytest.raises(KilledError):
        keeper.round(Doom(at=at, after=after))
    assert keeper.events() in ([], TOLD)
    again_until_done(keeper)
    assert keeper.found().status == "paused"
    assert keeper.events() == TOLD
    assert Counter(row.action for row in keeper.audited()) == {"experiment.pause": 1}
    assert (keeper.state()["looks"], len(keeper.looks.looks(experiment_id(1), 1))) == (1, 1)
    assert keeper.publisher.published or keeper.outbox("publish")


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, PLANNED_CALLS + 1))
def test_round__dies_at_a_call__the_next_one_brings_exactly_one_evaluation(at: int, after: bool) -> None:
    keeper = prepared(EVEN, **PLANNED_FIELDS)
    with pytest.raises(KilledError):
        keeper.round(Doom(at=at, after=after))
    again_until_done(keeper)
    first = keeper.found().planned_test
    again_until_done(keeper)
    assert first == keeper.found().planned_test
    assert first is not None
    assert first["evaluation"] is not None
    assert first["evaluation"]["outcome"] == "continue_inconclusive"
    assert Counter(row.action for row in keeper.audited()) == {"experiment.evaluate": 1}
    assert keeper.events() == []


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, LOOKS_CALLS + 1))
def test_round__dies_at_a_call_of_a_planned_look__the_next_one_brings_one_look_and_one_pause(
    at: int, after: bool
) -> None:
    keeper = prepared(**LOOKS_FIELDS)
    with pytest.raises(KilledError):
        keeper.round(Doom(at=at, after=after))
    again_until_done(keeper)
    stopped, looks = keeper.found(), keeper.state()["planned_looks"]
    assert (stopped.status, keeper.events()) == ("paused", TOLD)
    assert stopped.planned_test is not None
    assert stopped.planned_test["evaluation"] is not None
    assert stopped.planned_test["evaluation"]["ended_by"] == "winner"
    assert [one["generation"] for one in looks["counts"][TREATMENT]] == [1]
    assert len(looks["family"]["treatments"][TREATMENT]["looks"]) == 1
    assert Counter(row.action for row in keeper.audited()) == {"experiment.pause": 1}


@pytest.mark.parametrize("at", range(1, LOOKS_CALLS + 1))
def test_round__another_whole_round_in_between__one_planned_look_and_one_pause(at: int) -> None:
    keeper = prepared(**LOOKS_FIELDS)

    def another() -> None:
        keeper.leases = type(keeper.leases)()
        keeper.round()

    keeper.round(Fate(at=at, happens=another))
    assert (keeper.found().status, keeper.events()) == ("paused", TOLD)
    assert len(keeper.state()["planned_looks"]["counts"][TREATMENT]) == keeper.state()["looks"] == 1


@pytest.mark.parametrize("at", range(1, SEQUENTIAL_CALLS + 1))
def test_round__another_whole_round_in_between__one_pause(at: int) -> None:
    """Without leases, as if the first had been asleep until its lease was over."""
    keeper = prepared()

    def another() -> None:
        keeper.leases = type(keeper.leases)()
        keeper.round()

    keeper.round(Fate(at=at, happens=another))
    assert keeper.found().status == "paused"
    assert keeper.events() == TOLD
    assert keeper.state()["looks"] == 1


def by_hand(keeper: Shopkeeper, action: Any) -> None:
    use = keeper.use().store
    storefronts = use.storefronts
    assert isinstance(storefronts, Storefronts)
    republication = Republication(
        world=use.world, storefronts=storefronts, leases=MemoryLeases(), sessions=MemorySessions()
    )
    Lifecycle(use, Planner(use.world, keeper.rollups), republication).act(CALLER, experiment_id(1), action)


@pytest.mark.parametrize("at", range(1, SEQUENTIAL_CALLS + 1))
def test_round__paused_and_resumed_by_hand_in_between__is_paused_at_most_once_by_auto_stop(at: int) -> None:
    keeper = prepared()

    def nudge() -> None:
        if keeper.found().status == "running":
            by_hand(keeper, "pause")
            by_hand(keeper, "resume")

    keeper.round(Fate(at=at, happens=nudge))
    again_until_done(keeper)
    assert keeper.found().status == "paused"
    assert keeper.events() == TOLD


@pytest.mark.parametrize("at", range(1, SEQUENTIAL_CALLS + 1))
def test_round__auto_stop_paused_and_somebody_resumed_in_between__leaves_it_running(at: int) -> None:
    """The slow one decided before the pause that was undone: it must not repeat it."""
    keeper = prepared()

    def paused_and_resumed() -> None:
        keeper.leases = type(keeper.leases)()
        keeper.round()
        if keeper.found().status == "paused":
            by_hand(keeper, "resume")

    keeper.round(Fate(at=at, happens=paused_and_resumed))
    assert keeper.found().status == "running"
    assert keeper.events() == TOLD
    again_until_done(keeper)
    assert keeper.found().status == "running"


@pytest.mark.parametrize("at", range(1, SEQUENTIAL_CALLS + 1))
def test_round__weights_change_in_between__evidence_of_the_old_measurement_pauses_nothing(at: int) -> None:
    keeper = prepared()

    def begin_anew() -> None:
        found = keeper.found()
        if found.status == "running":
            keeper.keep(replace(found, measurement_epoch=2, measurement_started_at=keeper.use().store.world.now()))

    keeper.round(Fate(at=at, happens=begin_anew))
    found = keeper.found()
    assert (found.status, found.measurement_epoch) in {("running", 2), ("paused", 1)}
    assert keeper.events() == ([] if found.status == "running" else TOLD)


def test_round__overtaken_by_a_newer_generation__loses_no_minimum() -> None:
    keeper = prepared(auto_stop_override={"mode": "off"})
    fate = Fate(of="put", at=1)

    def newer() -> None:
        keeper.count(2, EVEN)
        keeper.leases = type(keeper.leases)()
        keeper.round()

    fate.happens = newer
    assert keeper.round(fate).results == {"overtaken": 1}
    assert keeper.state()["generation"] == 2
    assert keeper.state()["looks"] == 1


def test_round__fired_twice__the_second_finds_nothing_to_do() -> None:
    keeper = prepared()
    assert keeper.round().results == {"paused": 1}
    assert keeper.round().results == {}
    assert keeper.events() == TOLD


def test_round__another_holds_the_lease__passes_by() -> None:
    keeper = prepared()
    keeper.leases.acquire(f"{LEASE}#{experiment_id(1)}", owner="another", seconds=60, now=keeper.clock.now())
    done = keeper.round()
    assert (done.results, done.busy) == ({}, [experiment_id(1)])
    assert keeper.found().status == "running"


def test_round__one_cannot_be_read__the_others_have_their_turn_and_the_function_fails() -> None:
    keeper = prepared()
    keeper.keep(running(2, planned_test=plan(mde="no number")))
    keeper.count(1, WON, number=2)
    with pytest.raises(RoundFailedError) as failure:
        keeper.round()
    assert failure.value.round.failed == [experiment_id(2)]
    assert keeper.found(1).status == "paused"


def test_round__out_of_time__begins_nothing_and_says_so() -> None:
    keeper = prepared()
    done = keeper.use().run("autostop", until=keeper.clock.now())
    assert (done.results, done.left) == ({}, [experiment_id(1)])
    assert keeper.found().status == "running"


def test_round__publication_fails__stays_paused_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    keeper = prepared()
    keeper.publisher.outcome = PublicationOutcome(ok=False, reasons=("no answer",))
    assert keeper.one() == "paused"
    assert keeper.events() == TOLD
    assert len(keeper.outbox("publish")) == 1


def test_two_hundred_at_once__auto_stop_guardian_and_people__one_transition_one_set_of_events() -> None:
    keeper = prepared()
    before = keeper.found().version
    start = threading.Barrier(200, timeout=60)
    calls: list[Callable[[], object]] = [(_auto_stop, _guardian, _person)[number % 3](keeper) for number in range(200)]

    def run(call: Callable[[], object]) -> object:
        start.wait()
        try:
            return call()
        except (StaleVersionError, DatabaseBusyError) as lost:
            return lost

    with ThreadPoolExecutor(200) as threads:
        answers = list(threads.map(run, calls))
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    assert keeper.found().status == "paused"
    assert keeper.found().version == before + 1
    (pause,) = [row for row in keeper.audited() if row.action == "experiment.pause"]
    reason = pause.diff.get("reason", [None, "by hand"])[1]
    expected = {
        "auto_stop_significant": TOLD,
        "conversion_harm": ["experiment.guardian_paused"],
        "by hand": [],
    }
    assert keeper.events() == expected[reason]


def _auto_stop(keeper: Shopkeeper) -> Callable[[], object]:
    """A round that no lease keeps from racing."""
    use = replace(keeper.use(), leases=MemoryLeases())
    return lambda: use.run("autostop").results


def _guardian(keeper: Shopkeeper) -> Callable[[], object]:
    store = keeper.use().store
    event = Event("experiment.guardian_paused", {"reason": "conversion_harm", "goal_id": GOAL, "variation_id": None})
    return lambda: pause_running(
        store,
        SHOP_ID,
        experiment_id(1),
        expected_measurement_epoch=1,
        reason="conversion_harm",
        events=[event],
    )


def _person(keeper: Shopkeeper) -> Callable[[], object]:
    return lambda: by_hand(keeper, "pause")

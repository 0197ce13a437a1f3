"""The worker of DecideQueue: one shop a message, each experiment once, and messages of their own for the rest."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from abtest.kit.clock import timestamp
from abtest.ports.queue import QueueUnavailableError
from abtest.services.decisions.messages import (
    TASKS,
    InvalidDecisionMessageError,
    decision_message,
)
from abtest.services.decisions.shop_round import LEASE
from abtest.services.decisions.worker import BUSY_SECONDS, FAILED_SECONDS, WORK_TIME, DecisionsFailedError
from tests.support.autostopping import running
from tests.support.storefronts import SHOP_ID, experiment_id
from tests.unit.decisions.office import BOTH, EVEN, UNREADABLE, WON, Office


@pytest.fixture
def office() -> Office:
    return Office()


def test_message__of_both_tasks__looks_decides_and_checks(office: Office) -> None:
    office.prepared(1, WON)
    office.prepared(2)
    office.prepared(3, auto_stop_override={"mode": "off"})
    done = office.work()
    assert done["autostop"]["results"] == {"paused": 1, "no_winner": 1, "off": 1}
    assert done["guardian"]["results"] == {"not_running": 1, "quiet": 2}
    assert [office.state(number)["looks"] for number in (1, 2, 3)] == [1, 1, 1]
    assert office.sent() == []
    assert dict(office.deciders.metrics.sums) == {
        "ExperimentsPaused": 1,
        "ExperimentsNotDecided": 0,
        "ExperimentsNotWatched": 0,
        "ExperimentsLeft": 0,
    }


def test_message__ten_times__is_one_look_one_check_and_no_lease_after_the_first(office: Office) -> None:
    office.prepared(1, auto_stop_override={"mode": "off"})
    office.work()
    guarded = office.catalog.get(SHOP_ID, "GUARD", experiment_id(1))
    office.deciders.leases = None
    for _ in range(9):
        assert office.work()["guardian"]["results"] == {"quiet": 1}
    assert office.state()["looks"] == 1
    assert office.catalog.get(SHOP_ID, "GUARD", experiment_id(1)) == guarded


def test_message__with_ids__is_about_these_only(office: Office) -> None:
    for number in (1, 2):
        office.prepared(number, WON)
    office.work(decision_message(SHOP_ID, TASKS, [experiment_id(2), experiment_id(9)]))
    assert [office.found(number).status for number in (1, 2)] == ["running", "paused"]


def test_message__of_what_does_not_run__is_looked_at_without_decision(office: Office) -> None:
    office.prepared(1, WON, status="paused")
    done = office.work()
    assert (done["autostop"]["looks"], done["autostop"]["results"]) == ({"looked": 1}, {})
    assert done["guardian"]["results"] == {"not_running": 1}
    assert office.work()["autostop"]["looks"] == {"seen": 1}
    assert office.state()["looks"] == 1


def test_message__of_another_shop__touches_nothing(office: Office) -> None:
    office.prepared(1, WON)
    other = SHOP_ID.replace("a", "b")
    assert office.work(decision_message(other, TASKS, [experiment_id(1)]))["autostop"]["results"] == {"not_running": 1}
    assert office.found().status == "running"


def test_message__late_and_out_of_order__counts_for_nothing(office: Office) -> None:
    office.prepared(1)
    office.count(2, EVEN)
    office.work()
    office.clock.advance(minutes=-3)
    assert office.work()["guardian"]["results"] == {"quiet": 1}
    assert office.state()["generation"] == 2
    assert office.state()["looks"] == 1


def test_garbage__is_refused_with_a_line_of_the_log(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(InvalidDecisionMessageError):
        office.work("not a decision")
    (line,) = [record for record in caplog.records if record.msg == "decisions.unreadable"]
    assert vars(line)["reason"] == "the body is not JSON"


def test_time__over__the_rest_gets_a_message_of_its_own(office: Office) -> None:
    for number in range(1, 9):
        office.prepared(number)
    rollups: Any = office.rollups
    rollups.totals_of = _slow(office, rollups.totals_of, WORK_TIME)
    done = office.work()
    assert sum(done["autostop"]["results"].values()) == 1
    ((left, delay),) = office.sent()
    assert (left.tasks, delay, len(left.experiment_ids or ())) == (TASKS, 0, 7)
    assert office.deciders.metrics.sums["ExperimentsLeft"] == 7


def _slow(office: Office, call: Any, time: timedelta) -> Any:
    def read(*arguments: Any) -> Any:
        office.clock.advance(seconds=time.total_seconds())
        return call(*arguments)

    return read


def test_shop__of_two_thousand_whose_worker_is_slow__has_all_their_turns(office: Office) -> None:
    """Each turn takes a second, so a message has 120 of them: the rest follows in new messages, and ends."""
    for number in range(1, 2001):
        office.prepared(number, auto_stop_override={"mode": "off"})
    looks: Any = office.looks
    put = looks.put

    def slow(*arguments: Any) -> Any:
        office.clock.advance(seconds=1)
        return put(*arguments)

    looks.put = slow
    waiting = office.deciders.dispatched("autostop")
    assert len(waiting) == 8
    worked = 0
    while waiting:
        office.work(waiting.pop(0))
        worked += 1
        waiting += office.deciders.queue.bodies
        office.deciders.queue.sent.clear()
    assert 17 <= worked <= 25
    states = [office.state(number) for number in range(1, 2001)]
    assert {state["looks"] for state in states} == {1}


def test_one_that_fails__among_others__gets_a_message_of_its_own_and_is_a_dead_letter_then(office: Office) -> None:
    office.prepared(1)
    office.prepared(2, planned_test=UNREADABLE)
    done = office.work()
    assert done["autostop"]["failed"] == [experiment_id(2)]
    assert done["autostop"]["results"] == {"no_winner": 1}
    assert done["guardian"]["results"] == {"quiet": 2}
    ((failed, delay),) = office.sent()
    assert (failed.tasks, failed.experiment_ids, delay) == (("autostop",), (experiment_id(2),), FAILED_SECONDS)
    assert office.deciders.metrics.sums["ExperimentsNotDecided"] == 1
    for _ in range(5):
        with pytest.raises(DecisionsFailedError, match=experiment_id(2)):
            office.work(decision_message(SHOP_ID, failed.tasks, failed.experiment_ids))
    assert office.sent() == []


@pytest.mark.parametrize(("port", "name"), [("catalog", "get"), ("rollups", "totals"), ("looks", "state")])
def test_one_that_cannot_be_read__does_not_stop_those_read_with_it(office: Office, port: str, name: str) -> None:
    for number in range(1, 6):
        office.prepared(number)
    office.breaks(port, name, 3)
    done = office.work()
    assert done["autostop"]["failed"] == [experiment_id(3)]
    assert sum(done["autostop"]["results"].values()) == 4
    assert sum(done["guardian"]["results"].values()) == (5 if port == "looks" else 4)
    ((failed, _),) = office.sent()
    assert failed.experiment_ids == (experiment_id(3),)


def test_all_that_fail__the_message_itself_comes_again(office: Office) -> None:
    for number in (1, 2):
        office.prepared(number)
    office.breaks("rollups", "totals", 1, 2)
    with pytest.raises(DecisionsFailedError):
        office.work()
    assert office.sent() == []


def test_one_that_another_worker_holds__is_looked_at_after_its_lease(office: Office) -> None:
    office.prepared(1)
    office.prepared(2)
    office.leases.acquire(f"{LEASE}#{experiment_id(1)}", owner="another", seconds=60, now=office.clock.now())
    assert office.work()["autostop"]["busy"] == [experiment_id(1)]
    ((busy, delay),) = office.sent()
    assert (busy.tasks, busy.experiment_ids, delay) == (TASKS, (experiment_id(1),), BUSY_SECONDS)
    office.clock.advance(seconds=BUSY_SECONDS)
    office.work(decision_message(SHOP_ID, busy.tasks, busy.experiment_ids))
    assert office.state()["looks"] == 1


def test_queue__that_refuses_the_rest__makes_the_message_come_again(office: Office) -> None:
    office.prepared(1)
    office.prepared(2, planned_test=UNREADABLE)
    office.deciders.queue.available = False
    with pytest.raises(QueueUnavailableError):
        office.work()


def test_shop__that_is_gone__ends_as_a_dead_letter_and_pauses_nothing(office: Office) -> None:
    other = "0192a3b4-0000-7000-8000-0000000000bb"
    office.keep(replace(running(1), shop_id=other))
    with pytest.raises(DecisionsFailedError):
        office.work(decision_message(other, TASKS))


def test_rules_of_a_shop__are_read_once_a_message(office: Office) -> None:
    for number in range(1, 31):
        office.prepared(number)
    reads: list[str] = []
    get = office.catalog.get

    def counted(shop_id: str, kind: str, record_id: str, **named: Any) -> Any:
        reads.append(kind)
        return get(shop_id, kind, record_id, **named)

    office.catalog.get = counted
    office.catalog.get_many = _many(office, get)
    office.work()
    assert sorted(reads) == ["SET", "SET", "SHOP"]


def _many(office: Office, get: Any) -> Any:
    def read(shop_id: str, kind: str, ids: Any, **_: Any) -> Any:
        return [record for each in ids if (record := get(shop_id, kind, each))]

    return read


def test_guardian__overtaken_at_newer_counts__does_not_go_back_to_the_older_ones(office: Office) -> None:
    office.prepared(1)
    other = office.use()
    rollups: Any = office.rollups
    totals_of = rollups.totals_of

    def overtaken(*arguments: Any) -> Any:
        old = totals_of(*arguments)
        rollups.totals_of = totals_of
        office.count(2, EVEN)
        other.worker.carry_out(BOTH)
        return old

    rollups.totals_of = overtaken
    done = office.work()
    assert (done["autostop"]["results"], done["guardian"]["results"]) == ({"overtaken": 1}, {"raced": 1})
    assert office.catalog.get(SHOP_ID, "GUARD", experiment_id(1)).body["generation"] == 2
    assert (office.state()["generation"], office.state()["looks"]) == (2, 1)


def test_guardian__soon_after_a_check__looks_again_only_at_new_counts(office: Office) -> None:
    office.prepared(1)
    message = decision_message(SHOP_ID, ["guardian"])
    office.work(message)
    checked = office.catalog.get(SHOP_ID, "GUARD", experiment_id(1)).body
    office.clock.advance(minutes=5)
    office.work(message)
    assert office.catalog.get(SHOP_ID, "GUARD", experiment_id(1)).body == checked
    office.count(2, EVEN)
    office.work(message)
    soon = office.catalog.get(SHOP_ID, "GUARD", experiment_id(1)).body
    assert (soon["generation"], soon["checked_at"], soon.get("has_news", False)) == (2, checked["checked_at"], True)
    office.clock.advance(minutes=5)
    office.work(message)
    later = office.catalog.get(SHOP_ID, "GUARD", experiment_id(1)).body
    assert (later["checked_at"], later.get("has_news", False)) == (timestamp(office.clock.now()), False)

"""Rounds of Guardian that die, fail, or are overtaken: everything is told once, whoever dies or is faster."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from abtest.domain.changes.change import Event
from abtest.kit.clock import timestamp
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import Commit, Put, StaleVersionError
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.experiments.system_pause import pause_running
from tests.support.deciding import RoundFailedError
from tests.unit.experiments.examples import EXPERIMENT, GOAL, SHOP, in_status
from tests.unit.experiments.test_store import CALLER
from tests.unit.guardian.stands import HARMED, HEALTHY, Stand


class DyingError(Exception):
    """The process ends here."""


class Deaths:
    """Lets a catalog's calls through until one of them is to be the last, before or after it is done."""

    def __init__(self, stand: Stand, name: str, *, number: int, is_after: bool) -> None:
        self._call = getattr(stand.catalog, name)
        self._left, self._is_after = number, is_after
        setattr(stand.catalog, name, self)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self._left -= 1
        if self._left < 0 and not self._is_after:
            raise DyingError
        answer = self._call(*arguments, **named)
        if self._left < 0:
            raise DyingError
        return answer


def _mended(stand: Stand) -> None:
    for name in ("commit", "get", "outbox_done"):
        vars(stand.catalog).pop(name, None)
    stand.leases.__init__()  # type: ignore[misc]


@pytest.mark.parametrize("numbers", [HARMED, {**HEALTHY, "multiple_exposure": 200}], ids=["pause", "alert"])
@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize(("name", "number"), [("commit", 0), ("commit", 1), ("get", 1), ("get", 3), ("outbox_done", 0)])
def test_death__at_any_call__ends_with_everything_told_once(
    stand: Stand, numbers: dict[str, Any], name: str, number: int, is_after: bool
) -> None:
    stand.counted(**numbers)
    Deaths(stand, name, number=number, is_after=is_after)
    with suppress(RoundFailedError, DyingError):
        stand.round()
    _mended(stand)
    for _ in range(3):
        stand.round()
    told = [event for event in stand.webhooks() if event.get("action") != "pause_failed"]
    assert len(told) == 1
    assert len([message for message in stand.inbox() if "failed" not in message.body]) == 1
    assert stand.experiment.status == ("paused" if numbers is HARMED else "running")


def test_pause__that_fails__is_told_once_tried_again_and_raises_the_alarm(stand: Stand) -> None:
    stand.counted(**HARMED)
    admit, stand.store.admit = stand.store.admit, _busy
    for _ in range(3):
        with pytest.raises(RoundFailedError):
            stand.round()
    assert [(found["kind"], found["action"]) for found in stand.webhooks()] == [("conversion_harm", "pause_failed")]
    assert "Pausing the experiment failed" in stand.inbox()[0].body
    assert stand.experiment.status == "running"
    stand.store.admit = admit
    assert stand.round().results == {"paused": 1}
    assert stand.events()[1:] == [("experiment.guardian_paused", "conversion_harm")]


def _busy(*_: Any) -> None:
    raise DatabaseBusyError


@pytest.mark.parametrize("numbers", [HARMED, {**HEALTHY, "multiple_exposure": 200}], ids=["pause", "alert"])
def test_other_worker__faster_by_a_moment__has_told_and_this_one_does_not(
    stand: Stand, numbers: dict[str, Any]
) -> None:
    stand.counted(**numbers)

    def other() -> None:
        stand.leases.__init__()  # type: ignore[misc]
        assert stand.round(minutes=0).results in ({"paused": 1}, {"notified": 1})

    stand.catalog.first = [other]
    assert stand.round().results in ({"raced": 1}, {"not_running": 1})
    assert len(stand.webhooks()) == len(stand.inbox()) == 1


def test_experiment_that_others_edit_all_the_time__is_told_of_and_tried_again(stand: Stand) -> None:
    stand.counted(**HARMED)
    stand.catalog.first = [lambda number=n: _rename(stand, f"n{number}") for n in range(4)]  # type: ignore[misc]
    with pytest.raises(RoundFailedError):
        stand.round()
    assert [found["action"] for found in stand.webhooks()] == ["pause_failed"]
    assert stand.round().results == {"paused": 1}


def _rename(stand: Stand, name: str) -> None:
    rest, stand.catalog.first = stand.catalog.first, []
    stand.rename(EXPERIMENT, name)
    stand.catalog.first = rest


def test_person__who_pauses_in_between__is_the_one_who_paused(stand: Stand) -> None:
    stand.counted(**HARMED)

    def person() -> None:
        stand.lifecycle.act(CALLER, EXPERIMENT, "pause")

    stand.catalog.first = [person]
    assert stand.round().results == {"not_running": 1}
    assert (stand.webhooks(), stand.inbox()) == ([], [])


def test_schedule_that_fires_twice__looks_twice_and_says_nothing_new(stand: Stand) -> None:
    stand.counted(**HEALTHY, multiple_exposure=200)
    stand.round()
    version = stand.catalog.get(SHOP, "GUARD", EXPERIMENT)
    assert stand.round(minutes=0).results == {"quiet": 1}
    assert stand.catalog.get(SHOP, "GUARD", EXPERIMENT) == version


def test_forty_workers_at_once__pause_once(stand: Stand) -> None:
    stand.counted(**HARMED)
    stand.clock.advance(minutes=15)
    start, results = threading.Barrier(40), []

    stand.leases = Open()  # type: ignore[assignment]

    def work() -> None:
        worker = stand.guardian()
        start.wait()
        results.append(worker.run("guardian").results)

    threads = [threading.Thread(target=work) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 40
    assert sum(found.get("paused", 0) for found in results) == 1
    assert (len(stand.webhooks()), len(stand.inbox())) == (1, 1)


def test_experiment_that_cannot_be_read__does_not_keep_the_others(stand: Stand) -> None:
    other = in_status("running", id="019c0000-0000-7000-8000-000000000002", shop_id=CALLER.user_id)
    other = replace(other, started_at=timestamp(stand.clock.now()))
    stand.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(other), expected_version=0)]))
    stand.counted(**HARMED)
    with pytest.raises(RoundFailedError) as raised:
        stand.round()
    assert raised.value.round.failed == [other.id]
    assert raised.value.round.results == {"paused": 1}


class Open:
    """A lease that keeps nobody out."""

    def acquire(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        return True

    def release(self, name: str, *, owner: str) -> None:
        pass


def test_two_hundred_who_would_pause_it__guardian_auto_stop_and_people__are_one_transition(stand: Stand) -> None:
    stand.counted(**HARMED)
    stand.clock.advance(minutes=15)
    stand.leases = Open()  # type: ignore[assignment]
    winner = (Event("experiment.significant", {"goal_id": GOAL}), Event("variation.winning", {"goal_id": GOAL}))
    start, failures = threading.Barrier(200), []

    def guardian() -> None:
        stand.guardian().run("guardian")

    def auto_stop() -> None:
        pause_running(stand.store, SHOP, EXPERIMENT, expected_measurement_epoch=1, reason="auto_stop", events=winner)

    def person() -> None:
        stand.lifecycle.act(CALLER, EXPERIMENT, "pause")

    def work(act: Any) -> None:
        start.wait()
        try:
            act()
        except (StaleVersionError, RoundFailedError) as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=((guardian, auto_stop, person)[n % 3],)) for n in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = stand.catalog.audit(SHOP, entity_id=EXPERIMENT, limit=500)[0]
    assert [row.action for row in rows if row.action == "experiment.pause"] == ["experiment.pause"]
    told = sorted(found["event"] for found in stand.webhooks())
    by = {
        "conversion_harm": ["experiment.guardian_paused"],
        "auto_stop": ["experiment.significant", "variation.winning"],
    }
    reason = rows[-1].diff.get("reason", [None, "person"])[1]
    assert told == by.get(reason, [])
    assert len(stand.inbox()) == (1 if reason == "conversion_harm" else 0)
    assert stand.experiment.status == "paused"

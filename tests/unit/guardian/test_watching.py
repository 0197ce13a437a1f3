"""Rounds of Guardian: what is told and done once, whoever dies or is faster."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from abtest.domain.experiments.change import Event
from abtest.kit.clock import timestamp
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import Commit, Put, Record, StaleVersionError
from abtest.services.experiments.pausing import pause_running
from abtest.services.experiments.records import record_of
from abtest.services.experiments.rounds import RoundFailedError
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.publication import PublicationOutcome
from tests.unit.experiments.examples import EXPERIMENT, GOAL, SHOP, TREATMENT, in_status
from tests.unit.experiments.test_store import CALLER
from tests.unit.guardian.stands import HARMED, HEALTHY, MONEY, Stand

TRIGGERED = {"event", "experiment_id", "experiment_name", "kind", "action", "variation_id", "goal_id", "details"}


@pytest.fixture
def stand() -> Stand:
    return Stand()


def events(stand: Stand) -> list[tuple[str, str]]:
    return [(found["event"], found.get("kind") or found["reason"]) for found in stand.webhooks()]


def test_round__healthy_experiment__is_quiet_and_remembers_that_it_looked(stand: Stand) -> None:
    stand.counted(**HEALTHY)
    assert stand.round().results == {"quiet": 1}
    assert (stand.webhooks(), stand.inbox(), stand.state.open) == ([], [], ())
    assert (stand.state.generation, stand.state.checked_at) == (1, timestamp(stand.clock.now()))
    assert dict(stand.metrics.sums) == {"ExperimentsPaused": 0, "ExperimentsNotWatched": 0, "ExperimentsLeft": 0}


def test_round__nothing_counted_yet__says_so(stand: Stand) -> None:
    stand.round()
    assert {each.reason for each in stand.state.not_evaluated} == {"not_counted_yet"}


def test_round__harm__pauses_with_event_message_and_audit_in_one_commit(stand: Stand) -> None:
    stand.counted(**HARMED)
    assert stand.round().results == {"paused": 1}
    assert stand.experiment.status == "paused"
    assert stand.webhooks() == [
        {
            "event": "experiment.guardian_paused",
            "experiment_id": EXPERIMENT,
            "experiment_name": "Headline",
            "reason": "conversion_harm",
            "variation_id": TREATMENT,
            "goal_id": GOAL,
        }
    ]
    (message,) = stand.inbox()
    assert (message.role, message.sender_id, message.shop_id) == ("system", None, SHOP)
    assert message.body == (
        "Headline: 6 % of the visitors of “B” reached “Buys”, 10 % of the control's. The experiment was paused."
    )
    (row,) = stand.catalog.audit(SHOP, entity_id=EXPERIMENT, limit=9)[0]
    assert (row.action, row.user_id, row.diff["reason"]) == (
        "experiment.pause",
        SYSTEM_USER_ID,
        [None, "conversion_harm"],
    )
    assert stand.storefront.published == [SHOP]
    assert [row.topic for row in stand.outbox()] == ["webhook"], "the publication's promise is kept"
    assert stand.round().results == {}, "a paused experiment is not watched"


def test_round__finding_that_only_alerts__is_told_in_the_contracts_fields(stand: Stand) -> None:
    stand.counted(**HEALTHY, multiple_exposure=200)
    assert stand.round().results == {"told": 1}
    (event,) = stand.webhooks()
    assert set(event) == TRIGGERED
    assert (event["kind"], event["action"], event["variation_id"]) == ("multiple_exposure", "alert", None)
    assert event["details"] == {
        "metric": "share_of_visitors",
        "observed": 200 / 10_200,
        "expected": 0,
        "threshold": 0.01,
        "sample": 10_200,
        "window": {"from": "2026-03-02T00:00:00.000Z", "to": "2026-03-02T00:00:00.000Z"},
        "consecutive_checks": 1,
        "generation": 1,
    }
    assert len(stand.inbox()) == 1
    (row,) = stand.catalog.audit(SHOP, entity_id=EXPERIMENT, limit=9)[0]
    assert row.action == "experiment.guardian_triggered"
    assert stand.experiment.status == "running"
    assert [stand.round().results for _ in range(5)] == [{"quiet": 1}] * 5
    assert len(stand.webhooks()) == len(stand.inbox()) == 1


def test_round__settings_that_forbid_the_pause__tell_once_that_they_do() -> None:
    stand = Stand(guardian_override={"pause_on_harm": False, "pause_on_broken": None})
    stand.counted(**HARMED)
    for _ in range(3):
        stand.round()
    assert [(found["kind"], found["action"]) for found in stand.webhooks()] == [("conversion_harm", "pause_suppressed")]
    assert stand.experiment.status == "running"


def test_round__switched_off__watches_nothing() -> None:
    stand = Stand(guardian_override={"enabled": False})
    stand.counted(**HARMED)
    stand.round()
    assert (stand.webhooks(), stand.experiment.status) == ([], "running")
    assert {each.reason for each in stand.state.not_evaluated} == {"switched_off"}


def test_round__shops_defaults__hold_where_the_override_is_null() -> None:
    stand = Stand(guardian_override={"pause_on_harm": None})
    head = record_of(in_status("running")).head
    shared = replace(head, kind="SET", id="SET#DEFAULTS", version=1, due={}, attributes={})
    body = {"guardian": {"pause_on_harm": False}}
    stand.catalog.commit(Commit(puts=[Put(record=Record(head=shared, body=body), expected_version=0)]))
    stand.counted(**HARMED)
    stand.round()
    assert [found["action"] for found in stand.webhooks()] == ["pause_suppressed"]


def test_round__revenue_loss_in_a_currency_without_rate__is_said_not_to_be_evaluated() -> None:
    loss = {"threshold_amount": 1, "currency": "USD"}
    stand = Stand(guardian_override={"revenue_loss": loss, "pause_on_harm": False})
    stand.counted(**HEALTHY, orders=(500, 400))
    stand.round()
    assert "revenue_loss" not in {found["kind"] for found in stand.webhooks()}
    assert ("revenue_loss", "currency_not_convertible") in {
        (each.kind, each.reason) for each in stand.state.not_evaluated
    }
    euros = Stand(guardian_override={"revenue_loss": {"threshold_amount": 1000}, "pause_on_harm": False})
    euros.counted(**HEALTHY, orders=(500, 400))
    euros.round()
    assert ("revenue_loss", MONEY) in {(found["kind"], found["goal_id"]) for found in euros.webhooks()}


def test_round__sessions_of_the_roll_up__are_looked_at(stand: Stand) -> None:
    sessions = {TREATMENT: {"seen": 5000, "failed": 200, "missed": 0}}
    stand.counted(**HEALTHY, sessions=sessions)
    stand.round()
    assert [found["reason"] for found in stand.webhooks()] == ["broken_runtime"]


def test_round__pause_that_several_ask_for__is_one_event_and_a_message_each(stand: Stand) -> None:
    stand.counted(visitors=(5000, 5000), buys=(500, 0), multiple_exposure=500)
    stand.round()
    assert sorted(events(stand)) == [
        ("experiment.guardian_paused", "broken_conversion"),
        ("experiment.guardian_triggered", "multiple_exposure"),
    ]
    assert len(stand.inbox()) == 3


def test_pause__whose_publication_fails__stays_and_is_repeated_by_the_outbox(stand: Stand) -> None:
    stand.storefront.outcome = PublicationOutcome(ok=False, revision=1)
    stand.counted(**HARMED)
    assert stand.round().results == {"unpublished": 1}
    assert stand.experiment.status == "paused"
    assert [row.topic for row in stand.outbox()] == ["webhook", "publish"]


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
    admit = stand.store._budget.admit_experiment
    stand.store._budget.admit_experiment = _busy  # type: ignore[method-assign,assignment]
    for _ in range(3):
        with pytest.raises(RoundFailedError):
            stand.round()
    assert [(found["kind"], found["action"]) for found in stand.webhooks()] == [("conversion_harm", "pause_failed")]
    assert "Pausing the experiment failed" in stand.inbox()[0].body
    assert stand.experiment.status == "running"
    stand.store._budget.admit_experiment = admit  # type: ignore[method-assign]
    assert stand.round().results == {"paused": 1}
    assert events(stand)[1:] == [("experiment.guardian_paused", "conversion_harm")]


def _busy(*_: Any) -> None:
    raise DatabaseBusyError


@pytest.mark.parametrize("numbers", [HARMED, {**HEALTHY, "multiple_exposure": 200}], ids=["pause", "alert"])
def test_other_worker__faster_by_a_moment__has_told_and_this_one_does_not(
    stand: Stand, numbers: dict[str, Any]
) -> None:
    stand.counted(**numbers)

    def other() -> None:
        stand.leases.__init__()  # type: ignore[misc]
        assert stand.round(minutes=0).results in ({"paused": 1}, {"told": 1})

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


def test_resumed_by_a_person__is_not_paused_again_for_the_same(stand: Stand) -> None:
    stand.counted(**HARMED)
    stand.round()
    stand.clock.advance(hours=3)
    stand.lifecycle.act(CALLER, EXPERIMENT, "resume")
    stand.counted(visitors=(6000, 6000), buys=(600, 350))
    assert stand.round().results == {"quiet": 1}
    assert stand.experiment.status == "running"
    assert [case.action for case in stand.state.open] == ["pause"]


def test_restart__begins_anew(stand: Stand) -> None:
    stand.counted(**HARMED)
    stand.round()
    stand.lifecycle.act(CALLER, EXPERIMENT, "restart")
    stand.counted(**HARMED, epoch=2)
    assert stand.round().results == {"paused": 1}
    assert [(case.measurement_epoch, case.resolved_at is None) for case in stand.state.past] == [(1, False)]


def test_schedule_that_fires_twice__looks_twice_and_says_nothing_new(stand: Stand) -> None:
    stand.counted(**HEALTHY, multiple_exposure=200)
    stand.round()
    version = stand.catalog.get(SHOP, "GUARD", EXPERIMENT)
    assert stand.round(minutes=0).results == {"quiet": 1}
    assert stand.catalog.get(SHOP, "GUARD", EXPERIMENT) == version


def test_forty_workers_at_once__pause_once(stand: Stand) -> None:
    stand.counted(**HARMED)
    stand.clock.advance(minutes=15)
    until = stand.clock.now() + timedelta(minutes=12)
    start, results = threading.Barrier(40), []

    stand.leases = Open()  # type: ignore[assignment]

    def work() -> None:
        worker = stand.guardian()
        start.wait()
        results.append(worker.run(until=until).results)

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
    stand.catalog.commit(Commit(puts=[Put(record=record_of(other), expected_version=0)]))
    stand.counted(**HARMED)
    with pytest.raises(RoundFailedError) as raised:
        stand.round()
    assert raised.value.round.failed == [other.id]
    assert raised.value.round.results == {"paused": 1}


def test_no_time_left__is_counted(stand: Stand) -> None:
    done = stand.guardian().run(until=datetime(2026, 1, 1, tzinfo=UTC))
    assert (done.left, done.results) == (1, {})


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
    until = stand.clock.now() + timedelta(minutes=12)
    winner = (Event("experiment.significant", {"goal_id": GOAL}), Event("variation.winning", {"goal_id": GOAL}))
    start, failures = threading.Barrier(200), []

    def guardian() -> None:
        stand.guardian().run(until=until)

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

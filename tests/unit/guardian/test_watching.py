"""Rounds of Guardian: what is told and done."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from abtest.kit.clock import timestamp
from abtest.ports.catalog import Commit, Put, Record
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.publication import PublicationOutcome
from tests.unit.experiments.examples import CONTROL, EXPERIMENT, GOAL, SHOP, TREATMENT, in_status
from tests.unit.experiments.test_store import CALLER
from tests.unit.guardian.stands import HARMED, HEALTHY, MONEY, Stand

TRIGGERED = {"event", "experiment_id", "experiment_name", "kind", "action", "variation_id", "goal_id", "details"}


def test_round__healthy_experiment__is_quiet_and_remembers_that_it_looked(stand: Stand) -> None:
    stand.counted(**HEALTHY)
    assert stand.round().results == {"quiet": 1}
    assert (stand.webhooks(), stand.inbox(), stand.state.open) == ([], [], ())
    assert (stand.state.generation, stand.state.checked_at) == (1, timestamp(stand.clock.now()))


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
    assert stand.round().results == {"notified": 1}
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
    head = EXPERIMENTS.record(in_status("running")).head
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


def sessions(**treatment: int) -> dict[str, dict[str, int]]:
    """Sessions of a roll-up: none of the control's failed."""
    nothing = {"seen": 600, "failed": 0, "missed": 0, "without_sticky": 0, "unmatched": 0}
    return {CONTROL: nothing, TREATMENT: {**nothing, **treatment}}


def test_round__selectors_that_match_nothing_in_most_sessions__alert_and_do_not_pause(stand: Stand) -> None:
    stand.counted(**HEALTHY, sessions=sessions(unmatched=540))
    stand.round()
    assert stand.experiment.status == "running"
    (sent,) = stand.webhooks()
    assert (sent["kind"], sent["action"], sent["variation_id"]) == ("broken_delivery", "alert", TREATMENT)
    assert (sent["details"]["metric"], sent["details"]["sample"]) == ("unmatched_sessions", 600)
    assert stand.inbox()[0].body == (
        "Headline: In 90 % of 600 sessions, “B” was on a page where a selector of it matched nothing. Do its page "
        "rules include pages without that element, or have the pages changed? The experiment goes on."
    )
    stand.counted(**HEALTHY, sessions=sessions(unmatched=541))
    stand.round()
    assert len(stand.webhooks()) == 1, "it is reported once"


def test_round__selectors_that_match_nothing_on_some_pages__are_quiet(stand: Stand) -> None:
    stand.counted(**HEALTHY, sessions=sessions(unmatched=200))
    assert stand.round().results == {"quiet": 1}


def test_round__variation_that_fails_in_most_sessions__is_paused(stand: Stand) -> None:
    stand.counted(**HEALTHY, sessions=sessions(failed=540))
    stand.round()
    assert (stand.experiment.status, stand.webhooks()[0]["reason"]) == ("paused", "broken_delivery")
    assert (
        "Headline: “B” failed in 90 % of 600 sessions, and was undone there: a script of it throws, or a change cannot "
        "be made. The experiment was paused."
    ) in [message.body for message in stand.inbox()]


def test_round__pause_that_several_ask_for__is_one_event_and_a_message_each(stand: Stand) -> None:
    stand.counted(visitors=(5000, 5000), buys=(500, 0), multiple_exposure=500)
    stand.round()
    assert sorted(stand.events()) == [
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


def test_no_time_left__is_left(stand: Stand) -> None:
    done = stand.guardian().run("guardian", until=datetime(2026, 1, 1, tzinfo=UTC))
    assert (done.left, done.results) == ([EXPERIMENT], {})

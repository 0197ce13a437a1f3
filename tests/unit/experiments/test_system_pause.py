"""Pausing by the system: once, in the measurement that the evidence is of, with everything that belongs to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abtest.domain.changes.change import Event, Occasion
from abtest.domain.experiments.model import Experiment
from abtest.ports.catalog import StaleVersionError
from abtest.services.aggregates import Saved
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.experiments.system_pause import NotPaused, Paused, pause_running
from abtest.services.publication import PublicationOutcome
from tests.unit.experiments.examples import SHOP
from tests.unit.experiments.test_store import CALLER, House

EVENTS = (
    Event("experiment.significant", {"goal_id": "g", "winning_variation_id": "v"}),
    Event("variation.winning", {"variation_id": "v", "goal_id": "g"}),
)


@pytest.fixture
def house() -> House:
    return House()


def running(house: House) -> str:
    made = house.create()
    house.lifecycle.act(CALLER, made, "launch")
    for row in house.outbox():
        house.catalog.outbox_done(row)
    return made


def pause(house: House, experiment_id: str, epoch: int = 1, **options: object) -> Paused | NotPaused:
    return pause_running(
        house.store,
        SHOP,
        experiment_id,
        expected_measurement_epoch=epoch,
        reason="auto_stop",
        events=EVENTS,
        **options,  # type: ignore[arg-type]
    )


def webhooks(house: House) -> list[str]:
    return [str(row.payload["event"]) for row in house.outbox() if row.topic == "webhook"]


def test_pause_running__a_running_one__is_paused_told_in_order_and_published(house: House) -> None:
    made = running(house)
    house.clock.advance(minutes=1)
    published = len(house.storefront.published)
    assert isinstance(pause(house, made, evidence={"generation": 7}), Paused)
    assert house.store.get(SHOP, made).status == "paused"
    facts = {"experiment_id": made, "experiment_name": "x", "goal_id": "g"}
    assert [row.payload for row in house.outbox() if row.topic == "webhook"] == [
        {"event": "experiment.significant", **facts, "winning_variation_id": "v"},
        {"event": "variation.winning", **facts, "variation_id": "v"},
    ]
    assert len(house.storefront.published) == published + 1
    row = house.catalog.audit(SHOP, entity_id=made, limit=1)[0][0]
    assert (row.user_id, row.action) == (SYSTEM_USER_ID, "experiment.pause")
    assert row.diff == {"status": ["running", "paused"], "reason": [None, "auto_stop"], "generation": [None, 7]}


@pytest.mark.parametrize("_again", range(20))
def test_pause_running__events_of_one_moment__keep_their_order(house: House, _again: int) -> None:
    pause(house, running(house))
    assert webhooks(house) == ["experiment.significant", "variation.winning"]


def test_pause_running__twice__is_done_and_told_once(house: House) -> None:
    made = running(house)
    pause(house, made)
    version = house.store.get(SHOP, made).version
    assert pause(house, made) == NotPaused(obstacle="not_running")
    assert house.store.get(SHOP, made).version == version
    assert len(webhooks(house)) == 2


def test_pause_running__of_another_measurement__changes_nothing(house: House) -> None:
    made = running(house)
    assert pause(house, made, epoch=2) == NotPaused(obstacle="other_epoch")
    assert house.store.get(SHOP, made).status == "running"
    assert house.outbox() == []


def test_pause_running__unknown_experiment__is_gone(house: House) -> None:
    assert pause(house, "019c0000-0000-7000-8000-00000000dead") == NotPaused(obstacle="gone")


def test_pause_running__a_person_was_faster__nothing_is_told(house: House) -> None:
    made = running(house)
    house.catalog.first = [lambda: _pause_by_hand(house, made)]
    assert pause(house, made) == NotPaused(obstacle="not_running")
    assert webhooks(house) == []


def _pause_by_hand(house: House, experiment_id: str) -> None:
    house.catalog.first = []
    house.lifecycle.act(CALLER, experiment_id, "pause")


def test_pause_running__renamed_meanwhile__is_paused_and_told_by_the_new_name(house: House) -> None:
    made = running(house)
    house.catalog.first = [lambda: house.rename(made, "new")]
    assert isinstance(pause(house, made), Paused)
    assert {row.payload["experiment_name"] for row in house.outbox() if row.topic == "webhook"} == {"new"}


def test_pause_running__others_again_and_again__fails_and_changes_nothing(house: House) -> None:
    made = running(house)

    def rename() -> None:
        rest, house.catalog.first = house.catalog.first, []
        house.rename(made, f"name {len(rest)}")
        house.catalog.first = rest

    house.catalog.first = [rename] * 4
    with pytest.raises(StaleVersionError):
        pause(house, made)
    assert house.store.get(SHOP, made).status == "running"
    assert webhooks(house) == []


def test_pause_running__with_an_edit__is_one_commit(house: House) -> None:
    made = running(house)

    def edit(experiment: Experiment, occasion: Occasion) -> Experiment:
        return replace(experiment, planned_test={"evaluation": {"evaluated_at": occasion.now}})

    version = house.store.get(SHOP, made).version
    house.clock.advance(hours=1)
    assert isinstance(pause(house, made, edit=edit), Paused)
    found = house.store.get(SHOP, made)
    assert found.version == version + 1
    assert found.status == "paused"
    assert found.planned_test == {"evaluation": {"evaluated_at": found.updated_at}}


def test_pause_running__the_edit_declines__changes_nothing(house: House) -> None:
    made = running(house)
    assert pause(house, made, edit=lambda *_: None) == NotPaused(obstacle="declined")
    assert house.store.get(SHOP, made).status == "running"
    assert house.outbox() == []


def test_pause_running__publication_fails__stays_paused_and_the_outbox_keeps_the_promise(house: House) -> None:
    made = running(house)
    house.storefront.outcome = PublicationOutcome(ok=False, revision=2, reasons=("no answer",))
    done = pause(house, made)
    assert isinstance(done, Paused)
    assert isinstance(done.published, Saved)
    assert done.published.reasons
    assert house.store.get(SHOP, made).status == "paused"
    assert [row.topic for row in house.outbox()] == ["webhook", "webhook", "publish"]

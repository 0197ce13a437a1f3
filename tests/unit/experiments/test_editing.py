"""Edits: merging, acknowledgement while running, measurement epochs, approvals taken back."""

from typing import Any

import pytest

from abtest.domain.changes.change import Change
from abtest.domain.changes.consent import Consent
from abtest.domain.changes.errors import LiveImpactError
from abtest.domain.experiments import editing
from abtest.domain.experiments.errors import WeightsSumError
from abtest.domain.experiments.model import Experiment, Status
from abtest.domain.experiments.variations import weigh
from abtest.kit.errors import ConflictError
from tests.unit.experiments.examples import (
    CONTROL,
    EXPERIMENT,
    LATER,
    OCCASION,
    TREATMENT,
    approved,
    arm,
    experiment,
    in_status,
)

YES = Consent(confirmed=True, consumer_ids=[EXPERIMENT])


def settled(before: Experiment, after: Experiment, consent: Consent = YES) -> Change[Experiment]:
    return editing.settle(before, after, OCCASION, action="experiment.update", consent=consent)


def test_apply__objects__merge_key_by_key_and_null_removes() -> None:
    before = experiment(targeting={"surface": "checkout", "pageMatchMode": "all", "own": {"a": 1, "b": 2}})
    after = editing.apply(before, {"targeting": {"pageMatchMode": None, "own": {"b": None, "c": 3}}})
    assert after.targeting == {"surface": "checkout", "own": {"a": 1, "c": 3}}


def test_apply__null_for_an_object__clears_it() -> None:
    assert editing.apply(experiment(targeting={"surface": "checkout"}), {"targeting": None}).targeting is None


def test_settle__nothing_differs__is_empty() -> None:
    assert settled(experiment(), experiment()).is_empty


LIVE: list[dict[str, Any]] = [
    {"traffic_allocation": 0.5},
    {"targeting": {"surface": "checkout"}},
    {"experiment_js": "1"},
    {"experiment_css": "1"},
    {"experiment_reset_js": "1"},
]
QUIET: list[dict[str, Any]] = [{"name": "x"}, {"slug": "x"}, {"description": "x"}, {"sequential_testing_enabled": True}]


@pytest.mark.parametrize("stated", LIVE)
@pytest.mark.parametrize(
    "consent",
    [
        Consent(),
        Consent(consumer_ids=[EXPERIMENT]),
        Consent(confirmed=True, consumer_ids=[]),
        Consent(confirmed=True, consumer_ids=["x"]),
    ],
)
def test_settle__running_and_not_acknowledged__is_refused_with_the_consumer(
    stated: dict[str, Any], consent: Consent
) -> None:
    before = in_status("running")
    with pytest.raises(LiveImpactError) as refusal:
        settled(before, editing.apply(before, stated), consent)
    assert refusal.value.extra == {
        "live_experiments": [{"id": EXPERIMENT, "name": "Headline", "consumer": "experiment"}]
    }


@pytest.mark.parametrize("stated", LIVE)
def test_settle__running_and_acknowledged__is_done(stated: dict[str, Any]) -> None:
    before = in_status("running")
    assert not settled(before, editing.apply(before, stated)).is_empty


@pytest.mark.parametrize("stated", QUIET)
def test_settle__running_but_nothing_to_see__needs_no_acknowledgement(stated: dict[str, Any]) -> None:
    before = in_status("running")
    assert not settled(before, editing.apply(before, stated), Consent()).is_empty


@pytest.mark.parametrize("stated", LIVE)
@pytest.mark.parametrize("status", ["draft", "paused", "completed"])
def test_settle__not_running__needs_no_acknowledgement(status: Status, stated: dict[str, Any]) -> None:
    before = in_status(status)
    assert not settled(before, editing.apply(before, stated), Consent()).is_empty


def test_settle__running_arm_with_other_code__needs_acknowledgement() -> None:
    before = in_status("running")
    with pytest.raises(LiveImpactError):
        settled(before, arm(before, 1, custom_js="1"), Consent())


def test_settle__running_arm_renamed__needs_none() -> None:
    before = in_status("running")
    assert not settled(before, arm(before, 1, name="x"), Consent()).is_empty


@pytest.mark.parametrize(("status", "epoch"), [("draft", 1), ("running", 2), ("paused", 2), ("completed", 1)])
def test_settle__shares_change__opens_a_new_measurement_of_a_test_under_way(status: Status, epoch: int) -> None:
    before = in_status(status)
    after = settled(before, weigh(before, {CONTROL: 0.2, TREATMENT: 0.8})).after
    assert after is not None
    assert (after.measurement_epoch, after.assignment_epoch) == (epoch, 1)
    assert after.measurement_started_at == (LATER if epoch == 2 else before.measurement_started_at)


def test_settle__traffic_changes_while_running__keeps_the_measurement() -> None:
    before = in_status("running")
    after = settled(before, editing.apply(before, {"traffic_allocation": 0.2})).after
    assert after is not None
    assert after.measurement_epoch == 1


def test_settle__running_with_weights_off__is_refused() -> None:
    before = in_status("running")
    with pytest.raises(WeightsSumError):
        settled(before, arm(before, 1, weight=0.4))


@pytest.mark.parametrize(
    ("status", "becomes"),
    [
        ("draft", "draft"),
        ("client_approved", "draft"),
        ("qa", "draft"),
        ("ready_to_launch", "draft"),
        ("changes_requested", "changes_requested"),
    ],
)
def test_settle__approved_design_edited_before_launch__is_revoked(status: Status, becomes: Status) -> None:
    before = approved(in_status(status))
    after = settled(before, editing.apply(before, {"experiment_css": "x"})).after
    assert after is not None
    assert after.approval is not None
    assert (after.status, after.approval.status) == (becomes, "revoked")
    assert [(event.action, event.status) for event in after.approvals] == [("design-edit", "revoked")]


@pytest.mark.parametrize("status", ["client_approved", "qa", "ready_to_launch"])
def test_settle__something_else_edited_after_approval__keeps_it(status: Status) -> None:
    before = approved(in_status(status))
    after = settled(before, editing.apply(before, {"name": "x", "traffic_allocation": 0.5})).after
    assert after is not None
    assert after.approval is not None
    assert (after.status, after.approval.status) == (status, "approved")


def test_settle__design_edited_in_qa_without_approval__stays_in_qa() -> None:
    before = in_status("qa")
    after = settled(before, editing.apply(before, {"experiment_css": "x"})).after
    assert after is not None
    assert after.status == "qa"


def test_settle__delivery_type_after_start__is_refused() -> None:
    before = in_status("paused")
    with pytest.raises(ConflictError):
        settled(before, editing.apply(before, {"delivery_type": "redirect"}))

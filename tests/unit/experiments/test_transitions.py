"""What actions do besides moving the status."""

from dataclasses import replace

import pytest

from abtest.domain.experiments.design import design_hash
from abtest.domain.experiments.errors import ApprovalStaleError, ChecklistFailedError, WeightsSumError
from abtest.domain.experiments.limits import MAX_APPROVAL_EVENTS
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.states import Action
from abtest.domain.experiments.transitions import NO_DETAILS, Details, act
from abtest.kit.errors import LimitReachedError, ValidationFailedError
from tests.unit.experiments.examples import (
    LATER,
    NOW,
    OCCASION,
    TREATMENT,
    USER,
    approved,
    arm,
    experiment,
    goal,
    in_status,
)


def done(before: Experiment, action: Action, details: Details = NO_DETAILS, required: bool = False) -> Experiment:
    after = act(before, action, OCCASION, details, approval_required=required).after
    assert after is not None
    return after


def test_launch__first_time__notes_start_of_experiment_and_measurement() -> None:
    after = done(experiment(), "launch")
    assert (after.started_at, after.measurement_started_at, after.updated_at) == (LATER, LATER, LATER)
    assert (after.assignment_epoch, after.measurement_epoch) == (1, 1)


def test_launch__after_a_former_start__keeps_the_first_moment() -> None:
    assert done(experiment(started_at=NOW), "launch").started_at == NOW


@pytest.mark.parametrize("weight", [0.5 + 2e-6, 0.5 - 2e-6, 0.0, 1.0])
@pytest.mark.parametrize("action", ["launch", "resume", "restart"])
def test_running__weights_do_not_sum_to_one__is_refused(action: Action, weight: float) -> None:
    before = arm(in_status("draft" if action == "launch" else "paused"), 0, weight=weight)
    with pytest.raises(WeightsSumError):
        act(before, action, OCCASION, approval_required=False)


@pytest.mark.parametrize("weight", [0.5 + 9e-7, 0.5 - 9e-7])
def test_launch__weights_off_by_rounding__is_fine(weight: float) -> None:
    assert done(arm(experiment(), 0, weight=weight), "launch").status == "running"


def test_launch__weight_of_archived_variation__does_not_count() -> None:
    before = experiment()
    spare = replace(before.variations[1], id="spare", weight=0.7, archived_at=NOW)
    assert done(replace(before, variations=(*before.variations, spare)), "launch").status == "running"


def test_launch__redirect_without_destination__fails_the_checklist_by_name() -> None:
    with pytest.raises(ChecklistFailedError) as refusal:
        act(experiment(delivery_type="redirect"), "launch", OCCASION, approval_required=False)
    assert [field.path for field in refusal.value.fields] == ["treatments"]


def test_launch__warnings__pass_unless_they_are_to_count() -> None:
    before = experiment(goals=())
    assert done(before, "launch").status == "running"
    with pytest.raises(ChecklistFailedError):
        act(before, "launch", OCCASION, Details(override_checklist_warnings=False), approval_required=False)


def test_restart__completed__assigns_anew_and_counts_anew() -> None:
    before = in_status("completed", ended_at=NOW, outcome="won", winning_variation_id=TREATMENT)
    after = done(before, "restart")
    assert (after.assignment_epoch, after.measurement_epoch, after.measurement_started_at) == (2, 2, LATER)
    assert (after.started_at, after.ended_at, after.outcome, after.winning_variation_id) == (NOW, None, None, None)


@pytest.mark.parametrize(("end", "kept"), [(NOW, None), ("2026-04-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z")])
def test_restart__scheduled_end__stays_only_when_it_lies_ahead(end: str, kept: str | None) -> None:
    assert done(in_status("paused", scheduled_end_at=end), "restart").scheduled_end_at == kept


@pytest.mark.parametrize("winner", [TREATMENT, "1000000002"])
def test_complete__with_what_came_out__keeps_it(winner: str) -> None:
    said = Details(winning_variation_id=winner, outcome="won", learning="Red sells")
    after = done(in_status("running"), "complete", said)
    assert (after.ended_at, after.winning_variation_id, after.outcome) == (LATER, TREATMENT, "won")
    assert after.learning == "Red sells"


def test_complete__foreign_winner__is_refused_by_name() -> None:
    with pytest.raises(ValidationFailedError) as refusal:
        act(in_status("running"), "complete", OCCASION, Details(winning_variation_id="x"), approval_required=False)
    assert refusal.value.fields[0].path == "winning_variation_id"


def test_archive__scheduled_draft__forgets_the_schedule() -> None:
    after = done(experiment(scheduled_start_at=LATER, scheduled_end_at=LATER), "archive")
    assert (after.archived_at, after.scheduled_start_at, after.scheduled_end_at) == (LATER, None, None)


def test_request_approval__draft__stores_the_hash_of_the_design() -> None:
    before = experiment()
    after = done(before, "request-approval", Details(message="Please", reviewer_user_ids=[USER]))
    assert after.approval is not None
    assert (after.approval.status, after.approval.design_hash) == ("pending", design_hash(before))
    [event] = after.approvals
    assert (event.action, event.status, event.message) == ("request-approval", "pending", "Please")
    assert event.reviewer_user_ids == (USER,)


def test_approve__design_changed_meanwhile__is_stale() -> None:
    asked = done(experiment(), "request-approval")
    with pytest.raises(ApprovalStaleError):
        act(arm(asked, 1, custom_css="h1 { color: blue }"), "approve", OCCASION, approval_required=True)


def test_approve__other_hash_stated__is_stale() -> None:
    asked = done(experiment(), "request-approval")
    with pytest.raises(ApprovalStaleError):
        act(asked, "approve", OCCASION, Details(design_hash="0" * 64), approval_required=True)


def test_approval__whole_way__leaves_its_history() -> None:
    asked = done(experiment(), "request-approval")
    refused = done(asked, "request-changes", Details(message="Bluer"))
    granted = done(done(refused, "request-approval"), "approve", Details(design_hash=design_hash(refused)))
    withdrawn = done(granted, "withdraw-approval")
    steps = [(event.action, event.status) for event in withdrawn.approvals]
    assert steps == [
        ("request-approval", "pending"),
        ("request-changes", "changes_requested"),
        ("request-approval", "pending"),
        ("approve", "approved"),
        ("withdraw-approval", "revoked"),
    ]
    assert withdrawn.status == "draft"


def test_request_approval__history_full__is_refused() -> None:
    [event] = done(experiment(), "request-approval").approvals
    full = experiment(approvals=(event,) * MAX_APPROVAL_EVENTS)
    with pytest.raises(LimitReachedError):
        act(full, "request-approval", OCCASION, approval_required=False)


@pytest.mark.parametrize(
    "edited",
    [
        arm(experiment(), 1, custom_css="x"),
        arm(experiment(), 1, weight=0.4),
        arm(experiment(), 1, redirect_url="https://x.example/"),
        arm(experiment(), 1, mutations=({"selector": "a", "action": "remove"},)),
        arm(experiment(), 1, archived_at=NOW),
        experiment(experiment_js="1"),
        experiment(targeting={"surface": "checkout"}),
        experiment(delivery_type="redirect"),
        experiment(goals=()),
        experiment(goals=(goal(selector="#other"),)),
        experiment(goal_page_rules=({"id": "x", "includeRules": [], "excludeRules": []},)),
    ],
)
def test_design_hash__design_edited__differs(edited: Experiment) -> None:
    assert design_hash(edited) != design_hash(experiment())


@pytest.mark.parametrize(
    "edited",
    [
        experiment(name="Other", description="x", slug="s", updated_at=LATER, version=7, traffic_allocation=0.1),
        arm(experiment(), 1, name="Other", public_id="1999999999"),
        approved(experiment()),
    ],
)
def test_design_hash__something_else_edited__is_the_same(edited: Experiment) -> None:
    assert design_hash(edited) == design_hash(experiment())

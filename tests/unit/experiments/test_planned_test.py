"""What becomes of a plan when an experiment is edited, launched, paused, restarted."""

from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.changes.consent import Consent
from abtest.domain.changes.errors import LiveImpactError
from abtest.domain.experiments import editing
from abtest.domain.experiments.checklist import checklist
from abtest.domain.experiments.errors import ChecklistFailedError
from abtest.domain.experiments.model import Experiment, Status
from abtest.domain.experiments.planned_test import (
    NO_PROSPECT,
    Prospect,
    decisive_goal,
    planned_goal,
    weights_planned,
)
from abtest.domain.experiments.states import Action
from abtest.domain.experiments.transitions import NO_DETAILS, Details, act
from abtest.domain.planning.plan import Plan, Traffic, frozen
from abtest.domain.planning.sample_size import Demand
from tests.unit.experiments.examples import EXPERIMENT, GOAL, LATER, NOW, OCCASION, arm, experiment, goal, in_status

CONFIRMED = Consent(confirmed=True)
REACHED: Any = {"endpoint_reached_at": NOW, "evaluation": {"outcome": "continue_inconclusive"}}


def plan(mde: float = 0.1, **fields: Any) -> Any:
    wish = Plan(goal_id=GOAL, baseline_rate=0.03, demand=Demand(mde=mde), window_days=28)
    traffic = Traffic(daily_visitors=1000, weights=[0.5, 0.5])
    return {**frozen(wish, traffic, now=NOW, epoch_started_at=None), **fields}


def done(before: Experiment, action: Action, prospect: Prospect = NO_PROSPECT) -> Experiment:
    after = act(before, action, OCCASION, approval_required=False, prospect=prospect).after
    assert after is not None
    return after


def settled(before: Experiment, after: Experiment, consent: Consent = CONFIRMED) -> Experiment:
    found = editing.settle(before, after, OCCASION, action="x", consent=consent).after
    assert found is not None
    return found


def planned(experiment: Experiment) -> Any:
    assert experiment.planned_test is not None
    return dict(experiment.planned_test)


def test_launch__nothing_stated__freezes_the_prospect_for_this_measurement() -> None:
    after = done(experiment(), "launch", Prospect(snapshot=plan()))
    assert planned(after) == plan(epoch_started_at=LATER)
    assert after.plan_is_stated is False


def test_launch__stated_plan__is_not_replaced() -> None:
    before = experiment(planned_test=plan(0.2), plan_is_stated=True)
    assert planned(done(before, "launch", Prospect(snapshot=plan(0.1)))) == plan(0.2, epoch_started_at=LATER)


def test_launch__neither__has_no_plan() -> None:
    assert done(experiment(), "launch").planned_test is None


@pytest.mark.parametrize("is_stated", [True, False])
def test_restart__evaluated_plan__is_whole_again_for_the_new_measurement(is_stated: bool) -> None:
    before = in_status("completed", planned_test=plan(epoch_started_at=NOW, **REACHED), plan_is_stated=is_stated)
    assert planned(done(before, "restart")) == plan(epoch_started_at=LATER)


def test_restart__computed_plan__is_computed_anew() -> None:
    before = in_status("paused", planned_test=plan(0.2, epoch_started_at=NOW, **REACHED))
    assert planned(done(before, "restart", Prospect(snapshot=plan(0.1)))) == plan(0.1, epoch_started_at=LATER)


@pytest.mark.parametrize("action", ["pause", "complete"])
def test_plan__test_that_stops__stays_as_it_was_evaluated(action: Action) -> None:
    stored = plan(epoch_started_at=NOW, **REACHED)
    assert done(in_status("running", planned_test=stored), action).planned_test == stored


def test_resume__same_measurement__keeps_what_was_evaluated() -> None:
    stored = plan(epoch_started_at=NOW, **REACHED)
    assert done(in_status("paused", planned_test=stored), "resume").planned_test == stored


@pytest.mark.parametrize("status", ["running", "paused"])
def test_edit__new_plan_of_a_started_test__opens_a_measurement_and_assigns_nobody_anew(status: Status) -> None:
    before = in_status(status, planned_test=plan(0.1, epoch_started_at=NOW, **REACHED))
    after = settled(before, replace(before, planned_test=plan(0.2)))
    assert (after.measurement_epoch, after.assignment_epoch, after.measurement_started_at) == (2, 1, LATER)
    assert planned(after) == plan(0.2, epoch_started_at=LATER)


def test_edit__new_plan_while_running__must_be_acknowledged() -> None:
    before = in_status("running")
    with pytest.raises(LiveImpactError):
        settled(before, replace(before, planned_test=plan()), Consent())


def test_edit__new_plan_of_a_draft__is_for_a_measurement_to_come() -> None:
    before = experiment()
    after = settled(before, replace(before, planned_test=plan()), Consent())
    assert (after.measurement_epoch, planned(after)["epoch_started_at"]) == (1, None)


@pytest.mark.parametrize("status", ["running", "paused"])
def test_edit__weights_of_a_started_test__begin_the_plan_anew_with_their_sizes(status: Status) -> None:
    before = in_status(status, planned_test=plan(epoch_started_at=NOW, **REACHED))
    after = settled(before, arm(arm(before, 0, weight=0.8), 1, weight=0.2))
    found = planned(after)
    assert (after.measurement_epoch, found["epoch_started_at"], found["evaluation"]) == (2, LATER, None)
    assert found["required_total_visitors"] > plan()["required_total_visitors"]


def test_edit__weights_of_a_draft__size_its_plan() -> None:
    before = experiment(planned_test=plan())
    found = planned(settled(before, arm(arm(before, 0, weight=0.8), 1, weight=0.2)))
    assert found["epoch_started_at"] is None
    assert found["required_total_visitors"] > plan()["required_total_visitors"]


def test_edit__weights_of_a_completed_test__leave_its_plan_for_ever() -> None:
    before = in_status("completed", planned_test=plan(epoch_started_at=NOW, **REACHED))
    assert settled(before, arm(before, 0, weight=0.4)).planned_test == before.planned_test


def test_edit__anything_else__leaves_plan_and_measurement() -> None:
    before = in_status("running", planned_test=plan(epoch_started_at=NOW, **REACHED))
    after = settled(before, replace(before, name="Another"))
    assert (after.planned_test, after.measurement_epoch) == (before.planned_test, 1)


def test_launch__plan_that_is_needed_and_lacks__fails_and_says_why() -> None:
    prospect = Prospect(status="fail", message="state a baseline")
    with pytest.raises(ChecklistFailedError) as raised:
        done(experiment(), "launch", prospect)
    assert [(field.path, field.message) for field in raised.value.fields] == [("plan", "state a baseline")]


def test_launch__plan_that_is_doubtful__passes_unless_warnings_count() -> None:
    prospect = Prospect(status="warn", message="goal is gone")
    assert done(experiment(), "launch", prospect).status == "running"
    strict = Details(override_checklist_warnings=False)
    with pytest.raises(ChecklistFailedError):
        act(experiment(), "launch", OCCASION, strict, approval_required=False, prospect=prospect)
    assert NO_DETAILS.override_checklist_warnings


def test_checklist__plan__is_one_of_its_lines() -> None:
    items = {item.key: item.status for item in checklist(experiment(), approval_required=False)}
    assert items["plan"] == "pass"


def test_weights_planned__control_stored_last__comes_first_and_archived_ones_stay_out() -> None:
    base = experiment()
    control, treatment = base.variations
    spare = replace(treatment, id="spare", weight=0.7, archived_at=NOW)
    mixed = replace(base, variations=(replace(treatment, weight=0.3), spare, replace(control, weight=0.7)))
    assert list(weights_planned(mixed)) == [0.7, 0.3]


def test_planned_goal__archived_or_gone__is_none() -> None:
    base = experiment(planned_test=plan())
    assert planned_goal(base) is not None
    assert planned_goal(replace(base, goals=(goal(archived_at=NOW),))) is None
    assert planned_goal(replace(base, goals=())) is None
    assert planned_goal(experiment()) is None


def test_decisive_goal__without_a_primary__is_the_first_in_use() -> None:
    first, second = goal(id="1", archived_at=NOW), goal(id="2")
    found = decisive_goal(experiment(goals=(first, second)))
    assert found is not None
    assert (found.id, found.experiment_id) == ("2", EXPERIMENT)
    assert decisive_goal(experiment(goals=(first,))) is None

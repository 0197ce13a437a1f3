"""Which rule is asked for an experiment, and what the evidence is not even looked at for."""

from datetime import datetime, timedelta

from abtest.domain.autostop import planned_end, sequential
from abtest.domain.autostop.evidence import Evidence
from abtest.domain.autostop.looks import is_split_broken
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import LookState
from abtest.domain.autostop.verdicts import Verdict, Waiting
from abtest.domain.experiments.goals import primary
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import planned_goal
from abtest.kit.clock import parse_timestamp

_MINUTE = timedelta(minutes=1)
_DECIDED_UPON = (
    "auto_stop_override",
    "results_weekdays",
    "planned_test",
    "goals",
    "variations",
    "measurement_epoch",
)


def decide(
    experiment: Experiment, state: LookState, evidence: Evidence, settings: AutoStop, *, now: datetime, is_covered: bool
) -> Verdict:
    """What the mode's rule says of the evidence. `is_covered`: see `domain.autostop.money.blocked`.

    Nothing is decided on a broken split (docs/adr/0029): what would be waits, and a planned look is not spent.
    """
    verdict = _by_rule(experiment, state, evidence, settings, now, is_covered)
    if not isinstance(verdict, Waiting) and is_split_broken(state, evidence):
        return Waiting("sample_ratio_mismatch")
    return verdict


def _by_rule(
    experiment: Experiment, state: LookState, evidence: Evidence, settings: AutoStop, now: datetime, is_covered: bool
) -> Verdict:
    if settings.mode == "off":
        return Waiting("off")
    if not evidence.treatments or evidence.weights[evidence.control_id] <= 0:
        return Waiting("no_control")
    if not _has_run(experiment, settings, now):
        return Waiting("min_runtime")
    if settings.mode == "sequential_significance":
        goal = primary(experiment)
        if goal is None:
            return Waiting("no_primary_goal")
        return sequential.decide(state, evidence, settings, goal.id, is_covered=is_covered)
    return _at_planned_end(experiment, evidence, settings, is_covered)


def is_same_question(one: Experiment, other: Experiment) -> bool:
    """Whether nothing differs that a decision depends on."""
    return all(getattr(one, name) == getattr(other, name) for name in _DECIDED_UPON)


def _at_planned_end(experiment: Experiment, evidence: Evidence, settings: AutoStop, is_covered: bool) -> Verdict:
    plan = experiment.planned_test
    if plan is None:
        return Waiting("no_plan")
    if plan.get("evaluation") is not None:
        return Waiting("already_evaluated")
    if planned_goal(experiment) is None:
        return Waiting("planned_goal_not_in_use")
    return planned_end.decide(plan, evidence, settings, is_covered=is_covered)


def _has_run(experiment: Experiment, settings: AutoStop, now: datetime) -> bool:
    began = experiment.measurement_started_at
    # Whole minutes are compared: no span of time holds as many as people may ask for.
    return began is not None and (now - parse_timestamp(began)) // _MINUTE >= settings.min_runtime_minutes

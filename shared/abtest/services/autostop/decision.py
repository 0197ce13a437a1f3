"""Decision of auto-stop: the rule of the experiment's mode, and the conditions that come before it."""

from datetime import datetime, timedelta

from abtest.domain.autostop import group_sequential, guardrails, planned_end, sequential
from abtest.domain.autostop.evidence import Evidence
from abtest.domain.autostop.looks import is_split_broken
from abtest.domain.autostop.planned_looks import has_looks
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import LookState
from abtest.domain.autostop.verdicts import Verdict, Waiting
from abtest.domain.experiments.goals import primary
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import planned_goal
from abtest.kit.clock import parse_timestamp

_MINUTE = timedelta(minutes=1)
# An edit of any of these between the count and the commit makes the verdict void.
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
    """Return the verdict of the mode's rule on the evidence. `is_covered`: see `domain.autostop.money.blocked`.

    A broken split decides nothing (docs/adr/0029): the verdict waits, and a planned look is not spent.
    """
    verdict = waiting_before_rules(experiment, evidence, settings, now) or _by_rule(
        experiment, state, evidence, settings, is_covered
    )
    # After the rules, so that a verdict that waits anyway keeps its own reason.
    if not isinstance(verdict, Waiting) and is_split_broken(state, evidence):
        return Waiting("sample_ratio_mismatch")
    return verdict


def waiting_before_rules(
    experiment: Experiment, evidence: Evidence, settings: AutoStop, now: datetime
) -> Waiting | None:
    """Return why no rule applies yet: auto-stop is off, there is no control, or the minimum runtime is not over."""
    return Waiting("off") if settings.mode == "off" else not_comparable(experiment, evidence, settings, now)


def not_comparable(experiment: Experiment, evidence: Evidence, settings: AutoStop, now: datetime) -> Waiting | None:
    """Return why no look of a plan is taken in any mode: there is no control, or the minimum runtime is not over."""
    if not evidence.treatments or evidence.weights[evidence.control_id] <= 0:
        return Waiting("no_control")
    began = experiment.measurement_started_at
    # Whole minutes are compared, because a timedelta cannot hold the longest runtime that a shop may set.
    if began is None or (now - parse_timestamp(began)) // _MINUTE < settings.min_runtime_minutes:
        return Waiting("min_runtime")
    return None


def _by_rule(
    experiment: Experiment, state: LookState, evidence: Evidence, settings: AutoStop, is_covered: bool
) -> Verdict:
    if settings.mode == "sequential_significance":
        goal = primary(experiment)
        if goal is None:
            return Waiting("no_primary_goal")
        shown = guardrails.findings(state, evidence, settings, is_covered=is_covered, deciding=goal.id)
        harmed = guardrails.harmed_treatments(shown)
        verdict = sequential.decide(state, evidence, settings, goal.id, is_covered=is_covered, harmed=harmed)
        return guardrails.guarded(verdict, shown, settings)
    plan = experiment.planned_test
    if plan is None:
        return Waiting("no_plan")
    if plan.get("evaluation") is not None:
        return Waiting("already_evaluated")
    planned = planned_goal(experiment)
    if planned is None:
        return Waiting("planned_goal_not_in_use")
    # The planned look compares the rate of orders, so money is a guardrail even where its goal decides.
    deciding = None if planned.is_revenue else planned.id
    shown = guardrails.findings(state, evidence, settings, is_covered=is_covered, deciding=deciding)
    if settings.mode == "group_sequential":
        looks = state.get("planned_looks")
        evaluated = group_sequential.decide(plan, looks, evidence, settings, is_covered=is_covered, guardrails=shown)
    else:
        # A single look at the whole alpha would come in addition to what the looks have spent.
        if (taken := state.get("planned_looks")) is not None and has_looks(taken):
            return Waiting("planned_looks_taken")
        evaluated = planned_end.decide(plan, evidence, settings, is_covered=is_covered, guardrails=shown)
    # The plan is not evaluated before a guardrail has numbers.
    is_waiting = isinstance(evaluated, Waiting) or not guardrails.are_pending(shown)
    return evaluated if is_waiting else Waiting("guardrail_not_counted")


def is_same_question(one: Experiment, other: Experiment) -> bool:
    """Return whether the two agree in everything that a decision depends on."""
    return all(getattr(one, name) == getattr(other, name) for name in _DECIDED_UPON)

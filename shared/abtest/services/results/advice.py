"""Advice of a report: the next step, the worth of a month, cautions about lifts and about time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from abtest.contract import results as contract
from abtest.contract.report import Verdict
from abtest.contract.report_advice import EarlyStop, ImplausibleLift, MeasuredTime, NextStep, NoWorth, Worth
from abtest.domain.autostop.evidence import Evidence
from abtest.domain.autostop.money import blocked
from abtest.domain.experiments.model import Experiment
from abtest.ports.catalog import AuditRow
from abtest.services.results.cautions import Moment, early_stop, implausible_lifts
from abtest.services.results.measured_time import measured_time
from abtest.services.results.next_steps import Situation, next_step
from abtest.services.results.question import Question, Reading
from abtest.services.results.worth import Traffic, worth_of


class Advice(TypedDict):
    """Fields of a report that help to act."""

    next_step: NextStep
    worth: Worth
    implausible_lifts: list[ImplausibleLift]
    early_stop: EarlyStop | None
    measured_time: MeasuredTime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """Basis of advice: a report's numbers by goal, its verdict, and the history, oldest row first.

    `evidence`: the same counts as auto-stop reads them; None before the first count.
    """

    question: Question
    readings: Sequence[Reading]
    results: contract.Results
    verdict: Verdict
    evidence: Evidence | None
    history: Sequence[AuditRow]
    is_guardians_pause: bool = False


def advice_of(grounds: Grounds) -> Advice:
    """Return the advice of a report."""
    results, experiment = grounds.results, grounds.question.experiment
    time = measured_time(experiment, results.computed_at, grounds.history)
    marked, deciding = implausible_lifts(grounds.readings, results.goals), next(iter(results.goals), None)
    situation = Situation(
        experiment=experiment,
        verdict=grounds.verdict,
        goal=deciding,
        plan=results.plan,
        health=results.health,
        measured=time,
        implausible=marked,
        has_guardrails=bool(results.guardrails),
        is_shipped=is_shipped(experiment, grounds.history),
        is_guardians_pause=grounds.is_guardians_pause,
    )
    stopped = None
    # A stop for harm is a stop, too, but the estimate that exaggerates is that of the winner or the loser.
    if deciding is not None and grounds.verdict.status in ("winner", "loser"):
        moment: Moment = "running" if experiment.status == "running" else "stopped"
        stopped = early_stop(grounds.readings[0], deciding, grounds.verdict.variation_id, moment)
    return {
        "next_step": next_step(situation),
        "worth": worth_of_report(grounds, time),
        "implausible_lifts": marked,
        "early_stop": stopped,
        "measured_time": time,
    }


def is_shipped(experiment: Experiment, history: Sequence[AuditRow]) -> bool:
    """Return whether a variation was shipped in the present measurement; a restart begins another one."""
    began = experiment.measurement_started_at
    return any(row.action == "experiment.ship" and began is not None and row.created_at >= began for row in history)


def worth_of_report(grounds: Grounds, time: MeasuredTime | None) -> Worth:
    """Return the worth by the first goal that counts money, the deciding one first."""
    question, results = grounds.question, grounds.results
    goal = next(
        (goal for goal in results.goals if goal.type == "revenue" and goal.metric == "mean" and not goal.is_archived),
        None,
    )
    visitors = sum(row.visitors for row in goal.rows) if goal else 0
    traffic = None
    if time is not None and time.days > 0:
        traffic = Traffic(visitors=visitors, days=time.days, allocation=question.experiment.traffic_allocation)
    return worth_of(goal, traffic, question.currency, doubt_of(grounds, goal))


def doubt_of(grounds: Grounds, goal: contract.GoalResult | None) -> NoWorth | None:
    """Return why revenue cannot be relied upon; None where it can."""
    results, evidence = grounds.results, grounds.evidence
    if goal is None:
        return None
    if grounds.question.experiment.counting_type == "aa_test":
        return "aa_test"
    if grounds.verdict.status == "not_trusted":
        return "not_trusted"
    measure = evidence.measures.get(goal.goal_id) if evidence else None
    if evidence is None or measure is None:
        return "too_little_data"
    # By auto-stop's rule: what cannot decide is not worth a figure either.
    return blocked(evidence, measure, is_covered=not results.coverage.mixed_populations)

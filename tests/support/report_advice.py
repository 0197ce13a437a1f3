"""Advice of the reports in tests, by the production rules on the numbers of the report."""

from __future__ import annotations

from typing import Any

from abtest.contract import report as contract
from abtest.contract.report_advice import EarlyStop, ImplausibleLift
from abtest.contract.results import ResultRow
from abtest.domain.experiments.model import Experiment
from abtest.domain.stats.shrinkage import PRIOR_DEVIATION, Plausibility
from abtest.kit.clock import parse_timestamp
from abtest.services.results.cautions import early_stop_message, implausible_lift
from abtest.services.results.measured_time import time_of
from abtest.services.results.next_steps import Situation, next_step
from abtest.services.results.worth import Traffic, worth_of

KEPT = 0.72
"""Part of a difference that is expected to be true at the end of a test that was planned for it."""


def advised(report: contract.Report, **fields: Any) -> contract.Report:
    """The report with the advice that its numbers lead to. `fields`: those of the situation that it does not show."""
    began, until = report.measurement.began_at, report.experiment.ended_at or report.computed_at
    days = (parse_timestamp(until) - parse_timestamp(began)).total_seconds() / 86_400 if began and until else None
    time = None if days is None else time_of(days, is_live=report.experiment.status == "running")
    money = next((goal for goal in report.goals if goal.type == "revenue"), None)
    visitors = sum(variation.visitors for variation in report.experiment.variations)
    traffic = Traffic(visitors=visitors, days=days, allocation=1.0) if days else None
    doubt: Any = "not_trusted" if report.verdict.status == "not_trusted" else fields.pop("doubt", None)
    marked = marks(report)
    situation = Situation(
        experiment=experiment_of(report),
        verdict=report.verdict,
        goal=next(iter(report.goals), None),
        plan=report.plan,
        health=report.health,
        measured=time,
        implausible=marked,
        has_guardrails=bool(report.guardrails),
        **fields,
    )
    return report.model_copy(
        update={
            "next_step": next_step(situation),
            "measured_time": time,
            "worth": worth_of(money, traffic, report.currency, doubt),
            "implausible_lifts": marked,
            "early_stop": stopped(report),
        }
    )


def experiment_of(report: contract.Report) -> Experiment:
    """As far as a next step depends on it."""
    shown, moment = report.experiment, report.generated_at
    return Experiment(
        id=shown.id,
        shop_id="s",
        name=shown.name,
        status=shown.status,
        counting_type=shown.counting_type,
        created_at=moment,
        updated_at=moment,
    )


def named_row(report: contract.Report) -> ResultRow | None:
    """Row of the verdict."""
    rows = report.goals[0].rows if report.goals else ()
    return next((row for row in rows if row.variation_id == report.verdict.variation_id), None)


def marks(report: contract.Report) -> list[ImplausibleLift]:
    """Significant lifts above 25 % of the first goal."""
    rows = report.goals[0].rows if report.goals else ()
    sure = [row for row in rows if row.state in ("better", "worse") and abs(row.lift or 0) > 5 * PRIOR_DEVIATION]
    return [implausible_lift(report.goals[0], row, plausible(row.lift or 0.0)) for row in sure]


def plausible(lift: float) -> Plausibility:
    """A lift measured with an error of 4 %."""
    return Plausibility(lift=lift, surprise=1e-5, expected=lift * 0.61, deviation=0.031)


def stopped(report: contract.Report) -> EarlyStop | None:
    """The caution about the row of the verdict."""
    row = named_row(report)
    if (
        row is None
        or report.verdict.status not in ("winner", "loser")
        or row.difference is None
        or row.state not in ("better", "worse")
    ):
        return None
    corrected = None if row.lift is None else KEPT * row.lift
    moment: Any = "running" if report.experiment.status == "running" else "stopped"
    return EarlyStop(
        goal_id=report.goals[0].goal_id,
        variation_id=row.variation_id,
        lift=row.lift,
        corrected_lift=corrected,
        difference=row.difference,
        corrected_difference=KEPT * row.difference,
        message=early_stop_message(row.lift, corrected, moment),
    )

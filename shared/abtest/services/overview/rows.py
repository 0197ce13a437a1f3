"""Row of one experiment: the figures and the conclusion that its results and its report have, in short."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from abtest.contract import overview as contract
from abtest.contract import report as report_contract
from abtest.contract import results as results_contract
from abtest.domain.autostop.shapes import LookState
from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import State
from abtest.domain.guardian.kinds import Severity
from abtest.kit import canonical_json
from abtest.ports.catalog import AuditRow
from abtest.ports.rollup_store import Document
from abtest.services.overview.experiments import pause_of
from abtest.services.results import Results, ResultsQuery
from abtest.services.results.conclusions import facts_of, goals_in_order
from abtest.services.results.engine_choices import choice_of
from abtest.services.results.experiment_results import MeasurementContext
from abtest.services.results.measured_time import measured_time
from abtest.services.results.measurements import measurement_of
from abtest.services.results.report import report_experiment
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import Snapshot
from abtest.services.results.verdicts import deciding, verdict_of

DECIDED: frozenset[report_contract.VerdictStatus] = frozenset(
    {"winner", "loser", "no_winner", "stopped_for_harm", "harm"}
)
_SEVERITIES: Sequence[Severity] = ("critical", "warning", "notice")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Everything that a row is made of. `guardian` is Guardian's state with its version, 0 without one."""

    experiment: Experiment
    totals: Document | None
    looks: LookState | None
    guardian: tuple[State | None, int]
    pause: AuditRow | None

    def identity(self, rules: str, coverage: results_contract.Coverage) -> tuple[object, ...]:
        """Return a key that is another one whenever the row may be. `rules`: a digest of the shop's rules."""
        experiment, totals, looks = self.experiment, self.totals or {}, self.looks
        return (
            experiment.id,
            experiment.version,
            totals.get("generation"),
            totals.get("computed_at"),
            (looks["looks"], looks["generation"]) if looks else None,
            self.guardian[1],
            self.pause.id if self.pause else None,
            rules,
            tuple(coverage.reasons),
        )

    @property
    def context(self) -> MeasurementContext:
        """Facts of the measurement, as results have them; the reason why it began is not shown."""
        state = self.guardian[0]
        is_present = state is not None and state.measurement_epoch == self.experiment.measurement_epoch
        return MeasurementContext(
            measurement=measurement_of(self.experiment, "unknown"), seen=state if is_present else None
        )


def rules_digest(rules: ShopRules) -> str:
    """Return a digest of all settings of the shop that results are read by."""
    return canonical_json.sha256([rules.shop.version, rules.defaults, rules.asks_consent])


def row_of(results: Results, rules: ShopRules, sources: Sources, snapshot: Snapshot) -> contract.OverviewExperiment:
    """Return the row of one generation, without its publication. Raises OutdatedError."""
    experiment, history = sources.experiment, [sources.pause] if sources.pause else []
    choice = choice_of(experiment, rules, snapshot, looks=sources.looks)
    goals = goals_in_order(experiment, choice.engine)
    # Goals are corrected by themselves, so the deciding one has the same figures alone.
    query = ResultsQuery(goal_ids=[goal.id for goal in goals[:1]])
    looks = sources.looks if snapshot.totals else None
    prepared = results.prepare_with(snapshot, experiment, rules, query, looks)
    figures = results.evaluate(snapshot, prepared, rules, query, sources.context)
    question, counts = prepared.question, prepared.counts
    facts = facts_of(question, counts, figures, history)
    verdict, goal = verdict_of(facts), facts.goal
    return contract.OverviewExperiment(
        id=experiment.id,
        public_id=experiment.public_id,
        name=experiment.name,
        status=cast("Literal['running', 'paused']", experiment.status),
        counting_type=experiment.counting_type,
        pause=pause_of(experiment, sources.pause, question.currency),
        started_at=experiment.started_at,
        scheduled_end_at=experiment.scheduled_end_at,
        measurement_epoch=experiment.measurement_epoch,
        measurement_began_at=experiment.measurement_started_at,
        measured_time=measured_time(experiment, figures.computed_at, history),
        computed_at=figures.computed_at,
        generation=figures.generation,
        engine=figures.engine,
        engine_reason=figures.engine_reason,
        visitors=facts.visitors,
        variations=report_experiment(question, counts).variations,
        goal=overview_goal(goal) if goal else None,
        lead=lead_of(goal, verdict.variation_id) if goal else None,
        verdict=contract.OverviewVerdict(
            status=verdict.status,
            sentence=verdict.sentence,
            variation_id=verdict.variation_id,
            days_left=verdict.days_left,
            is_decided=verdict.status in DECIDED,
        ),
        plan=figures.plan,
        srm=figures.srm,
        findings=findings_of(figures.health),
        checked_at=figures.checked_at,
        publication=None,
    )


def overview_goal(goal: results_contract.GoalResult) -> contract.OverviewGoal:
    """Return the deciding goal."""
    return contract.OverviewGoal(
        goal_id=goal.goal_id, name=goal.name, type=goal.type, direction=goal.direction, metric=goal.metric
    )


def lead_of(goal: results_contract.GoalResult, named: str | None) -> contract.OverviewLead | None:
    """Return the treatment of the verdict, else the one with the best difference; None without treatments."""
    treatments = [row for row in goal.rows if not row.is_control]
    sign = -1 if goal.direction == "decrease" else 1

    def place(row: results_contract.ResultRow) -> tuple[bool, bool, float]:
        difference = deciding(row).difference
        return row.variation_id == named, difference is not None, sign * (difference or 0.0)

    # Of equal ones the first: `max` keeps it.
    row = max(treatments, key=place, default=None)
    if row is None:
        return None
    shown = deciding(row)
    return contract.OverviewLead(
        variation_id=row.variation_id,
        variation_name=row.variation_name,
        engine=goal.engine,
        lift=shown.lift,
        ci=shown.ci,
        difference=shown.difference,
        difference_ci=shown.difference_ci,
        p_value=shown.p_value,
        adjusted_p_value=shown.adjusted_p_value,
        always_valid_p=shown.always_valid_p,
        is_significant=shown.is_significant,
        is_adjusted=shown is not row,
        state=row.state,
        message=row.message,
    )


def findings_of(health: Sequence[results_contract.HealthFinding]) -> contract.OverviewFindings:
    """Return findings in short."""
    worst = min(health, key=lambda finding: _SEVERITIES.index(finding.severity), default=None)
    return contract.OverviewFindings(
        count=len(health), worst=worst.severity if worst else None, first=worst.message if worst else None
    )

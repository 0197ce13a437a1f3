"""The verdict of a report: what one may say by now, in a sentence that is honest when nothing is decided."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.contract import results as contract
from abtest.contract.report import Verdict, VerdictStatus
from abtest.contract.results import GoalResult, ResultRow
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.coverage import SAYINGS
from abtest.domain.planning.duration import in_words

_TOO_LITTLE = frozenset(
    {"not_counted_yet", "no_visitors", "too_few_visitors", "no_conversions", "too_few_conversions", "no_traffic"}
)
_LIVE = ("running", "paused")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a verdict is made of. `goal` decides; `harm`: why Guardian's pause, which still holds, was made."""

    experiment: Experiment
    visitors: int
    goal: GoalResult | None
    plan: contract.PlanProgress | None
    srm: contract.SampleRatio
    health: Sequence[contract.HealthFinding]
    coverage: contract.Coverage
    harm: str | None = None

    @property
    def treatments(self) -> Sequence[ResultRow]:
        """Rows of the deciding goal that are compared with the control."""
        return [row for row in self.goal.rows if not row.is_control] if self.goal else []

    @property
    def days_left(self) -> float | None:
        """Until the planned sample is reached."""
        return self.plan.days_left if self.plan else None


def verdict_of(facts: Facts) -> Verdict:
    """The verdict."""
    status, sentence, row = _said(facts)
    return Verdict(
        status=status,
        sentence=sentence,
        details=_details(facts, row),
        goal_id=facts.goal.goal_id if facts.goal else None,
        variation_id=row.variation_id if row else None,
        days_left=facts.days_left if status in ("undecided", "too_early", "no_data") else None,
    )


_Said = tuple[VerdictStatus, str, ResultRow | None]


def _said(facts: Facts) -> _Said:
    return _before_numbers(facts) or _distrust(facts) or _at_planned_end(facts) or _by_numbers(facts)


def _before_numbers(facts: Facts) -> _Said | None:
    if facts.experiment.started_at is None:
        return "not_started", "This experiment has not been started yet.", None
    if facts.harm is not None:
        return "stopped_for_harm", f"Guardian stopped this experiment. {facts.harm}", None
    if not facts.visitors:
        return "no_data", "No visitor of this measurement has been counted yet.", None
    return None


def _distrust(facts: Facts) -> _Said | None:
    if any(finding.kind == "zero_weight_visitors" for finding in facts.health) or facts.srm.status == "mismatch":
        sentence = "The numbers cannot be trusted: visitors are not split among the variations as the weights say."
        return "not_trusted", sentence, None
    if facts.goal is None:
        return "undecided", "Nothing can be decided: no goal is in use.", None
    differs = next((row for row in facts.treatments if row.state in ("better", "worse")), None)
    if facts.experiment.counting_type == "aa_test":
        if differs is None:
            return "undecided", "This A/A test shows no difference so far, as it should be.", None
        return (
            "not_trusted",
            "The variations of this A/A test differ though they are the same: check the setup.",
            differs,
        )
    return None


def _at_planned_end(facts: Facts) -> _Said | None:
    """What the one planned look came to stands, whatever the numbers did afterwards."""
    outcome = facts.plan.outcome if facts.plan else None
    if outcome is None or facts.goal is None:
        return None
    stored = (facts.experiment.planned_test or {}).get("evaluation") or {}
    winner = next((row for row in facts.treatments if row.variation_id == stored.get("winning_variation_id")), None)
    if outcome == "significant_pause" and winner is not None:
        return "winner", f"{_named(winner)} won at the planned end: {_effect(facts.goal, winner)}.", winner
    if outcome == "continue_not_positive":
        sentence = f"No treatment won: at the planned end {facts.goal.name} differed, but not for the better."
        return "loser", sentence, None
    sentence = (
        f"No difference was found: the planned end was reached without a significant change of {facts.goal.name}."
    )
    return "no_winner", sentence, None


def _by_numbers(facts: Facts) -> _Said:
    rows, goal = facts.treatments, facts.goal
    better = [row for row in rows if row.state == "better"]
    if better and goal is not None:
        best = max(better, key=lambda row: _gain(goal, row))
        return "winner", f"{_named(best)} is better: {_effect(goal, best)}.", best
    worse = [row for row in rows if row.state == "worse"]
    if goal is not None and worse and len(worse) == len(rows):
        worst = min(worse, key=lambda row: _gain(goal, row))
        return "loser", f"{_named(worst)} is worse: {_effect(goal, worst)}.", worst
    if rows and all(row.state in _TOO_LITTLE for row in rows):
        return "too_early", f"Too early to say: {rows[0].message}.", None
    return _undecided(facts)


def _undecided(facts: Facts) -> _Said:
    if facts.experiment.status not in _LIVE:
        return "no_winner", "The experiment ended without a significant difference.", None
    if facts.experiment.status == "paused":
        return "undecided", "No decision yet, and the experiment is paused: no significant difference so far.", None
    left = facts.days_left
    sentence = (
        f"No decision yet: about {in_words(left)} to go."
        if left
        else "No decision yet: no significant difference so far."
    )
    return "undecided", sentence, None


def _gain(goal: GoalResult, row: ResultRow) -> float:
    difference = row.difference or 0.0
    return -difference if goal.direction == "decrease" else difference


def _named(row: ResultRow) -> str:
    return f"“{row.variation_name}”"


def _effect(goal: GoalResult, row: ResultRow) -> str:
    """`Buy rises by 12.3% (between 2.1% and 22.5%)`."""
    difference = row.difference or 0.0
    moves = "rises" if difference > 0 else "falls" if difference < 0 else "does not change"
    if row.lift is None:
        return f"{goal.name} {moves}"
    ends = f" (between {row.ci.lower:+.1%} and {row.ci.upper:+.1%})" if row.ci else ""
    return f"{goal.name} {moves} by {abs(row.lift):.1%}{ends}"


def _details(facts: Facts, told: ResultRow | None) -> list[str]:
    """What else matters, most important first."""
    found = [finding.message for finding in facts.health]
    found += [f"{_named(row)}: {row.message}." for row in facts.treatments if row is not told]
    if facts.plan is not None:
        found.append(facts.plan.message)
    found += [SAYINGS[reason] for reason in facts.coverage.reasons]
    if facts.experiment.outcome is not None:
        found.append(f"It was closed as {facts.experiment.outcome}.")
    if facts.experiment.learning:
        found.append(facts.experiment.learning)
    return found

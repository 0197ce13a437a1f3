"""Verdict of a report: the conclusion that the numbers allow so far, in a sentence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from abtest.contract import results as contract
from abtest.contract.report import Verdict, VerdictStatus
from abtest.contract.results import Cuped, GoalResult, ResultRow
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.coverage import MESSAGES
from abtest.domain.planning.duration import in_words
from abtest.services.results.messages import ADJUSTED

_TOO_LITTLE = frozenset(
    {"not_counted_yet", "no_visitors", "too_few_visitors", "no_conversions", "too_few_conversions", "no_traffic"}
    | {"zero_denominator", "no_look"}
)
_LIVE = ("running", "paused")


Conclusion = tuple[VerdictStatus, str, ResultRow | None]
"""Status, sentence, and the row that they are about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Input of a verdict. `goal` decides; `harm`: the reason of Guardian's pause while it holds.

    `is_stopped_for_harm`: auto-stop has paused the experiment for a harmed guardrail.
    """

    experiment: Experiment
    visitors: int
    goal: GoalResult | None
    plan: contract.PlanProgress | None
    srm: contract.SampleRatio
    health: Sequence[contract.HealthFinding]
    coverage: contract.Coverage
    harm: str | None = None
    guardrails: Sequence[contract.GuardrailFinding] = ()
    is_stopped_for_harm: bool = False

    @property
    def treatments(self) -> Sequence[ResultRow]:
        """Rows of the deciding goal that are compared with the control."""
        return [row for row in self.goal.rows if not row.is_control] if self.goal else []

    @property
    def harms(self) -> Sequence[contract.GuardrailFinding]:
        """Harmed guardrails by treatment, the surest first."""
        return sorted((one for one in self.guardrails if one.status == "harmed"), key=lambda one: one.p_value or 0.0)

    @property
    def days_left(self) -> float | None:
        """Days until the planned sample is reached."""
        return self.plan.days_left if self.plan else None


def verdict_of(facts: Facts) -> Verdict:
    """Return the conclusion of the first rule that applies, and details with the most important first."""
    # Lazy: the first rule that applies decides, whatever the later ones would conclude.
    conclusions = (rule(facts) for rule in (before_numbers, distrust, by_guardrails, at_planned_end, by_numbers))
    status, sentence, row = next(filter(None, conclusions), None) or undecided(facts)
    details = guardrail_details(facts, row, sentence) + [finding.message for finding in facts.health]
    details += [f"“{other.variation_name}”: {other.message}." for other in facts.treatments if other is not row]
    if facts.plan is not None:
        details.append(facts.plan.message)
    details += [MESSAGES[reason] for reason in facts.coverage.reasons]
    if facts.experiment.outcome is not None:
        details.append(f"It was closed as {facts.experiment.outcome}.")
    if facts.experiment.learning:
        details.append(facts.experiment.learning)
    return Verdict(
        status=status,
        sentence=sentence,
        details=details,
        goal_id=facts.goal.goal_id if facts.goal else None,
        variation_id=row.variation_id if row else None,
        days_left=facts.days_left if status in ("undecided", "too_early", "no_data") else None,
    )


def guardrail_details(facts: Facts, row: ResultRow | None, sentence: str) -> list[str]:
    """Return the harm in any treatment, and everything that guardrails show in the treatment of the verdict."""
    own = [one for one in facts.guardrails if row is not None and one.variation_id == row.variation_id]
    # Those in the headline are not repeated.
    return list(dict.fromkeys(one.message for one in (*facts.harms, *own) if one.message not in sentence))


def before_numbers(facts: Facts) -> Conclusion | None:
    """Return a conclusion that needs no numbers: not started, stopped for harm, no visitors yet."""
    if facts.experiment.started_at is None:
        return "not_started", "This experiment has not been started yet.", None
    if facts.harm is not None:
        return "stopped_for_harm", f"Guardian stopped this experiment. {facts.harm}", None
    if not facts.visitors:
        return "no_data", "No visitor has been counted yet.", None
    return None


def distrust(facts: Facts) -> Conclusion | None:
    """Return why the numbers cannot decide: a broken split, no goal, an A/A test."""
    if any(finding.kind == "zero_weight_visitors" for finding in facts.health) or facts.srm.status == "mismatch":
        sentence = "The numbers cannot be trusted: visitors are not split among the variations as the weights say."
        return "not_trusted", sentence, None
    if facts.goal is None:
        return "undecided", "Nothing can be decided: no goal is in use.", None
    if facts.experiment.counting_type != "aa_test":
        return None
    differs = next((row for row in facts.treatments if row.state in ("better", "worse")), None)
    if differs is None:
        return "undecided", "This A/A test shows no difference so far, as it should be.", None
    sentence = "The variations of this A/A test differ though they are the same: check the setup."
    return "not_trusted", sentence, differs


def by_guardrails(facts: Facts) -> Conclusion | None:
    """Return the harm of guardrails, unless a treatment that harms none has won; None without harm."""
    if not facts.harms:
        return ("stopped_for_harm", harm_at_pause(facts), None) if facts.is_stopped_for_harm else None
    harmed = {one.variation_id for one in facts.harms}
    conclusion = at_planned_end(facts) or by_numbers(facts, harmed)
    winner = conclusion[2] if conclusion and conclusion[0] == "winner" else None
    if winner is not None and winner.variation_id not in harmed:
        return conclusion
    worst = facts.harms[0]
    row = next((row for row in facts.treatments if row.variation_id == worst.variation_id), None)
    message = " ".join(one.message for one in facts.harms if one.variation_id == worst.variation_id)
    if facts.is_stopped_for_harm:
        return "stopped_for_harm", f"Auto-stop paused this experiment without a winner. {message}", row
    is_better = row is not None and row.state == "better" and facts.goal is not None
    ahead = f" It is better in {facts.goal.name}, and no winner." if is_better and facts.goal else ""
    return "harm", f"{message}{ahead}", row


def harm_at_pause(facts: Facts) -> str:
    """Return why auto-stop paused, where no guardrail is harmed now: the stored findings of the planned look, if any.

    A guardrail may have been redefined or archived, or is not tested any more: minima, coverage, other currencies.
    """
    stored = stored_harm(facts)
    if stored:
        return " ".join(["Auto-stop paused this experiment without a winner.", *stored])
    # What it had shown is in the timeline.
    return "Auto-stop paused this experiment for the harm of a guardrail, which the present numbers do not show."


def stored_harm(facts: Facts) -> Sequence[str]:
    """Return the sentences of guardrails that were harmed at the planned look."""
    evaluation = (facts.experiment.planned_test or {}).get("evaluation") or {}
    return [one["message"] for one in evaluation.get("guardrails", ()) if one["status"] == "harmed"]


def at_planned_end(facts: Facts) -> Conclusion | None:
    """Return the outcome of the planned look, whatever the numbers did afterwards; None before it."""
    outcome = facts.plan.outcome if facts.plan else None
    if outcome is None or facts.goal is None:
        return None
    evaluation = (facts.experiment.planned_test or {}).get("evaluation") or {}
    winner = next((row for row in facts.treatments if row.variation_id == evaluation.get("winning_variation_id")), None)
    goal, ended_by = facts.goal, evaluation.get("ended_by")
    if outcome == "significant_pause" and winner is not None:
        moment = "a planned look" if ended_by == "winner" else "the planned end"
        sentence = f"“{winner.variation_name}” won at {moment}: {effect(goal, winner)}."
        return "winner", sentence, winner
    if outcome == "continue_not_positive":
        return "loser", f"No treatment won: at the planned end {goal.name} differed, but not for the better.", None
    if outcome == "harm":
        harms = stored_harm(facts)
        moment = "before" if ended_by == "harm" else "at"
        return "harm", " ".join([f"No treatment won: {moment} the planned end a guardrail was harmed.", *harms]), None
    if ended_by == "futility":
        sentence = f"No treatment won: at a planned look none was likely to win any more in {goal.name}."
        return "no_winner", sentence, None
    sentence = f"No difference was found: the planned end was reached without a significant change of {goal.name}."
    return "no_winner", sentence, None


def by_numbers(facts: Facts, harmed: Collection[str] = ()) -> Conclusion | None:
    """Return the conclusion of the deciding goal's rows: a winner, a loser, too early; None when undecided.

    Treatments of `harmed` cannot win.
    """
    rows, goal = facts.treatments, facts.goal
    if goal is None or not rows:
        return None

    def gain(row: ResultRow) -> float:
        difference = deciding(row).difference or 0.0
        return -difference if goal.direction == "decrease" else difference

    better = [row for row in rows if row.state == "better" and row.variation_id not in harmed]
    best = max(better, key=gain, default=None)
    if best is not None:
        return "winner", f"“{best.variation_name}” is better: {effect(goal, best)}.", best
    if all(row.state == "worse" for row in rows):
        worst = min(rows, key=gain)
        return "loser", f"“{worst.variation_name}” is worse: {effect(goal, worst)}.", worst
    if all(row.state in _TOO_LITTLE for row in rows):
        return "too_early", f"Too early to say: {rows[0].message}.", None
    return None


def undecided(facts: Facts) -> Conclusion:
    """Return the conclusion when no rule decides: ended, paused, or still running."""
    if facts.experiment.status not in _LIVE:
        return "no_winner", "The experiment ended without a significant difference.", None
    if facts.experiment.status == "paused":
        return "undecided", "No decision yet, and the experiment is paused: no significant difference so far.", None
    left = facts.days_left
    progress = f"about {in_words(left)} to go" if left else "no significant difference so far"
    return "undecided", f"No decision yet: {progress}.", None


def effect(goal: GoalResult, row: ResultRow) -> str:
    """Return the change of a goal in words, such as `Buy rises by 12.3% (between 2.1% and 22.5%)`.

    It is the adjusted one where that decides, with a note.
    """
    shown = deciding(row)
    is_adjusted = shown is not row or is_adjusted_at_looks(goal)
    difference, note = shown.difference or 0.0, f", {ADJUSTED}" if is_adjusted else ""
    moves = "rises" if difference > 0 else "falls" if difference < 0 else "does not change"
    if shown.lift is None:
        return f"{goal.name} {moves}{note}"
    ends = f" (between {shown.ci.lower:+.1%} and {shown.ci.upper:+.1%})" if shown.ci else ""
    return f"{goal.name} {moves} by {abs(shown.lift):.1%}{ends}{note}"


def is_adjusted_at_looks(goal: GoalResult) -> bool:
    """Return whether the figures of the goal's rows are those of planned looks at adjusted rates."""
    is_deciding = goal.adjustment is not None and goal.adjustment.status == "decides"
    return is_deciding and goal.engine == "group_sequential"


def deciding(row: ResultRow) -> ResultRow | Cuped:
    """Return the figures that the row's state follows from."""
    return row.cuped if row.cuped is not None and row.cuped.decides else row

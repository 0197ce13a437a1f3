"""The recommended next step after a verdict: the first rule that applies, with its reason."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from abtest.contract import results as contract
from abtest.contract.report import Verdict
from abtest.contract.report_advice import ImplausibleLift, MeasuredTime, NextStep, StepCode
from abtest.domain.experiments.model import Experiment
from abtest.domain.planning.duration import in_words
from abtest.services.results.cautions import percent
from abtest.services.results.verdicts import deciding

AA_DAYS = 14
_LIVE = ("running", "paused")


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Facts that a step depends on. `goal`: the deciding one. `is_guardians_pause`: Guardian's pause still holds."""

    experiment: Experiment
    verdict: Verdict
    goal: contract.GoalResult | None = None
    plan: contract.PlanProgress | None = None
    health: Sequence[contract.HealthFinding] = ()
    measured: MeasuredTime | None = None
    implausible: Sequence[ImplausibleLift] = ()
    has_guardrails: bool = False
    is_shipped: bool = False
    is_guardians_pause: bool = False

    @property
    def is_running(self) -> bool:
        """True while visitors are assigned."""
        return self.experiment.status == "running"

    @property
    def is_live(self) -> bool:
        """True before the experiment is completed."""
        return self.experiment.status in _LIVE

    @property
    def days(self) -> float:
        """Measured days."""
        return self.measured.days if self.measured else 0.0

    @property
    def row(self) -> contract.ResultRow | None:
        """Row of the treatment that the verdict is about."""
        rows = self.goal.rows if self.goal else ()
        return next((row for row in rows if row.variation_id == self.verdict.variation_id), None)

    @property
    def name(self) -> str:
        """That treatment's name, in quotes."""
        return f"“{self.row.variation_name}”" if self.row else "the winner"


Step = tuple[StepCode, str]


def next_step(situation: Situation) -> NextStep:
    """Return the step of the first rule that applies; the last one always does."""
    code, sentence = next(filter(None, (rule(situation) for rule in _RULES)))
    return NextStep(code=code, sentence=sentence)


def before_and_after(now: Situation) -> Step | None:
    """Return the step where nothing is measured yet, or all is done."""
    if now.verdict.status == "not_started":
        return "launch", "Launch it when it is ready: nothing is measured before the start."
    if now.is_shipped:
        return "start_next", "The winner is shipped: plan the next test from what this one showed."
    if now.verdict.status == "no_data" and now.is_running:
        reason = "no visitor has been counted yet"
        return (
            "check_delivery",
            f"Check that the page carries the snippet and that visitors match the targeting: {reason}.",
        )
    if now.verdict.status == "no_data" and not now.is_live:
        return "check_delivery", "Find out why no visitor was counted, before the next test starts."
    return None


def doubts(now: Situation) -> Step | None:
    """Return the step where the numbers or the delivery are in doubt."""
    if now.verdict.status == "not_trusted":
        if now.experiment.counting_type == "aa_test" and now.row is not None:
            return "check_setup", "Check the setup before the next test: variations that are the same must not differ."
        cause = "Find out why visitors are not split as planned, repair it, and restart the measurement"
        return "find_cause", f"{cause}: no figure of this one can be trusted."
    if now.is_guardians_pause and now.is_live:
        return "repair", "Repair what Guardian saw and resume, or end the test and keep the control."
    if now.verdict.status in ("harm", "stopped_for_harm"):
        end = "End the test and keep" if now.is_live else "Keep"
        return "stop_and_learn", f"{end} the control, and find out why: a goal that must not suffer is harmed."
    critical = next((one for one in now.health if one.severity == "critical"), None)
    if critical is not None:
        return "check_findings", f"Look into Guardian's finding before anything is decided: {critical.message}."
    return None


def winner(now: Situation) -> Step | None:
    """Return what to do with a winner."""
    if now.verdict.status != "winner":
        return None
    marked = next((one for one in now.implausible if one.variation_id == now.verdict.variation_id), None)
    if marked is not None:
        reason = f"a lift of {percent(marked.lift)} is more often an error than an effect"
        return (
            "check_measurement",
            f"Check the measurement of {now.name} before it is rolled out: {reason}. Then repeat the test.",
        )
    week = now.measured is not None and now.measured.warning == "under_a_week"
    if week and now.is_running:
        left = in_words(7 - now.days)
        return (
            "finish_week",
            f"Keep it running for about {left} more, until a whole week is measured; then roll out {now.name}.",
        )
    if week:
        reason = "less than a week was measured"
        return "roll_out", f"Roll out {now.name}, and watch it for a week: {reason}, and weekdays differ."
    guarded = "no guardrail shows harm" if now.has_guardrails else "no guardrail was watched"
    return "roll_out", f"Roll out {now.name} to all visitors: it is better, and {guarded}."


def ended(now: Situation) -> Step | None:
    """Return the step after a loss, after a planned end without a winner, and after the end."""
    status, end = now.verdict.status, "End the test and keep" if now.is_live else "Keep"
    if status == "loser":
        return "stop_and_learn", f"{end} the control: no treatment is better. Note what was learned."
    if status == "no_winner" or not now.is_live:
        return "stop_and_learn", f"{end} the control: no difference was shown{excluded(now)}. Note what was learned."
    return None


def excluded(now: Situation) -> str:
    """Return which lifts the intervals of all treatments exclude, as a part of a sentence."""
    intervals = [deciding(row).ci for row in now.goal.rows if not row.is_control] if now.goal else []
    known = [interval for interval in intervals if interval]
    if not known or len(known) < len(intervals):
        return ""
    lower, upper = max(-1.0, min(one.lower for one in known)), max(one.upper for one in known)
    return f", and lifts below {percent(lower)} or above {percent(upper)} are excluded"


def undecided(now: Situation) -> Step:
    """Return the step while nothing is decided."""
    if not now.is_running:
        return "resume_or_end", "Resume it, or end it: while it is paused, nothing more can be learned."
    if now.experiment.counting_type == "aa_test":
        if now.days < AA_DAYS:
            return (
                "keep_running",
                f"Keep the A/A test running for about {in_words(AA_DAYS - now.days)} more, two weeks in all.",
            )
        return "start_next", "End the A/A test: in two weeks it showed no difference, so the setup can be used."
    plan, left = now.plan, now.plan.days_left if now.plan else None
    if plan is None or plan.required_total_visitors is None or plan.goal_state != "in_use":
        is_ratio = now.goal is not None and now.goal.metric == "ratio"
        # Plans of ratios are refused.
        how = "Calculate a sample size from this ratio and its deviation" if is_ratio else "Make a plan"
        return "make_plan", f"{how}: without a sample size it is not known when this test can be decided."
    if left:
        return "keep_running", f"Keep it running for about {in_words(left)} more, until the planned sample is reached."
    if left == 0:
        reason = f"the planned sample is reached without a significant difference{excluded(now)}"
        return "decide", f"End it and keep the control, or plan for a smaller change: {reason}."
    required = f"{plan.required_total_visitors:,} visitors"
    return "keep_running", f"Keep it running until the planned sample of {required} is reached."


_RULES: Sequence[Callable[[Situation], Step | None]] = (before_and_after, doubts, winner, ended, undecided)

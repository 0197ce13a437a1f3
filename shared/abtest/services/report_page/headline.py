"""Headline of the report: the tested experiment, the verdict in a sentence, and its key figures."""

from collections.abc import Mapping

from abtest.contract.report import Report
from abtest.contract.results import GoalResult
from abtest.domain.experiments.model import CountingType, Status
from abtest.domain.goals.coverage import MESSAGES
from abtest.domain.planning.duration import in_words
from abtest.kit.clock import parse_timestamp
from abtest.kit.markup import Child, Html, el, typed
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.forest import badge

_STATUSES: Mapping[Status, str] = {
    "draft": "Draft",
    "awaiting_client_approval": "Awaiting approval",
    "changes_requested": "Changes requested",
    "client_approved": "Approved",
    "qa": "In QA",
    "ready_to_launch": "Ready to launch",
    "running": "Running",
    "paused": "Paused",
    "completed": "Completed",
}
_KINDS: Mapping[CountingType, str | None] = {
    "standard": None,
    "setup_test": "Setup test",
    "aa_test": "A/A test: both see the same",
    "non_program": "Outside the program",
}


def header(report: Report) -> Html:
    """Return name, description, status and dates."""
    experiment = report.experiment
    period = "Not started"
    if experiment.started_at is not None:
        period = f"Since {wording.day(experiment.started_at)}"
    if experiment.started_at is not None and experiment.ended_at is not None:
        period = f"{wording.day(experiment.started_at)} to {wording.day(experiment.ended_at)}"
    archived = "Archived" if experiment.archived_at else None
    facts = [_STATUSES[experiment.status], _KINDS[experiment.counting_type], period, archived]
    return el(
        "header",
        el("p", "Experiment report", class_="eyebrow"),
        el("h1", experiment.name, dir="auto"),
        el("p", experiment.description, class_="about", dir="auto") if experiment.description else None,
        el("p", " · ".join(fact for fact in facts if fact), class_="facts"),
    )


def verdict(report: Report, arms: Mapping[str, Arm]) -> Html:
    """Return the sentence, details that no other section shows, the team's conclusion, and the key figures."""
    word, tone = wording.VERDICTS[report.verdict.status]
    elsewhere = {report.experiment.learning, report.plan.message if report.plan else None}
    elsewhere |= {finding.message for finding in report.health} | {MESSAGES[gap] for gap in report.coverage.reasons}
    details = [el("li", wording.sentence(detail)) for detail in report.verdict.details if detail not in elsewhere]
    return el(
        "section",
        el("h2", "Verdict", id="verdict", class_="unseen"),
        el("p", badge(word, tone)),
        el("p", wording.sentence(report.verdict.sentence), class_="sentence"),
        el("ul", details) if details else None,
        team_conclusion(report, arms),
        key_figures(report, arms),
        class_=f"verdict {tone}",
        aria_labelledby="verdict",
    )


def deciding(report: Report) -> GoalResult | None:
    """Return the goal that the verdict is about."""
    named = next((goal for goal in report.goals if goal.goal_id == report.verdict.goal_id), None)
    return named or next(iter(report.goals), None)


def team_conclusion(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """Return the winner and the learning that people entered; None without either."""
    experiment = report.experiment
    winner = arms.get(experiment.winning_variation_id or "")
    if winner is None and not experiment.learning:
        return None
    return el(
        "div",
        el("h3", "Conclusion of the team"),
        el("p", "The winner: ", typed(winner.name), ".") if winner else None,
        el("p", experiment.learning, class_="typed", dir="auto") if experiment.learning else None,
        class_="stated",
    )


def key_figures(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """Return visitors, lift, duration and progress, as far as they are known; None before the first count."""
    if report.computed_at is None:
        return None
    goal = deciding(report)
    rows = [row for row in goal.rows if not row.is_control] if goal else []
    named = next((row for row in rows if row.variation_id == report.verdict.variation_id), None)
    shown = named or (rows[0] if len(rows) == 1 else None)
    visitors = sum(arm.visitors for arm in arms.values())
    parts: list[Html | None] = [_figure("Visitors", wording.count(visitors), f"in {len(arms):,} variations")]
    if goal and shown and shown.ci and report.verdict.status != "not_trusted":
        parts.append(_figure(["Lift, ", typed(goal.name)], wording.lift(shown.lift), wording.lift_between(shown.ci)))
    parts.append(duration(report))
    plan = report.plan
    if plan is not None and plan.reached is not None:
        required = f"of {wording.count(plan.required_total_visitors)} visitors"
        parts.append(_figure("Planned sample", f"{plan.reached:.0%}", required))
    return el("dl", parts, class_="figures")


def duration(report: Report) -> Html | None:
    """Return how long the present measurement has run; None before it begins."""
    begun, until = report.measurement.began_at, report.experiment.ended_at or report.computed_at
    if begun is None or until is None:
        return None
    days = (parse_timestamp(until) - parse_timestamp(begun)).total_seconds() / 86_400
    return None if days < 0 else _figure("Measured for", in_words(days), f"since {wording.day(begun)}")


def _figure(name: Child, value: str, note: Child) -> Html:
    return el("div", el("dt", name), el("dd", el("b", value), el("span", note)))

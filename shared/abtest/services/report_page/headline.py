"""What everybody reads: what was tested, the verdict in a sentence, and the few figures behind it."""

from collections.abc import Mapping

from abtest.contract.report import Report
from abtest.contract.results import GoalResult
from abtest.domain.experiments.model import CountingType, Status
from abtest.domain.goals.coverage import SAYINGS
from abtest.domain.planning.duration import in_words
from abtest.kit.clock import parse_timestamp
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.forest import badge
from abtest.services.report_page.markup import Child, Html, el, typed

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
    """Name, description, status and dates."""
    experiment = report.experiment
    facts = [
        _STATUSES[experiment.status],
        _KINDS[experiment.counting_type],
        _period(report),
        "Archived" if experiment.archived_at else None,
    ]
    description = el("p", experiment.description, class_="about", dir="auto") if experiment.description else None
    return el(
        "header",
        el("p", "Experiment report", class_="eyebrow"),
        el("h1", experiment.name, dir="auto"),
        description,
        el("p", " · ".join(fact for fact in facts if fact), class_="facts"),
    )


def verdict(report: Report, arms: Mapping[str, Arm]) -> Html:
    """The sentence, what else is to be said, and what people stated at the end."""
    found = report.verdict
    word, tone = wording.VERDICTS[found.status]
    details = [el("li", wording.sentence(detail)) for detail in _details(report)]
    return el(
        "section",
        el("h2", "Verdict", id="verdict", class_="unseen"),
        el("p", badge(word, tone)),
        el("p", wording.sentence(found.sentence), class_="sentence"),
        el("ul", details) if details else None,
        _stated(report, arms),
        _figures(report, arms),
        class_=f"verdict {tone}",
        aria_labelledby="verdict",
    )


def deciding(report: Report) -> GoalResult | None:
    """The goal that the verdict is about."""
    named = next((goal for goal in report.goals if goal.goal_id == report.verdict.goal_id), None)
    return named or next(iter(report.goals), None)


def _period(report: Report) -> str | None:
    experiment = report.experiment
    if experiment.started_at is None:
        return "Not started"
    if experiment.ended_at is None:
        return f"Since {wording.day(experiment.started_at)}"
    return f"{wording.day(experiment.started_at)} to {wording.day(experiment.ended_at)}"


def _details(report: Report) -> list[str]:
    """What no other part of the page says in the same words."""
    elsewhere = {report.experiment.learning, report.plan.message if report.plan else None}
    elsewhere |= {finding.message for finding in report.health} | {SAYINGS[gap] for gap in report.coverage.reasons}
    return [detail for detail in report.verdict.details if detail not in elsewhere]


def _stated(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """The verdict says the outcome; these are the winner and what was learned."""
    experiment = report.experiment
    winner = arms.get(experiment.winning_variation_id or "")
    if winner is None and not experiment.learning:
        return None
    return el(
        "div",
        el("h3", "What the team stated"),
        el("p", "The winner: ", typed(winner.name), ".") if winner else None,
        el("p", experiment.learning, class_="typed", dir="auto") if experiment.learning else None,
        class_="stated",
    )


def _figures(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    if report.computed_at is None:
        return None
    goal = deciding(report)
    rows = [row for row in goal.rows if not row.is_control] if goal else []
    told = next((row for row in rows if row.variation_id == report.verdict.variation_id), None)
    shown = told or (rows[0] if len(rows) == 1 else None)
    visitors = sum(arm.visitors for arm in arms.values())
    parts: list[Html | None] = [_figure("Visitors", wording.count(visitors), f"in {len(arms):,} variations")]
    if goal and shown and shown.ci and report.verdict.status != "not_trusted":
        parts.append(_figure(["Lift, ", typed(goal.name)], wording.lift(shown.lift), wording.lift_between(shown.ci)))
    parts += [_running(report), _reached(report)]
    return el("dl", parts, class_="figures")


def _running(report: Report) -> Html | None:
    experiment = report.experiment
    begun, until = report.measurement.began_at, experiment.ended_at or report.computed_at
    if begun is None or until is None:
        return None
    days = (parse_timestamp(until) - parse_timestamp(begun)).total_seconds() / 86_400
    if days < 0:
        return None
    return _figure("Measured for", in_words(days), f"since {wording.day(begun)}")


def _reached(report: Report) -> Html | None:
    plan = report.plan
    if plan is None or plan.reached is None:
        return None
    return _figure(
        "Planned sample", f"{plan.reached:.0%}", f"of {wording.count(plan.required_total_visitors)} visitors"
    )


def _figure(name: Child, value: str, beside: Child) -> Html:
    return el("div", el("dt", name), el("dd", el("b", value), el("span", beside)))

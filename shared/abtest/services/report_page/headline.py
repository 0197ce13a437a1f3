"""Headline of the report: the tested experiment, the verdict in a sentence, and its key figures."""

from collections.abc import Mapping

from abtest.contract.report import Report
from abtest.contract.results import GoalResult
from abtest.domain.experiments.model import CountingType, Status
from abtest.domain.goals.coverage import MESSAGES
from abtest.domain.planning.duration import elapsed_words
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
        el("p", el("b", "Next step"), " ", report.next_step.sentence, class_="step"),
        el("ul", details) if details else None,
        cautions(report),
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
    parts += [monthly(report), duration(report)]
    plan = report.plan
    if plan is not None and plan.reached is not None:
        required = f"of {wording.count(plan.required_total_visitors)} visitors"
        parts.append(_figure("Planned sample", f"{plan.reached:.0%}", required))
    return el("dl", parts, class_="figures")


def cautions(report: Report) -> Html | None:
    """Return what a reader must know before acting: lifts too good to be true, a stop at a look, parts of weeks."""
    lines = [("Too good to be true", "warn", one.message) for one in report.implausible_lifts]
    stop = report.early_stop
    # Next to a lift that is not believed at all, a second corrected one would only confuse.
    if stop is not None and not is_doubtful(report, stop.variation_id):
        lines.append(("Likely exaggerated", "warn", stop.message))
    time = report.measured_time
    if time is not None and time.warning is not None and report.computed_at is not None:
        word = "Less than a week" if time.warning == "under_a_week" else "Not whole weeks"
        # A test that goes on is between weeks on most days; that is a caution only where a decision is near.
        goes_on = report.experiment.status == "running" and report.verdict.status in ("undecided", "too_early")
        lines.append((word, "plain" if goes_on else "warn", time.message))
    if not lines:
        return None
    items = [el("li", badge(word, tone), el("p", text)) for word, tone, text in lines]
    return el("ul", items, class_="lines cautions", role="list")


def is_doubtful(report: Report, variation_id: str) -> bool:
    """Return whether a lift of the variation is too good to be true."""
    return any(one.variation_id == variation_id for one in report.implausible_lifts)


def duration(report: Report) -> Html | None:
    """Return how long the present measurement has run, in hours below two days; None before it begins."""
    time, begun = report.measured_time, report.measurement.began_at
    if time is None or begun is None:
        return None
    return _figure("Measured for", elapsed_words(time.days), f"since {wording.day(begun)}")


def monthly(report: Report) -> Html | None:
    """Return the worth of a month of the treatment of the verdict, or of the only one; None where it is not known."""
    shown = report.verdict.variation_id
    treatments = report.worth.treatments
    one = next((each for each in treatments if each.variation_id == shown), None)
    one = one or (treatments[0] if len(treatments) == 1 else None)
    if one is None or report.verdict.status == "not_trusted" or is_doubtful(report, one.variation_id):
        return None
    currency = report.worth.currency
    lower, upper = wording.rounded_money(one.lower), wording.rounded_money(one.upper)
    amount = wording.rounded_money(one.amount) if one.is_significant else "Not clear"
    return _figure(f"Worth a month, {currency}", amount, f"{lower} to {upper}")


def _figure(name: Child, value: str, note: Child) -> Html:
    return el("div", el("dt", name), el("dd", el("b", value), el("span", note)))

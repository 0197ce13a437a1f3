"""Reliability of the numbers: the split, Guardian's findings, progress of the plan, and money set aside."""

from collections.abc import Mapping

from abtest.contract.report import MoneySetAside, Report
from abtest.contract.trust import HealthFinding, PlanProgress
from abtest.domain.goals.coverage import MESSAGES
from abtest.kit.markup import Html, el, typed
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.effects import effect_curve
from abtest.services.report_page.forest import badge
from abtest.services.report_page.tables import boxed, table

_SEVERITIES = {"critical": ("Critical", "bad"), "warning": ("Warning", "warn"), "notice": ("Notice", "plain")}
_ACTIONS = {
    "alert": "Guardian notified the team.",
    "pause": "Guardian paused the experiment.",
    "pause_suppressed": "Guardian would have paused the experiment; the settings forbid it.",
    "pause_failed": "Guardian could not pause the experiment and tries again.",
}


def health(report: Report, arms: Mapping[str, Arm]) -> Html:
    """Return a badge and a sentence per fact, also for what is in order."""
    lines = [split_line(report, arms)]
    for finding in report.health:
        if finding.kind != "sample_ratio_mismatch":  # the line of the split has it
            severity, tone = _SEVERITIES[finding.severity]
            word = f"{severity}: {wording.words(finding.kind).lower()}"
            lines.append(_line(word, tone, wording.sentence(finding.message), finding))
    if report.multiple_exposure and all(finding.kind != "multiple_exposure" for finding in report.health):
        twice = f"{wording.count(report.multiple_exposure)} visitors, too few to matter, are left out of everything."
        lines.append(_line("Seen in two variations", "plain", twice))
    lines += [_line("Coverage", "warn", MESSAGES[reason]) for reason in report.coverage.reasons]
    heading = el("h2", "Can the numbers be trusted?", id="health")
    listed = el("ul", lines, guardian_line(report), class_="lines", role="list")
    return el("section", heading, listed, aria_labelledby="health")


def plan(report: Report) -> Html:
    """Return the planned against the reached sample."""
    progress = report.plan
    if progress is None:
        body = el("p", "No sample size was planned, so it is not known in advance when this test can be decided.")
    else:
        message = el("p", wording.sentence(progress.message))
        terms = el("p", plan_terms(progress), class_="lead")
        body = el("div", progress_bar(progress), message, terms, effect_curve(report))
    return el("section", el("h2", "Planned and reached sample", id="plan"), body, aria_labelledby="plan")


def set_aside(money: MoneySetAside | None, arms: Mapping[str, Arm]) -> Html | None:
    """Return money that is left out of sums, by goal and currency; None for experiments that count no money."""
    if money is None:
        return None
    heading = el("h2", "Money set aside", id="money")
    lead = el("p", wording.sentence(money.message))
    if not money.amounts:
        return el("section", heading, lead, aria_labelledby="money")
    head = ["Goal", "Currency", "Orders", "Face value", *(f"Orders in {arm.mark}" for arm in arms.values())]
    rows = [
        [
            typed(one.goal_name),
            one.currency or ("unknown" if one.kind == "unknown" else "several"),
            wording.count(one.orders),
            wording.money(one.amount, one.currency),
            *(wording.count(one.by_variation.get(arm, 0)) for arm in arms),
        ]
        for one in money.amounts
    ]
    key = el("p", "Orders by variation: ", [[arm.named(), " "] for arm in arms.values()], class_="lead")
    box = boxed("Table of money set aside", table("Money set aside, by goal and currency", head, rows, texts=2))
    return el("section", heading, lead, el("div", key, box), aria_labelledby="money")


def split_line(report: Report, arms: Mapping[str, Arm]) -> Html:
    """Return the sample ratio test in words."""
    srm = report.srm
    if srm.status == "not_evaluable":
        return _line("Split not evaluable", "plain", "There are too few visitors yet to say how they are split.")
    chances = []
    for name, p in (("p", srm.p_value), ("over all looks p", srm.sequential_p_value)):
        if p is not None:
            text = wording.p_value(p)
            text = f"<\u00a0{text[1:]}" if text.startswith("<") else f"=\u00a0{text}"
            chances.append(f"{name}\u00a0{text}")
    figures = f" ({', '.join(chances)})" if chances else ""
    if srm.status == "ok":
        return _line("Split as planned", "good", f"Visitors are split as the weights say{figures}.")
    finding = next((one for one in report.health if one.kind == "sample_ratio_mismatch"), None)
    message = wording.sentence(finding.message if finding else "Visitors are not split as the weights say")
    seen = "; ".join(
        f"{arm.name}: {wording.count(srm.observed.get(arm.id))} of {wording.count(round(srm.expected.get(arm.id, 0)))}"
        for arm in arms.values()
    )
    return _line("Split is off", "bad", f"{message} Seen of expected: {seen}{figures}.", finding)


def guardian_line(report: Report) -> Html | None:
    """Return that Guardian has found nothing, or has not checked yet; None next to findings and before the start."""
    is_counted = report.computed_at is not None and not report.health
    if report.checked_at is not None:
        when = wording.minute(report.checked_at)
        text = f"Guardian looked last {when}; it and the counts show nothing out of order."
        return _line("Nothing found", "good", text) if is_counted else None
    if report.experiment.started_at is None:
        return None
    counts = " The counts themselves show nothing out of order." if is_counted else ""
    if report.experiment.status == "running":
        text = f"Guardian has not looked yet; it does so every fifteen minutes.{counts}"
        return _line("Not looked at yet", "plain", text)
    return _line("Not looked at", "plain", f"Guardian has not looked at this measurement.{counts}")


def _line(word: str, tone: str, text: str, finding: HealthFinding | None = None) -> Html:
    done = _ACTIONS[finding.action] if finding and finding.action else None
    when = f"Found {wording.minute(finding.detected_at)}." if finding and finding.detected_at else None
    more = " ".join(part for part in (done, when) if part)
    return el("li", badge(word, tone), el("p", text, " ", el("span", more, class_="soft") if more else None))


def progress_bar(progress: PlanProgress) -> Html | None:
    """Return reached visitors against planned ones; a sample beyond the plan extends the bar."""
    if progress.reached is None:
        return None
    scale = max(1.0, progress.reached)
    done, planned = 100 * progress.reached / scale, 100 / scale
    figures = (
        f"{wording.count(progress.reached_visitors)} of {wording.count(progress.required_total_visitors)} visitors"
    )
    return el(
        "svg",
        el("title", f"{progress.reached:.0%} of the planned sample", id="bar-t"),
        el("desc", figures, id="bar-d"),
        el("rect", x="0", y="4", width=f"{planned:.2f}%", height="16", rx="3", class_="rail"),
        el("rect", x="0", y="4", width=f"{done:.2f}%", height="16", rx="3", class_="done"),
        el("line", x1=f"{planned:.2f}%", x2=f"{planned:.2f}%", y1="0", y2="24", class_="goal"),
        class_="bar",
        role="img",
        aria_labelledby="bar-t",
        aria_describedby="bar-d",
        width="100%",
        height="24",
    )


def plan_terms(progress: PlanProgress) -> list[str | Html]:
    """Return the assumptions of the plan in a sentence, as far as they are stored."""
    terms: list[str | Html] = ["Planned for ", typed(progress.goal_name or "a goal that was deleted")]
    if progress.baseline_rate is not None:
        terms.append(f" at a conversion rate of {wording.share(progress.baseline_rate)}")
    if progress.mde is not None:
        terms.append(f", to find a change of {wording.share(abs(progress.mde))} of it")
    if progress.power is not None:
        terms.append(f" with a chance of {progress.power:.0%}")
    each = progress.required_sample_per_variant
    return [*terms, f": {wording.count(each)} visitors a variation." if each else "."]

"""How far the numbers can be trusted: the split, what Guardian found, money set aside, and how far the plan is."""

from collections.abc import Iterable, Mapping

from abtest.contract.report import AmountSetAside, MoneySetAside, Report
from abtest.contract.trust import HealthFinding, PlanProgress
from abtest.domain.goals.coverage import SAYINGS
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.forest import badge
from abtest.services.report_page.markup import Html, el, typed
from abtest.services.report_page.tables import boxed, table

_SEVERITIES = {"critical": ("Critical", "bad"), "warning": ("Warning", "warn"), "notice": ("Notice", "plain")}
_ACTIONS = {
    "alert": "Guardian told the team.",
    "pause": "Guardian paused the experiment.",
    "pause_suppressed": "Guardian would have paused the experiment; the settings forbid it.",
    "pause_failed": "Guardian could not pause the experiment and tries again.",
}


def health(report: Report, arms: Mapping[str, Arm]) -> Html:
    """Badges, each a sentence; what is in order is said too."""
    found = [_finding(one) for one in report.health if one.kind != "sample_ratio_mismatch"]
    lines = [_split(report, arms), *found, _twice(report), *_coverage(report)]
    lines.append(_watched(report))
    heading = el("h2", "Can the numbers be trusted?", id="health")
    return el("section", heading, el("ul", lines, class_="lines", role="list"), aria_labelledby="health")


def plan(report: Report) -> Html:
    """Planned against reached sample."""
    found = report.plan
    if found is None:
        body = el("p", "No sample size was planned, so nobody knows in advance when this test can be decided.")
    else:
        body = el("div", _bar(found), el("p", wording.sentence(found.message)), el("p", _terms(found), class_="lead"))
    return el("section", el("h2", "Planned and reached sample", id="plan"), body, aria_labelledby="plan")


def set_aside(money: MoneySetAside | None, arms: Mapping[str, Arm]) -> Html | None:
    """None for experiments that count no money."""
    if money is None:
        return None
    heading = el("h2", "Money set aside", id="money")
    lead = el("p", wording.sentence(money.message))
    return el("section", heading, lead, _amounts(money, arms) if money.amounts else None, aria_labelledby="money")


def _split(report: Report, arms: Mapping[str, Arm]) -> Html:
    srm = report.srm
    if srm.status == "not_evaluable":
        return _line("Split not evaluable", "plain", "There are too few visitors yet to say how they are split.")
    chances = [f"p\u00a0{_equal(srm.p_value)}"] if srm.p_value is not None else []
    chances += [f"over all looks p\u00a0{_equal(srm.sequential_p_value)}"] if srm.sequential_p_value is not None else []
    numbers = f" ({', '.join(chances)})" if chances else ""
    if srm.status == "ok":
        return _line("Split as planned", "good", f"Visitors are split as the weights say{numbers}.")
    finding = next((one for one in report.health if one.kind == "sample_ratio_mismatch"), None)
    said = finding.message if finding else "Visitors are not split as the weights say"
    told = "; ".join(
        f"{arm.name}: {wording.count(srm.observed.get(arm.id))} of {wording.count(round(srm.expected.get(arm.id, 0)))}"
        for arm in arms.values()
    )
    return _line("Split is off", "bad", f"{wording.sentence(said)} Seen of expected: {told}{numbers}.", finding)


def _equal(p: float) -> str:
    text = wording.p_value(p)
    return f"<\u00a0{text[1:]}" if text.startswith("<") else f"=\u00a0{text}"


def _finding(found: HealthFinding) -> Html:
    severity, tone = _SEVERITIES[found.severity]
    return _line(f"{severity}: {wording.words(found.kind).lower()}", tone, wording.sentence(found.message), found)


def _twice(report: Report) -> Html | None:
    if not report.multiple_exposure or any(found.kind == "multiple_exposure" for found in report.health):
        return None
    return _line(
        "Seen in two variations",
        "plain",
        f"{wording.count(report.multiple_exposure)} visitors, too few to matter, are left out of everything.",
    )


def _watched(report: Report) -> Html | None:
    """That nothing was found is said only of what was looked at."""
    if report.checked_at is None:
        return _unwatched(report)
    if report.computed_at is None or report.health:
        return None
    said = f"Guardian looked last {wording.minute(report.checked_at)}; it and the counts show nothing out of order."
    return _line("Nothing found", "good", said)


def _unwatched(report: Report) -> Html | None:
    if report.experiment.started_at is None:
        return None
    counts = "" if report.computed_at is None or report.health else " The counts themselves show nothing out of order."
    if report.experiment.status == "running":
        said = f"Guardian has not looked yet; it does so every fifteen minutes.{counts}"
        return _line("Not looked at yet", "plain", said)
    return _line("Not looked at", "plain", f"Guardian has not looked at this measurement.{counts}")


def _coverage(report: Report) -> Iterable[Html]:
    for reason in report.coverage.reasons:
        yield _line("Coverage", "warn", SAYINGS[reason])


def _line(word: str, tone: str, text: str, found: HealthFinding | None = None) -> Html:
    done = _ACTIONS[found.action] if found and found.action else None
    when = f"Found {wording.minute(found.detected_at)}." if found and found.detected_at else None
    more = " ".join(part for part in (done, when) if part)
    return el("li", badge(word, tone), el("p", text, " ", el("span", more, class_="soft") if more else None))


def _bar(found: PlanProgress) -> Html | None:
    if found.reached is None:
        return None
    said = f"{found.reached:.0%} of the planned sample"
    scale = max(1.0, found.reached)
    done, planned = 100 * found.reached / scale, 100 / scale
    numbers = f"{wording.count(found.reached_visitors)} of {wording.count(found.required_total_visitors)} visitors"
    return el(
        "svg",
        el("title", said, id="bar-t"),
        el("desc", numbers, id="bar-d"),
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


def _terms(found: PlanProgress) -> list[str | Html]:
    terms: list[str | Html] = ["Planned for ", typed(found.goal_name or "a goal that was deleted")]
    if found.baseline_rate is not None:
        terms.append(f" at a conversion rate of {wording.share(found.baseline_rate)}")
    if found.mde is not None:
        terms.append(f", to find a change of {wording.share(abs(found.mde))} of it")
    if found.power is not None:
        terms.append(f" with a chance of {found.power:.0%}")
    each = found.required_sample_per_variant
    return [*terms, f": {wording.count(each)} visitors a variation." if each else "."]


def _amounts(money: MoneySetAside, arms: Mapping[str, Arm]) -> Html:
    head = ["Goal", "Currency", "Orders", "Face value", *(f"Orders in {arm.mark}" for arm in arms.values())]
    rows = [[typed(one.goal_name), *_amount(one, arms)] for one in money.amounts]
    key = ["Orders by variation: ", [[arm.named(), " "] for arm in arms.values()]]
    return el(
        "div",
        el("p", key, class_="lead"),
        boxed("Table of money set aside", table("Money set aside, by goal and currency", head, rows, texts=2)),
    )


def _amount(one: AmountSetAside, arms: Mapping[str, Arm]) -> list[str]:
    name = one.currency or ("unknown" if one.kind == "unknown" else "several")
    value = wording.money(one.amount, one.currency)
    return [name, wording.count(one.orders), value, *(wording.count(one.by_variation.get(arm, 0)) for arm in arms)]

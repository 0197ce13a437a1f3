"""Sections of the report that help to decide: worth of a month, and the findings of guardrails."""

from abtest.contract.report import Report
from abtest.contract.report_advice import MonthlyWorth
from abtest.kit.markup import Html, el
from abtest.services.report_page import wording
from abtest.services.report_page.forest import badge
from abtest.services.report_page.headline import is_doubtful


def worth(report: Report) -> Html | None:
    """Return the worth of a month by treatment, or why it is not known; None before the first count."""
    if report.computed_at is None:
        return None
    lines = [el("li", badge(*worth_word(report, one)), el("p", one.message)) for one in report.worth.treatments]
    heading, lead = el("h2", "Worth a month", id="worth"), el("p", report.worth.message, class_="lead")
    listed = el("ul", lines, class_="lines", role="list") if lines else None
    return el("section", heading, lead, listed, aria_labelledby="worth")


def worth_word(report: Report, one: MonthlyWorth) -> tuple[str, str]:
    """Return word and tone of a worth: no more is claimed than the interval shows."""
    if is_doubtful(report, one.variation_id):
        return "Doubtful", "warn"
    if not one.is_significant:
        return "Not clear", "plain"
    return ("Earns", "good") if one.amount >= 0 else ("Costs", "bad")


def guardrails(report: Report) -> Html | None:
    """Return what each guardrail shows in each treatment; None without guardrails."""
    if not report.guardrails:
        return None
    lead = (
        "Goals that must not suffer. Each is tested for harm only, at every look, corrected over all guardrails and "
        "treatments. That no harm is shown does not prove safety."
    )
    lines = [
        el("li", badge(*wording.GUARDRAILS[one.status]), el("p", wording.sentence(one.message)))
        for one in report.guardrails
    ]
    heading = el("h2", "Guardrails", id="guardrails")
    listed = el("ul", lines, class_="lines", role="list")
    return el("section", heading, el("p", lead, class_="lead"), listed, aria_labelledby="guardrails")

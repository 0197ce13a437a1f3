"""Findings about guardrails as sentences, and as documents of decisions and webhooks."""

from collections.abc import Mapping, Sequence
from typing import Literal

from abtest.domain.autostop.verdicts import GuardrailFinding
from abtest.domain.planning.shapes import GuardrailDocument, GuardrailStatus
from abtest.kit.clock import parse_timestamp

Untested = Literal["not_started", "no_control", "no_count"]

MESSAGES: Mapping[GuardrailStatus, str] = {
    "harmed": "“{variation}” harms “{goal}”{change}.",
    "no_harm_shown": "No harm of “{goal}” is shown in “{variation}” so far{change}.",
    "too_little_data": "There is too little data to say whether “{variation}” harms “{goal}”.",
    "no_data": "“{goal}” has no data in “{variation}” or the control, so it is not tested.",
    "not_counted": "“{goal}” is newer than the last count, so it is not tested in “{variation}” yet.",
    "redefined": "“{goal}” was redefined, so its test in “{variation}” starts over with the next count.",
    "excluded_currency_residue": "“{goal}” is not tested in “{variation}”: too much revenue is in other currencies.",
    "measurement_quality_unavailable": "“{goal}” is not tested in “{variation}”: visitors who do not consent, or "
    "orders of unseen visitors, are missing.",
}
UNTESTED: Mapping[Untested, str] = {
    "not_started": "“{goal}” is tested in “{variation}” as soon as the experiment has started.",
    "no_control": "“{goal}” is not tested in “{variation}”: there is no control in use.",
    "no_count": "“{goal}” is not tested in “{variation}” yet: nothing of this measurement has been counted.",
}
"""Sentences of `not_counted` where no guardrail of the measurement can be tested."""
_EARLIER = "“{variation}” has harmed “{goal}” at an earlier look{change}."
_RESTARTED = " The goal was redefined; only looks since {day} count."


def guardrail_text(finding: GuardrailFinding, goal: str, variation: str) -> str:
    """Return a finding as a sentence, or two.

    `“B” harms “Orders” (−12.3%, p = 9.0e-07).`, or where the present numbers do not show the harm:
    `“B” has harmed “Orders” at an earlier look (p = 0.009; now +2.0%).`
    """
    lift = None if finding.lift is None else f"{finding.lift:+.1%}".replace("-", "−")
    p = None if finding.p is None else _p_text(finding.p)
    is_earlier = finding.status == "harmed" and finding.is_earlier
    shown, joint = ((p, lift and f"now {lift}"), "; ") if is_earlier else ((lift, p), ", ")
    change = joint.join(filter(None, shown))
    message = _EARLIER if is_earlier else MESSAGES[finding.status]
    text = message.format(goal=goal, variation=variation, change=f" ({change})" if change else "")
    if finding.restarted_at is not None:
        text += _RESTARTED.format(day=f"{parse_timestamp(finding.restarted_at):%Y-%m-%d %H:%M} UTC")
    return text


def _p_text(p: float) -> str:
    if not p:
        return "p < 1e-300"
    return f"p = {p:.1e}" if p < 0.001 else f"p = {p:.3f}"


def guardrail_documents(
    findings: Sequence[GuardrailFinding], goals: Mapping[str, str], variations: Mapping[str, str]
) -> list[GuardrailDocument]:
    """Return findings as they are stored and sent. `goals`, `variations`: names by id."""
    return [
        {
            "goal_id": one.goal_id,
            "variation_id": one.variation_id,
            "status": one.status,
            "p_value": one.p,
            "difference": one.difference,
            "lift": one.lift,
            "message": guardrail_text(one, goals.get(one.goal_id, ""), variations.get(one.variation_id, "")),
        }
        for one in findings
    ]

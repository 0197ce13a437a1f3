"""Texts of findings for shop owners, in the inbox and in the health route."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import Case
from abtest.domain.guardian.delivery import FAILED, UNMATCHED
from abtest.domain.guardian.evidence import NotEvaluated, Unknown
from abtest.domain.guardian.kinds import Action, Kind
from abtest.domain.guardian.unseen import Unseen
from abtest.kit.clock import parse_timestamp


class Names(NamedTuple):
    """Names of an experiment, its variations and its goals, the latter two by id, and the shop's currency."""

    experiment: str
    variations: Mapping[str, str]
    goals: Mapping[str, str]
    currency: str

    @classmethod
    def of(cls, experiment: Experiment, currency: str) -> "Names":
        """Return an experiment's current names, with archived variations and goals."""
        return cls(
            experiment=experiment.name,
            variations={variation.id: variation.name for variation in experiment.variations},
            goals={goal.id: goal.name for goal in experiment.goals},
            currency=currency,
        )


DONE: Mapping[Action, str] = {
    "alert": "The experiment goes on.",
    "pause": "The experiment was paused.",
    "pause_suppressed": "The experiment goes on: its settings do not let Guardian pause it for this.",
    "pause_failed": "Pausing the experiment failed and is tried again; pause it by hand if that cannot wait.",
}

# Templates over the details of a case; `…_percent` is the number of that name in percent.
TEXTS: Mapping[Kind, str] = {
    "broken_delivery": (
        "{variation} got no visitor while the others got {sample:,}; about {expected:,.0f} were expected."
    ),
    "broken_runtime": (
        "{variation} has errors in {observed_percent} of its sessions, the control in {expected_percent}."
    ),
    "broken_conversion": (
        "{observed_percent} of the visitors of {variation} reached {goal}, {expected_percent} of the control's. "
        "So few that a part of it is probably broken."
    ),
    "delivery_drift": (
        "{variation} was not applied in {observed_percent} of {sample:,} sessions, "
        "in {consecutive_checks} checks in a row."
    ),
    "conversion_harm": (
        "{observed_percent} of the visitors of {variation} reached {goal}, {expected_percent} of the control's."
    ),
    "revenue_harm": (
        "A visitor of {variation} brings {observed:,.2f} {currency}, one of the control {expected:,.2f} {currency}."
    ),
    "revenue_loss": (
        "{variation} has brought {observed:,.2f} {currency} less than the control would have with as many visitors."
    ),
    "sample_ratio_mismatch": (
        "{variation} got {observed_percent} of {sample:,} visitors instead of {expected_percent}. "
        "Do not trust the comparison before you know the cause."
    ),
    "multiple_exposure": "{observed_percent} of {sample:,} visitors saw two variations; they are left out.",
    "event_gap": (
        "No {metric} were counted since {window[from]}; about {expected:,.0f} were expected. "
        "Is the snippet still on the pages, and are events sent?"
    ),
    "duplicate_orders": (
        "{observed_percent} of the shop's {sample:,} orders were sent more than once. "
        "Each counts once; look for a page that sends them again."
    ),
    "currency_residue": (
        "{observed_percent} of the orders of {variation} are in other currencies and left out, "
        "{expected_percent} of the control's. Do not trust verdicts on revenue."
    ),
    "measurement_coverage": (
        "Only {observed_percent} of {sample:,} orders come from visitors who were seen on the storefront before."
    ),
}
# The same kinds, where something has changed during the test.
CHANGES: Mapping[Kind, str] = {
    "broken_conversion": (
        "Conversions of {variation} stopped about {age} before this check ({began}): since then "
        "{observed_percent} of its visitors reached {goal}, {expected_percent} of the control's. "
        "A part of it is probably broken."
    ),
    "conversion_harm": (
        "Conversions of {variation} changed about {age} before this check ({began}): since then "
        "{observed_percent} of its visitors reached {goal}, {expected_percent} of the control's."
    ),
    "revenue_harm": (
        "Buyers of {variation} spend less, since about {age} before this check ({began}): since then "
        "a visitor brings {observed:,.2f} {currency}, one of the control {expected:,.2f} {currency}."
    ),
    "sample_ratio_mismatch": (
        "The split of visitors changed about {age} before this check ({began}): since then {variation} got "
        "{observed_percent} of {sample:,} visitors instead of {expected_percent}. "
        "Do not trust the comparison before you know the cause."
    ),
}
"""Texts over the details, the moment that it `began`, and its `age` at the check."""
MOSTLY: Mapping[str, str] = {
    FAILED: (
        "{variation} failed in {observed_percent} of {sample:,} sessions, and was undone there: a script of it throws, "
        "or a change cannot be made."
    ),
    UNMATCHED: (
        "In {observed_percent} of {sample:,} sessions, {variation} was on a page where a selector of it matched "
        "nothing. Do its page rules include pages without that element, or have the pages changed?"
    ),
}
"""Texts of `broken_delivery` by metric."""
HOURS_AS_HOURS = 48
ALL_ORDERS_RESIDUE = "{observed_percent} of {sample:,} orders are in other currencies and left out."
CONSENT_COVERAGE = (
    "Visitors who do not consent are not counted, so revenue is only that of the other part of the traffic."
)

UNKNOWN: Mapping[Unknown, str] = {
    "switched_off": "switched off by the settings",
    "not_counted_yet": "no events of this were counted yet",
    "not_in_rollups": "the counts do not include this yet",
    "no_comparison": "there is no control and treatment that both get traffic",
    "no_goal": "there is no primary, guardrail or revenue goal for this",
    "no_threshold": "no `threshold_amount` is set",
    "currency_not_convertible": "the threshold must be in the currency of the counts; set it in the shop's currency",
    "too_early": "there is no earlier day to compare with yet",
    "counts_are_old": "the service is behind with counting, so missing events are not the shop's fault",
}


def inbox_text(case: Case, names: Names) -> str:
    """Return experiment, finding and action in one text. Raises ValueError for a case without an action."""
    if case.action is None:
        raise ValueError("a case without an action must not be reported")
    return f"{names.experiment}: {finding_text(case, names)} {DONE[case.action]}"


def finding_text(case: Case, names: Names) -> str:
    """Return the problem in one sentence."""
    details = case.details
    # Cases of an older release have no `changed_at`.
    age = age_text(details) if details.get("changed_at") else ""
    text = CHANGES[case.kind] if age else MOSTLY.get(case.metric, TEXTS[case.kind])
    if case.kind == "currency_residue" and case.variation_id is None:
        text = ALL_ORDERS_RESIDUE
    if case.kind == "measurement_coverage" and case.metric == "consent_gated_sdk":
        text = CONSENT_COVERAGE
    percentages = {
        f"{name}_percent": f"{100 * details[name]:.3g} %"
        for name in ("observed", "expected")
        if details.get(name) is not None
    }
    return text.format(
        **details,
        **percentages,
        age=age,
        began=f"{details['changed_at'][:16].replace('T', ' ')} UTC" if age else "",
        variation=f"“{names.variations.get(case.variation_id or '', 'a variation')}”",
        goal=f"“{names.goals.get(case.goal_id or '', 'a goal')}”",
        currency=names.currency,
    )


def age_text(details: Mapping[str, Any]) -> str:
    """Return about how long before the end of the window the change began, in hours, from two days on in days."""
    length = parse_timestamp(details["window"]["to"]) - parse_timestamp(details["changed_at"])
    hours = max(1, round(length / timedelta(hours=1)))
    number, unit = (hours, "hour") if hours < HOURS_AS_HOURS else (round(hours / 24), "day")
    return f"{number} {unit}{'s' if number > 1 else ''}"


def reason_text(answer: NotEvaluated) -> str:
    """Return why a kind was not evaluated."""
    return UNKNOWN[answer.reason]


def unseen_text(unseen: Unseen) -> str:
    """Return that the experiment has no visitors, and what to check."""
    if not unseen.shop_visitors:
        return (
            f"No visitor has been seen since {unseen.since} on any page of the shop. Is the snippet installed, and are "
            f"events sent?"
        )
    return (
        f"No visitor of this experiment has been seen since {unseen.since}, while {unseen.shop_visitors:,} were on the "
        f"shop's pages. Is the snippet on the experiment's pages, do its page rules match their addresses, and do its "
        f"audience, triggers, weekdays and traffic allocation admit anyone?"
    )

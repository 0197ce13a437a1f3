"""A finding in the words of a shop owner: what stands in the inbox and in the health route."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import Case
from abtest.domain.guardian.evidence import NotEvaluated, Unknown
from abtest.domain.guardian.kinds import Action, Kind
from abtest.domain.guardian.unseen import Unseen

Details = Mapping[str, Any]


class Names(NamedTuple):
    """How the shop calls what findings are about, by id. `currency` is that of its money."""

    experiment: str
    variations: Mapping[str, str]
    goals: Mapping[str, str]
    currency: str

    @classmethod
    def of(cls, experiment: Experiment, currency: str) -> "Names":
        """As the experiment has them now, archived variations and goals too."""
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

UNKNOWN: Mapping[Unknown, str] = {
    "switched_off": "switched off by the settings",
    "not_counted_yet": "nothing was counted of this yet",
    "not_in_rollups": "the counts do not hold this yet",
    "no_comparison": "there is no control and treatment that both get traffic",
    "no_goal": "no goal that is primary, a guardrail or revenue is concerned",
    "no_threshold": "no `threshold_amount` is set",
    "currency_not_convertible": "the threshold is in a currency that cannot be converted into the one that is counted",
    "too_early": "there is no day yet to compare with",
    "counts_are_old": "the service itself is behind with counting; that events are missing is not the shop's doing",
}


def inbox_text(case: Case, names: Names) -> str:
    """Experiment, what is wrong, what was done."""
    if case.action is None:
        raise ValueError("nobody is told of a finding that is not confirmed")
    return f"{names.experiment}: {what(case, names)} {DONE[case.action]}"


def what(case: Case, names: Names) -> str:
    """What is wrong, in one sentence."""
    return _TEXTS[case.kind](case, names)


def why_not(answer: NotEvaluated) -> str:
    """Why something was not evaluated."""
    return UNKNOWN[answer.reason]


def nobody_seen(found: Unseen) -> str:
    """That nobody is seen in the experiment, and what to check."""
    if not found.shop_visitors:
        return (
            f"No visitor has been seen since {found.since}, on no page of the shop. Is the snippet installed, and are "
            f"events sent?"
        )
    return (
        f"No visitor of this experiment has been seen since {found.since}, while {found.shop_visitors:,} were on the "
        f"shop's pages. Is the snippet on the experiment's pages, do its page rules match their addresses, and do its "
        f"audience, triggers, weekdays and traffic allocation let anybody in?"
    )


def _broken_delivery(case: Case, names: Names) -> str:
    found = case.details
    return (
        f"{_variation(case, names)} got no visitor while the others got {found['sample']:,}; "
        f"about {found['expected']:,.0f} were to be expected."
    )


def _broken_runtime(case: Case, names: Names) -> str:
    found = case.details
    return (
        f"{_variation(case, names)} has errors in {_percent(found['observed'])} of its sessions, "
        f"the control in {_percent(found['expected'])}."
    )


def _conversion(case: Case, names: Names) -> str:
    found = case.details
    return (
        f"{_percent(found['observed'])} of the visitors of {_variation(case, names)} reached {_goal(case, names)}, "
        f"{_percent(found['expected'])} of the control's."
    )


def _broken_conversion(case: Case, names: Names) -> str:
    return f"{_conversion(case, names)} So few that something in it is likely to be broken."


def _drift(case: Case, names: Names) -> str:
    found = case.details
    return (
        f"{_variation(case, names)} was not applied in {_percent(found['observed'])} of {found['sample']:,} sessions, "
        f"in {found['consecutive_checks']} checks in a row."
    )


def _revenue(case: Case, names: Names) -> str:
    found = case.details
    return (
        f"A visitor of {_variation(case, names)} brings {_money(found['observed'], names)}, one of the control "
        f"{_money(found['expected'], names)}."
    )


def _loss(case: Case, names: Names) -> str:
    return (
        f"{_variation(case, names)} has brought {_money(case.details['observed'], names)} less than the control would "
        f"have with as many visitors."
    )


def _ratio(case: Case, names: Names) -> str:
    found = case.details
    return (
        f"{_variation(case, names)} got {_percent(found['observed'])} of {found['sample']:,} visitors and was to get "
        f"{_percent(found['expected'])}. Do not trust the comparison before you know why."
    )


def _twice(case: Case, _names: Names) -> str:
    found = case.details
    return f"{_percent(found['observed'])} of {found['sample']:,} visitors saw two variations; they are left out."


def _gap(case: Case, _names: Names) -> str:
    found = case.details
    return (
        f"No {found['metric']} were counted since {found['window']['from']}; about {found['expected']:,.0f} were to be "
        f"expected. Is the snippet still on the pages, and are events sent?"
    )


def _repeated(case: Case, _names: Names) -> str:
    found = case.details
    return (
        f"{_percent(found['observed'])} of the shop's {found['sample']:,} orders were told more than once. Each counts "
        f"once; look for a page that tells them again."
    )


def _residue(case: Case, names: Names) -> str:
    found = case.details
    if case.variation_id is None:
        return f"{_percent(found['observed'])} of {found['sample']:,} orders are in other currencies and left out."
    return (
        f"Of the orders of {_variation(case, names)} {_percent(found['observed'])} are in other currencies and left "
        f"out, of the control's {_percent(found['expected'])}. Verdicts on revenue are not to be trusted."
    )


def _coverage(case: Case, _names: Names) -> str:
    found = case.details
    if case.metric == "consent_gated_sdk":
        return "Visitors who do not consent are not counted, so revenue is that of a part of the traffic."
    return (
        f"Only {_percent(found['observed'])} of {found['sample']:,} orders come from visitors who were seen on the "
        f"storefront before."
    )


_TEXTS: Mapping[Kind, Callable[[Case, Names], str]] = {
    "broken_delivery": _broken_delivery,
    "broken_runtime": _broken_runtime,
    "broken_conversion": _broken_conversion,
    "delivery_drift": _drift,
    "conversion_harm": _conversion,
    "revenue_harm": _revenue,
    "revenue_loss": _loss,
    "sample_ratio_mismatch": _ratio,
    "multiple_exposure": _twice,
    "event_gap": _gap,
    "duplicate_orders": _repeated,
    "currency_residue": _residue,
    "measurement_coverage": _coverage,
}


def _variation(case: Case, names: Names) -> str:
    return f"“{names.variations.get(case.variation_id or '', 'a variation')}”"


def _goal(case: Case, names: Names) -> str:
    return f"“{names.goals.get(case.goal_id or '', 'a goal')}”"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _money(amount: float, names: Names) -> str:
    return f"{amount:,.2f} {names.currency}"

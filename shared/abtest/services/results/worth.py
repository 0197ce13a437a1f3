"""Worth of a treatment: its difference in revenue per visitor, times the eligible visitors of a month."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, log10

from abtest.contract import results as contract
from abtest.contract.report_advice import MonthlyWorth, NoWorth, Worth
from abtest.kit.money import CURRENCIES, exponent
from abtest.services.results.verdicts import deciding

MONTH = 30
"""Days."""

LEAST_DAYS = 1.0
"""Days of traffic that a month is estimated from: a night has other visitors than an evening."""

REASONS: Mapping[NoWorth, str] = {
    "no_revenue_goal": "No goal counts revenue, so the worth in money is not known: add a goal of the type revenue.",
    "aa_test": "An A/A test has nothing that could be worth money: its variations are the same.",
    "not_trusted": "Not known: the numbers cannot be trusted before the split of visitors is repaired.",
    "too_little_data": "Not known yet: there are too few visitors or orders for an interval of revenue.",
    "too_short": "Not known yet: a day of traffic is needed to estimate that of a month.",
    "excluded_currency_residue": "Not known: too much of the money is in other currencies, and left out of revenue.",
    "measurement_quality_unavailable": "Not known: not all visitors and orders can be seen.",
}
_VERDICTS = frozenset({"undecided", "better", "worse", "contradictory", "estimated"})
"""States of rows with enough data."""

_SURE = frozenset({"better", "worse"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Visitors of the test in the measured days, and the share of eligible visitors who take part, 0 to 1."""

    visitors: int
    days: float
    allocation: float

    @property
    def month(self) -> float:
        """Eligible visitors of a month at the same traffic."""
        return self.visitors / self.days * MONTH / self.allocation


def worth_of(
    goal: contract.GoalResult | None, traffic: Traffic | None, currency: str, problem: NoWorth | None = None
) -> Worth:
    """Return the worth of each treatment, or why it is not known. `problem`: a reason that the caller knows of."""
    reason = problem or reason_of(goal, traffic)
    if reason or goal is None or traffic is None:
        why = reason or "too_little_data"
        return Worth(
            goal_id=goal.goal_id if goal else None,
            currency=currency,
            visitors_a_month=None,
            not_evaluable=why,
            treatments=[],
            message=REASONS[why],
        )
    month = traffic.month
    treatments = [worth for row in goal.rows if (worth := worth_of_row(row, month, currency))]
    return Worth(
        goal_id=goal.goal_id,
        currency=currency,
        visitors_a_month=round(rounded(month, month)),
        not_evaluable=None,
        treatments=treatments,
        message=(
            f"For {rounded(month, month):,.0f} eligible visitors in {MONTH} days, as measured, "
            f"by {goal.name} per visitor. The interval is that of the comparison; traffic is taken as it was."
        ),
    )


def reason_of(goal: contract.GoalResult | None, traffic: Traffic | None) -> NoWorth | None:
    """Return why a worth cannot be computed from these numbers; None where it can."""
    if goal is None:
        return "no_revenue_goal"
    if not any(deciding(row).difference_ci and row.state in _VERDICTS for row in goal.rows):
        return "too_little_data"
    if traffic is None or traffic.days < LEAST_DAYS or not traffic.visitors or traffic.allocation <= 0:
        return "too_short"
    return None


def worth_of_row(row: contract.ResultRow, month: float, currency: str) -> MonthlyWorth | None:
    """Return the worth of one treatment; None for the control, and without enough data."""
    shown = deciding(row)
    difference, interval = shown.difference, shown.difference_ci
    if difference is None or interval is None or row.state not in _VERDICTS:
        return None
    size = (interval.upper - interval.lower) / 2 * month
    amount, lower, upper = (rounded(each * month, size) for each in (difference, interval.lower, interval.upper))
    return MonthlyWorth(
        variation_id=row.variation_id,
        amount=amount,
        lower=lower,
        upper=upper,
        is_significant=row.state in _SURE,
        message=worth_message(row, amount, (lower, upper), currency),
    )


def worth_message(row: contract.ResultRow, amount: float, ends: tuple[float, float], currency: str) -> str:
    """Return the worth in a sentence that claims no more than the interval."""
    name, lower, upper = f"“{row.variation_name}”", amount_text(ends[0], currency), amount_text(ends[1], currency)
    between = f"between {lower} and {upper} a month"
    if row.state not in _SURE:
        return f"{name}: {between}. It is not shown that it earns or costs anything."
    verb = "earns" if amount >= 0 else "costs"
    return f"{name} {verb} about {amount_text(abs(amount), currency)} a month, {between}."


def rounded(value: float, size: float) -> float:
    """Return a value rounded to two digits of a size, as no digit below is known: 12,345 ± 4,321 is 12,300."""
    if size <= 0:
        return value
    digits = 1 - floor(log10(size))
    return round(value, digits) + 0.0


def amount_text(amount: float, currency: str) -> str:
    """Return an amount that was rounded before: whole units, digits below only where there are any."""
    digits = 0 if amount == int(amount) else exponent(currency) if currency in CURRENCIES else 2
    return f"{amount:,.{digits}f} {currency}".replace("-", "−")

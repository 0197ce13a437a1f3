"""Whether money can be trusted, and the single-look verdict about it that a planned end stores."""

from collections.abc import Mapping

from abtest.domain.autostop.evidence import Evidence, LeftOut, Measure
from abtest.domain.autostop.verdicts import Blocked
from abtest.domain.goals.currency_residue import UNEVEN_LEVEL, is_residue
from abtest.domain.planning.shapes import RevenueComparison, RevenueEvaluation
from abtest.domain.stats.comparisons import Comparison, Correction, compare_means
from abtest.domain.stats.means import welch
from abtest.domain.stats.proportions import two_proportions
from abtest.domain.stats.samples import Conversions, Sample


def money_measure(evidence: Evidence, goal_id: str | None) -> Measure | None:
    """The goal that counts money: the named one, else the first in use; None when none does."""
    named = evidence.measures.get(goal_id or "")
    if named is not None and named.is_money:
        return named
    return next((measure for measure in evidence.measures.values() if measure.is_money), None)


def blocked(evidence: Evidence, measure: Measure, *, is_covered: bool) -> Blocked | None:
    """Why money cannot be trusted; None when it can. `is_covered`: visitors and orders are all there to be seen."""
    if _is_residue(evidence, measure):
        return "excluded_currency_residue"
    return None if is_covered else "measurement_quality_unavailable"


def excluded_percentage(measure: Measure) -> float:
    """Orders left out for their currency, 0 to 100."""
    excluded = sum(found.excluded for found in measure.left_out.values())
    orders = excluded + sum(found.counted for found in measure.left_out.values())
    return 100 * excluded / orders if orders else 0.0


def revenue_evaluation(
    evidence: Evidence, measure: Measure, *, alpha: float, correction: Correction
) -> RevenueEvaluation | None:
    """The verdict about money as the snapshot stores it, the moment apart; None when no treatment can be compared.

    A comparison whose lift or whose test is no number (nobody paid) is left out.
    """
    treatments = [arm for arm in evidence.treatments if arm in measure.samples]
    control = measure.samples.get(evidence.control_id)
    if control is None:
        return None
    arms = [measure.samples[treatment] for treatment in treatments]
    found = compare_means(control, arms, alpha=alpha, correction=correction)
    rows = [
        row
        for treatment, arm, comparison in zip(treatments, arms, found, strict=True)
        if comparison is not None and (row := _comparison(treatment, control, arm, comparison, alpha)) is not None
    ]
    return (
        {
            "basis": "shop_money",
            "currency": evidence.currency,
            "excluded_currency_percentage": excluded_percentage(measure),
            "total_visitors_at_evaluation": evidence.total_visitors,
            "multiplicity_adjustment": correction,
            "comparisons": rows,
        }
        if rows
        else None
    )


def losers(revenue: RevenueEvaluation | None) -> frozenset[str]:
    """Treatments that take in significantly less."""
    comparisons = revenue["comparisons"] if revenue else ()
    return frozenset(
        found["treatment_variation_id"]
        for found in comparisons
        if found["is_significant"] and found["absolute_lift"] < 0
    )


def _comparison(
    treatment_id: str, control: Sample, treatment: Sample, found: Comparison, alpha: float
) -> RevenueComparison | None:
    test, interval = welch(control, treatment, alpha=alpha), found.difference_interval
    if test is None or test.degrees_of_freedom is None or control.mean == 0:
        return None
    return {
        "treatment_variation_id": treatment_id,
        "control_mean": control.mean,
        "variation_mean": treatment.mean,
        "relative_lift": treatment.mean / control.mean - 1,
        "absolute_lift": found.difference,
        "t_statistic": test.t,
        "degrees_of_freedom": test.degrees_of_freedom,
        "p_value": found.adjusted_p_value,
        "confidence": 100 * (1 - found.adjusted_p_value),
        "is_significant": found.is_significant,
        "confidence_interval": {"lower": interval.lower, "upper": interval.upper} if interval else None,
    }


def _is_residue(evidence: Evidence, measure: Measure) -> bool:
    found = measure.left_out.values()
    orders, excluded = sum(map(sum, found)), sum(arm.excluded for arm in found)
    uneven = (_is_uneven(evidence, measure.left_out, treatment) for treatment in evidence.treatments)
    return is_residue(excluded, orders) or any(uneven)


def _is_uneven(evidence: Evidence, left_out: Mapping[str, LeftOut], treatment_id: str) -> bool:
    """By a single look's test: it keeps one decision from being taken on these numbers, and tells nobody."""
    control, treatment = left_out.get(evidence.control_id), left_out.get(treatment_id)
    if control is None or treatment is None:
        return False
    level = UNEVEN_LEVEL / len(evidence.treatments)
    found = two_proportions(_shares(control), _shares(treatment), alpha=level)
    return found is not None and found.p_value <= level


def _shares(found: LeftOut) -> Conversions:
    return Conversions(visitors=found.counted + found.excluded, conversions=found.excluded)

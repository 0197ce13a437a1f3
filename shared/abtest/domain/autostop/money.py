"""Reasons not to decide by money, and the single-look evaluation of it that a planned end stores."""

from collections.abc import Mapping

from abtest.domain.autostop.evidence import Evidence, LeftOut, Measure
from abtest.domain.autostop.verdicts import Blocked
from abtest.domain.goals.currency_residue import UNEVEN_LEVEL, is_residue
from abtest.domain.planning.sample_size import Correction
from abtest.domain.planning.shapes import RevenueComparison, RevenueEvaluation
from abtest.domain.stats.comparisons import Comparison, compare_means
from abtest.domain.stats.means import welch
from abtest.domain.stats.proportions import two_proportions
from abtest.domain.stats.samples import Sample


def money_measure(evidence: Evidence, goal_id: str | None) -> Measure | None:
    """Return the goal of money per visitor: the named one, else the first in use; None without one."""
    paid = {name: measure for name, measure in evidence.measures.items() if measure.is_money and not measure.is_ratio}
    return paid.get(goal_id or "") or next(iter(paid.values()), None)


def blocked(evidence: Evidence, measure: Measure, *, is_covered: bool) -> Blocked | None:
    """Return why money must not decide; None when it may. `is_covered`: all visitors and orders are measured."""
    arms = measure.left_out.values()
    excluded = sum(arm.excluded for arm in arms)
    if is_residue(excluded, sum(map(sum, arms))):
        return "excluded_currency_residue"
    if any(_is_uneven(evidence, measure.left_out, treatment) for treatment in evidence.treatments):
        return "excluded_currency_residue"
    return None if is_covered else "measurement_quality_unavailable"


def excluded_percentage(measure: Measure) -> float:
    """Return the percentage of orders left out for their currency, 0 to 100."""
    excluded = sum(arm.excluded for arm in measure.left_out.values())
    orders = excluded + sum(arm.counted for arm in measure.left_out.values())
    return 100 * excluded / orders if orders else 0.0


def revenue_evaluation(
    evidence: Evidence, measure: Measure, *, alpha: float, correction: Correction
) -> RevenueEvaluation | None:
    """Return the evaluation of money for the snapshot, without its time; None when no treatment can be compared.

    A treatment without a lift or a test, as when no visitor paid, is left out.
    """
    treatments = [arm for arm in evidence.treatments if arm in measure.samples]
    control = measure.samples.get(evidence.control_id)
    if control is None:
        return None
    arms = [measure.samples[treatment] for treatment in treatments]
    comparisons = compare_means(control, arms, alpha=alpha, correction=correction)
    rows = [
        row
        for treatment, arm, comparison in zip(treatments, arms, comparisons, strict=True)
        if comparison is not None
        and (row := revenue_comparison(treatment, control, arm, comparison, alpha)) is not None
    ]
    if not rows:
        return None
    return {
        "basis": "shop_money",
        "currency": evidence.currency,
        "excluded_currency_percentage": excluded_percentage(measure),
        "total_visitors_at_evaluation": evidence.total_visitors,
        "multiplicity_adjustment": correction,
        "comparisons": rows,
    }


def losers(revenue: RevenueEvaluation | None) -> frozenset[str]:
    """Return the treatments with significantly less money than the control."""
    comparisons = revenue["comparisons"] if revenue else ()
    return frozenset(
        comparison["treatment_variation_id"]
        for comparison in comparisons
        if comparison["is_significant"] and comparison["absolute_lift"] < 0
    )


def revenue_comparison(
    treatment_id: str, control: Sample, treatment: Sample, comparison: Comparison, alpha: float
) -> RevenueComparison | None:
    """Return one treatment's part of the evaluation; None without a lift or a test."""
    test, interval = welch(control, treatment, alpha=alpha), comparison.difference_interval
    if test is None or test.degrees_of_freedom is None or control.mean == 0:
        return None
    return {
        "treatment_variation_id": treatment_id,
        "control_mean": control.mean,
        "variation_mean": treatment.mean,
        "relative_lift": treatment.mean / control.mean - 1,
        "absolute_lift": comparison.difference,
        "t_statistic": test.t,
        "degrees_of_freedom": test.degrees_of_freedom,
        "p_value": comparison.adjusted_p_value,
        "confidence": 100 * (1 - comparison.adjusted_p_value),
        "is_significant": comparison.is_significant,
        "confidence_interval": {"lower": interval.lower, "upper": interval.upper} if interval else None,
    }


def _is_uneven(evidence: Evidence, left_out: Mapping[str, LeftOut], treatment_id: str) -> bool:
    """Return whether a treatment's share of excluded orders differs from the control's."""
    control, treatment = left_out.get(evidence.control_id), left_out.get(treatment_id)
    if control is None or treatment is None:
        return False
    # A single look's test is enough: it only keeps one decision from being made, and alerts no one.
    # Divided, because each treatment is one more chance of a false alarm.
    level = UNEVEN_LEVEL / len(evidence.treatments)
    test = two_proportions(control.share, treatment.share, alpha=level)
    return test is not None and test.p_value <= level

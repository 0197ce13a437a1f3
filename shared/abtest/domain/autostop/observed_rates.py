"""Observation of a planned look: rates as they are, or adjusted for the time before, at the information of each."""

from collections.abc import Iterable, Mapping

from abtest.domain.autostop.evidence import Arms, Measure
from abtest.domain.autostop.shapes import AdjustedControl
from abtest.domain.stats.group_sequential.observation import Observation, Unobserved, observe
from abtest.domain.stats.samples import Sample

UNKNOWN = Unobserved("arm_without_visitors")


def adjusts_rates(measure: Measure) -> bool:
    """Return whether a measurement that begins now looks at adjusted rates. To be frozen with its first count.

    Only a goal that compares rates has them: the adjusted arms of money are of its means.
    """
    return measure.adjusts and not any(isinstance(arms.control, Sample) for arms in measure.comparisons.values())


def observed_rates(
    measure: Measure, control_id: str, treatment_id: str, *, is_adjusted: bool
) -> Observation | Unobserved:
    """Return z and information of a treatment's rate. `is_adjusted`: as the measurement has frozen it.

    An adjusted look has the information of the adjusted estimate, so it reaches the planned information with fewer
    visitors. Without adjusted arms there is no observation: plain ones would be of another estimate.
    """
    if not is_adjusted:
        return observe(measure.rates[control_id], measure.rates[treatment_id])
    arms = measure.adjusted.get(treatment_id) if adjusts_rates(measure) else None
    return observe(*arms) if isinstance(arms, Arms) else UNKNOWN


def adjusted_control(measure: Measure, treatment_id: str) -> AdjustedControl | None:
    """Return what a lift of an adjusted look needs of the control; None without adjusted arms that vary."""
    arms = measure.adjusted.get(treatment_id)
    if arms is None or not isinstance(arms.control, Sample) or not isinstance(arms.treatment, Sample):
        return None
    of_control, of_treatment = (arm.variance / arm.n if arm.n else 0.0 for arm in (arms.control, arms.treatment))
    both = of_control + of_treatment
    return {"rate": arms.control.mean, "share": of_control / both} if both > 0 else None


def rate_differences(
    measure: Measure, control_id: str, treatments: Iterable[str], *, is_adjusted: bool
) -> Mapping[str, float]:
    """Return the present differences of rates, treatment - control; zero without the adjusted arms that decide."""
    if not is_adjusted:
        control = measure.rates[control_id]
        return {arm: Arms(control, measure.rates[arm]).difference for arm in treatments}
    pairs = measure.adjusted if adjusts_rates(measure) else {}
    return {arm: pairs[arm].difference if arm in pairs else 0.0 for arm in treatments}

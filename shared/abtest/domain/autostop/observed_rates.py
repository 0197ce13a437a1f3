"""Observation of a planned look: rates as they are, or adjusted for the time before, at the information of each."""

from abtest.domain.autostop.evidence import Arms, Measure
from abtest.domain.stats.group_sequential.observation import Observation, Unobserved, observe
from abtest.domain.stats.samples import Sample

UNKNOWN = Unobserved("arm_without_visitors")


def adjusts_rates(measure: Measure) -> bool:
    """Return whether a measurement that begins now looks at adjusted rates. To be frozen with its first look.

    Only a goal that compares rates has them: the adjusted arms of money are of its means.
    """
    return measure.adjusts and not any(isinstance(arms.control, Sample) for arms in measure.comparisons.values())


def observed_rates(
    measure: Measure, control_id: str, treatment_id: str, *, is_adjusted: bool
) -> Observation | Unobserved:
    """Return z and information of a treatment's rate. `is_adjusted`: as frozen with the measurement's first look.

    An adjusted look has the information of the adjusted estimate, so it reaches the planned information with fewer
    visitors. Without adjusted arms there is no observation: plain ones would be of another estimate.
    """
    if not is_adjusted:
        return observe(measure.rates[control_id], measure.rates[treatment_id])
    arms = measure.adjusted.get(treatment_id) if adjusts_rates(measure) else None
    return observe(*arms) if isinstance(arms, Arms) else UNKNOWN

"""The mode `statistics`: each kind from its inputs to its values, null where one cannot be evaluated."""

from collections.abc import Callable, Mapping
from typing import Any

from abtest.domain.planning.sample_size import CannotBePlannedError, size_for_rate, size_for_rate_by_weights
from abtest.domain.stats.exact_counts import harm_evidence
from abtest.domain.stats.group_sequential.boundaries import boundaries
from abtest.domain.stats.group_sequential.design import Design
from abtest.domain.stats.means import MeanTest, welch, welch_alone
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.proportions import two_proportions
from abtest.domain.stats.quantiles import upper_normal, upper_t
from abtest.domain.stats.relative_lift import fieller
from abtest.domain.stats.sample_ratio import SINGLE_LOOK_ALPHA, sample_ratio, sequential_sample_ratio
from abtest.domain.stats.samples import Sample
from abtest.domain.stats.sequential import (
    Direction,
    Mixture,
    MixtureTest,
    VarianceRule,
    mixture_test,
    one_sided_mixture_test,
    running_minimum,
)
from tools.conformance.reading import (
    Inputs,
    conversions,
    count,
    counts,
    demand,
    json_value,
    level,
    mixture,
    number,
    numbers,
    positive,
    sample,
    spending,
    weights_of,
)
from tools.stats.power import power_for_rate

Result = dict[str, Any]

VARIANCES: Mapping[str, VarianceRule] = {"unpooled": "unpooled", "pooled": "pooled", "max(unpooled,pooled)": "max"}
DIRECTIONS: Mapping[str, Direction] = {"treatment worse": "decrease", "treatment better": "increase"}


def two_prop_z(inputs: Inputs) -> Result:
    """Two proportions, one look."""
    control, treatment, alpha = conversions(inputs, "control"), conversions(inputs, "treatment"), level(inputs)
    outcome = two_proportions(control, treatment, alpha=alpha)
    rates = {"control_rate": control.rate, "treatment_rate": treatment.rate}
    if outcome is None:
        return {**rates, **dict.fromkeys(_TWO_PROPORTIONS)}
    # The kind has the interval of the books; results have the score interval.
    margin = upper_normal(alpha / 2) * outcome.se_unpooled
    values = (
        outcome.difference,
        outcome.difference / control.rate if control.rate else None,
        outcome.se_pooled,
        outcome.se_unpooled,
        outcome.z,
        outcome.p_value,
        outcome.p_greater,
        outcome.interval and (outcome.difference - margin, outcome.difference + margin),
    )
    return {**rates, **dict(zip(_TWO_PROPORTIONS, values, strict=True))}


_TWO_PROPORTIONS = (
    "absolute_lift",
    "relative_lift",
    "se_pooled",
    "se_unpooled",
    "z_pooled",
    "p_two_sided",
    "p_one_sided_greater",
    "ci_wald_unpooled",
)


def welch_test(inputs: Inputs) -> Result:
    """Welch's test as the books have it; `guarded_p_value` is that of results, different in arms of unequal size."""
    control, treatment, alpha = sample(inputs["control"]), sample(inputs["treatment"]), level(inputs)
    alone, guarded = (test(control, treatment, alpha=alpha) for test in (welch_alone, welch))
    difference = treatment.mean - control.mean
    return {
        "absolute_lift": difference if control.n and treatment.n else None,
        "relative_lift": difference / control.mean if control.mean and control.n and treatment.n else None,
        **_of_test(alone),
        "is_significant": alone is not None and alone.p_value <= alpha,
        "guarded_p_value": guarded and guarded.p_value,
    }


def _of_test(outcome: MeanTest | None) -> Result:
    if outcome is None:
        return dict.fromkeys(("se", "t_statistic", "degrees_of_freedom", "p_value", "confidence_interval"))
    return {
        "se": outcome.se,
        "t_statistic": outcome.t,
        "degrees_of_freedom": outcome.degrees_of_freedom,
        "p_value": outcome.p_value,
        "confidence_interval": outcome.interval,
    }


def sample_size(inputs: Inputs) -> Result:
    """Visitors for a rate, equal weights."""
    demands = demand(inputs)
    if inputs.get("weights", "equal") != "equal":
        raise ValueError("weights are equal in this kind")
    try:
        outcome = size_for_rate(number(inputs, "baseline_rate"), demands)
    except CannotBePlannedError:
        return {"comparison_alpha": demands.comparison_alpha, **dict.fromkeys(("n_exact", *_REQUIRED))}
    required = (outcome.required_sample_per_variant, outcome.required_total_visitors)
    return {
        "comparison_alpha": demands.comparison_alpha,
        "n_exact": outcome.exact,
        **dict(zip(_REQUIRED, required, strict=True)),
    }


_REQUIRED = ("required_sample_per_variant", "required_total_visitors")


def sample_size_unequal(inputs: Inputs) -> Result:
    """Visitors for a rate, a control and a treatment of these weights."""
    control, treatment = positive(inputs, "control_weight"), positive(inputs, "treatment_weight")
    names = ("total_visitors_exact", "control_n_exact", "treatment_n_exact", "required_total_visitors")
    try:
        outcome = size_for_rate_by_weights(
            number(inputs, "baseline_rate"), demand(inputs), control=control, treatments=[treatment]
        )
    except CannotBePlannedError:
        return dict.fromkeys(names)
    total = outcome.exact
    return dict(zip(names, (total, total * control, total * treatment, outcome.required_total_visitors), strict=True))


def plan_power(inputs: Inputs) -> Result:
    """The power of so many visitors."""
    try:
        visitors = number(inputs, "n_per_variant")
        return {"power": power_for_rate(number(inputs, "baseline_rate"), demand(inputs), visitors)}
    except CannotBePlannedError:
        return {"power": None}


def msprt(inputs: Inputs) -> Result:
    """The sequential test of rates at one look."""
    control, treatment = conversions(inputs, "control"), conversions(inputs, "treatment")
    rule = VARIANCES[inputs["variance"]]
    alpha = level(inputs)
    outcome = mixture_test(control, treatment, alpha=alpha, mixture=mixture(inputs["mixture"]), variance=rule)
    return {**_of_mixture(outcome), "rejects": outcome is not None and outcome.always_valid_p <= alpha}


def msprt_mean(inputs: Inputs) -> Result:
    """The sequential test of means at one look, by the unpooled variance unless another is given."""
    control, treatment, alpha = sample(inputs["control"]), sample(inputs["treatment"]), level(inputs)
    rule = VARIANCES[inputs.get("variance", "unpooled")]
    outcome = mixture_test(control, treatment, alpha=alpha, mixture=mixture(inputs["mixture"]), variance=rule)
    return {**_of_mixture(outcome), "rejects": outcome is not None and outcome.always_valid_p <= alpha}


def _of_mixture(outcome: MixtureTest | None) -> Result:
    names = ("difference", "V", "tau2", "log_lambda", "always_valid_p", "log_p", "always_valid_ci")
    return dict.fromkeys(names) if outcome is None else dict(zip(names, outcome, strict=True))


def count_harm_exact(inputs: Inputs) -> Result:
    """Fewer conversions than the treatment's share promises."""
    outcome = harm_evidence(
        count(inputs, "control_conversions"),
        count(inputs, "treatment_conversions"),
        share=number(inputs, "treatment_share"),
        a=positive(inputs, "beta_a"),
        b=positive(inputs, "beta_b"),
    )
    return outcome._asdict()


def msprt_harm_one_sided(inputs: Inputs) -> Result:
    """The one-sided sequential test of rates."""
    rule, alpha = VARIANCES[inputs.get("variance", "pooled")], level(inputs)
    outcome = one_sided_mixture_test(
        conversions(inputs, "control"),
        conversions(inputs, "treatment"),
        direction=DIRECTIONS[inputs.get("direction", "treatment worse")],
        alpha=alpha,
        mixture=Mixture(tau=positive(inputs, "tau_absolute")),
        variance=rule,
    )
    names = ("harm_difference", "V", "tau2", "z", "log_e", "always_valid_p", "log_p")
    values = dict.fromkeys(names) if outcome is None else dict(zip(names, outcome, strict=True))
    return {**values, f"V_{rule}": values["V"], "harm": outcome is not None and outcome.always_valid_p <= alpha}


def srm_chi2(inputs: Inputs) -> Result:
    """Sample ratios, a single look."""
    outcome = sample_ratio(counts(inputs["visitors"]), weights_of(inputs))
    if outcome is None:
        return {"chi2": None, "df": None, "p_value": None, "mismatch_at_0_001": False}
    is_mismatch = outcome.p_value < SINGLE_LOOK_ALPHA
    return {
        "chi2": outcome.chi_squared,
        "df": outcome.degrees_of_freedom,
        "p_value": outcome.p_value,
        "mismatch_at_0_001": is_mismatch,
    }


def srm_sequential(inputs: Inputs) -> Result:
    """Sample ratios monitored: batches add up, p is the running minimum."""
    weights, concentration = weights_of(inputs), positive(inputs, "dirichlet_concentration")
    seen = [0] * len(weights)
    looks: list[float | None] = []
    for batch in inputs["batches"]:
        seen = [one + other for one, other in zip(seen, counts(batch), strict=True)]
        outcome = sequential_sample_ratio(seen, weights, concentration=concentration)
        looks.append(outcome.p_value if outcome else None)
    return {"sequential_p": running_minimum(looks)}


def holm_correction(inputs: Inputs) -> Result:
    """Holm's step-down correction."""
    p_values = numbers(inputs["p_values"])
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError("p_values must lie between 0 and 1")
    outcome = holm(p_values, alpha=level(inputs))
    return {"adjusted": outcome.adjusted, "rejected": outcome.rejected, "interval_alphas": outcome.interval_alphas}


def fieller_relative_lift(inputs: Inputs) -> Result:
    """The lift and Fieller's interval, at the normal quantile or Welch's."""
    control, treatment, alpha = sample(inputs["control"]), sample(inputs["treatment"]), level(inputs)
    quantile = _critical(inputs.get("critical", "t"), control, treatment, alpha)
    outcome = None if quantile is None else fieller(control, treatment, quantile=quantile)
    if outcome is None:
        return {"relative_lift": None, "g": None, "ci_relative": None}
    return {"relative_lift": outcome.lift, "g": outcome.g, "ci_relative": outcome.interval}


def _critical(critical: str, control: Sample, treatment: Sample, alpha: float) -> float | None:
    if critical == "normal":
        return upper_normal(alpha / 2)
    if critical != "t":
        raise ValueError("critical is normal or t")
    outcome = welch_alone(control, treatment, alpha=alpha)
    return None if outcome is None or not outcome.degrees_of_freedom else upper_t(alpha / 2, outcome.degrees_of_freedom)


def group_sequential_boundaries(inputs: Inputs) -> Result:
    """Boundaries of z at looks, symmetric; null beyond `HIGHEST_BOUNDARY`."""
    design = Design(alpha=2 * number(inputs, "alpha_one_sided"), spending=spending(inputs))
    uppers = [bound.upper for bound in boundaries(numbers(inputs["information"]), design)]
    return {"z": [upper if upper <= HIGHEST_BOUNDARY else None for upper in uppers]}


HIGHEST_BOUNDARY = 8.0

_COMPUTATIONS: Mapping[str, Callable[[Inputs], Result]] = {
    "two_prop_z": two_prop_z,
    "welch": welch_test,
    "welch_edge": welch_test,
    "sample_size": sample_size,
    "sample_size_unequal": sample_size_unequal,
    "plan_power": plan_power,
    "msprt": msprt,
    "msprt_mean": msprt_mean,
    "msprt_max_variance": msprt,
    "count_harm_exact": count_harm_exact,
    "msprt_harm_one_sided": msprt_harm_one_sided,
    "srm_chi2": srm_chi2,
    "srm_sequential": srm_sequential,
    "holm": holm_correction,
    "fieller_relative_lift": fieller_relative_lift,
    "group_sequential_boundaries": group_sequential_boundaries,
}


def _in_json(computation: Callable[[Inputs], Result]) -> Callable[[Inputs], Result]:
    return lambda inputs: {name: json_value(value) for name, value in computation(inputs).items()}


KINDS = {kind: _in_json(computation) for kind, computation in _COMPUTATIONS.items()}

"""Statistics of `abtest.domain.stats` over arrays of shapes that broadcast; nan where a value cannot be evaluated.

Give counts as integers, which stay exact. Comparisons of one goal are along the last axis.
"""

from tools.stats.batched.bayesian import BayesianComparisons, bayesian_means, bayesian_rates
from tools.stats.batched.comparisons import Comparisons, compare_means, compare_rates
from tools.stats.batched.cuped import Adjusted, adjusted_differences, cuped
from tools.stats.batched.evidence import (
    excess_evidence,
    harm_evidence,
    sample_ratio,
    sequential_sample_ratio,
    wilson_bounds,
)
from tools.stats.batched.holm import Holm, holm
from tools.stats.batched.lifts import Lifts, fieller
from tools.stats.batched.rate_intervals import RateIntervals, score_intervals
from tools.stats.batched.sequential import (
    Differences,
    MixtureTests,
    OneSidedMixtureTests,
    differences_of_means,
    differences_of_rates,
    mixture_test,
    one_sided_mixture_test,
    running_minimum,
)
from tools.stats.batched.single_look import MeanTests, ProportionTests, two_proportions, welch

__all__ = [
    "Adjusted",
    "BayesianComparisons",
    "Comparisons",
    "Differences",
    "Holm",
    "Lifts",
    "MeanTests",
    "MixtureTests",
    "OneSidedMixtureTests",
    "ProportionTests",
    "RateIntervals",
    "adjusted_differences",
    "bayesian_means",
    "bayesian_rates",
    "compare_means",
    "compare_rates",
    "cuped",
    "differences_of_means",
    "differences_of_rates",
    "excess_evidence",
    "fieller",
    "harm_evidence",
    "holm",
    "mixture_test",
    "one_sided_mixture_test",
    "running_minimum",
    "sample_ratio",
    "score_intervals",
    "sequential_sample_ratio",
    "two_proportions",
    "welch",
    "wilson_bounds",
]

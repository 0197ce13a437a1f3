"""gbstats: its two-sided t test of a relative difference, which is what GrowthBook shows."""

from gbstats.frequentist.tests import FrequentistConfig, TwoSidedTTest
from gbstats.models.statistics import ProportionStatistic

from benchmarks.stats.work import ONE, Pair, many, tell

CONFIG = FrequentistConfig()


def lift(pair: Pair) -> float:
    (n_c, x_c), (n_t, x_t) = pair
    control, treatment = ProportionStatistic(n=n_c, sum=x_c), ProportionStatistic(n=n_t, sum=x_t)
    return float(TwoSidedTTest(control, treatment, CONFIG).compute_result().expected)


PAIRS = many()
tell(lambda: lift(ONE), lambda: [lift(pair) for pair in PAIRS])

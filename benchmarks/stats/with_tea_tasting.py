"""tea-tasting: its mean, with absolute and relative intervals, from aggregates."""

from tea_tasting import Mean
from tea_tasting.aggr import Aggregates

from benchmarks.stats.work import ONE, Pair, many, tell

METRIC = Mean("x")


def arm(n: int, x: int) -> Aggregates:
    rate = x / n
    return Aggregates(count_=n, mean_={"x": rate}, var_={"x": rate * (1 - rate) * n / (n - 1)}, cov_={})


def lift(pair: Pair) -> float:
    return float(METRIC.analyze_aggregates(arm(*pair[0]), arm(*pair[1])).rel_effect_size)


PAIRS = many()
tell(lambda: lift(ONE), lambda: [lift(pair) for pair in PAIRS])

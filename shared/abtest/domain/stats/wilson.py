"""Wilson's bounds of a share."""

from abtest.domain.stats.arithmetic import FLOATS
from abtest.domain.stats.formulas import wilson_ends
from abtest.domain.stats.quantiles import upper_normal
from abtest.domain.stats.samples import Interval

ONE_SIDED = 0.975


def wilson_bounds(hits: int, n: int, *, confidence: float = ONE_SIDED) -> Interval | None:
    """Return bounds of hits / n, each of them alone valid with `confidence` (0.5 < confidence < 1); None for n = 0.

    0.975 a side is the usual 95 % interval. Without hits the lower bound is 0, with nothing but hits the upper one 1.
    Raises ValueError for hits that are not among n.
    Source: Wilson, Journal of the American Statistical Association 22 (1927) 209-212.
    """
    if not 0 <= hits <= n or not 0.5 < confidence < 1:
        raise ValueError("hits must be between 0 and n, confidence between 0.5 and 1")
    return Interval(*wilson_ends(FLOATS, hits, n, upper_normal(1 - confidence))) if n else None

"""Sizes of group-sequential plans: information over that of one look, for looks of equal steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from abtest.domain.planning.crossing import Stage, first_stage
from abtest.domain.planning.normal import upper_quantile
from abtest.domain.stats.group_sequential.roots import root
from abtest.domain.stats.group_sequential.spending import Spending

MOST_PLANNED_LOOKS = 100
"""Auto-stop takes a look for each hundredth of the plan at most."""

_EXACT = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class LooksDesign:
    """A group-sequential test: `alpha` of one comparison, `sides` 1 or 2, looks, and how error is spent over them.

    `futility` spends 1 - power on bounds below which the test may be given up; they are not binding.
    """

    alpha: float
    power: float
    sides: int
    looks: int
    spending: Spending
    futility: Spending | None = None

    @property
    def fractions(self) -> Sequence[float]:
        """Fractions of the planned information at the looks."""
        return [look / self.looks for look in range(1, self.looks + 1)]


@lru_cache(maxsize=512)
def inflation(design: LooksDesign) -> float:
    """Return the planned information over that of a single look with the same level and power; at least 1.

    Source: Lan, DeMets: Biometrika 70 (1983) 659-663; Jennison, Turnbull (2000), section 7.2.
    """
    if design.looks == 1:
        return 1.0
    one_look = upper_quantile(design.alpha / design.sides) + upper_quantile(1 - design.power)
    stages, bounds = _without_effect(design)

    def missing(drift: float) -> float:
        if design.futility is None:
            reached = sum(stage.above(bound, drift) for stage, bound in zip(stages, bounds, strict=True) if bound < inf)
        else:
            reached = _with_futility(design, design.futility, bounds, drift)
        return reached - design.power

    return (_increasing_root(missing, one_look) / one_look) ** 2


def _increasing_root(missing: Callable[[float], float], start: float) -> float:
    low, high = start * 0.999, start * 1.1
    while missing(high) < 0:
        low, high = high, high * 1.3
    return root(missing, low, high, tolerance=_EXACT)


def _without_effect(design: LooksDesign) -> tuple[list[Stage], list[float]]:
    """Return the stages of paths without an effect, and the upper bounds of their scores."""
    error, spent = design.alpha / design.sides, 0.0
    fractions = design.fractions
    stage, stages, bounds = first_stage(fractions[0]), [], []
    for number, fraction in enumerate(fractions):
        allowed = design.spending.spent(fraction, error) - spent
        bound = stage.bound(allowed)
        spent += allowed if bound < inf else 0.0
        stages.append(stage)
        bounds.append(bound)
        if number + 1 < design.looks:
            stage = stage.after(-bound if design.sides == 2 else -inf, bound, fractions[number + 1])
    return stages, bounds


def _with_futility(design: LooksDesign, futility: Spending, bounds: Sequence[float], drift: float) -> float:
    """Return the chance to end above, with 1 - power spent at this drift on bounds that give the test up.

    Around its expected value a score with a drift is one without.
    """
    fractions, error, spent, reached = design.fractions, 1 - design.power, 0.0, 0.0
    stage = first_stage(fractions[0])
    for number, (fraction, bound) in enumerate(zip(fractions, bounds, strict=True)):
        upper = bound - drift * fraction
        allowed = futility.spent(fraction, error) - spent
        lower = stage.below(allowed)
        spent += allowed if lower > -inf else 0.0
        reached += stage.above(upper) if upper < inf else 0.0
        if number + 1 < design.looks:
            # A test with two sides also ends where the treatment is behind.
            behind = -bound - drift * fraction if design.sides == 2 else -inf
            stage = stage.after(max(min(lower, upper), behind), upper, fractions[number + 1])
            if not stage.nodes:
                break
    return reached

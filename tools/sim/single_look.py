"""Intervals of rates at one look: do they agree with the verdict, and how often do they cover the truth?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from abtest.domain.stats.quantiles import upper_normal
from tools.sim.deciding import ALPHA
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, share
from tools.sim.traffic import split
from tools.stats import batched

Ends = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """One comparison of rates; next to it Wald's and Fieller's intervals, by the variance of each rate."""

    rate: float
    visitors: int
    treatment_share: float
    lift: float
    paths: int = 200_000
    batch: int = 50_000

    @property
    def name(self) -> str:
        """Rate, visitors of both arms, split, lift."""
        arms = f"{100 * self.rate:g} % of {self.visitors:,}, {split(self.treatment_share)}"
        return f"{arms}, lift {100 * self.lift:+.0f} %"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether an interval contradicted its verdict, and whether it held the truth."""
        n_t = round(self.visitors * self.treatment_share)
        n_c, rate = self.visitors - n_t, self.rate * (1 + self.lift)
        x_c, x_t = rng.binomial(n_c, self.rate, paths), rng.binomial(n_t, rate, paths)
        tests = batched.two_proportions(x_c, n_c, x_t, n_t)
        significant = tests.p_value <= ALPHA
        ours = tests.intervals(np.full(paths, ALPHA), significant)
        noises = [p * (1 - p) / n for p, n in ((x_c / n_c, n_c), (x_t / n_t, n_t))]
        quantile = upper_normal(ALPHA / 2)
        margin = quantile * np.sqrt(noises[0] + noises[1])
        other = batched.fieller(tests.difference, tests.control_rate, *noises, quantile=quantile)
        difference = rate - self.rate
        intervals: dict[str, tuple[Ends, float]] = {
            "ours": ((ours.lower, ours.upper), difference),
            "our lift": ((ours.lift_lower, ours.lift_upper), self.lift),
            "Wald": ((tests.difference - margin, tests.difference + margin), difference),
            "Fieller": ((other.lower, other.upper), self.lift),
        }
        outcomes: dict[str, NDArray[np.float64]] = {"significant": significant.astype(np.float64)}
        for name, ((lower, upper), truth) in intervals.items():
            # Where there is no interval, nothing is claimed.
            is_shown = np.isfinite(lower)
            contradicts = is_shown & (((lower > 0) | (upper < 0)) != significant)
            outcomes[f"{name} contradicts"] = contradicts.astype(np.float64)
            outcomes[f"{name} holds"] = (~is_shown | ((lower <= truth) & (truth <= upper))).astype(np.float64)
        return outcomes

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """Contradictions of either interval; coverage is for comparison."""
        reached, error = share(np.maximum(outcomes["ours contradicts"], outcomes["our lift contradicts"]))
        is_significant = outcomes["significant"] > 0
        wrong = outcomes["Wald contradicts"][is_significant].mean() if is_significant.any() else 0.0
        covered = ", ".join(f"{name} {np.mean(outcomes[f'{name} holds']):.3f}" for name in _COVERED)
        return [
            Row(
                group="Intervals of rates at one look against the verdict",
                what=self.name,
                aim=Aim(0.0),
                reached=reached,
                error=error,
                beside=f"of significant ones Wald's {wrong:.2f}; covered: {covered}",
            )
        ]


_COVERED = ("ours", "our lift", "Wald", "Fieller")
_SHOPS = ((0.03, 10_000), (0.005, 10_000), (0.03, 2000), (0.10, 1000))

CELLS: tuple[Cell, ...] = tuple(
    Agreement(rate=rate, visitors=visitors, treatment_share=treatment_share, lift=lift)
    for (rate, visitors), treatment_share, lift in product(_SHOPS, (0.5, 0.1), (0.0, 0.3))
)

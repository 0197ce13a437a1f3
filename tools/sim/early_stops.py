"""Estimates of tests that stop at a look: raw, and as reports correct them, over true effects of several priors."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from abtest.domain.planning.sample_size import Demand, expected_rate, size_for_rate
from abtest.domain.stats.mixture_scale import PLANNED_VISITORS, mixture_precision
from abtest.domain.stats.shrinkage import kept_at_a_look
from tools.sim.outcomes import Aim, Cell, Outcomes, Row
from tools.sim.testing import MDE

ALPHA, RATE, DAYS, PLANS = 0.05, 0.03, 28, 2
Effects = Literal[
    "of the plan's spread", "half as spread", "with heavy tails", "half the planned", "the planned", "twice"
]
BIAS = 0.05
"""Part of the true effect by which the corrected estimate may be off, where effects are as the plan expects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyStop:
    """A test with daily looks that stops when it is significantly better, up to twice the planned days.

    In units of the planned effect, so that tau is 1: the difference is a normal mean at growing information. Without a
    plan the mixture is that of 5,000 visitors, and the estimate takes the prior of lifts.
    """

    effects: Effects
    is_planned: bool = True
    paths: int = 40_000
    batch: int = 5_000

    @property
    def name(self) -> str:
        """True effects, and whether the test has a plan."""
        return f"effects {self.effects}{'' if self.is_planned else ', without a plan'}"

    def drawn(self, rng: np.random.Generator, paths: int) -> NDArray[np.float64]:
        """Return true effects over the planned one."""
        match self.effects:
            case "of the plan's spread":
                return rng.standard_normal(paths)
            case "half as spread":
                return 0.5 * rng.standard_normal(paths)
            case "with heavy tails":
                return 0.5 * rng.standard_t(3, paths)
            case "half the planned":
                return np.full(paths, 0.5)
            case "the planned":
                return np.ones(paths)
            case _:
                return np.full(paths, 2.0)

    def variances(self) -> NDArray[np.float64]:
        """Return the variance of the difference at each look, in squared planned effects."""
        sample = size_for_rate(RATE, Demand(mde=MDE)).required_total_visitors
        pooled = (RATE + expected_rate(RATE, MDE)) / 2
        planned = 4 * pooled * (1 - pooled) / sample / (RATE * MDE) ** 2
        return planned * DAYS / np.arange(1, PLANS * DAYS + 1)

    def unplanned(self) -> float:
        """Return the squared tau of a test without a plan, in squared planned effects."""
        sample = size_for_rate(RATE, Demand(mde=MDE)).required_total_visitors
        return float(self.variances()[DAYS - 1] * sample * mixture_precision(ALPHA, PLANNED_VISITORS))

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return true effect and estimates where the test stopped as better; NaN elsewhere."""
        variances, truth = self.variances(), self.drawn(rng, paths)
        steps = np.diff(1 / variances, prepend=0.0)
        sums = np.cumsum(truth[:, None] * steps + rng.standard_normal((paths, len(steps))) * np.sqrt(steps), axis=1)
        differences = sums * variances
        mixture = 1.0 if self.is_planned else self.unplanned()
        # |d| at which the mixture's likelihood ratio is 1 / alpha.
        evidence = log(1 / ALPHA) + 0.5 * np.log1p(mixture / variances)
        room = 2 * variances * (variances + mixture) / mixture * evidence
        crossed = np.abs(differences) >= np.sqrt(room)
        at = crossed.argmax(axis=1)
        raw = differences[np.arange(paths), at]
        raw = np.where(crossed.any(axis=1) & (raw > 0), raw, np.nan)
        tau = 1.0 if self.is_planned else None
        kept = np.array([kept_at_a_look(variance, tau=tau, control_mean=1 / MDE) for variance in variances])
        return {"truth": np.where(np.isnan(raw), np.nan, truth), "raw": raw, "corrected": kept[at] * raw}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """Bias of the corrected estimate over the mean true effect of the tests that stopped."""
        expected = "of the plan's spread" if self.is_planned else "half as spread"
        stopped = ~np.isnan(outcomes["raw"])
        truth = outcomes["truth"][stopped]
        errors = {name: outcomes[name][stopped] - truth for name in ("raw", "corrected")}
        scale = float(np.mean(truth))
        biases = {name: float(np.mean(each)) / scale for name, each in errors.items()}
        spreads = {name: float(np.sqrt(np.mean(each**2))) for name, each in errors.items()}
        noise = 1.96 * float(np.std(errors["corrected"])) / np.sqrt(len(truth)) / scale
        return [
            Row(
                group="Estimates of tests that stopped at a look: bias over the true effect, base 3 %, MDE 10 %",
                what=self.name,
                aim=Aim(BIAS) if self.effects == expected else None,
                reached=abs(biases["corrected"]),
                error=float(noise),
                beside=(
                    f"corrected {biases['corrected']:+.2f}, raw {biases['raw']:+.2f}; root mean square error "
                    f"{spreads['corrected']:.2f} and {spreads['raw']:.2f} of the planned effect; "
                    f"{np.mean(stopped):.0%} stopped as better"
                ),
            )
        ]


CELLS: tuple[Cell, ...] = (
    EarlyStop(effects="of the plan's spread"),
    EarlyStop(effects="half as spread"),
    EarlyStop(effects="with heavy tails"),
    EarlyStop(effects="half the planned"),
    EarlyStop(effects="the planned"),
    EarlyStop(effects="twice"),
    EarlyStop(effects="half as spread", is_planned=False),
    EarlyStop(effects="with heavy tails", is_planned=False),
    EarlyStop(effects="half the planned", is_planned=False),
    EarlyStop(effects="the planned", is_planned=False),
)

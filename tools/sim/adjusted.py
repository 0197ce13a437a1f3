"""Tests at every look of estimates adjusted for the time before, θ estimated at each look: errors and power."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from abtest.domain.autostop.settings import AutoStop
from abtest.domain.planning.sample_size import Demand, size_for_rate
from tools.sim.before import Past, Sums
from tools.sim.deciding import ALPHA, Flags, ready
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, ever, share
from tools.sim.planned_looks import sides_by_information
from tools.sim.testing import ALPHA_BY_LOOKS, MDE, POWER_BY_LOOKS
from tools.sim.traffic import Traffic, split
from tools.stats import batched

DAYS, HOURS, A_DAY = 28, 24, 10_000


def significant(sums: Sums, *, is_rate: bool, tau: float | None, is_adjusted: bool = True) -> NDArray[np.float64]:
    """Return 1 on paths with a look at which the running p was at most alpha, with the minimum data."""
    moments = sums.moments if is_adjusted else sums.without_a_past
    tests = batched.mixture_test(batched.adjusted_differences(*moments, is_rate=is_rate), alpha=ALPHA, tau=tau)
    return ever((batched.running_minimum(tests.always_valid_p, axis=1) <= ALPHA) & is_ready(sums))


def is_ready(sums: Sums) -> Flags:
    """Return which looks have the minimum data, with an axis for the treatment."""
    counts = (np.moveaxis(values, -1, 0).astype(np.int64) for values in (sums.n, sums.converters))
    return ready(Traffic(*counts), AutoStop())


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedPeeking:
    """Both arms alike, 28 days, by hours and by days. The worst of rates of buyers, plans and cadences counts."""

    kind: Literal["rate", "money"]
    treatment_share: float
    correlation: float
    paths: int = 4_000
    batch: int = 200

    RATES: ClassVar = (0.005, 0.03)
    CADENCES: ClassVar = {"hourly": (DAYS * HOURS, round(A_DAY / HOURS)), "daily": (DAYS, A_DAY)}

    @property
    def name(self) -> str:
        """Measure, split and correlation."""
        words = "rates" if self.kind == "rate" else "skewed money"
        return f"{words}, {split(self.treatment_share)}, correlation {self.correlation:g}"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether anything was ever significant, by setting, adjusted and plain."""
        outcomes: dict[str, NDArray[np.float64]] = {}
        for rate, (cadence, (looks, a_look)) in product(self.RATES, self.CADENCES.items()):
            past = Past(kind=self.kind, rate=rate, correlation=self.correlation, treatment_share=self.treatment_share)
            sums = past.seen(rng, (paths, looks), a_look=a_look)
            # Plans are of rates.
            for tau in (None, MDE * rate) if self.kind == "rate" else (None,):
                for is_adjusted in (True, False):
                    name = f"{'adjusted' if is_adjusted else 'plain'} {rate} {cadence} {tau}"
                    outcomes[name] = significant(sums, is_rate=self.kind == "rate", tau=tau, is_adjusted=is_adjusted)
        return outcomes

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """The worst setting, next to the worst without the adjustment."""
        worst = {
            how: max(share(values) for name, values in outcomes.items() if name.startswith(how))
            for how in ("adjusted", "plain")
        }
        return [
            Row(
                group="False positives with peeking after adjustment, θ of each look, worst of 0.5 and 3 % buyers",
                what=self.name,
                aim=Aim(ALPHA),
                reached=worst["adjusted"][0],
                error=worst["adjusted"][1],
                beside=f"plain {worst['plain'][0]:.4f}",
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedPower:
    """Visitors of the plan at 3 % and an MDE of 10 %, daily looks, the planned effect; money: 15 % more buyers."""

    kind: Literal["rate", "money"]
    correlation: float
    paths: int = 5_000
    batch: int = 500

    RATE: ClassVar = 0.03
    # About the plain power with 1 / (1 - correlation²) times the visitors.
    LEAST: ClassVar = {
        ("rate", 0.3): 0.54, ("rate", 0.5): 0.64, ("rate", 0.7): 0.85,
        ("money", 0.3): 0.32, ("money", 0.5): 0.43, ("money", 0.7): 0.70,
    }  # fmt: skip

    @property
    def name(self) -> str:
        """Measure and correlation."""
        words = "rates, +10 %" if self.kind == "rate" else "skewed money, +15 %"
        return f"power, {words}, correlation {self.correlation:g}"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether a difference was significant, adjusted and plain."""
        sample = size_for_rate(self.RATE, Demand(mde=MDE)).required_total_visitors
        lift = 1 + MDE if self.kind == "rate" else 1.15
        past = Past(kind=self.kind, rate=self.RATE, correlation=self.correlation, lift=lift)
        sums = past.seen(rng, (paths, DAYS), a_look=round(sample / DAYS))
        is_rate = self.kind == "rate"
        tau = MDE * self.RATE if is_rate else None
        return {
            "adjusted": significant(sums, is_rate=is_rate, tau=tau),
            "plain": significant(sums, is_rate=is_rate, tau=tau, is_adjusted=False),
        }

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """Power after adjustment, next to that without."""
        reached, error = share(outcomes["adjusted"])
        return [
            Row(
                group="Power after adjustment at the plan's sample, base 3 %, MDE 10 %, daily looks",
                what=self.name,
                aim=Aim(self.LEAST[self.kind, self.correlation], at_least=True),
                reached=reached,
                error=error,
                beside=f"plain {np.mean(outcomes['plain']):.3f}",
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedLooks:
    """Group-sequential daily looks at adjusted rates, at their own information, against the plan's information."""

    correlation: float
    has_effect: bool
    paths: int = 10_000
    batch: int = 500

    RATE: ClassVar = 0.03

    @property
    def name(self) -> str:
        """Effect and correlation."""
        effect = "the planned effect" if self.has_effect else "no effect"
        return f"planned looks, {effect}, correlation {self.correlation:g}"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether the treatment won, or without an effect was significant, adjusted and plain."""
        sample = size_for_rate(self.RATE, Demand(mde=MDE)).required_total_visitors
        lift = 1 + MDE if self.has_effect else 1.0
        past = Past(kind="rate", rate=self.RATE, correlation=self.correlation, lift=lift)
        sums = past.seen(rng, (paths, DAYS), a_look=round(sample / DAYS))
        middle = self.RATE * (1 + MDE / 2)
        planned = sample / (4 * middle * (1 - middle))
        outcomes = {}
        for how, moments in (("adjusted", sums.moments), ("plain", sums.without_a_past)):
            differences = batched.adjusted_differences(*moments, is_rate=True)
            information = np.where(differences.variance > 0, 1 / differences.variance, 0.0)
            z = np.nan_to_num(differences.difference) * np.sqrt(information)
            sides = sides_by_information(z, information, planned, is_ready(sums))
            outcomes[how] = ever(sides > 0 if self.has_effect else sides != 0)
            outcomes[f"{how} days"] = DAYS - (information[..., 0] >= planned).sum(axis=1) + 1.0
        return outcomes

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """Errors or power, and the day by which the planned information is reached."""
        reached, error = share(outcomes["adjusted"])
        return [
            Row(
                group="Group-sequential tests of adjusted rates, base 3 %, MDE 10 %, daily looks for at most 28 days",
                what=self.name,
                aim=Aim(POWER_BY_LOOKS, at_least=True) if self.has_effect else Aim(ALPHA_BY_LOOKS),
                reached=reached,
                error=error,
                beside=f"plain {np.mean(outcomes['plain']):.3f}, planned information on day"
                f" {np.mean(outcomes['adjusted days']):.1f}",
            )
        ]


CELLS: tuple[Cell, ...] = (
    *(
        AdjustedLooks(correlation=correlation, has_effect=has_effect, paths=3_000 if has_effect else 10_000)
        for correlation in (0.3, 0.5, 0.7)
        for has_effect in (False, True)
    ),
    *(
        AdjustedPeeking(kind=kind, treatment_share=part, correlation=correlation)
        for kind in ("rate", "money")
        for part in (0.5, 0.1)
        for correlation in (0.3, 0.5, 0.7)
    ),
    *(
        AdjustedPower(kind=kind, correlation=correlation)
        for kind in ("rate", "money")
        for correlation in (0.3, 0.5, 0.7)
    ),
)

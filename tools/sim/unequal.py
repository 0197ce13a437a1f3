"""Money per visitor compared once, in arms of equal and unequal size: size and power of the test, next to others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import exp, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tools.sim.candidates import others, p_values
from tools.sim.deciding import ALPHA
from tools.sim.orders import MEAN_ORDER, Buying, Moments, sizes
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, share
from tools.sim.traffic import split

LEAST, MOST = 0.04, 0.055
"""Size of a test at 0.05."""

LEAST_POWER = 0.95
"""Part of Student's power."""

AT_ONCE = 2_000_000
"""Orders in one batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Once:
    """Two arms; `orders` are those of the smaller one, in the mean."""

    treatment_share: float
    orders: int
    paths: int = 20_000

    @property
    def name(self) -> str:
        """Kind, split and orders."""
        return f"{type(self).__name__}, {self.arms}"

    @property
    def arms(self) -> str:
        """Split and orders."""
        return f"{split(self.treatment_share)}, {self.orders:,} orders in the smaller arm"

    @property
    def shares(self) -> tuple[float, float]:
        """Visitors of the control and the treatment."""
        return 1 - self.treatment_share, self.treatment_share

    @property
    def batch(self) -> int:
        """Paths at once."""
        return max(1, round(AT_ONCE * min(self.shares) / self.orders))

    def tests(self, control: Moments, treatment: Moments, _rate: float) -> Mapping[str, NDArray[np.float64]]:
        """Return p-values by the name of the test."""
        return p_values(control, treatment)

    def compared(
        self, rng: np.random.Generator, paths: int, control: Buying, treatment: Buying
    ) -> Mapping[str, NDArray[np.float64]]:
        """Return 1 where a test finds a difference; visitors are as many as give the orders at the control's rate."""
        n_c, n_t = sizes(self.orders, control.rate, self.shares)
        arms = control.drawn(rng, paths, n_c), treatment.drawn(rng, paths, n_t)
        with np.errstate(all="ignore"):
            tests = self.tests(*arms, control.rate)
        return {name: (p <= ALPHA).astype(np.float64) for name, p in tests.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Size(_Once):
    """Both arms alike. The rates of buyers are simulated apart, and the worst of them counts."""

    RATES: ClassVar = (0.005, 0.02, 0.10)

    def tests(self, control: Moments, treatment: Moments, rate: float) -> Mapping[str, NDArray[np.float64]]:
        """Return p-values by the name of the test; of all tests at one of the rates."""
        tests = p_values(control, treatment)
        return {**tests, **others(control, treatment)} if rate == self.RATES[1] else tests

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return what each test finds where there is nothing."""
        outcomes = {}
        for rate in self.RATES:
            buying = Buying(rate=rate)
            flags = self.compared(rng, paths, buying, buying)
            outcomes.update({f"{name} {rate}": values for name, values in flags.items()})
        return outcomes

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """The largest and, where sizes are unequal, the smallest of the rates of buyers. Peers: at 2 %."""
        each = sorted(share(outcomes[f"ours {rate}"]) for rate in self.RATES)
        names = [name.rpartition(" ")[0] for name in outcomes if name.endswith(f" {self.RATES[1]}")]
        peers = [f"{name} {np.mean(outcomes[f'{name} {self.RATES[1]}']):.3f}" for name in names if name != "ours"]
        group = "Money per visitor compared once: false positives, buyers 0.5, 2 and 10 %"
        largest = Row(
            group=group,
            what=f"{self.arms}, largest",
            aim=Aim(MOST),
            reached=each[-1][0],
            error=each[-1][1],
            beside=", ".join(peers),
        )
        aim = None if self.treatment_share == 0.5 else Aim(LEAST, at_least=True)
        smallest = Row(group=group, what=f"{self.arms}, smallest", aim=aim, reached=each[0][0], error=each[0][1])
        return [largest, smallest]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyPower(_Once):
    """The treatment is better or worse, by its rate of buyers or by their orders, by about so many standard errors."""

    rate: float = 0.02
    steps: float = 2.2
    paths: int = 10_000

    MOST_CHANGE: ClassVar = 0.8

    @property
    def name(self) -> str:
        """Kind, split, orders and standard errors."""
        return f"{type(self).__name__}, {self.arms}, {self.steps:g} standard errors"

    @property
    def treatments(self) -> Mapping[str, Buying]:
        """The four changes, by what they are."""
        error = sqrt(exp(1.0) / self.orders / max(self.shares))
        change = min(self.steps * error, self.MOST_CHANGE)
        factors = {f"{sign * change:+.0%}": 1 + sign * change for sign in (1, -1)}
        more = {f"buyers {name}": Buying(rate=self.rate * factor) for name, factor in factors.items()}
        larger = {
            f"orders {name}": Buying(rate=self.rate, mean=MEAN_ORDER * factor) for name, factor in factors.items()
        }
        return {**more, **larger}

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return what each test finds of each change."""
        outcomes = {}
        for change, treatment in self.treatments.items():
            flags = self.compared(rng, paths, Buying(rate=self.rate), treatment)
            outcomes.update({f"{name} {change}": flags[name] for name in ("ours", "Student", "larger p of both")})
        return outcomes

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """One for each change."""
        rows = []
        for change in self.treatments:
            ours, student, pair = (outcomes[f"{name} {change}"] for name in ("ours", "Student", "larger p of both"))
            reached = float(ours.mean() / student.mean())
            error = 1.96 * float(np.std(ours - reached * student)) / sqrt(len(ours)) / float(student.mean())
            rows.append(
                Row(
                    group="Money per visitor compared once: power as a part of Student's",
                    what=f"{self.arms}, {change}",
                    aim=Aim(LEAST_POWER, at_least=True),
                    reached=reached,
                    error=error,
                    beside=f"Student {student.mean():.3f}, ours {ours.mean():.3f}, larger p of both {pair.mean():.3f}",
                )
            )
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSpread(_Once):
    """The means are equal and the variances are not, which no test of pooled variances is made for."""

    rate: float = 0.02
    paths: int = 4_000

    TREATMENTS: ClassVar = {
        "a quarter more buyers, of smaller orders": Buying(rate=0.025, mean=MEAN_ORDER / 1.25),
        "a fifth fewer buyers, of larger orders": Buying(rate=0.016, mean=MEAN_ORDER * 1.25),
        "orders more scattered, σ 1.15": Buying(rate=0.02, spread=1.15),
    }

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return what each test finds where there is nothing."""
        outcomes = {}
        for change, treatment in self.TREATMENTS.items():
            flags = self.compared(rng, paths, Buying(rate=self.rate), treatment)
            outcomes.update({f"{name} {change}": values for name, values in flags.items()})
        return outcomes

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """One for each change, without an aim."""
        rows = []
        for change in self.TREATMENTS:
            reached, error = share(outcomes[f"ours {change}"])
            peers = {name: outcomes[f"{name} {change}"].mean() for name in ("Student", "Welch", "larger p of both")}
            rows.append(
                Row(
                    group="Money per visitor compared once: equal means, unequal variances",
                    what=f"{split(self.treatment_share)}, {self.orders:,}: {change}",
                    aim=None,
                    reached=reached,
                    error=error,
                    beside=", ".join(f"{name} {value:.3f}" for name, value in peers.items()),
                )
            )
        return rows


SHARES, ORDERS = (0.5, 0.2, 0.1, 0.9), (25, 100, 400)

CELLS: tuple[Cell, ...] = (
    *(Size(treatment_share=s, orders=n) for s, n in product(SHARES, ORDERS)),
    *(MoneyPower(treatment_share=s, orders=n) for s, n in product(SHARES[1:], ORDERS)),
    *(MoneyPower(treatment_share=0.1, orders=n, steps=1.1) for n in (25, 400, 1600)),
    *(OtherSpread(treatment_share=0.1, orders=n) for n in (25, 100, 400, 1600)),
)

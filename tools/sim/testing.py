"""Tests of a rate at many looks: false positives, power, families, coverage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from abtest.domain.autostop.settings import AutoStop
from abtest.domain.planning.sample_size import Demand, expected_rate, size_for_rate
from tools.sim.deciding import ALPHA, minima, naive, ready, verdicts
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, ever, share
from tools.sim.planned_looks import significant, z_values
from tools.sim.traffic import Traffic, drawn, split
from tools.stats import batched

MDE = 0.10
AT_ONCE = 200_000
"""Looks in one batch: arrays that stay in the processor's cache."""

VISITORS_A_LOOK = 1000
FEW_AND_MANY = (100, 1000)
"""New visitors a look: with few, the first looks have next to no conversions, and normal theory is at its worst."""

MIN_CONVERSIONS = (1, 25)
ALPHA_BY_LOOKS, POWER_BY_LOOKS = 0.052, 0.775
"""Group-sequential tests: their last look is a plain normal test, whose error is approximate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peeking:
    """Both arms alike, looked at all the time. Either minimum of conversions is decided upon by the same paths."""

    rate: float
    treatment_share: float
    looks: int
    paths: int = 20_000

    @property
    def name(self) -> str:
        """Rate, split, looks."""
        return f"{100 * self.rate:g} %, {split(self.treatment_share)}, {self.looks} looks"

    @property
    def batch(self) -> int:
        """Paths at once."""
        return AT_ONCE // self.looks

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether anything was ever significant: with a plan, without one, by the unpooled variance, naively."""
        shares, rates = (1 - self.treatment_share, self.treatment_share), (self.rate, self.rate)
        outcomes = {}
        for a_look in FEW_AND_MANY:
            traffic = drawn(rng, (paths, self.looks), a_look=a_look, shares=shares, rates=rates)
            tested = {
                "planned": minima(traffic, tau=MDE * self.rate),
                "unplanned": minima(traffic, tau=None),
                "unpooled": minima(traffic, tau=None, variance="unpooled"),
            }
            for least in MIN_CONVERSIONS:
                is_ready = ready(traffic, AutoStop(min_conversions=least))
                for how, lowest in tested.items():
                    outcomes[f"{how} {least} {a_look}"] = ever(verdicts(lowest, is_ready).significant)
                outcomes[f"naive {least} {a_look}"] = ever(naive(traffic, is_ready))
            outcomes[f"looks {a_look}"] = ever(significant(z_values(traffic)[0], ready(traffic, AutoStop())))
        return outcomes

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """The worst of both mixtures and both kinds of traffic counts."""
        return [*(self._row(outcomes, least) for least in MIN_CONVERSIONS), self._row_of_looks(outcomes)]

    def _row_of_looks(self, outcomes: Outcomes) -> Row:
        reached, error = max(share(outcomes[f"looks {a_look}"]) for a_look in FEW_AND_MANY)
        return Row(
            group="A/A false positives with peeking",
            what=f"{self.name}, group-sequential",
            aim=Aim(ALPHA_BY_LOOKS),
            reached=reached,
            error=error,
            beside=f"with {FEW_AND_MANY[0]} visitors a look {np.mean(outcomes[f'looks {FEW_AND_MANY[0]}']):.3f}",
        )

    def _row(self, outcomes: Outcomes, least: int) -> Row:
        worst = {
            how: max(share(outcomes[f"{how} {least} {a_look}"]) for a_look in FEW_AND_MANY)
            for how in ("naive", "unpooled", "planned", "unplanned")
        }
        reached, error = max(worst["planned"], worst["unplanned"])
        return Row(
            group="A/A false positives with peeking",
            what=f"{self.name}, from {least} conversion{'s' if least > 1 else ''}",
            aim=Aim(ALPHA),
            reached=reached,
            error=error,
            beside=_reference(worst, digits=3),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """A treatment as much better as the plan hopes for, looked at once a day; the plan's sample takes 28 days."""

    rate: float = 0.03
    days: int = 28
    paths: int = 20_000
    name: str = "power"
    batch: int = 2_000

    MULTIPLES = ((1.0, 0.49), (1.5, 0.73), (2.0, 0.87))

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether auto-stop has paused for a winner by so many times the sample."""
        sample = size_for_rate(self.rate, Demand(mde=MDE)).required_total_visitors
        a_day, looks = round(sample / self.days), round(self.days * self.MULTIPLES[-1][0])
        rates = (self.rate, expected_rate(self.rate, MDE))
        traffic = drawn(rng, (paths, looks), a_look=a_day, shares=(0.5, 0.5), rates=rates)
        is_ready = ready(traffic, AutoStop())
        planned = verdicts(minima(traffic, tau=MDE * self.rate), is_ready).wins
        peers = verdicts(minima(traffic, tau=None, variance="unpooled"), is_ready).wins
        outcomes = {}
        for multiple, _ in self.MULTIPLES:
            end = round(self.days * multiple)
            outcomes[f"planned {multiple}"] = ever(planned[:, :end])
            outcomes[f"peers {multiple}"] = ever(peers[:, :end])
        z = z_values(traffic)[0][:, : self.days]
        outcomes["looks"] = ever(significant(z, is_ready[:, : self.days]) & (z > 0))
        return outcomes

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """One for each multiple."""
        rows = []
        for multiple, aim in self.MULTIPLES:
            reached, error = share(outcomes[f"planned {multiple}"])
            rows.append(
                Row(
                    group="Power, base 3 %, MDE 10 %, daily looks",
                    what=f"{multiple:g} x the plan's sample",
                    aim=Aim(aim, at_least=True),
                    reached=reached,
                    error=error,
                    beside=f"unpooled, without a plan {np.mean(outcomes[f'peers {multiple}']):.3f}",
                )
            )
        reached, error = share(outcomes["looks"])
        by_looks = Row(
            group=rows[0].group,
            what="1 x the plan's sample, group-sequential",
            aim=Aim(POWER_BY_LOOKS, at_least=True),
            reached=reached,
            error=error,
        )
        return [*rows, by_looks]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Several treatments and one control; `better` of them are better, an error is a finding about another."""

    treatments: int
    better: int = 0
    rate: float = 0.02
    looks: int = 100
    paths: int = 20_000

    @property
    def name(self) -> str:
        """How many treatments."""
        alike = f"{self.treatments} treatment{'s' if self.treatments > 1 else ''}"
        return f"{alike}, {self.better} of them better by 20 %" if self.better else alike

    @property
    def batch(self) -> int:
        """Paths at once."""
        return AT_ONCE // self.looks // self.treatments

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether any treatment that is like the control was ever significant."""
        arms = self.treatments + 1
        rates = [self.rate] * (arms - self.better) + [1.2 * self.rate] * self.better
        a_look = VISITORS_A_LOOK * arms // 2
        traffic = drawn(rng, (paths, self.looks), a_look=a_look, shares=[1 / arms] * arms, rates=rates)
        is_ready, alike = ready(traffic, AutoStop()), self.treatments - self.better
        tested = {"planned": MDE * self.rate, "unplanned": None}
        flags = {how: verdicts(minima(traffic, tau=tau), is_ready).significant for how, tau in tested.items()}
        flags["looks"] = significant(z_values(traffic)[0], is_ready)
        return {how: ever(of_treatments[..., :alike]) for how, of_treatments in flags.items()}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """The worse of both mixtures counts; group-sequential tests have a row of their own."""
        shares = {how: share(values) for how, values in outcomes.items()}
        by_looks = shares.pop("looks")
        reached, error = max(shares.values())
        return [
            Row(
                group="Family-wise error, Holm over running minima",
                what=self.name,
                aim=Aim(ALPHA),
                reached=reached,
                error=error,
                beside=_reference(shares),
            ),
            Row(
                group="Family-wise error, Holm over running minima",
                what=f"{self.name}, group-sequential",
                # One alone has no correction, which would make its error smaller.
                aim=Aim(ALPHA if self.treatments > 1 else ALPHA_BY_LOOKS),
                reached=by_looks[0],
                error=by_looks[1],
            ),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Return whether the displayed interval holds the true difference at each of all looks, the first ones included."""

    rate: float
    treatment_share: float
    effect: float
    looks: int = 100
    paths: int = 20_000

    @property
    def name(self) -> str:
        """Rate, split, effect."""
        return f"{100 * self.rate:g} %, {split(self.treatment_share)}, effect {100 * self.effect:+.0f} %"

    @property
    def batch(self) -> int:
        """Paths at once."""
        return AT_ONCE // self.looks

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """1 where all looks hold it; a look without an interval claims nothing."""
        shares = (1 - self.treatment_share, self.treatment_share)
        rates = (self.rate, (1 + self.effect) * self.rate)
        traffic = drawn(rng, (paths, self.looks), a_look=VISITORS_A_LOOK, shares=shares, rates=rates)
        tested = {"planned": MDE * self.rate, "unplanned": None}
        return {how: _held(traffic, rates[1] - rates[0], tau) for how, tau in tested.items()}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """The worse of both mixtures counts."""
        shares = {how: share(values) for how, values in outcomes.items()}
        reached, error = min(shares.values())
        return [
            Row(
                group="Coverage of the running interval at all looks",
                what=self.name,
                aim=Aim(1 - ALPHA, at_least=True),
                reached=reached,
                error=error,
                beside=_reference(shares),
            )
        ]


def _held(traffic: Traffic, truth: float, tau: float | None) -> NDArray[np.float64]:
    x_c, n_c = traffic.control
    x_t, n_t = traffic.treatments
    tests = batched.mixture_test(batched.differences_of_rates(x_c, n_c, x_t, n_t), alpha=ALPHA, tau=tau)
    held: NDArray[np.float64] = 1.0 - ever((tests.lower > truth) | (tests.upper < truth))
    return held


def _reference(shares: Mapping[str, tuple[float, float]], digits: int = 4) -> str:
    return ", ".join(f"{how} {reached:.{digits}f}" for how, (reached, _) in shares.items())


RATES, TREATMENT_SHARES, LOOKS, EFFECTS = (0.005, 0.02, 0.10), (0.5, 0.1), (100, 400), (0.0, 0.1, -0.5)

CELLS: tuple[Cell, ...] = (
    *(Peeking(rate=r, treatment_share=s, looks=n) for r, s, n in product(RATES, TREATMENT_SHARES, LOOKS)),
    Power(),
    *(Family(treatments=k) for k in range(1, 6)),
    Family(treatments=5, better=2),
    *(Coverage(rate=r, treatment_share=s, effect=e) for r, s, e in product(RATES, TREATMENT_SHARES, EFFECTS)),
)

"""Variance that sessions before and the device would explain in addition to the same measure before, in five shops."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tools.sim.outcomes import Aim, Cell, Outcomes, Row

Numbers = NDArray[np.float64]

VISITORS = 50_000
GAIN = 0.05
"""Part of the variance from which on further covariates would be worth their counting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Covariates:
    """A shop in windows of 14 days before and after the exposure.

    `known` visitors were there before. `appetite` and `spread` are the σ of two logarithms: of the chance to buy in a
    session, and of an order's amount, half of whose variance belongs to the visitor. Mobile visitors (65 %) buy
    `mobile` times as often.
    """

    shop: str
    known: float
    appetite: float
    spread: float
    mobile: float = 0.6
    paths: int = 40
    batch: int = 4

    MEASURES: ClassVar = ("buyers", "money")

    @property
    def name(self) -> str:
        """Kind of shop."""
        return f"further covariates, {self.shop}"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return for each measure what the same one before explains, and what is explained in addition."""
        drawn = [self._explained(rng) for _ in range(paths)]
        return {name: np.array([each[name] for each in drawn]) for name in drawn[0]}

    def _explained(self, rng: np.random.Generator) -> dict[str, float]:
        n = VISITORS
        is_known, is_mobile = rng.random(n) < self.known, rng.random(n) < 0.65
        often = rng.gamma(1.2, 1 / 1.2, n)
        before = np.where(is_known, 1 + rng.poisson(1.6 * often), 0)
        after = 1 + rng.poisson(often * np.where(is_known, 1.0, 0.4))
        liking = rng.lognormal(-(self.appetite**2) / 2, self.appetite, n)
        chance = 0.022 * liking * np.where(is_mobile, self.mobile, 1.0) * np.where(is_known, 1.6, 1.0)
        orders = [rng.binomial(sessions, np.minimum(chance, 0.6)) for sessions in (before, after)]
        taste, part = rng.lognormal(0, self.spread * sqrt(0.5), n), self.spread * sqrt(0.5)
        money = [taste * count * rng.lognormal(0, part, n) for count in orders]
        explained = {}
        for name, (x, y) in (("buyers", [np.minimum(count, 1) for count in orders]), ("money", money)):
            alone = r_squared(y, x)
            explained[f"{name} alone"] = alone
            explained[f"{name} more"] = r_squared(y, x, before, is_mobile) - alone
        return explained

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """Further variance explained, next to what the same measure explains."""
        return [
            Row(
                group="Variance explained by sessions before and device in addition to the same measure before",
                what=f"{self.shop}: {name}",
                aim=Aim(GAIN),
                reached=float(np.mean(outcomes[f"{name} more"])),
                error=1.96 * float(np.std(outcomes[f"{name} more"])) / sqrt(len(outcomes[f"{name} more"])),
                beside=f"the same measure alone {np.mean(outcomes[f'{name} alone']):.4f}",
            )
            for name in self.MEASURES
        ]


def r_squared(y: NDArray[np.generic], *covariates: NDArray[np.generic]) -> float:
    """Return the share of the variance of y that least squares explain."""
    columns = np.column_stack([np.ones(len(y)), *covariates]).astype(np.float64)
    values: Numbers = y.astype(np.float64)
    rest = values - columns @ np.linalg.lstsq(columns, values, rcond=None)[0]
    return float(1 - rest.var() / values.var())


CELLS: tuple[Cell, ...] = (
    Covariates(shop="mostly new visitors", known=0.25, appetite=1.0, spread=1.0),
    Covariates(shop="half of them known", known=0.5, appetite=1.0, spread=1.0),
    Covariates(shop="loyal visitors", known=0.75, appetite=1.5, spread=0.8),
    Covariates(shop="a grocery", known=0.9, appetite=2.0, spread=0.5),
    Covariates(shop="hardly a mobile buyer", known=0.5, appetite=1.0, spread=1.0, mobile=0.3),
)

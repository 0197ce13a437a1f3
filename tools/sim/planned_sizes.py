"""Power at the planned size, by engine: whether a plan's days are those after which its effect is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from abtest.domain.autostop.settings import AutoStop
from abtest.domain.planning.engine import PlannedEngine
from abtest.domain.planning.engine_sizes import rate_size
from abtest.domain.planning.sample_size import Demand, expected_rate
from abtest.domain.stats.group_sequential.boundaries import boundaries
from abtest.domain.stats.group_sequential.design import Design
from abtest.domain.stats.group_sequential.spending import OBRIEN_FLEMING, POCOCK, Spending
from tools.sim.deciding import ALPHA, minima, ready, verdicts
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, ever, share
from tools.sim.planned_looks import z_values
from tools.sim.traffic import Traffic, drawn
from tools.stats import batched

LEAST_POWER, MOST_POWER = 0.78, 0.83
"""A plan asks for 0.8. Looks are assumed, counts are not normal, and the last variations share a control."""

How = Literal["fixed", "always valid", "group-sequential"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSize:
    """The first treatment has the planned effect, further ones none; the planned visitors come in `looks` looks."""

    how: How
    rate: float
    mde: float
    treatments: int = 1
    share: float | None = None
    looks: int = 28
    spending: Spending = OBRIEN_FLEMING
    paths: int = 10_000
    batch: int = 500

    @property
    def name(self) -> str:
        """Engine, rate, effect, treatments, split, looks."""
        split = f", {self.share:.0%} in the treatment" if self.share else ""
        family = "" if self.spending == OBRIEN_FLEMING else f", {self.spending.family}"
        several = f", {self.treatments} treatments" if self.treatments > 1 else ""
        return f"{self.how}, {self.rate:.1%}, MDE {self.mde:+.0%}{several}{split}{family}, {self.looks} looks"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether the first treatment was called better by the planned size."""
        shares = self._shares()
        demand = Demand(mde=self.mde, treatments=self.treatments)
        total = rate_size(self.rate, demand, self._engine(), shares=shares).required_total_visitors
        rates = [self.rate, expected_rate(self.rate, self.mde), *[self.rate] * (self.treatments - 1)]
        a_look = -(-total // self.looks)
        traffic = drawn(rng, (paths, self.looks), a_look=a_look, shares=shares, rates=rates)
        return {"found": ever(self._better(traffic)[..., :1])}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """Two aims: enough, and little more than that."""
        reached, error = share(outcomes["found"])
        group = "Power at the size that is planned for the engine"
        aims = (Aim(LEAST_POWER, at_least=True), Aim(MOST_POWER))
        return [Row(group=group, what=self.name, aim=aim, reached=reached, error=error) for aim in aims]

    def _shares(self) -> list[float]:
        if self.share is not None:
            return [1 - self.share, self.share]
        return [1 / (self.treatments + 1)] * (self.treatments + 1)

    def _engine(self) -> PlannedEngine:
        if self.how == "group-sequential":
            return PlannedEngine(engine="group_sequential", spending=self.spending, looks=self.looks)
        return PlannedEngine(engine="fixed" if self.how == "fixed" else "sequential")

    def _better(self, traffic: Traffic) -> NDArray[np.bool_]:
        sign, is_ready = 1 if self.mde > 0 else -1, ready(traffic, AutoStop())
        if self.how == "always valid":
            running = verdicts(minima(traffic, tau=abs(self.mde) * self.rate), is_ready)
            z, _ = z_values(traffic)
            ahead: NDArray[np.bool_] = running.wins if sign > 0 else running.significant & (z < 0)
            return ahead
        z, _ = z_values(traffic)
        bounds = self._bounds()
        # The first step of Holm's correction, for which a plan is sized.
        beyond: NDArray[np.bool_] = (sign * z >= bounds[:, None]) & is_ready
        if self.how == "fixed":
            last = np.zeros_like(beyond)
            x_c, n_c = traffic.control
            x_t, n_t = traffic.treatments
            p = batched.two_proportions(x_c, n_c, x_t, n_t).p_value[:, -1]
            last[:, -1] = (p <= ALPHA / self.treatments) & (sign * z[:, -1] > 0)
            return last
        return beyond

    def _bounds(self) -> NDArray[np.float64]:
        fractions = [look / self.looks for look in range(1, self.looks + 1)]
        design = Design(alpha=ALPHA / self.treatments, spending=self.spending)
        return np.array([bound.upper for bound in boundaries(fractions, design)])


CELLS: tuple[Cell, ...] = (
    *(
        PlannedSize(how=how, rate=rate, mde=mde)
        for how in ("fixed", "always valid", "group-sequential")
        for rate, mde in ((0.005, 0.2), (0.03, 0.1), (0.1, 0.05), (0.3, -0.1))
    ),
    *(
        PlannedSize(how=how, rate=0.03, mde=0.1, treatments=treatments)
        for how in ("fixed", "always valid", "group-sequential")
        for treatments in (2, 4)
    ),
    *(
        PlannedSize(how=how, rate=0.03, mde=mde, share=0.1)
        for how in ("fixed", "always valid", "group-sequential")
        for mde in (0.2, -0.2)
    ),
    *(PlannedSize(how="always valid", rate=0.03, mde=0.1, looks=looks) for looks in (14, 56, 200)),
    PlannedSize(how="group-sequential", rate=0.03, mde=0.1, spending=POCOCK),
    PlannedSize(how="group-sequential", rate=0.03, mde=0.1, looks=7),
)

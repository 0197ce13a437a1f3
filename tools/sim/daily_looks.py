"""Group-sequential tests at their observed information, once a day, next to always-valid ones on the same paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abtest.domain.autostop.settings import AutoStop
from abtest.domain.planning.sample_size import Demand, expected_rate, size_for_rate
from tools.sim.deciding import minima, ready, verdicts
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, ever, share
from tools.sim.planned_looks import sides_by_information, significant, z_values
from tools.sim.testing import ALPHA_BY_LOOKS, MDE, POWER_BY_LOOKS
from tools.sim.traffic import drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyLooks:
    """A plan of 28 days, with the effect that it is for or with none. `traffic` is visitors over those planned."""

    has_effect: bool
    traffic: float = 1.0
    rate: float = 0.03
    days: int = 28
    paths: int = 40_000
    batch: int = 1_000

    @property
    def name(self) -> str:
        """Effect and traffic."""
        return f"{'the planned effect' if self.has_effect else 'no effect'}, {self.traffic:g} x the planned visitors"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether the treatment won, or without an effect was significant, by each kind of test."""
        sample = size_for_rate(self.rate, Demand(mde=MDE)).required_total_visitors
        rates = (self.rate, expected_rate(self.rate, MDE) if self.has_effect else self.rate)
        a_day = round(self.traffic * sample / self.days)
        traffic = drawn(rng, (paths, self.days), a_look=a_day, shares=(0.5, 0.5), rates=rates)
        is_ready, (z, information) = ready(traffic, AutoStop()), z_values(traffic)
        sides = sides_by_information(z, information, self.planned_information(sample), is_ready)
        running, crossed = verdicts(minima(traffic, tau=MDE * self.rate), is_ready), significant(z, is_ready)
        flags = {
            "information": sides > 0 if self.has_effect else sides != 0,
            "visitors": crossed & (z > 0) if self.has_effect else crossed,
            "always valid": running.wins if self.has_effect else running.significant,
        }
        return {how: ever(values) for how, values in flags.items()}

    def planned_information(self, sample: int) -> float:
        """Return 1 / Var(difference) at the planned sample with the planned effect."""
        pooled = (self.rate + expected_rate(self.rate, MDE)) / 2
        return sample / (4 * pooled * (1 - pooled))

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """By the observed information; next to it by visitors, and by the always-valid test."""
        reached, error = share(outcomes["information"])
        others = (f"{how} {np.mean(outcomes[how]):.3f}" for how in ("visitors", "always valid"))
        return [
            Row(
                group="Group-sequential tests at observed information, base 3 %, MDE 10 %, daily looks",
                what=self.name,
                aim=Aim(POWER_BY_LOOKS, at_least=True) if self.has_effect else Aim(ALPHA_BY_LOOKS),
                reached=reached,
                error=error,
                beside=", ".join(others),
            )
        ]


CELLS: tuple[Cell, ...] = (
    DailyLooks(has_effect=True, paths=10_000),
    DailyLooks(has_effect=False),
    DailyLooks(has_effect=False, traffic=1.3),
)

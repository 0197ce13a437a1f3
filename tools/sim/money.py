"""Money per visitor in tests of nothing, looked at every hour: skewed orders, with equal and with unequal arms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abtest.domain.autostop.settings import AutoStop
from tools.sim.deciding import ALPHA, ready, running, verdicts
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, ever, share
from tools.sim.shop import Shop
from tools.sim.traffic import Traffic, split
from tools.stats import batched

DAYS = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyPeeking:
    """Both arms alike, looked at all the time, without a plan: plans are of rates."""

    treatment_share: float
    paths: int = 5_000
    batch: int = 100

    @property
    def name(self) -> str:
        """The split."""
        return f"money per visitor, {split(self.treatment_share)}, {DAYS * 24} looks"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether anything was ever significant, and whether auto-stop would have paused for a winner."""
        seen = Shop(treatment_share=self.treatment_share).seen(rng, paths, DAYS)
        mean, variance = seen.money(seen.goals[1])
        n, converters = seen.visitors, seen.goals[1].converters
        arms = [values[arm][..., None] for arm in (0, 1) for values in (n, mean, variance)]
        traffic = Traffic(n, converters)
        is_ready = ready(traffic, AutoStop())
        tests = batched.mixture_test(batched.differences_of_means(*arms), alpha=ALPHA)
        decided = verdicts(running(tests), is_ready)
        once = (batched.welch(*arms).p_value <= ALPHA) & is_ready
        flags = {"ours": decided.significant, "paused": decided.wins, "naive": once}
        return {name: ever(each) for name, each in flags.items()}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """One."""
        reached, error = share(outcomes["ours"])
        return [
            Row(
                group="A/A false positives with peeking, skewed money",
                what=self.name,
                aim=Aim(ALPHA),
                reached=reached,
                error=error,
                beside=f"naive {np.mean(outcomes['naive']):.3f}, paused for a winner {np.mean(outcomes['paused']):.4f}",
            )
        ]


CELLS: tuple[Cell, ...] = (MoneyPeeking(treatment_share=0.5), MoneyPeeking(treatment_share=0.1))

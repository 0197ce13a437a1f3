"""Guardian at healthy shops and at broken ones: false alarms in 28 days, hours until something is found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from abtest.domain.guardian.kinds import Kind
from abtest.domain.guardian.settings import settings_of
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, ever, median, share
from tools.sim.shop import Shop
from tools.sim.watching import RULES, confirmed, loss_by_amount

SETTINGS = settings_of({"revenue_loss": {"threshold_amount": 1000.0}})
"""Ours, and a loss of 1,000 is one to this shop, which takes in 18,000 a day."""

KINDS: tuple[Kind, ...] = get_args(Kind)
DAYS = 28
MORNING, EVENING = 8, 18


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarms:
    """Nothing is wrong with the treatment; every finding is false."""

    name: str
    shop: Shop
    paths: int = 4_000
    batch: int = 100

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether each kind was ever found, and whether a loss was by its amount alone."""
        seen = self.shop.seen(rng, paths, DAYS)
        outcomes: dict[str, NDArray[np.float64]] = {
            kind: ever(confirmed(kind, rule(seen, SETTINGS), SETTINGS)) for kind, rule in RULES.items()
        }
        return {**outcomes, "amount": ever(loss_by_amount(seen, seen.goals[1], SETTINGS))}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """One for each kind."""
        rows = []
        for kind in KINDS:
            reached, error = share(outcomes[kind])
            rows.append(
                Row(
                    group=f"Guardian's false alarms in {DAYS} days, hourly looks: {self.name}",
                    what=kind,
                    aim=Aim(0.02),
                    reached=reached,
                    error=error,
                    beside=f"by amount alone {np.mean(outcomes['amount']):.3f}" if kind == "revenue_loss" else "",
                )
            )
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOfChange:
    """A treatment that breaks at any hour of the first 25 days of 28, found by `kind`.

    The first three days are left out: so much is needed to know the treatment's past.
    """

    what: str
    shop: Shop
    kind: Kind
    hours: float
    breaks: tuple[int, int] = (3 * 24, 25 * 24)
    paths: int = 2_000
    batch: int = 50

    @property
    def name(self) -> str:
        """Loss and rule."""
        when = "at any hour" if self.breaks[1] - self.breaks[0] > 24 else f"from hour {self.breaks[0]} on"
        return f"{self.what} {when}, by {self.kind}"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return hours from the break to the first finding after it."""
        seen = replace(self.shop, breaks=self.breaks).seen(rng, paths, DAYS)
        findings = confirmed(self.kind, RULES[self.kind](seen, SETTINGS), SETTINGS)
        findings &= np.arange(seen.looks) >= seen.broke[:, None]
        hours = np.where(findings.any(axis=-1), findings.argmax(axis=-1) + 1.0 - seen.broke, inf)
        busy = (seen.broke % 24 >= MORNING) & (seen.broke % 24 < EVENING)
        return {"hours": hours, "by day": np.where(busy, hours, nan)}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """The median; how late the slowest tenth is; the median of breaks between 8 and 18 o'clock."""
        reached, error = median(outcomes["hours"])
        late = float(np.quantile(outcomes["hours"], 0.9, method="higher"))
        by_day, _ = median(outcomes["by day"][~np.isnan(outcomes["by day"])])
        return [
            Row(
                group="Guardian's time to find a change, 10,000 visitors a day, median",
                what=self.name,
                aim=Aim(self.hours),
                reached=reached,
                error=error,
                measure="median",
                beside=f"9 of 10 within {late:g} h; of breaks by day the median is {by_day:g} h",
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeToFind:
    """A treatment that loses purchases from its first hour on, found by `kind`; looked at for `days`."""

    kept: float
    kind: Kind
    hours: float
    days: int
    paths: int = 4_000
    batch: int = 200

    @property
    def name(self) -> str:
        """Loss that a harmful treatment causes, and the rule that finds it."""
        return f"{100 * (self.kept - 1):+.0f} % purchases, by {self.kind}"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Hours until the finding."""
        seen = Shop(kept=self.kept, swing=0.0).seen(rng, paths, self.days)
        findings = confirmed(self.kind, RULES[self.kind](seen, SETTINGS), SETTINGS)
        return {"hours": np.where(findings.any(axis=-1), findings.argmax(axis=-1) + 1.0, inf)}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """The median; how late the slowest tenth is."""
        reached, error = median(outcomes["hours"])
        late = float(np.quantile(outcomes["hours"], 0.9, method="higher"))
        return [
            Row(
                group="Guardian's time to find, 10,000 visitors a day, median",
                what=self.name,
                aim=Aim(self.hours),
                reached=reached,
                error=error,
                measure="median",
                beside=f"9 of 10 within {late:g} h",
            )
        ]


CELLS: tuple[Cell, ...] = (
    FalseAlarms(name="10,000 visitors a day, 50/50", shop=Shop()),
    FalseAlarms(name="10,000 visitors a day, 90/10", shop=Shop(treatment_share=0.1)),
    FalseAlarms(name="1,000 visitors a day, 50/50", shop=Shop(visitors_a_day=1_000)),
    TimeOfChange(what="-100 % purchases", shop=Shop(kept=0.0), kind="broken_conversion", hours=5),
    TimeOfChange(what="-50 % purchases", shop=Shop(kept=0.5), kind="conversion_harm", hours=20),
    TimeOfChange(what="-30 % visitors", shop=Shop(kept_visitors=0.7), kind="sample_ratio_mismatch", hours=7),
    TimeOfChange(what="-30 % of an order's worth", shop=Shop(kept_money=0.7), kind="revenue_harm", hours=60),
    TimeToFind(kept=0.0, kind="broken_conversion", hours=5, days=2),
    TimeToFind(kept=0.5, kind="conversion_harm", hours=20, days=6),
    TimeToFind(kept=0.8, kind="conversion_harm", hours=120, days=28),
)

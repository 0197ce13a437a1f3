"""Guardrails of auto-stop at many looks: families of harmless goals, skewed money, and the time until harm is shown.

`tests/unit/sim/test_guardrails.py` holds the arrays to `domain.autostop.guardrails`, look by look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from abtest.domain.autostop.settings import AutoStop
from tools.sim.deciding import ALPHA, Flags
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, ever, median, share
from tools.sim.shop import Shop
from tools.sim.testing import AT_ONCE, FEW_AND_MANY
from tools.sim.traffic import Traffic, drawn, split
from tools.stats import batched

DAYS = 28


def harmed(guardrails: Sequence[Traffic], settings: AutoStop) -> Flags:
    """Return (paths, looks, guardrails x treatments): Holm over running one-sided minima, goals that are to rise."""
    minima = []
    for traffic in guardrails:
        (x_c, n_c), (x_t, n_t) = traffic.control, traffic.treatments
        differences = batched.differences_of_rates(x_c, n_c, x_t, n_t)
        tests = batched.one_sided_mixture_test(differences, direction="decrease", alpha=ALPHA)
        minima.append(batched.running_minimum(tests.always_valid_p, axis=1))
    family = np.concatenate(minima, axis=-1)
    adjusted = family if family.shape[-1] == 1 else batched.holm(family, alpha=ALPHA).adjusted
    flags: Flags = (adjusted <= ALPHA) & np.concatenate([enough(traffic, settings) for traffic in guardrails], axis=-1)
    return flags


def enough(traffic: Traffic, settings: AutoStop) -> Flags:
    """Return where both arms have the minimum visitors, and one of them the minimum conversions."""
    (x_c, n_c), (x_t, n_t) = traffic.control, traffic.treatments
    is_seen = np.minimum(n_c, n_t) >= settings.min_visitors
    flags: Flags = is_seen & (np.maximum(x_c, x_t) >= settings.min_conversions)
    return flags


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmlessFamily:
    """Guardrails that no treatment changes, looked at all the time; an error is any of them called harmed."""

    guardrails: int
    treatments: int = 1
    control_share: float = 0.5
    rate: float = 0.02
    looks: int = 100
    paths: int = 10_000

    @property
    def name(self) -> str:
        """Size of the family, rate and split."""
        part = split(1 - self.control_share) if self.treatments == 1 else "equal arms"
        return f"{self.guardrails} x {self.treatments}, {100 * self.rate:g} %, {part}"

    @property
    def batch(self) -> int:
        """Paths at once."""
        return AT_ONCE // self.looks // self.treatments // self.guardrails

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether any guardrail was ever called harmed, with few and with many new visitors a look."""
        arms = self.treatments + 1
        shares = [1 / arms] * arms if arms > 2 else [self.control_share, 1 - self.control_share]
        outcomes = {}
        for a_look in FEW_AND_MANY:
            traffic = drawn(
                rng, (paths, self.looks), a_look=a_look * arms // 2, shares=shares, rates=[self.rate] * arms
            )
            new = np.diff(traffic.visitors, axis=-1, prepend=0)
            # The same visitors reach each guardrail independently; Holm's promise holds for any dependence.
            others = [
                Traffic(traffic.visitors, rng.binomial(new, self.rate).cumsum(axis=-1))
                for _ in range(self.guardrails - 1)
            ]
            outcomes[f"{a_look}"] = ever(harmed([traffic, *others], AutoStop()))
        return outcomes

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """The worse of both kinds of traffic counts."""
        shares = {a_look: share(values) for a_look, values in outcomes.items()}
        reached, error = max(shares.values())
        both = ", ".join(f"{a_look} a look {part:.4f}" for a_look, (part, _) in shares.items())
        return [
            Row(
                group="Harmless guardrails called harmed, guardrails x treatments",
                what=self.name,
                aim=Aim(ALPHA),
                reached=reached,
                error=error,
                beside=both,
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmlessMoney:
    """Money per visitor, alike in both arms and skewed, as the only guardrail, looked at every hour."""

    treatment_share: float
    paths: int = 5_000
    batch: int = 100

    @property
    def name(self) -> str:
        """The split."""
        return f"harm of money per visitor, {split(self.treatment_share)}, {DAYS * 24} looks"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether it was ever called harmed."""
        seen = Shop(treatment_share=self.treatment_share).seen(rng, paths, DAYS)
        mean, variance = seen.money(seen.goals[1])
        n, converters = seen.visitors, seen.goals[1].converters
        arms = [values[arm][..., None] for arm in (0, 1) for values in (n, mean, variance)]
        differences = batched.differences_of_means(*arms)
        tests = batched.one_sided_mixture_test(differences, direction="decrease", alpha=ALPHA)
        lowest = batched.running_minimum(tests.always_valid_p, axis=1)
        return {"harmed": ever((lowest <= ALPHA) & enough(Traffic(n, converters), AutoStop()))}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """One."""
        reached, error = share(outcomes["harmed"])
        group = "Harmless guardrails called harmed, skewed money"
        return [Row(group=group, what=self.name, aim=Aim(ALPHA), reached=reached, error=error)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeToHarm:
    """A guardrail of 3 % that a treatment lowers by a fifth, one of three, at 10,000 visitors a day, every hour."""

    loss: float = 0.2
    rate: float = 0.03
    a_look: int = 417
    paths: int = 1_000
    batch: int = 100

    @property
    def name(self) -> str:
        """The loss."""
        return f"−{100 * self.loss:.0f} % of one guardrail in three"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return hours until the guardrail is called harmed."""
        shape, shares = (paths, DAYS * 24), (0.5, 0.5)
        hurt = drawn(rng, shape, a_look=self.a_look, shares=shares, rates=(self.rate, self.rate * (1 - self.loss)))
        alike = [drawn(rng, shape, a_look=self.a_look, shares=shares, rates=(self.rate,) * 2) for _ in range(2)]
        flags = harmed([hurt, *alike], AutoStop())[..., 0]
        return {"hours": np.where(flags.any(axis=1), flags.argmax(axis=1) + 1.0, inf)}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """One."""
        reached, error = median(outcomes["hours"])
        return [
            Row(
                group="Hours until a guardrail is called harmed",
                what=self.name,
                aim=Aim(120),
                reached=reached,
                error=error,
                measure="median",
            )
        ]


CELLS: tuple[Cell, ...] = (
    *(HarmlessFamily(guardrails=g, treatments=t) for g, t in ((1, 1), (3, 1), (3, 3), (5, 2))),
    *(HarmlessFamily(guardrails=2, control_share=s, rate=0.005) for s in (0.9, 0.1)),
    HarmlessMoney(treatment_share=0.5),
    HarmlessMoney(treatment_share=0.1),
    TimeToHarm(),
)

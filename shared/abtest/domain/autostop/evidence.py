"""Evidence of one look: the counts of a measurement at one generation, goal by goal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from abtest.domain.stats.samples import Conversions, Sample


class Arms(NamedTuple):
    """Control and treatment of one comparison: both rates, or both means."""

    control: Conversions | Sample
    treatment: Conversions | Sample

    @property
    def difference(self) -> float:
        """Return treatment - control; an arm without visitors counts as zero."""
        control, treatment = (arm.mean if isinstance(arm, Sample) else arm.rate or 0.0 for arm in self)
        return treatment - control


class LeftOut(NamedTuple):
    """Orders of a variation: those whose money counts, and those left out for their currency."""

    counted: int
    excluded: int

    @property
    def share(self) -> Conversions:
        """Excluded orders among all orders, as a rate."""
        return Conversions(visitors=self.counted + self.excluded, conversions=self.excluded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One goal in numbers. Means are in the unit shown (major units of money). `is_guardrail`: tested for harm.

    `source` is the digest of the goal's definition (`domain.goals.definition`). `comparisons` are by treatment; `rates`
    are by variation, of visitors who converted, even where the goal compares means. `tau` is that of the frozen plan,
    None without one for this goal. `left_out` is by variation, of goals that count money. `adjusts`: the plan adjusts
    decisions for the time before exposures, and it was counted for this goal; `adjusted` are then the adjusted arms of
    each treatment with visitors. `is_ratio`: no money per visitor.
    """

    goal_id: str
    source: str
    falls: bool
    is_money: bool
    is_guardrail: bool = False
    is_ratio: bool = False
    comparisons: Mapping[str, Arms]
    rates: Mapping[str, Conversions]
    samples: Mapping[str, Sample]
    tau: float | None = None
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)
    adjusts: bool = False
    adjusted: Mapping[str, Arms] = field(default_factory=dict)

    def gain(self, difference: float) -> float:
        """Return a difference in the goal's direction: positive is better."""
        return -difference if self.falls else difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One generation of a measurement's roll-up, read for a decision.

    `visitors` and `weights` are of the variations in use, the control's first; `treatments` are those that get traffic.
    `alpha` is that of the plan, else of the shop. `measures` are of the goals in use that were counted;
    `guardrails` are goals in use that are tested for harm, counted or not.
    """

    experiment_id: str
    measurement_epoch: int
    generation: int
    currency: str
    alpha: float
    control_id: str
    visitors: Mapping[str, int]
    weights: Mapping[str, float]
    measures: Mapping[str, Measure]
    guardrails: Sequence[str] = ()

    @property
    def treatments(self) -> tuple[str, ...]:
        """Variations that are compared with the control."""
        return tuple(arm for arm, weight in self.weights.items() if weight > 0 and arm != self.control_id)

    @property
    def total_visitors(self) -> int:
        """Visitors of all variations in use."""
        return sum(self.visitors.values())

"""What the rules look at: the counts of one measurement, as far as the roll-ups hold them, and what they answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Literal, NamedTuple

from abtest.domain.goals.coverage import is_stitching_low
from abtest.domain.goals.model import Direction
from abtest.domain.guardian.kinds import Kind
from abtest.domain.ledger.cells import GoalCount
from abtest.domain.stats.samples import Conversions, Sample

Arrivals = Mapping[int, int]
"""How many came in each quarter of an hour since 1970; none where a quarter is not named."""

Unknown = Literal[
    "switched_off",
    "not_counted_yet",
    "not_in_rollups",
    "no_comparison",
    "no_goal",
    "no_threshold",
    "currency_not_convertible",
    "too_early",
    "counts_are_old",
]
"""Why a kind is not evaluated."""


class Sessions(NamedTuple):
    """Visits to the experiment: `failed` with an error of the SDK, `missed` whose treatment was given up."""

    seen: int
    failed: int
    missed: int


class ShopOrders(NamedTuple):
    """The shop's orders during the measurement; `repeated` were told by more than one event."""

    orders: int
    repeated: int | None


class Stitching(NamedTuple):
    """The shop's orders, and those whose visitor had been seen on the storefront before."""

    orders: int
    stitched: int
    asks_consent: bool

    @property
    def is_low(self) -> bool:
        """Whether those are too few."""
        return is_stitching_low(self.orders, self.stitched)


NO_ORDERS = ShopOrders(0, None)
ALL_STITCHED = Stitching(0, 0, asks_consent=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """A variation in use. `share` is its part of the traffic, of 1. `sessions` None: the roll-up lacks them."""

    variation_id: str
    share: float
    is_control: bool
    visitors: int
    sessions: Sessions | None = None
    arrivals: Arrivals = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedGoal:
    """A goal whose loss would be harm. `unit`: stored units in one shown; `excluded`: orders left out, by variation.

    `source` says what the numbers are numbers of: once the goal is defined otherwise, older evidence is another goal's.
    """

    goal_id: str
    direction: Direction
    is_revenue: bool
    unit: int
    counts: Mapping[str, GoalCount]
    excluded: Mapping[str, int] = field(default_factory=dict)
    source: str = ""

    @property
    def identity(self) -> str:
        """The goal as it is defined, for names of tests."""
        return f"{self.goal_id}@{self.source[:16]}"

    def rate(self, arm: Arm) -> Conversions:
        """Who converted among the arm's visitors."""
        return Conversions(visitors=arm.visitors, conversions=self.counts[arm.variation_id].converters)

    def money(self, arm: Arm) -> Sample:
        """Money per visitor of the arm, in major units."""
        count = self.counts[arm.variation_id]
        return Sample.from_sums(arm.visitors, count.total, count.squares).scaled(1 / self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One look at one measurement. Moments are Unix milliseconds.

    `now` is when it is looked at, `watched_since` since when that was done without a pause. `through` is the newest
    event that was counted, `counted_until` how far the counts reach, events or none; 0: nobody knows. `arrivals_since`
    is the first quarter that `arrivals` of the arms know about, `order_arrivals` are the shop's, which reach back to
    `orders_since`.
    """

    measurement_epoch: int
    generation: int
    began: int
    through: int
    now: int
    counted_until: int
    watched_since: int
    currency: str
    arms: Sequence[Arm]
    goals: Sequence[WatchedGoal] = ()
    multiple_exposure: int = 0
    arrivals_since: int = 0
    order_arrivals: Arrivals = field(default_factory=dict)
    orders_since: int = 0
    shop_visitors: int = 0
    """Of the shop since `silent_since`, in the newest day at most; told only where the experiment has none."""
    orders: ShopOrders = NO_ORDERS
    stitching: Stitching = ALL_STITCHED

    @property
    def control(self) -> Arm | None:
        """What the others are compared with."""
        return next((arm for arm in self.arms if arm.is_control), None)

    @property
    def treatments(self) -> Sequence[Arm]:
        """The others, if there is a control."""
        return [arm for arm in self.arms if not arm.is_control] if self.control else []

    @property
    def visitors(self) -> int:
        """Of all arms."""
        return sum(arm.visitors for arm in self.arms)

    @property
    def silent_since(self) -> int | None:
        """Since when it has run and was watched without anybody seen in it; None where somebody was."""
        return None if self.visitors or self.multiple_exposure else max(self.began, self.watched_since)

    def pairs(self) -> Sequence["Pair"]:
        """Each treatment that shares traffic with the control."""
        control = self.control
        if control is None or control.share <= 0:
            return []
        return [Pair(control, arm, len(self.treatments)) for arm in self.treatments if arm.share > 0]


class Pair(NamedTuple):
    """A treatment beside its control; levels are divided by the number of `treatments`."""

    control: Arm
    treatment: Arm
    treatments: int

    @property
    def share(self) -> float:
        """The treatment's part of the pair's traffic."""
        return self.treatment.share / (self.control.share + self.treatment.share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something is wrong. `threshold` is in the unit of `observed`, or the level of the test for findings of a test.

    `checks`: in how many consecutive checks it must be found before it counts.
    """

    kind: Kind
    metric: str
    observed: float | None
    expected: float | None
    threshold: float | None
    sample: int | None
    variation_id: str | None = None
    goal_id: str | None = None
    checks: int = 1
    window: tuple[int, int] | None = None
    """Where it is not the whole measurement, in Unix milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotEvaluated:
    """A kind, or its rule for one variation or goal, that could not be looked at."""

    kind: Kind
    reason: Unknown
    variation_id: str | None = None
    goal_id: str | None = None


Answer = Finding | NotEvaluated


class Peaks:
    """The greatest log E of each test so far in the measurement: always-valid p is the running minimum over looks."""

    def __init__(self, before: Mapping[str, float]) -> None:
        self._peaks = dict(before)

    @property
    def all(self) -> Mapping[str, float]:
        """As they are now, by name of the test."""
        return self._peaks

    def at_least(self, log_e: float, *name: str) -> float:
        """The greatest so far, this look included."""
        key = "|".join(name)
        self._peaks[key] = max(self._peaks.get(key, 0.0), min(log_e, LARGEST_LOG_E))
        return self._peaks[key]


LARGEST_LOG_E = 1e6
"""Beyond any threshold; keeps infinities out of what is stored."""


def shares_of(weights: Sequence[float]) -> Sequence[float]:
    """Weights as parts of 1; zeros where they sum to nothing."""
    whole = fsum(weights)
    return [weight / whole if whole > 0 else 0.0 for weight in weights]

"""Input and output of the rules: the counts of one measurement in the roll-ups, and findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, log
from typing import Literal, NamedTuple

from abtest.domain.goals.coverage import is_stitching_low
from abtest.domain.goals.model import Direction
from abtest.domain.guardian.kinds import Kind
from abtest.domain.ledger.cells import GoalCount
from abtest.domain.stats.samples import Conversions, Sample

Arrivals = Mapping[int, int]
"""Number of arrivals by quarter of an hour since 1970; zero where a quarter is missing."""

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
"""Reasons why a kind is not evaluated."""


class Sessions(NamedTuple):
    """Visits to the experiment: `failed` with an error of the SDK, `missed` without the treatment.

    `unmatched`: with a page where a selector matched nothing. Roll-ups of older releases do not count these: 0.
    """

    seen: int
    failed: int
    missed: int
    unmatched: int = 0

    @property
    def error_rate(self) -> float:
        """Share of sessions with an error; 0 without sessions."""
        return self.failed / self.seen if self.seen else 0.0


class ShopOrders(NamedTuple):
    """The shop's orders during the measurement; `repeated` are named by several events."""

    orders: int
    repeated: int | None


class Stitching(NamedTuple):
    """The shop's orders, and those whose visitor had been seen on the storefront before."""

    orders: int
    stitched: int
    asks_consent: bool

    @property
    def is_low(self) -> bool:
        """Return whether too few orders are stitched."""
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

    def arrived(self, start: int, end: int | None = None) -> int:
        """Count the arrivals from the quarter `start` on, before `end`."""
        return sum(
            number for quarter, number in self.arrivals.items() if start <= quarter and (end is None or quarter < end)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedGoal:
    """A goal whose loss would be harm. `unit`: stored units in one shown; `excluded`: orders left out, by variation.

    `source` is the digest of the goal's definition: evidence from before a redefinition is of another goal.
    """

    goal_id: str
    direction: Direction
    is_revenue: bool
    unit: int
    counts: Mapping[str, GoalCount]
    excluded: Mapping[str, int] = field(default_factory=dict)
    source: str = ""
    recent: Mapping[str, Mapping[int, GoalCount]] = field(default_factory=dict)
    """By variation, then by the quarter of the visitors' first exposure since 1970; since `arrivals_since`."""

    @property
    def identity(self) -> str:
        """Id and definition, for the names of tests."""
        # A part of the digest is enough for the few definitions of one goal, and keeps stored names short.
        return f"{self.goal_id}@{self.source[:16]}"

    def rate(self, arm: Arm) -> Conversions:
        """Return the arm's visitors and converters."""
        return Conversions(visitors=arm.visitors, conversions=self.counts[arm.variation_id].converters)

    def money(self, arm: Arm) -> Sample:
        """Return the arm's money per visitor, in major units."""
        count = self.counts[arm.variation_id]
        return Sample.from_sums(arm.visitors, count.total, count.squares).scaled(1 / self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One look at one measurement. Moments are Unix milliseconds.

    `now` is the time of the look, `watched_since` the first look without a pause until now. `through` is the newest
    counted event. `counted_until` is the end of the counted time, with or without events; 0 when unknown.
    `arrivals_since` is the first quarter in `arrivals` of the arms. `order_arrivals` are the shop's, since
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
    """Of the shop since `silent_since`, in the newest day at most; 0 where the experiment has visitors."""
    orders: ShopOrders = NO_ORDERS
    stitching: Stitching = ALL_STITCHED

    @property
    def control(self) -> Arm | None:
        """Arm that the others are compared with."""
        return next((arm for arm in self.arms if arm.is_control), None)

    @property
    def treatments(self) -> Sequence[Arm]:
        """Arms other than the control; none without a control."""
        return [arm for arm in self.arms if not arm.is_control] if self.control else []

    @property
    def visitors(self) -> int:
        """Visitors of all arms."""
        return sum(arm.visitors for arm in self.arms)

    @property
    def silent_since(self) -> int | None:
        """Start of the time that it ran and was watched without any visitor; None where it has visitors."""
        return None if self.visitors or self.multiple_exposure else max(self.began, self.watched_since)

    def pairs(self) -> Sequence["Pair"]:
        """Return each treatment that shares traffic with the control."""
        control = self.control
        if control is None or control.share <= 0:
            return []
        return [Pair(control, arm, len(self.treatments)) for arm in self.treatments if arm.share > 0]


class Pair(NamedTuple):
    """A treatment and its control; levels are divided by the number of `treatments`."""

    control: Arm
    treatment: Arm
    treatments: int

    @property
    def share(self) -> float:
        """The treatment's part of the pair's traffic."""
        return self.treatment.share / (self.control.share + self.treatment.share)

    @property
    def visitors(self) -> int:
        """Visitors of both arms."""
        return self.control.visitors + self.treatment.visitors

    def is_proven(self, peak: float, level: float) -> bool:
        """Return whether E >= 1 / level, the level divided by the number of treatments; `peak` is log E."""
        return peak >= log(self.treatments / level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something is wrong. `threshold` is in the unit of `observed`, or the level of the test for findings of a test.

    `checks`: number of consecutive checks with the finding before it counts. `only_alerts`: it does not pause, whatever
    its kind may do.
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
    only_alerts: bool = False
    window: tuple[int, int] | None = None
    """Start and end in Unix milliseconds; None for the whole measurement."""
    changed_at: int | None = None
    """Unix milliseconds, about when it began; None: not known to have begun after the measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotEvaluated:
    """A kind, or its rule for one variation or goal, that could not be evaluated."""

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
        """Current peaks by name of the test."""
        return self._peaks

    def at_least(self, log_e: float, *name: str) -> float:
        """Return the greatest so far, this look included."""
        key = "|".join(name)
        # Not below 0: before the first look E is 1.
        self._peaks[key] = max(self._peaks.get(key, 0.0), min(log_e, LARGEST_LOG_E))
        return self._peaks[key]


# Beyond any threshold; keeps infinities out of stored documents.
LARGEST_LOG_E = 1e6


def shares_of(weights: Sequence[float]) -> Sequence[float]:
    """Return weights as parts of 1; zeros where their sum is zero."""
    whole = fsum(weights)
    return [weight / whole if whole > 0 else 0.0 for weight in weights]

"""What a roll-up counts: the plan that says which rows matter, and the counts that come out. No counting here.

A plan is made from an experiment; a fold (`fold.py`, the reference) or a warehouse turns rows into counts. Both follow
these rules:

- Of copies of an event (same `event_id`) the one received first stands. Rows received before the measurement began
  do not exist. Rows of QA visits do not count.
- A row happened at the earlier of its `ts` and its `received_at`, and counts only if that is after the beginning.
- A visitor belongs to the variation of the first exposure (by time, then event id) in the present assignment epoch;
  an exposure that names no epoch is of the present one. A visitor exposed to two variations is set aside and counted.
- A goal counts from the exposure on (the same millisecond included) until its attribution window ends.
- A revenue goal counts each order id once in the shop, the first one; money in another or an unknown currency is left
  out and counted as `excluded`; refunds that name the order reduce it, never below zero. It counts every order of a
  visitor: `count_once` is about clicks, pageviews and custom events.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from abtest.domain.experiments.model import Experiment, Goal, GoalType, JsonObject
from abtest.domain.ledger.events import DAY_MS, REVENUE_GOAL_ID, Row
from abtest.kit.clock import parse_timestamp, to_milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalPlan:
    """How one goal is counted. `filter` is the contract's GoalFilter."""

    goal_id: str
    type: GoalType
    event_name: str | None
    count_once: bool
    window_ms: int
    filter: JsonObject | None

    @property
    def counts_money(self) -> bool:
        """Whether its sum is money."""
        return self.type == "revenue"

    def is_hit(self, row: Row) -> bool:
        """Whether the row is one of the goal's events, filters apart."""
        if row["type"] == "goal":
            return row["goal_id"] == self.goal_id or (self.counts_money and row["goal_id"] == REVENUE_GOAL_ID)
        if row["type"] == "order":
            return self.counts_money
        return row["type"] == "custom" and self.type == "custom" and row["event_name"] == self.event_name


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingPlan:
    """Which rows count for one experiment in one measurement epoch. Times are Unix milliseconds."""

    experiment_id: str
    shop_id: str
    assignment_epoch: int
    measurement_epoch: int
    begins_at: int
    currency: str
    variation_ids: tuple[str, ...]
    goals: tuple[GoalPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalCount:
    """Sufficient statistics of a goal in a variation: of each visitor's total the sum and the sum of squares.

    The total is money in minor units for a revenue goal and a number of hits for others. `excluded` counts hits left
    out because their money is not in the shop's currency.
    """

    converters: int = 0
    count: int = 0
    sum: int = 0
    sum_squares: int = 0
    excluded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What the ledger says about one experiment. `through` is the newest `received_at` looked at, None without rows."""

    visitors: Mapping[str, int]
    goals: Mapping[str, Mapping[str, GoalCount]]
    multiple_exposure: int
    through: int | None


Accepts = Callable[[JsonObject, Row], bool]
"""Whether a goal filter accepts a row."""


def plan_counting(experiment: Experiment, currency: str) -> CountingPlan | None:
    """The plan of an experiment, or None when its measurement never began."""
    if experiment.measurement_started_at is None:
        return None
    return CountingPlan(
        experiment_id=experiment.id,
        shop_id=experiment.shop_id,
        assignment_epoch=experiment.assignment_epoch,
        measurement_epoch=experiment.measurement_epoch,
        begins_at=to_milliseconds(parse_timestamp(experiment.measurement_started_at)),
        currency=currency,
        variation_ids=tuple(variation.id for variation in experiment.variations),
        goals=tuple(_goal_plan(goal) for goal in experiment.goals),
    )


def _goal_plan(goal: Goal) -> GoalPlan:
    return GoalPlan(
        goal_id=goal.id,
        type=goal.type,
        event_name=goal.event_name,
        count_once=goal.count_once,
        window_ms=goal.attribution_window_days * DAY_MS,
        filter=goal.filter,
    )

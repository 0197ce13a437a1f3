"""Plans of experiments: from what somebody states, or from settings and roll-ups where a measurement begins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abtest.domain.autostop.settings import MIN_CONVERSIONS, MIN_VISITORS, resolved
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import (
    NO_PROSPECT,
    Prospect,
    decisive_goal,
    falls,
    planned_goal,
    weights_planned,
)
from abtest.domain.experiments.schedule import MEASURING
from abtest.domain.experiments.states import Action, is_done
from abtest.domain.experiments.transitions import MEASUREMENT_BEGINS
from abtest.domain.goals.model import Goal
from abtest.domain.planning.plan import Plan, Traffic, frozen
from abtest.domain.planning.sample_size import CannotBePlannedError, Demand
from abtest.domain.planning.shapes import Snapshot
from abtest.domain.settings.layers import stated
from abtest.domain.settings.shop import Shop
from abtest.kit.clock import Timestamp, parse_timestamp
from abtest.kit.errors import refused
from abtest.ports.rollup_store import RollupStore
from abtest.services.context import World
from abtest.services.planning.measured import Measured
from abtest.services.shop_records import read_shop
from abtest.services.shops import defaults_in

DEFAULT_MDE = 0.1
DEFAULT_WINDOW_DAYS = 28
_OF_THE_SHOP = ("alpha", "power", "correction_method")


@dataclass(frozen=True, slots=True)
class ShopSettings:
    """The shop and its defaults, read once for one request."""

    shop: Shop
    defaults: Mapping[str, Any]


class Planner:
    """Computes plans; stores nothing."""

    def __init__(self, world: World, rollups: RollupStore) -> None:
        self._world = world
        self._rollups = rollups

    def settings(self, shop_id: str) -> ShopSettings:
        """What the shop decides. Raises NotFoundError."""
        shop = read_shop(self._world.catalog, shop_id)
        return ShopSettings(shop, defaults_in(self._world.catalog, shop))

    def stated(
        self, experiment: Experiment, wish: Mapping[str, Any], settings: ShopSettings, now: Timestamp
    ) -> Snapshot:
        """The snapshot of a stated plan, for a measurement still to begin.

        `wish` holds goal_id, mde, and what else was stated. Raises ValidationFailedError naming the field to blame.
        """
        goal = next((goal for goal in experiment.goals if goal.id == wish["goal_id"] and not goal.archived_at), None)
        if goal is None:
            raise refused("goal_id", "is no goal in use of this experiment")
        if experiment.traffic_allocation <= 0:
            raise refused("traffic_allocation", "lets nobody in: a test without traffic has no plan")
        try:
            return self._computed(experiment, goal, wish, settings, now)
        except CannotBePlannedError as error:
            raise refused(error.field, error.message) from error

    def prospect_of(self, action: Action, experiment: Experiment, settings: ShopSettings, now: Timestamp) -> Prospect:
        """What planning says of an action: nothing unless a measurement begins with it and is not under way."""
        begins = action in MEASUREMENT_BEGINS and not is_done(experiment, action)
        return self.prospect(experiment, settings, now) if begins else NO_PROSPECT

    def prospect(self, experiment: Experiment, settings: ShopSettings, now: Timestamp) -> Prospect:
        """What is frozen when the experiment starts now, and what its checklist says about that."""
        mode = resolved(experiment.auto_stop_override, settings.defaults.get("auto_stop")).mode
        is_needed = mode == "fixed_horizon_planned_end"
        if experiment.plan_is_stated:
            return _of_stated(experiment, is_needed)
        goal = decisive_goal(experiment)
        try:
            if goal is None:
                raise CannotBePlannedError("goal_id", "there is no goal to plan for")
            return Prospect(snapshot=self._computed(experiment, goal, {}, settings, now))
        except CannotBePlannedError as error:
            # A plan of an earlier measurement still says what is to be found.
            lacks = is_needed and planned_goal(experiment) is None
            return _without_plan(f"{error.field} {error.message}") if lacks else NO_PROSPECT

    def outlook(self, experiment: Experiment, settings: ShopSettings) -> Prospect:
        """What the checklist says at any time: of a test under way, whether its plan still holds."""
        if experiment.status in MEASURING and experiment.planned_test is not None:
            return _of_stated(experiment, is_needed=False)
        return self.prospect(experiment, settings, self._world.now())

    def _computed(
        self, experiment: Experiment, goal: Goal, wish: Mapping[str, Any], settings: ShopSettings, now: Timestamp
    ) -> Snapshot:
        asked = {**wished(experiment, settings.defaults), **wish}
        measured = Measured(self._world.catalog, self._rollups, experiment, settings.shop, parse_timestamp(now))
        baseline = asked.get("baseline_rate")
        plan = Plan(
            goal_id=goal.id,
            baseline_rate=_measured_rate(measured, goal, asked["window_days"]) if baseline is None else baseline,
            demand=Demand(**{name: asked[name] for name in ("mde", "alpha", "power", "tail", "correction_method")}),
            window_days=asked["window_days"],
            falls=falls(experiment, goal.id),
        )
        traffic = Traffic(
            daily_visitors=measured.daily_visitors(plan.window_days),
            weights=weights_planned(experiment),
            traffic_allocation=experiment.traffic_allocation,
            holdout=measured.holdout,
        )
        return frozen(plan, traffic, now=now, epoch_started_at=None)


def wished(experiment: Experiment, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """What a plan is computed with unless somebody states it: the experiment's, the shop's, ours, field by field."""
    found: dict[str, Any] = {"mde": DEFAULT_MDE, "tail": "two-sided", "window_days": DEFAULT_WINDOW_DAYS}
    found |= {name: defaults[name] for name in _OF_THE_SHOP}
    layers = (experiment.auto_stop_override, defaults.get("auto_stop"))
    return {name: next(stated(layers, "fixed_horizon", name), ours) for name, ours in found.items()}


def _measured_rate(measured: Measured, goal: Goal, window_days: int) -> float:
    found = measured.baseline(goal, window_days)
    if found.is_known:
        return found.value
    seen = f"{found.conversions} of {found.visitors} visitors reaching the goal" if found.visitors else "nothing"
    raise CannotBePlannedError(
        "baseline_rate",
        f"is not known: {seen} was measured, and it takes {MIN_CONVERSIONS} conversions of {MIN_VISITORS} visitors;"
        " state it",
    )


def _of_stated(experiment: Experiment, is_needed: bool) -> Prospect:
    if planned_goal(experiment) is not None:
        return NO_PROSPECT
    message = "the planned goal is no longer in use; state a plan for another"
    return Prospect(status="fail" if is_needed else "warn", message=message)


def _without_plan(why: str) -> Prospect:
    message = f"a test with a planned end needs a plan (PUT .../plan states one), and none can be computed: {why}"
    return Prospect(status="fail", message=message)

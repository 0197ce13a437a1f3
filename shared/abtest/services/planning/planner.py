"""Plans of experiments: with given values, or from settings and roll-ups where a measurement begins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abtest.domain.autostop.settings import MIN_CONVERSIONS, MIN_VISITORS, WITH_PLAN, Mode, resolved
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
from abtest.domain.planning.duration import advice
from abtest.domain.planning.engine import requested_engine
from abtest.domain.planning.plan import Plan, Traffic, frozen
from abtest.domain.planning.sample_size import CannotBePlannedError, Demand
from abtest.domain.planning.shapes import PlanEngine, Snapshot
from abtest.domain.settings.layers import values_of
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
OTHER_ENGINE = (
    "auto-stop takes planned looks, and the plan is sized for another engine: its visitors are used as they are; for "
    "the planned power save the plan with the engine group_sequential"
)
RATIO = (
    "must not be a ratio, because plans are sized for a rate: plan another goal, "
    "or send the ratio and its sd, as results show them, as mean and sd to POST /sample-size"
)
_OF_THE_SHOP = ("alpha", "power", "correction_method", "covariate_adjustment")
ENGINES: Mapping[str, PlanEngine] = {
    "fixed_horizon_planned_end": "fixed",
    "sequential_significance": "sequential",
    "group_sequential": "group_sequential",
}
"""Test that decides in each mode of auto-stop that stops tests."""


@dataclass(frozen=True, slots=True)
class ShopSettings:
    """Shop and its defaults, read once per request."""

    shop: Shop
    defaults: Mapping[str, Any]


class Planner:
    """Computation of plans; nothing is stored."""

    def __init__(self, world: World, rollups: RollupStore) -> None:
        self._world = world
        self._rollups = rollups

    def settings(self, shop_id: str) -> ShopSettings:
        """Return the shop's settings. Raises NotFoundError."""
        shop = read_shop(self._world.catalog, shop_id)
        return ShopSettings(shop, defaults_in(self._world.catalog, shop))

    def plan(
        self, experiment: Experiment, given: Mapping[str, Any], settings: ShopSettings, now: Timestamp
    ) -> Snapshot:
        """Return the snapshot of a plan with given values, for a measurement that has not begun.

        `given` has goal_id, mde and optional fields; without an engine it is that of auto-stop's mode, and one look
        where it is off. Raises ValidationFailedError naming the field.
        """
        goal = next((goal for goal in experiment.goals if goal.id == given["goal_id"] and not goal.archived_at), None)
        if goal is None:
            raise refused("goal_id", "must be a goal in use of this experiment")
        if experiment.traffic_allocation <= 0:
            raise refused("traffic_allocation", "must be more than 0: a test without traffic has no plan")
        try:
            return self._computed(experiment, goal, given, settings, now, engine=engine_of_mode(experiment, settings))
        except CannotBePlannedError as error:
            raise refused(error.field, error.message) from error

    def prospect_of(self, action: Action, experiment: Experiment, settings: ShopSettings, now: Timestamp) -> Prospect:
        """Return the prospect of an action; none unless it begins a new measurement."""
        begins = action in MEASUREMENT_BEGINS and not is_done(experiment, action)
        return self.prospect(experiment, settings, now) if begins else NO_PROSPECT

    def prospect(self, experiment: Experiment, settings: ShopSettings, now: Timestamp) -> Prospect:
        """Return the plan that a start now would freeze, or the message for the checklist."""
        mode = mode_of(experiment, settings)
        is_needed = mode in WITH_PLAN
        if experiment.plan_is_stated:
            return given_plan_prospect(experiment, mode, is_needed)
        goal = decisive_goal(experiment)
        try:
            if goal is None:
                raise CannotBePlannedError("goal_id", "there is no goal to plan for")
            # Where auto-stop is off, results are read at any time, by the always-valid test.
            engine = ENGINES.get(mode, "sequential")
            snapshot = self._computed(experiment, goal, {}, settings, now, engine=engine)
            return Prospect(snapshot=snapshot, message=_duration(snapshot))
        except CannotBePlannedError as error:
            # The plan of an earlier measurement still holds for this one.
            if not is_needed or planned_goal(experiment) is not None:
                return NO_PROSPECT
            message = "auto-stop's mode needs a plan: send one with PUT .../plan, because none can be computed"
            return Prospect(status="fail", message=f"{message}: {error.field} {error.message}")

    def outlook(self, experiment: Experiment, settings: ShopSettings) -> Prospect:
        """Return the prospect for the checklist; for a running test only whether its plan still holds."""
        if experiment.status in MEASURING and experiment.planned_test is not None:
            return given_plan_prospect(experiment, mode_of(experiment, settings), is_needed=False)
        return self.prospect(experiment, settings, self._world.now())

    def _computed(
        self,
        experiment: Experiment,
        goal: Goal,
        given: Mapping[str, Any],
        settings: ShopSettings,
        now: Timestamp,
        *,
        engine: PlanEngine,
    ) -> Snapshot:
        if goal.is_ratio:
            raise CannotBePlannedError("goal_id", RATIO)
        values = {**plan_values(experiment, settings.defaults), **given}
        measured = Measured(self._world.catalog, self._rollups, experiment, settings.shop, parse_timestamp(now))
        baseline = values.get("baseline_rate")
        plan = Plan(
            goal_id=goal.id,
            baseline_rate=measured_rate(measured, goal, values["window_days"]) if baseline is None else baseline,
            demand=Demand(**{name: values[name] for name in ("mde", "alpha", "power", "tail", "correction_method")}),
            window_days=values["window_days"],
            falls=falls(experiment, goal.id),
            covariate_adjustment=values["covariate_adjustment"],
            engine=requested_engine(given, engine),
        )
        traffic = Traffic(
            daily_visitors=measured.daily_visitors(plan.window_days),
            weights=weights_planned(experiment),
            traffic_allocation=experiment.traffic_allocation,
            holdout=measured.holdout,
        )
        return frozen(plan, traffic, now=now, epoch_started_at=None)


def engine_of_mode(experiment: Experiment, settings: ShopSettings) -> PlanEngine:
    """Return the engine of a given plan that names none."""
    return ENGINES.get(resolved(experiment.auto_stop_override, settings.defaults.get("auto_stop")).mode, "fixed")


def plan_values(experiment: Experiment, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the default values of a plan, field by field: the experiment's, the shop's, the built-in ones."""
    built_in: dict[str, Any] = {"mde": DEFAULT_MDE, "tail": "two-sided", "window_days": DEFAULT_WINDOW_DAYS}
    built_in |= {name: defaults[name] for name in _OF_THE_SHOP}
    layers = (experiment.auto_stop_override, defaults.get("auto_stop"))
    return {name: next(values_of(layers, "fixed_horizon", name), ours) for name, ours in built_in.items()}


def measured_rate(measured: Measured, goal: Goal, window_days: int) -> float:
    """Return the goal's measured rate. Raises CannotBePlannedError where too little was measured."""
    rate = measured.baseline(goal, window_days)
    if rate.is_known:
        return rate.value
    seen = f"{rate.conversions} of {rate.visitors} visitors reaching the goal" if rate.visitors else "nothing"
    raise CannotBePlannedError(
        "baseline_rate",
        f"is not known: {seen} was measured, and it takes {MIN_CONVERSIONS} conversions of {MIN_VISITORS} visitors;"
        " send it",
    )


def mode_of(experiment: Experiment, settings: ShopSettings) -> Mode:
    """Return the mode of auto-stop: the experiment's, else the shop's."""
    return resolved(experiment.auto_stop_override, settings.defaults.get("auto_stop")).mode


def given_plan_prospect(experiment: Experiment, mode: Mode, is_needed: bool) -> Prospect:
    """Return the prospect of a plan with given values: its duration while its goal is in use, else what to do.

    A plan that is sized for another engine than the mode's works, with another power: it is a warning.
    """
    if planned_goal(experiment) is not None:
        duration = _duration(experiment.planned_test)
        is_other = mode == "group_sequential" and (experiment.planned_test or {}).get("engine") != mode
        return Prospect(status="warn", message=OTHER_ENGINE) if is_other else Prospect(message=duration)
    message = "the planned goal is no longer in use, or became a ratio; make a plan for another goal"
    return Prospect(status="fail" if is_needed else "warn", message=message)


def _duration(snapshot: Snapshot | None) -> str:
    """Return for how long the test should run; empty where the traffic was not known."""
    days = (snapshot or {}).get("estimated_days")
    return "" if days is None else advice(days)

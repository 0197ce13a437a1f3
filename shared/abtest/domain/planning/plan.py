"""Plan of a test: its inputs, and the snapshot of it that is frozen when a measurement begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from typing import Literal

from abtest.domain.planning.any_look import power_at
from abtest.domain.planning.curve import DetectableEffect, detectable_effects
from abtest.domain.planning.duration import estimated_days, whole_weeks
from abtest.domain.planning.engine import FIXED, PlannedEngine, engine_of
from abtest.domain.planning.engine_sizes import detectable_for_rate, over_one_look, rate_size
from abtest.domain.planning.sample_size import CannotBePlannedError, Demand, SampleSize
from abtest.domain.planning.shapes import Snapshot

SAME_WEIGHT = 2e-6
"""Weights that differ by less are equal: 1/3 is written with as many digits as people like, six at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Change of the goal's rate from `baseline_rate` that the test should detect, and the days of its traffic.

    `falls`: the goal gets better by falling, so the sizes are those of the rate (1 - mde) times the baseline.
    `covariate_adjustment` does not change them: how much the time before explains is not known before the test.
    """

    goal_id: str
    baseline_rate: float
    demand: Demand
    window_days: int
    falls: bool = False
    covariate_adjustment: Literal["none", "cuped"] = "none"
    engine: PlannedEngine = FIXED


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Eligible visitors a day, the shares that take part, and the weights of the variations.

    `daily_visitors` is None where nothing was measured yet. `weights` are those of the variations in use, the control's
    first.
    """

    daily_visitors: float | None
    weights: Sequence[float]
    traffic_allocation: float = 1.0
    holdout: float = 0.0

    def days_of(self, size: SampleSize) -> float | None:
        """Return the days until the size is reached; None while the traffic is not known."""
        return estimated_days(
            size.required_total_visitors,
            self.daily_visitors or 0,
            traffic_allocation=self.traffic_allocation,
            holdout=self.holdout,
        )


def frozen(plan: Plan, traffic: Traffic, *, now: str, epoch_started_at: str | None) -> Snapshot:
    """Return the snapshot of a plan as it is computed now. Raises CannotBePlannedError.

    `epoch_started_at` is the begin of the measurement that the plan is for, None while it is still ahead.
    """
    demand, one_look = plan.demand, planned_size(replace(plan, engine=FIXED), traffic.weights)
    engine = plan.engine.with_looks(traffic.days_of(one_look))
    size = planned_size(replace(plan, engine=engine), traffic.weights)
    days = traffic.days_of(size)
    if plan.engine.looks is not None:
        engine.check_days(days)
    snapshot: Snapshot = {
        "computed_at": now,
        "epoch_started_at": epoch_started_at,
        "endpoint_reached_at": None,
        "goal_id": plan.goal_id,
        "correction_method": demand.correction_method,
        "baseline_rate": plan.baseline_rate,
        "mde": demand.mde,
        "alpha": demand.alpha,
        "power": demand.power,
        "window_days": plan.window_days,
        "tail": demand.tail,
        "covariate_adjustment": plan.covariate_adjustment,
        **engine.document(),
        "required_sample_per_variant": size.required_sample_per_variant,
        "required_total_visitors": size.required_total_visitors,
        "evaluation": None,
        "revenue_evaluation": None,
    }
    if days is not None:
        snapshot |= {"estimated_days": days, "recommended_days": whole_weeks(days)}
    return snapshot


def planned_size(plan: Plan, weights: Sequence[float]) -> SampleSize:
    """Return the visitors that the plan needs with these weights, the control's first. Raises CannotBePlannedError."""
    demand, shares = _demand_and_shares(plan, weights)
    return rate_size(plan.baseline_rate, demand, plan.engine, shares=shares)


def _demand_and_shares(plan: Plan, weights: Sequence[float]) -> tuple[Demand, Sequence[float] | None]:
    """Return the demand with direction and treatments, and the shares of the traffic, None where all are alike."""
    control, treatments = weights[0], [weight for weight in weights[1:] if weight > 0]
    if control <= 0 or not treatments:
        raise CannotBePlannedError("weights", "the control and at least one treatment need a weight above zero")
    mde = -plan.demand.mde if plan.falls else plan.demand.mde
    demand = replace(plan.demand, mde=mde, treatments=len(treatments))
    if all(abs(weight - control) <= SAME_WEIGHT for weight in treatments):
        return demand, None
    total = control + sum(treatments)
    return demand, [weight / total for weight in (control, *treatments)]


def for_epoch(
    snapshot: Snapshot, weights: Sequence[float], *, falls: bool, now: str, epoch_started_at: str | None
) -> Snapshot:
    """Return the same plan for another measurement: not evaluated yet, with the sizes of the present weights.

    The inputs stay. So do the sizes of a snapshot that an older release stored without all inputs.
    """
    fresh: Snapshot = {
        **snapshot,
        "epoch_started_at": epoch_started_at,
        "endpoint_reached_at": None,
        "evaluation": None,
        "revenue_evaluation": None,
    }
    size = size_of_snapshot(snapshot, weights, falls)
    if size is None:
        return fresh
    each, total = size.required_sample_per_variant, size.required_total_visitors
    before = snapshot.get("required_total_visitors")
    if (each, total) == (snapshot.get("required_sample_per_variant"), before):
        return fresh
    days = snapshot.get("estimated_days")
    fresh |= {"computed_at": now, "required_sample_per_variant": each, "required_total_visitors": total}
    if days and before:
        # Days are proportional to visitors at the traffic that was measured for the first estimate.
        days *= total / before
        fresh |= {"estimated_days": days, "recommended_days": whole_weeks(days)}
    return fresh


def size_of_snapshot(snapshot: Snapshot, weights: Sequence[float], falls: bool) -> SampleSize | None:
    """Return the sizes of a stored plan with these weights; None where an input is missing or no size exists."""
    try:
        plan = plan_of_snapshot(snapshot, falls=falls)
        return None if plan is None else planned_size(plan, weights)
    except CannotBePlannedError:
        return None


def curve_of_snapshot(
    snapshot: Snapshot, weights: Sequence[float], *, falls: bool, daily_visitors: float
) -> Sequence[DetectableEffect]:
    """Return what tests like the stored plan detect by day, with so many visitors in the test a day.

    Empty where an input is missing or there is no traffic.
    """
    try:
        plan = plan_of_snapshot(snapshot, falls=falls)
        if plan is None or not daily_visitors > 0:
            return ()
        demand, shares = _demand_and_shares(plan, weights)
        days = estimated_days(planned_size(plan, weights).required_total_visitors, daily_visitors)
    except CannotBePlannedError:
        return ()
    detectable = partial(
        detectable_for_rate, baseline_rate=plan.baseline_rate, demand=demand, engine=plan.engine, shares=shares
    )
    return detectable_effects(detectable, daily_visitors=daily_visitors, days=days) if days is not None else ()


def plan_of_snapshot(snapshot: Snapshot, *, falls: bool) -> Plan | None:
    """Return the inputs of a stored plan; None where one is missing. Raises CannotBePlannedError for a wrong engine."""
    if not snapshot.keys() >= {"goal_id", "baseline_rate", "mde", "alpha", "power", "tail"}:
        return None
    demand = Demand(
        mde=snapshot["mde"],
        alpha=snapshot["alpha"],
        power=snapshot["power"],
        tail=snapshot["tail"],
        correction_method=snapshot.get("correction_method", "none"),
    )
    return Plan(
        goal_id=snapshot["goal_id"],
        baseline_rate=snapshot["baseline_rate"],
        demand=demand,
        # The window does not enter the sizes, so any value will do.
        window_days=1,
        falls=falls,
        engine=engine_of(snapshot),
    )


def power_at_any_look(snapshot: Snapshot, treatments: int) -> float | None:
    """Return the power of the always-valid test at a sample that was planned for one look, or for planned looks.

    None where the plan is for that test. `treatments` are those that are compared.
    """
    if snapshot.get("engine") == "sequential" or not snapshot.keys() >= {"mde", "alpha", "power", "tail"}:
        return None
    demand = Demand(
        mde=snapshot["mde"],
        alpha=snapshot["alpha"],
        power=snapshot["power"],
        tail=snapshot["tail"],
        treatments=max(1, treatments),
        correction_method=snapshot.get("correction_method", "none"),
    )
    try:
        larger = over_one_look(demand, engine_of(snapshot))
    except CannotBePlannedError:
        return None
    return power_at((demand.critical_z + demand.power_z) * sqrt(larger), demand.alpha / demand.treatments)


def mixture_scale(snapshot: Snapshot | None) -> float | None:
    """Return the tau of the always-valid test of a frozen plan: |mde| times the baseline; None without a plan."""
    if snapshot is None:
        return None
    mde, baseline = snapshot.get("mde"), snapshot.get("baseline_rate")
    if mde is None or baseline is None or not mde * baseline:
        return None
    return abs(float(mde) * float(baseline))

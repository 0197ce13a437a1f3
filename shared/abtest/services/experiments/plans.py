"""Plans of experiments, as callers request them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import Consent
from abtest.domain.experiments import editing
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.schedule import MEASURING
from abtest.domain.experiments.states import not_allowed
from abtest.domain.planning.engine import OF_LOOKS, engine_of, requested_engine
from abtest.domain.planning.sample_size import CannotBePlannedError
from abtest.kit.errors import refused
from abtest.services.aggregates import Saved
from abtest.services.context import Caller
from abtest.services.experiments.store import ExperimentStore
from abtest.services.planning.planner import Planner, ShopSettings, engine_of_mode, plan_values
from abtest.services.retries import Versions

_COMPARED = ("goal_id", "baseline_rate", "mde", "alpha", "power", "tail", "correction_method", "covariate_adjustment")
NOT_LOOKED_BACK = (
    "must be none while the test runs or is paused: a new plan begins a measurement of visitors who may know their"
    " variation, so the time before cannot be used. Complete the test, or send none"
)


class Plans:
    """Use cases of an experiment's plan."""

    def __init__(self, store: ExperimentStore, planner: Planner) -> None:
        self._store = store
        self._planner = planner

    def set_plan(
        self,
        caller: Caller,
        reference: str,
        requested: Mapping[str, Any],
        *,
        consent: Consent,
        expected_version: Versions = None,
    ) -> Saved[Experiment]:
        """Set the plan of an experiment. The same plan again changes nothing.

        In a started test a new plan opens a new measurement, which is not adjusted for the time before. Raises
        InvalidStateTransitionError once the test is over, LiveImpactError while it runs without an acknowledgement,
        ValidationFailedError for an impossible plan.
        """
        settings = self._planner.settings(caller.shop_id)

        def decide(experiment: Experiment, occasion: Occasion) -> Change[Experiment]:
            _check_open(experiment, approval_required=settings.defaults["require_approval"])
            values, defaults = requested, plan_values(experiment, settings.defaults)
            if experiment.status in MEASURING:
                # A new measurement of a started test cannot look back, whatever the shop's default.
                values = {"covariate_adjustment": "none", **requested}
                defaults["covariate_adjustment"] = experiment.planned_adjustment
            whole = {**unnamed_engine(experiment, settings, requested), **defaults, **requested}
            # A plan computed again could have another measured baseline, and so open a new measurement.
            if _is_same(experiment, whole):
                plan = experiment.planned_test
            elif experiment.status in MEASURING and values["covariate_adjustment"] != "none":
                raise refused("covariate_adjustment", NOT_LOOKED_BACK)
            else:
                plan = self._planner.plan(experiment, values, settings, occasion.now)
            after = replace(experiment, planned_test=plan, plan_is_stated=True)
            return editing.settle(experiment, after, occasion, action="experiment.plan", consent=consent)

        return self._store.change(caller, reference, decide, expected_version=expected_version)


def _check_open(experiment: Experiment, *, approval_required: bool) -> None:
    if experiment.archived_at is not None or experiment.status == "completed":
        raise not_allowed(experiment, "plan", approval_required=approval_required)


def _is_same(experiment: Experiment, values: Mapping[str, Any]) -> bool:
    """Return whether the stored plan has these values; without a baseline or looks among them, any are the same."""
    plan = experiment.planned_test
    if plan is None:
        return False
    stored = {**plan, "covariate_adjustment": experiment.planned_adjustment}
    if any(stored.get(name) != values[name] for name in _COMPARED if name in values):
        return False
    try:
        planned, given = engine_of(plan), requested_engine(values)
    except CannotBePlannedError:
        return False
    return planned == (given if given.looks is not None else replace(given, looks=planned.looks))


def unnamed_engine(experiment: Experiment, settings: ShopSettings, requested: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the engine that a request means by not naming one.

    They are those of auto-stop's mode; in a started test those of its plan, since neither a changed mode nor a plan of
    an older release, which has one look, may make the same request a new plan.
    """
    plan: Mapping[str, Any] = experiment.planned_test or {}
    if "engine" in requested or experiment.status not in MEASURING or not plan:
        return {"engine": engine_of_mode(experiment, settings)}
    return {"engine": "fixed", **{name: plan[name] for name in ("engine", *OF_LOOKS) if name in plan}}

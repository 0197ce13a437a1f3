"""Plans of experiments that a caller gives."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import Consent
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.experiments import editing
from abtest.domain.experiments.model import Experiment
from abtest.services.aggregates import Saved
from abtest.services.context import Caller
from abtest.services.experiments.store import ExperimentStore
from abtest.services.planning.planner import Planner, plan_values

_WISHED = ("goal_id", "baseline_rate", "mde", "alpha", "power", "tail", "correction_method")


class Plans:
    """Use cases of an experiment's plan."""

    def __init__(self, store: ExperimentStore, planner: Planner) -> None:
        self._store = store
        self._planner = planner

    def state(
        self,
        caller: Caller,
        reference: str,
        wish: Mapping[str, Any],
        *,
        consent: Consent,
        expected_version: int | None = None,
    ) -> Saved[Experiment]:
        """The experiment with this plan; the same plan again changes nothing.

        In a started test a new plan opens a new measurement. Raises InvalidStateTransitionError once the test is over,
        LiveImpactError while it runs and that was not acknowledged, ValidationFailedError for what cannot be planned.
        """
        settings = self._planner.settings(caller.shop_id)

        def decide(experiment: Experiment, occasion: Occasion) -> Change[Experiment]:
            _check_open(experiment)
            whole = {**plan_values(experiment, settings.defaults), **wish}
            # A plan computed again could have another measured baseline, and so open a new measurement.
            if _is_same(experiment, whole):
                plan = experiment.planned_test
            else:
                plan = self._planner.plan(experiment, wish, settings, occasion.now)
            after = replace(experiment, planned_test=plan, plan_is_stated=True)
            return editing.settle(experiment, after, occasion, action="experiment.plan", consent=consent)

        return self._store.change(caller, reference, decide, expected_version=expected_version)


def _check_open(experiment: Experiment) -> None:
    if experiment.archived_at is not None or experiment.status == "completed":
        why = "archived" if experiment.archived_at else ""
        raise InvalidStateTransitionError("plan", experiment.status, (), why)


def _is_same(experiment: Experiment, wish: Mapping[str, Any]) -> bool:
    """Whether the stored plan already says so; a baseline that nobody states is the one that was measured then."""
    plan = experiment.planned_test
    return plan is not None and all(plan.get(name) == wish[name] for name in _WISHED if name in wish)

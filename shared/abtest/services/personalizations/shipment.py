"""Shipment of a winner: the content of a variation becomes an active personalization for all visitors."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abtest.domain.changes.change import Change
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.variations import find
from abtest.domain.personalizations.model import Personalization
from abtest.domain.personalizations.shipping import ShipRequest, carried_goals, ship
from abtest.ports.catalog import AuditRow, Commit
from abtest.services.aggregates import Saved
from abtest.services.context import Caller
from abtest.services.experiments.store import ExperimentStore
from abtest.services.goals import shop_goal_ids
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.retries import retried
from abtest.services.shops import shop_defaults


class Shipment:
    """Use case that makes a personalization of an experiment."""

    def __init__(self, experiments: ExperimentStore, personalizations: PersonalizationStore) -> None:
        self._experiments = experiments
        self._personalizations = personalizations
        self._world = experiments.world

    def ship(self, caller: Caller, reference: str, given: Mapping[str, Any]) -> Saved[Personalization]:
        """Make and publish the personalization of the winner that the fields of ShipInput name.

        Raises InvalidStateTransitionError unless the experiment is paused or completed, ValidationFailedError for a
        variation that cannot be shipped, KeyTakenError when it was shipped before, CodeBudgetExceededError.
        """
        new_id = self._world.new_id()
        return retried(lambda: self._ship(caller, reference, given, new_id))

    def _ship(self, caller: Caller, reference: str, given: Mapping[str, Any], new_id: str) -> Saved[Personalization]:
        if earlier := self._personalizations.earlier(caller.shop_id, new_id):
            return earlier
        experiment = self._experiments.get(caller.shop_id, reference)
        made = ship(
            experiment,
            ShipRequest(**given),
            goal_ids=self._goal_ids(experiment),
            approval_required=shop_defaults(self._world.catalog, caller.shop_id)["require_approval"],
            new_id=self._world.new_id,
            now=self._world.now(),
        )
        made = replace(made, id=new_id)
        change = Change(
            before=None, after=made, action="personalization.create", note={"source_experiment": experiment.id}
        )
        row = self._audit_row(caller, experiment, made, find(experiment, given["variation_id"]).id)
        # One commit, so that a shipment is in both histories or in neither.
        return self._personalizations.save(caller.user_id, change, Commit(audit=[row]))

    def _goal_ids(self, experiment: Experiment) -> dict[str, str]:
        """Goals of the shop keep their id; copies of the experiment's own get new ids and results of their own."""
        ids = [goal.id for goal in carried_goals(experiment)]
        shops = shop_goal_ids(self._world.catalog, experiment.shop_id, ids)
        return {goal_id: goal_id if goal_id in shops else self._world.new_id() for goal_id in ids}

    def _audit_row(self, caller: Caller, experiment: Experiment, made: Personalization, variation_id: str) -> AuditRow:
        return self._world.audit_row(
            user_id=caller.user_id,
            shop_id=experiment.shop_id,
            action="experiment.ship",
            entity=("experiment", experiment.id, experiment.name),
            diff={"personalization_id": [None, made.id], "variation_id": [None, variation_id]},
        )

"""Actions that move an experiment through its states, its schedule, and publication repeated on demand."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.experiments import schedule
from abtest.domain.experiments.change import Change, Occasion
from abtest.domain.experiments.checklist import Item, checklist
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.states import TRANSITIONS, Action, allowed_actions
from abtest.domain.experiments.transitions import NO_DETAILS, Details, act
from abtest.kit.errors import refused
from abtest.services.context import Caller
from abtest.services.experiments.publishing import Published
from abtest.services.experiments.store import ExperimentStore
from abtest.services.planning.planner import Planner


class Lifecycle:
    """Use cases of the state machine."""

    def __init__(self, store: ExperimentStore, planner: Planner) -> None:
        self._store = store
        self._planner = planner

    def act(
        self,
        caller: Caller,
        reference: str,
        action: Action,
        details: Details = NO_DETAILS,
        *,
        expected_version: int | None = None,
    ) -> Published:
        """Carry the action out. Where it publishes, a failed publication raises PostCommitPublishFailedError.

        An action whose target is the present state changes nothing and publishes again.
        """
        settings = self._planner.settings(caller.shop_id)
        acted = False

        def decide(experiment: Experiment, occasion: Occasion) -> Change:
            nonlocal acted
            change = act(
                experiment,
                action,
                occasion,
                details,
                approval_required=settings.defaults["require_approval"],
                prospect=self._planner.prospect_of(action, experiment, settings, occasion.now),
            )
            acted = not change.is_empty
            return change

        published = self._store.change(caller, reference, decide, expected_version=expected_version)
        if TRANSITIONS[action].publishes:
            again = published if acted else self._store.publishing.publish(published.experiment)
            return Published(again.or_fail())
        return published

    def retry_publication(self, caller: Caller, reference: str) -> Published:
        """Publish the shop again. Raises PostCommitPublishFailedError when that fails again."""
        experiment = self._store.load(caller.shop_id, reference)
        return Published(self._store.publishing.publish(experiment).or_fail())

    def set_schedule(
        self, caller: Caller, reference: str, stated: Mapping[str, Any], *, expected_version: int | None
    ) -> Published:
        """Start and end by themselves at the stated moments."""
        start_at, end_at = stated.get("start_at"), stated.get("end_at")
        if start_at is None and end_at is None:
            raise refused("start_at", "a schedule states start_at, end_at or both")
        return self._store.change(
            caller,
            reference,
            lambda experiment, occasion: schedule.set_schedule(experiment, start_at, end_at, occasion),
            expected_version=expected_version,
        )

    def clear_schedule(self, caller: Caller, reference: str, *, expected_version: int | None) -> Published:
        """Neither start nor end by itself."""
        return self._store.change(caller, reference, schedule.clear_schedule, expected_version=expected_version)

    def checklist(self, shop_id: str, reference: str) -> tuple[tuple[Item, ...], tuple[Action, ...]]:
        """The launch checklist, and the actions that are allowed now."""
        experiment = self._store.load(shop_id, reference)
        settings = self._planner.settings(shop_id)
        required = settings.defaults["require_approval"]
        prospect = self._planner.outlook(experiment, settings)
        items = checklist(experiment, approval_required=required, prospect=prospect)
        return items, allowed_actions(experiment, approval_required=required)

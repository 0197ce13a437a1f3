"""Actions that move an experiment through its states, its schedule, and publication repeated on demand."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.experiments import schedule
from abtest.domain.experiments.checklist import Item, checklist
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.states import TRANSITIONS, Action, offered_actions
from abtest.domain.experiments.transitions import NO_DETAILS, Details, act
from abtest.kit.errors import refused
from abtest.ports.catalog import Commit
from abtest.services.aggregates import NOTHING, Saved
from abtest.services.context import Caller
from abtest.services.experiments.on_page import on_page
from abtest.services.experiments.publish_failure import or_fail
from abtest.services.experiments.store import ExperimentStore
from abtest.services.planning.planner import Planner
from abtest.services.republication import Republication
from abtest.services.retries import Versions


class Lifecycle:
    """Use cases of the state machine."""

    def __init__(self, store: ExperimentStore, planner: Planner, republication: Republication) -> None:
        self._store = store
        self._planner = planner
        self._republication = republication

    def act(
        self,
        caller: Caller,
        reference: str,
        action: Action,
        details: Details = NO_DETAILS,
        *,
        expected_version: Versions = None,
        extra: Commit = NOTHING,
    ) -> Saved[Experiment]:
        """Carry the action out. Where it publishes, a failed publication raises PostCommitPublishFailedError.

        `extra` is committed with the action or not at all.

        An action whose target is the present state changes nothing and publishes again, at most once a second and shop.
        """
        settings = self._planner.settings(caller.shop_id)
        must_deliver, catalog = TRANSITIONS[action].must_deliver, self._store.world.catalog

        def decide(experiment: Experiment, occasion: Occasion) -> Change[Experiment]:
            return act(
                experiment,
                action,
                occasion,
                details,
                approval_required=settings.defaults["require_approval"],
                prospect=self._planner.prospect_of(action, experiment, settings, occasion.now),
                page=on_page(catalog, experiment) if must_deliver else None,
            )

        saved = self._store.change(caller, reference, decide, expected_version=expected_version, extra=extra)
        if TRANSITIONS[action].publishes:
            # A repeated launch after a failed publication changes nothing, so it must publish on its own to be of use.
            return or_fail(saved if saved.changed else self._republication.of_unchanged(saved.value))
        return saved

    def retry_publication(self, caller: Caller, reference: str) -> Saved[Experiment]:
        """Publish the shop again, at most once a second. Raises PostCommitPublishFailedError when that fails again."""
        return or_fail(self._republication.of_unchanged(self._store.get(caller.shop_id, reference)))

    def set_schedule(
        self, caller: Caller, reference: str, given: Mapping[str, Any], *, expected_version: Versions
    ) -> Saved[Experiment]:
        """Schedule the start and the end."""
        start_at, end_at = given.get("start_at"), given.get("end_at")
        if start_at is None and end_at is None:
            raise refused("start_at", "a schedule states start_at, end_at or both")
        required = self._planner.settings(caller.shop_id).defaults["require_approval"]

        def decide(experiment: Experiment, occasion: Occasion) -> Change[Experiment]:
            return schedule.set_schedule(experiment, start_at, end_at, occasion, approval_required=required)

        return self._store.change(caller, reference, decide, expected_version=expected_version)

    def clear_schedule(self, caller: Caller, reference: str, *, expected_version: Versions) -> Saved[Experiment]:
        """Neither start nor end by itself."""
        return self._store.change(caller, reference, schedule.clear_schedule, expected_version=expected_version)

    def checklist(self, shop_id: str, reference: str) -> tuple[tuple[Item, ...], tuple[str, ...]]:
        """The launch checklist, and the actions that are allowed now."""
        experiment = self._store.get(shop_id, reference)
        settings = self._planner.settings(shop_id)
        required = settings.defaults["require_approval"]
        prospect = self._planner.outlook(experiment, settings)
        page = on_page(self._store.world.catalog, experiment)
        items = checklist(experiment, approval_required=required, prospect=prospect, page=page)
        return items, offered_actions(experiment, approval_required=required)

"""Reading experiments: one, its approvals, its history, and filtered, sorted, paged lists of them."""

from collections.abc import Sequence

from abtest.domain.experiments.model import Experiment, Variation
from abtest.ports.catalog import AuditRow
from abtest.services.experiments.store import ExperimentStore
from abtest.services.listing import Filters


class ExperimentReader:
    """Use cases that change nothing."""

    def __init__(self, store: ExperimentStore) -> None:
        self._store = store

    def get(self, shop_id: str, reference: str) -> Experiment:
        """One experiment by id or public id. Raises NotFoundError."""
        return self._store.get(shop_id, reference)

    def variation(self, shop_id: str, reference: str) -> tuple[Experiment, Variation]:
        """One variation by id or public id, and its experiment. Raises NotFoundError."""
        return self._store.variation(shop_id, reference)

    def history(
        self, shop_id: str, reference: str, *, limit: int, after: str | None
    ) -> tuple[Sequence[AuditRow], str | None]:
        """Audit rows of the experiment, newest first, and the id that continues the list."""
        experiment = self._store.get(shop_id, reference)
        return self._store.world.catalog.audit(shop_id, entity_id=experiment.id, limit=limit, after_id=after)

    def page(
        self, shop_id: str, filters: Filters, goal_id: str | None, *, limit: int, after: str | None
    ) -> tuple[list[Experiment], str | None]:
        """Experiments that pass the filters and have the goal, if one is given; and the key that continues the list."""

        def has_goal(experiment: Experiment) -> bool:
            return goal_id is None or any(goal.id == goal_id for goal in experiment.goals)

        return self._store.page(shop_id, filters, limit=limit, after=after, admits_whole=has_goal)

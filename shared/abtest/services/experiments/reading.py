"""Reading experiments: one, its approvals, its history, and filtered, sorted, paged lists of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.domain.experiments.model import CountingType, DeliveryType, Experiment, Status, Variation
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import AuditRow, Head
from abtest.services.experiments.records import experiment_in
from abtest.services.experiments.store import ExperimentStore
from abtest.services.listing import ArchivedFilter, Listing, Sort, is_kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a list is narrowed to; None lets everything pass. `q` is a part of the name, in any case."""

    status: Status | None = None
    counting_type: CountingType | None = None
    delivery_type: DeliveryType | None = None
    archived: ArchivedFilter = "false"
    q: str | None = None
    slug: str | None = None
    goal_id: str | None = None
    updated_since: Timestamp | None = None
    sort: Sort = "-created_at"

    def admits(self, head: Head) -> bool:
        """Whether the head passes everything but `goal_id`, which heads do not know."""
        wanted = {"counting_type": self.counting_type, "delivery_type": self.delivery_type, "slug": self.slug}
        return (
            is_kept(self.archived, head)
            and self.status in (None, head.status)
            and all(value in (None, head.attributes.get(name)) for name, value in wanted.items())
            and (self.q is None or self.q.casefold() in (head.name or "").casefold())
            and (self.updated_since is None or head.updated_at >= self.updated_since)
        )

    def admits_whole(self, experiment: Experiment) -> bool:
        """Whether the experiment has the goal that is asked for."""
        return self.goal_id is None or any(goal.id == self.goal_id for goal in experiment.goals)


class Reading:
    """Use cases that change nothing."""

    def __init__(self, store: ExperimentStore) -> None:
        self._store = store
        self._catalog = store.world.catalog
        self._listing = Listing(self._catalog, "EXP", experiment_in, plural="experiments")

    def get(self, shop_id: str, reference: str) -> Experiment:
        """One experiment by id or public id. Raises NotFoundError."""
        return self._store.load(shop_id, reference)

    def variation(self, shop_id: str, reference: str) -> tuple[Experiment, Variation]:
        """One variation by id or public id, and its experiment. Raises NotFoundError."""
        return self._store.load_variation(shop_id, reference)

    def history(
        self, shop_id: str, reference: str, *, limit: int, after: str | None
    ) -> tuple[Sequence[AuditRow], str | None]:
        """Audit rows of the experiment, newest first, and the id that continues the list."""
        experiment = self._store.load(shop_id, reference)
        return self._catalog.audit(shop_id, entity_id=experiment.id, limit=limit, after_id=after)

    def page(
        self, shop_id: str, filters: Filters, *, limit: int, after: str | None
    ) -> tuple[list[Experiment], str | None]:
        """Experiments that pass the filters, and the key that continues the list."""
        return self._listing.page(shop_id, filters, limit=limit, after=after, admits_whole=filters.admits_whole)

"""Names of a shop's pages, audiences and goals, read from the heads of their records."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from abtest.domain.experiment_files.shop_names import RecordKind
from abtest.domain.goals.model import Goal
from abtest.ports.catalog import Catalog
from abtest.services.goals import shop_goal
from abtest.services.listing import every_head
from abtest.services.shops import shop_defaults


class ShopRecords:
    """Names of one shop during one request. Each kind is read at its first use, and once."""

    def __init__(self, catalog: Catalog, shop_id: str) -> None:
        self._catalog = catalog
        self._shop_id = shop_id
        self._names: dict[RecordKind, Mapping[str, str]] = {}

    def name_of(self, kind: RecordKind, record_id: str) -> str | None:
        """Return the name of a record that no other of its kind has, else None."""
        name = self._of(kind).get(record_id)
        return name if name and len(self.ids_of(kind, name)) == 1 else None

    def has(self, kind: RecordKind, record_id: str) -> bool:
        """Return whether the shop has the record, in use."""
        return record_id in self._of(kind)

    def ids_of(self, kind: RecordKind, name: str) -> Sequence[str]:
        """Return the ids of the records with this name."""
        return [record_id for record_id, other in self._of(kind).items() if other == name]

    def goal(self, goal_id: str) -> Goal | None:
        """Return a goal of the shop that is in use."""
        return shop_goal(self._catalog, self._shop_id, goal_id)

    @cached_property
    def window_days(self) -> int:
        """The shop's attribution window."""
        days: int = shop_defaults(self._catalog, self._shop_id)["attribution_window_days"]
        return days

    def _of(self, kind: RecordKind) -> Mapping[str, str]:
        if kind not in self._names:
            heads = every_head(self._catalog, self._shop_id, kind)
            self._names[kind] = {head.id: head.name or "" for head in heads if head.archived_at is None}
        return self._names[kind]

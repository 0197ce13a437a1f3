"""Reading personalizations: one, and filtered, sorted, paged lists of them."""

from dataclasses import dataclass

from abtest.domain.personalizations.model import DeliveryType, Personalization, Status
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Head
from abtest.services.listing import ArchivedFilter, Listing, Sort, is_kept
from abtest.services.personalizations.records import personalization_in
from abtest.services.personalizations.store import PersonalizationStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a list is narrowed to; None lets everything pass. `q` is a part of the name or the key, in any case.

    Asking for the status archived is asking for archived ones.
    """

    status: Status | None = None
    environment_key: str | None = None
    delivery_type: DeliveryType | None = None
    surface: str | None = None
    archived: ArchivedFilter = "false"
    q: str | None = None
    updated_since: Timestamp | None = None
    sort: Sort = "-created_at"

    def admits(self, head: Head) -> bool:
        """Whether the head passes."""
        wanted = {
            "environment_key": self.environment_key,
            "delivery_type": self.delivery_type,
            "surface": self.surface,
        }
        return (
            (is_kept(self.archived, head) or (self.archived, self.status) == ("false", "archived"))
            and self.status in (None, head.status)
            and all(value in (None, head.attributes.get(name)) for name, value in wanted.items())
            and (self.q is None or self.q.casefold() in f"{head.name}\n{head.attributes.get('key')}".casefold())
            and (self.updated_since is None or head.updated_at >= self.updated_since)
        )


class Reading:
    """Use cases that change nothing."""

    def __init__(self, store: PersonalizationStore) -> None:
        self._store = store
        self._listing = Listing(store.world.catalog, "PZN", personalization_in, plural="personalizations")

    def get(self, shop_id: str, personalization_id: str) -> Personalization:
        """One personalization. Raises NotFoundError."""
        return self._store.load(shop_id, personalization_id)

    def page(
        self, shop_id: str, filters: Filters, *, limit: int, after: str | None
    ) -> tuple[list[Personalization], str | None]:
        """Personalizations that pass the filters, and the key that continues the list."""
        return self._listing.page(shop_id, filters, limit=limit, after=after)

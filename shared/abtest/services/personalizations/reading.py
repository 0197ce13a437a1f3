"""Reading personalizations: one, and filtered, sorted, paged lists of them."""

from abtest.domain.personalizations.model import Personalization
from abtest.services.listing import Listing
from abtest.services.personalizations.records import personalization_in
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.rollout_filters import Filters


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

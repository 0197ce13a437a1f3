"""Reading flags: one, and filtered, sorted, paged lists of them."""

from abtest.domain.flags.model import Flag
from abtest.services.flags.records import flag_in
from abtest.services.flags.store import FlagStore, Reference
from abtest.services.listing import Listing
from abtest.services.rollout_filters import Filters


class Reading:
    """Use cases that change nothing."""

    def __init__(self, store: FlagStore) -> None:
        self._store = store
        self._listing = Listing(store.world.catalog, "FLAG", flag_in, plural="flags")

    def get(self, shop_id: str, reference: Reference) -> Flag:
        """One flag by id, or by key in its environment. Raises NotFoundError."""
        return self._store.load(shop_id, reference)

    def page(self, shop_id: str, filters: Filters, *, limit: int, after: str | None) -> tuple[list[Flag], str | None]:
        """Flags that pass the filters, and the key that continues the list."""
        return self._listing.page(shop_id, filters, limit=limit, after=after)

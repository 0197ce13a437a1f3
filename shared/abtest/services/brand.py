"""Brand context as the use cases that obey it read it."""

from abtest.domain.brand.context import RECORD_ID, UNTOUCHED, BrandContext
from abtest.kit.documents import decode
from abtest.ports.catalog import Catalog


def read_brand(catalog: Catalog, shop_id: str) -> BrandContext:
    """Return the brand context of a shop, empty and off before it was written."""
    record = catalog.get(shop_id, "SET", RECORD_ID)
    return decode(BrandContext, record.body) if record else UNTOUCHED

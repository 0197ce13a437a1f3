"""Pictures that outlive the job that made them, because something shows them."""

from abtest.domain.assets.model import Asset
from abtest.kit import canonical_json
from abtest.ports.catalog import Catalog


def is_shown(catalog: Catalog, asset: Asset) -> bool:
    """Return whether a landing page uses a picture that a job made, or its experiment still shows it.

    Code is not searched for its address: for each picture that would read all code of the shop.
    """
    if catalog.get_many(asset.shop_id, "LP", [use.id for use in asset.used_by]):
        return True
    by = asset.made_by.shown_by if asset.made_by else None
    record = catalog.get(asset.shop_id, "SHOT", by.id) if by is not None and by.kind == "EXP" else None
    return record is not None and asset.id in canonical_json.dumps(record.body)

"""Quota of assets: how many a shop has, and how many bytes it uploaded for them."""

from abtest.domain.assets.model import MAX_ASSETS, MAX_SHOP_BYTES
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Catalog, Put
from abtest.services import quotas
from abtest.services.quotas import QUOTA_ATTEMPTS, Limit

__all__ = ["QUOTA_ATTEMPTS", "QUOTA_ID", "quota_put", "refuse_full"]

QUOTA_ID = "ASSETS"


def refuse_full(catalog: Catalog, shop_id: str, size: int, now: Timestamp) -> None:
    """Raise LimitReachedError for a shop without room for one more asset of a size."""
    quota_put(catalog, shop_id, assets=1, size=size, now=now)


def quota_put(catalog: Catalog, shop_id: str, *, assets: int, size: int, now: Timestamp) -> Put:
    """Return the write of a shop's quota after it gained or lost assets and bytes. Raises LimitReachedError."""
    limits = {
        "assets": Limit(MAX_ASSETS, f"{MAX_ASSETS:,} assets"),
        "bytes": Limit(MAX_SHOP_BYTES, f"{MAX_SHOP_BYTES // 10**9} GB of assets"),
    }
    return quotas.quota_put(catalog, shop_id, QUOTA_ID, {"assets": assets, "bytes": size}, limits, now)

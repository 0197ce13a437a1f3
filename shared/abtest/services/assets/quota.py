"""Quota of assets: how many a shop has, and how many bytes it uploaded for them. One record counts both."""

from abtest.domain.assets.model import MAX_ASSETS, MAX_SHOP_BYTES
from abtest.kit.clock import Timestamp
from abtest.kit.errors import LimitReachedError
from abtest.ports.catalog import Catalog, Head, Put, Record
from abtest.services.retries import ATTEMPTS

QUOTA_ID = "ASSETS"

QUOTA_ATTEMPTS = 4 * ATTEMPTS
"""Attempts of a creation or deletion: all of a shop's change its quota, and a shop may send many at once."""


def refuse_full(catalog: Catalog, shop_id: str, size: int, now: Timestamp) -> None:
    """Raise LimitReachedError for a shop without room for one more asset of a size."""
    quota_put(catalog, shop_id, assets=1, size=size, now=now)


def quota_put(catalog: Catalog, shop_id: str, *, assets: int, size: int, now: Timestamp) -> Put:
    """Return the write of a shop's quota after it gained or lost assets and bytes.

    The condition on its version makes concurrent creations see each other. Raises LimitReachedError for a gain that
    exceeds a limit.
    """
    before = catalog.get(shop_id, "QUOTA", QUOTA_ID)
    used = {"assets": assets, "bytes": size}
    if before is not None:
        used = {name: before.body[name] + gained for name, gained in used.items()}
    if assets > 0 and (used["assets"] > MAX_ASSETS or used["bytes"] > MAX_SHOP_BYTES):
        limit = f"{MAX_ASSETS:,} assets" if used["assets"] > MAX_ASSETS else f"{MAX_SHOP_BYTES // 10**9} GB of assets"
        raise LimitReachedError(f"a shop has {limit} at most; delete one first")
    version = before.head.version if before else 0
    head = Head(
        shop_id=shop_id,
        kind="QUOTA",
        id=QUOTA_ID,
        version=version + 1,
        created_at=before.head.created_at if before else now,
        updated_at=now,
    )
    return Put(record=Record(head=head, body=used), expected_version=version)

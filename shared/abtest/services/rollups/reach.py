"""How far each shop is counted: its own progress, or without uncounted rows the newest listing of the ledger."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field

from abtest.kit import canonical_json
from abtest.kit.clock import from_milliseconds, timestamp
from abtest.ports.blobs import Blobs
from abtest.ports.rollup_store import Reach, RollupStore

KEY = "listing/newest.json.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The newest listing of the ledger, at `listed_at` (Unix ms): by shop, the offset of its newest rows then."""

    listed_at: int
    heads: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShopReaches:
    """Reader of reaches, and writer of the listing. Calls may raise BlobsUnavailableError and DatabaseBusyError."""

    store: RollupStore
    ledger: Blobs

    def put(self, listing: Listing) -> None:
        """Store the newest listing. An older one that replaces it makes reaches earlier, never later."""
        document = {"listed_at": listing.listed_at, "heads": dict(listing.heads)}
        content = gzip.compress(canonical_json.encode(document), 6, mtime=0)
        self.ledger.put(KEY, content, content_type="application/gzip")

    def listing(self) -> Listing | None:
        """Return the newest listing, or None before the first."""
        blob = self.ledger.get(KEY)
        if blob is None:
            return None
        document = canonical_json.loads(gzip.decompress(blob.content), own=True)
        return Listing(listed_at=document["listed_at"], heads=document["heads"])

    def now(self, shop_id: str) -> Reach | None:
        """Return the reach of a shop by the newest listing; None before its first count."""
        # The listing is read first: a shop that is counted meanwhile reaches further, never less far.
        return self.of(shop_id, self.listing())

    def of(self, shop_id: str, listing: Listing | None) -> Reach | None:
        """Return the reach of a shop, given a listing that was read before; None before its first count."""
        progress = self.store.shop_progress(shop_id)
        if progress is None:
            return None
        until = progress.until
        if listing is not None and listing.heads.get(shop_id, 0) <= progress.offset:
            until = max(until, timestamp(from_milliseconds(listing.listed_at)))
        return Reach(until=until, missing=progress.failed)

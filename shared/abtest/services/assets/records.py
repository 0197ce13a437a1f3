"""Records of assets, with what changes together with them: the shop's quota, and notes of files to be removed."""

from collections.abc import Sequence

from abtest.domain.assets.model import Asset
from abtest.kit.documents import decode, encode
from abtest.ports.catalog import Commit, together
from abtest.services.aggregates import Aggregates
from abtest.services.assets.quota import quota_put
from abtest.services.assets.trash import trash_commit
from abtest.services.context import World
from abtest.services.resources import Resource, Summary

_UNREPORTED = ("version", "updated_at", "used_by", "uploaded_bytes", "upload_sha256", "renditions", "width", "height")
"""Fields that the audit leaves out: rows of the users report uses, and the rest follows from the file."""

ASSETS: Resource[Asset] = Resource(
    kind="ASSET",
    noun="asset",
    to_document=lambda asset: encode(asset, omit=("version",)),
    from_record=lambda record: decode(Asset, record.body, version=record.head.version),
    summary=lambda asset: Summary(
        name=asset.name,
        status=asset.status,
        archived_at=asset.archived_at,
        attributes={"key": asset.file_name, "mime_type": asset.mime_type},
    ),
    audited=lambda asset: encode(asset, omit=_UNREPORTED),
)


class AssetStore(Aggregates[Asset]):
    """Assets of shops. A creation or deletion changes the shop's quota in the same commit."""

    def __init__(self, world: World) -> None:
        super().__init__(world, ASSETS)

    def companions(self, pairs: Sequence[tuple[Asset | None, Asset | None]]) -> Commit:
        """The quota of the shop, and notes of files to be removed. Raises LimitReachedError."""
        now = self.world.now()
        notes = [trash_commit(before, after, now) for before, after in pairs]
        # Only creations and deletions count: a change does not upload other bytes.
        gained = [after for before, after in pairs if before is None and after is not None]
        lost = [before for before, after in pairs if after is None and before is not None]
        if not gained and not lost:
            return together(*notes)
        size = sum(asset.uploaded_bytes for asset in gained) - sum(asset.uploaded_bytes for asset in lost)
        shop_id, count = (gained or lost)[0].shop_id, len(gained) - len(lost)
        quota = quota_put(self.world.catalog, shop_id, assets=count, size=size, now=now)
        return together(Commit(puts=[quota]), *notes)

"""Use cases of stored assets: listed, renamed, archived, deleted. `uploads.py` has those that need their files."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.assets.model import Asset, archived, edited, unarchived
from abtest.domain.changes.change import Change, Occasion
from abtest.services.aggregates import Saved
from abtest.services.assets.quota import QUOTA_ATTEMPTS
from abtest.services.assets.records import AssetStore
from abtest.services.assets.uses import refuse_used
from abtest.services.context import Caller, World
from abtest.services.retries import Versions


class Assets(AssetStore):
    """Assets of shops, served at `origin`. `get` and `page` are those of every resource."""

    def __init__(self, world: World, origin: str) -> None:
        super().__init__(world)
        self.origin = origin

    def update(
        self, caller: Caller, asset_id: str, changes: Mapping[str, Any], *, expected_version: Versions
    ) -> Saved[Asset]:
        """Change the name. Raises NotFoundError."""

        def decide(before: Asset, occasion: Occasion) -> Change[Asset]:
            return Change(before=before, after=edited(before, changes, occasion.now), action="asset.update")

        return self.change(caller, asset_id, decide, expected_version=expected_version)

    def set_archived(
        self, caller: Caller, asset_id: str, is_archived: bool, *, expected_version: Versions
    ) -> Saved[Asset]:
        """Archive an asset, or take it back. Raises NotFoundError."""

        def decide(before: Asset, occasion: Occasion) -> Change[Asset]:
            now = occasion.now
            after = archived(before, caller.user_id, now) if is_archived else unarchived(before, now)
            return Change(before=before, after=after, action=f"asset.{'archive' if is_archived else 'unarchive'}")

        return self.change(caller, asset_id, decide, expected_version=expected_version)

    def delete(self, caller: Caller, asset_id: str, *, expected_version: Versions) -> None:
        """Delete an asset; its files go 30 days later. Raises NotFoundError, AssetInUseError."""
        catalog = self.world.catalog
        self.remove(
            caller,
            asset_id,
            expected_version=expected_version,
            check=lambda asset: refuse_used(catalog, asset),
            attempts=QUOTA_ATTEMPTS,
        )

"""Composition root of the assets family."""

from abtest.adapters.images import PillowCodec
from abtest.domain.install.tags import origin_of
from abtest.services.assets.assets import Assets
from abtest.services.assets.uploads import AssetUploads
from abtest.wiring.api import Management, Uses


def assets_uses(base: Management) -> Uses:
    """Return the use cases of assets. Raises MissingSettingError."""
    base.settings.need("assets_base_url")
    assets = Assets(base.world, origin_of(base.settings.assets_base_url))
    return {Assets: assets, AssetUploads: AssetUploads(assets, base.asset_files, PillowCodec())}

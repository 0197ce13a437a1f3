"""Composition root of the assets family."""

from abtest.adapters.images import PillowCodec
from abtest.domain.install.tags import origin_of
from abtest.services.assets.assets import Assets
from abtest.services.assets.uploads import AssetUploads
from abtest.services.jobs import Jobs
from abtest.services.screenshots.orders import ScreenshotOrders
from abtest.services.screenshots.requests import Screenshots
from abtest.wiring.api import Management, Uses
from abtest.wiring.egress import customer_rules


def assets_uses(base: Management) -> Uses:
    """Return the use cases of assets. Raises MissingSettingError."""
    base.settings.need("assets_base_url")
    origin = origin_of(base.settings.assets_base_url)
    assets = Assets(base.world, origin)
    screenshots = Screenshots(
        jobs=Jobs(base.world, "screenshot", base.screenshot_queue),
        orders=ScreenshotOrders(catalog=base.world.catalog, rules=customer_rules(base.settings)),
        origin=origin,
        has_browser=base.has_browser,
    )
    return {
        Assets: assets,
        AssetUploads: AssetUploads(assets, base.asset_files, PillowCodec()),
        Screenshots: screenshots,
    }

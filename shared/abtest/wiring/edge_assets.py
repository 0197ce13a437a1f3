"""Composition root of edge_assets."""

from abtest.adapters import aws
from abtest.adapters.s3.asset_files import S3AssetFiles
from abtest.edge.assets import PublicAssets
from abtest.edge.cdn import Handler
from abtest.ports.waits import CallerKind
from abtest.wiring.edge import through_cdn
from abtest.wiring.settings import settings


def create_handler() -> Handler:
    """Return the handler of every address of the origin. Raises MissingSettingError."""
    aws.serve(CallerKind.SHOPPER)
    config = settings()
    config.need("assets_bucket")
    return through_cdn(PublicAssets(S3AssetFiles(config.assets_bucket)).answer)

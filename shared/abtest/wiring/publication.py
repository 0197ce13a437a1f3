"""Composition of publication, for the worker and for schedules that publish."""

from abtest.adapters.s3 import S3Blobs
from abtest.adapters.scripts import QuickJsChecker
from abtest.adapters.secrets import SecretRootKeys
from abtest.services.publication import Publication
from abtest.storefront import bundle
from abtest.wiring.cdn import cdn_of
from abtest.wiring.settings import settings
from abtest.wiring.worlds import world_of


def publication() -> Publication:
    """Return the publication of committed state to shoppers. Raises MissingSettingError."""
    config = settings()
    config.need("catalog_table", "blobs_bucket", "delivery_bucket", "signing_secret_arn", "worker_base_url")
    world = world_of(config)
    return Publication(
        world=world,
        blobs=S3Blobs(config.delivery_bucket),
        checker=QuickJsChecker(),
        roots=SecretRootKeys(config.signing_secret_arn, world.clock).current,
        bundle=bundle,
        worker_base_url=config.worker_base_url,
        cdn=cdn_of(config),
    )

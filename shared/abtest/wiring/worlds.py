"""Composition of the catalog, the clock and randomness, which most use cases need."""

from abtest.adapters.dynamo import DynamoCatalog
from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.services.context import World
from abtest.services.webhooks.notification import NotifyOfEvents
from abtest.wiring.settings import Settings
from abtest.wiring.webhook_queue import webhook_notifications


def world_of(config: Settings) -> World:
    """Return the deployment's catalog, clock and randomness. Bodies too large for an item are in the bucket of blobs.

    If WebhookQueue is configured, its workers are notified of the events of each commit.
    """
    on_committed = NotifyOfEvents(webhook_notifications(config)) if config.webhook_queue_url else None
    catalog = DynamoCatalog(config.catalog_table, S3Blobs(config.blobs_bucket), on_committed=on_committed)
    return World(catalog=catalog, clock=SystemClock(), random=SystemRandomness())

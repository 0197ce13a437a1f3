"""Composition of what every use case over the catalog has: the catalog, the clock, randomness."""

from abtest.adapters.dynamo import DynamoCatalog
from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Told
from abtest.services.context import World
from abtest.wiring.settings import Settings


def world_of(found: Settings) -> World:
    """The deployment's catalog at the present time; bodies too large for an item are in the bucket of blobs.

    Where WebhookQueue is named, its workers are told of each commit's events.
    """
    catalog = DynamoCatalog(found.catalog_table, S3Blobs(found.blobs_bucket), told=_told(found))
    return World(catalog=catalog, clock=SystemClock(), random=SystemRandomness())


def _told(found: Settings) -> Told | None:
    if not found.webhook_queue_url:
        return None
    from abtest.services.webhooks.ringing import RingForEvents
    from abtest.wiring.webhooks import doorbell

    return RingForEvents(doorbell(found))

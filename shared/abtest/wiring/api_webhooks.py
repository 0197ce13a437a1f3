"""Composition root of the webhooks family: its use cases from what all families share."""

from dataclasses import dataclass

from abtest.adapters.dynamo import DynamoDeliveryStore
from abtest.adapters.kms import KmsSealer
from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.adapters.sqs import SqsQueue
from abtest.ports.deliveries import DeliveryStore
from abtest.ports.queue import Queue
from abtest.ports.sealer import Sealer
from abtest.ports.url_check import UrlCheck
from abtest.services.webhooks.delivery_log import DeliveryLog
from abtest.services.webhooks.endpoints import Endpoints
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.services.webhooks.redelivery import Redelivery
from abtest.wiring.api import Management, Uses
from abtest.wiring.egress import customer_rules

LOOKUP_SECONDS = 5.0
"""How long the caller waits for the name in an address that is registered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookParts:
    """Ports of this family alone."""

    store: DeliveryStore
    sealer: Sealer
    queue: Queue
    check: UrlCheck


def webhook_uses(base: Management, parts: WebhookParts | None = None) -> Uses:
    """Use cases of webhooks; `parts` stand in for what the deployment has. Raises MissingSettingError."""
    parts = parts or _deployed(base)
    notifier = WorkerNotifier(parts.queue)
    return {
        Endpoints: Endpoints(
            world=base.world, store=parts.store, sealer=parts.sealer, notifier=notifier, check=parts.check
        ),
        DeliveryLog: DeliveryLog(world=base.world, store=parts.store),
        Redelivery: Redelivery(world=base.world, store=parts.store, limiter=base.limiter, notifier=notifier),
    }


def _deployed(base: Management) -> WebhookParts:
    settings = base.settings
    settings.need("deliveries_table", "webhook_key_arn", "webhook_queue_url")
    return WebhookParts(
        store=DynamoDeliveryStore(settings.deliveries_table),
        sealer=KmsSealer(settings.webhook_key_arn, base.world.clock),
        queue=SqsQueue(settings.webhook_queue_url),
        check=OutboundHttp(customer_rules(settings), Limits(seconds=LOOKUP_SECONDS)).check,
    )

"""Composition root of the webhooks family."""

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
"""Time that a caller waits for the name lookup of a new address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookParts:
    """Ports that only this family has."""

    store: DeliveryStore
    sealer: Sealer
    queue: Queue
    check: UrlCheck


def webhook_uses(base: Management, parts: WebhookParts | None = None) -> Uses:
    """Return the use cases of webhooks; `parts` replace the deployment's. Raises MissingSettingError."""
    parts = parts or webhook_parts(base)
    notifier = WorkerNotifier(parts.queue)
    return {
        Endpoints: Endpoints(
            world=base.world, store=parts.store, sealer=parts.sealer, notifier=notifier, check=parts.check
        ),
        DeliveryLog: DeliveryLog(world=base.world, store=parts.store),
        Redelivery: Redelivery(world=base.world, store=parts.store, limiter=base.limiter, notifier=notifier),
    }


def webhook_parts(base: Management) -> WebhookParts:
    """Return the ports of the deployment. Raises MissingSettingError."""
    settings = base.settings
    settings.need("deliveries_table", "webhook_key_arn", "webhook_queue_url")
    return WebhookParts(
        store=DynamoDeliveryStore(settings.deliveries_table),
        sealer=KmsSealer(settings.webhook_key_arn, base.world.clock),
        queue=SqsQueue(settings.webhook_queue_url),
        check=OutboundHttp(customer_rules(settings), Limits(seconds=LOOKUP_SECONDS)).check,
    )

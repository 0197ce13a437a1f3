"""Composition roots of webhooks: the worker that makes and sends deliveries, and what looks after it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abtest.wiring.batches import each_message
from abtest.wiring.settings import Settings, settings

if TYPE_CHECKING:
    from abtest.adapters.outbound_http import OutboundHttp
    from abtest.services.context import World
    from abtest.services.webhooks.answering import Answering
    from abtest.services.webhooks.doorbell import Doorbell
    from abtest.services.webhooks.sweeping import OverdueWebhooks

EXCHANGE_SECONDS, ANSWER_BYTES = 10.0, 64 * 1024
"""Of an exchange with an endpoint. Of its answer only the beginning is kept, and nobody needs to wait for more."""


def doorbell(found: Settings) -> "Doorbell":
    """What calls the worker. Raises MissingSettingError."""
    from abtest.adapters.sqs import SqsQueue
    from abtest.services.webhooks.doorbell import Doorbell

    found.need("webhook_queue_url")
    return Doorbell(SqsQueue(found.webhook_queue_url))


def webhook_client(found: Settings) -> "OutboundHttp":
    """The way to addresses that shops wrote."""
    from abtest.adapters.outbound_http import Limits, OutboundHttp
    from abtest.wiring.egress import customer_rules

    return OutboundHttp(customer_rules(found), Limits(seconds=EXCHANGE_SECONDS, body_bytes=ANSWER_BYTES))


def answering() -> "Answering":
    """What worker_webhooks calls. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoDeliveryStore, DynamoLeases
    from abtest.adapters.embedded_metrics import EmbeddedMetrics
    from abtest.adapters.kms import KmsSealer
    from abtest.services.webhooks.answering import Answering
    from abtest.services.webhooks.draining import Drain
    from abtest.services.webhooks.fanout import FanOut
    from abtest.services.webhooks.telling import Telling
    from abtest.wiring.worlds import world_of

    found = settings()
    found.need("catalog_table", "ephemeral_table", "deliveries_table", "webhook_key_arn")
    # Endpoints are small, so the bucket of bodies is not among this function's resources.
    world, store, bell = world_of(found), DynamoDeliveryStore(found.deliveries_table), doorbell(found)
    leases = DynamoLeases(found.ephemeral_table)
    drain = Drain(
        world=world,
        store=store,
        leases=leases,
        sealer=KmsSealer(found.webhook_key_arn, world.clock),
        doorbell=bell,
        senders=webhook_client(found).session,
        metrics=EmbeddedMetrics(found.aws_lambda_function_name, world.clock),
    )
    return Answering(fan_out=FanOut(world, store, leases, bell), drain=drain, telling=Telling(world, store))


def webhook_worker() -> Callable[[Any, Any], Any]:
    """The handler of WebhookQueue: messages that were not carried out are reported, and come again."""
    return each_message(answering().carry_out)


def overdue_webhooks(world: "World", found: Settings) -> "OverdueWebhooks":
    """What cron_sweep calls. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoDeliveryStore
    from abtest.adapters.embedded_metrics import EmbeddedMetrics
    from abtest.services.webhooks.sweeping import OverdueWebhooks

    found.need("deliveries_table")
    return OverdueWebhooks(
        world=world,
        store=DynamoDeliveryStore(found.deliveries_table),
        doorbell=doorbell(found),
        metrics=EmbeddedMetrics(found.aws_lambda_function_name, world.clock),
    )

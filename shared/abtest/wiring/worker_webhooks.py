"""Composition root of worker_webhooks, which makes and sends deliveries."""

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoDeliveryStore, DynamoLeases
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.kms import KmsSealer
from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.adapters.sqs import SqsQueue
from abtest.ports.waits import CallerKind
from abtest.services.webhooks.disabled_notice import DisabledNotices
from abtest.services.webhooks.drain import Drain
from abtest.services.webhooks.fanout import FanOut
from abtest.services.webhooks.meanwhile import Meanwhile
from abtest.services.webhooks.worker import WebhookWorker
from abtest.wiring.batches import each_message
from abtest.wiring.egress import customer_rules
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings
from abtest.wiring.webhook_queue import webhook_notifications
from abtest.wiring.worlds import world_of

EXCHANGE_SECONDS, ANSWER_BYTES = 10.0, 64 * 1024
"""Limits of an exchange with an endpoint: only the beginning of its answer is kept, so no one waits for more."""


def create_handler() -> Handler:
    """Return the handler of WebhookQueue. Raises MissingSettingError.

    Messages that were not carried out are reported, and come again.
    """
    aws.serve(CallerKind.WORKER)
    config = settings()
    config.need("catalog_table", "ephemeral_table", "deliveries_table", "webhook_key_arn")
    # Endpoints are small, so the bucket of bodies is not among this function's resources.
    world, store = world_of(config), DynamoDeliveryStore(config.deliveries_table)
    notifier = webhook_notifications(config)
    leases = DynamoLeases(config.ephemeral_table)
    client = OutboundHttp(customer_rules(config), Limits(seconds=EXCHANGE_SECONDS, body_bytes=ANSWER_BYTES))
    drain = Drain(
        world=world,
        store=store,
        leases=leases,
        sealer=KmsSealer(config.webhook_key_arn, world.clock),
        notifier=notifier,
        senders=client.session,
        metrics=EmbeddedMetrics(config.aws_lambda_function_name, world.clock),
    )
    worker = WebhookWorker(
        fan_out=FanOut(world, store, leases, notifier), drain=drain, notices=DisabledNotices(world, store)
    )
    meanwhile = Meanwhile(work=worker.carry_out, queue=SqsQueue(config.webhook_queue_url), random=world.random)
    return each_message(meanwhile.carry_out)
